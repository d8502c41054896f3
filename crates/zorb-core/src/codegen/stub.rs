//! Stubs: the types of an operation around a call that does not depend on them.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zorb_base::gather::Body;
use zorb_base::raises::Raises;
use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Context};
use zorb_giop::ResponseFlags;
use zorb_invocation::client::{Invocation, Outcome, ReadReply, invoke, invoke_two_way};
use zorb_invocation::collocation::{Collocated, CollocatedCall, HasServant, Written};
use zorb_invocation::object::ObjectRef;
use zorb_poa::{ActiveObject, serving};
use zorb_types::SystemException;

/// The arguments of a call: [`Arguments`].
pub trait CallArguments {
    /// The values, as the upcall gets them.
    type Values;

    /// The values.
    fn values(&self) -> &Self::Values;

    /// Marshals the values.
    ///
    /// # Errors
    /// A value has no encoding.
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Whether a collocated call may pass the values without marshalling.
    fn pass_as_is(&self, context: &Context) -> bool;
}

/// How the results of an operation that raises `E` are passed: [`Results`].
pub trait CallResults<E> {
    /// The results.
    type Values;

    /// Unmarshals the results.
    ///
    /// # Errors
    /// The octets do not encode them.
    fn read(&self, reader: &mut CdrReader<'_>, outcome: &Outcome<Self::Values, E>)
    -> CdrResult<()>;

    /// Marshals the results.
    ///
    /// # Errors
    /// A value has no encoding.
    fn write(&self, values: &Self::Values, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Whether a collocated call may pass the results without marshalling.
    fn pass_as_is(&self, values: &Self::Values, context: &Context) -> bool;
}

/// The arguments of a call, with functions that pass them.
#[derive(Debug)]
pub struct Arguments<V, W, P> {
    values: V,
    write: W,
    pass_as_is: P,
}

impl<V, W, P> Arguments<V, W, P>
where
    W: Fn(&V, &mut CdrWriter<'_>) -> CdrResult<()>,
    P: Fn(&V, &Context) -> bool,
{
    /// `write` marshals the `values`; `pass_as_is` returns whether a collocated call may pass them without
    /// marshalling.
    #[inline]
    pub fn new(values: V, write: W, pass_as_is: P) -> Self {
        Self { values, write, pass_as_is }
    }
}

impl<V, W, P> CallArguments for Arguments<V, W, P>
where
    W: Fn(&V, &mut CdrWriter<'_>) -> CdrResult<()>,
    P: Fn(&V, &Context) -> bool,
{
    type Values = V;

    #[inline]
    fn values(&self) -> &V {
        &self.values
    }

    #[inline]
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        (self.write)(&self.values, writer)
    }

    #[inline]
    fn pass_as_is(&self, context: &Context) -> bool {
        (self.pass_as_is)(&self.values, context)
    }
}

/// The functions that pass the results `T` of an operation.
#[derive(Debug)]
pub struct Results<T, R, W, P> {
    read: R,
    write: W,
    pass_as_is: P,
    values: PhantomData<fn() -> T>,
}

impl<T, R, W, P> Results<T, R, W, P>
where
    W: Fn(&T, &mut CdrWriter<'_>) -> CdrResult<()>,
    P: Fn(&T, &Context) -> bool,
{
    /// `read` unmarshals the results; `write` marshals them; `pass_as_is` returns whether a collocated call may
    /// pass them without marshalling.
    #[inline]
    pub fn new<E>(read: R, write: W, pass_as_is: P) -> Self
    where
        R: Fn(&mut CdrReader<'_>, &Outcome<T, E>) -> CdrResult<()>,
    {
        Self { read, write, pass_as_is, values: PhantomData }
    }
}

impl<T, E, R, W, P> CallResults<E> for Results<T, R, W, P>
where
    R: Fn(&mut CdrReader<'_>, &Outcome<T, E>) -> CdrResult<()>,
    W: Fn(&T, &mut CdrWriter<'_>) -> CdrResult<()>,
    P: Fn(&T, &Context) -> bool,
{
    type Values = T;

    #[inline]
    fn read(&self, reader: &mut CdrReader<'_>, outcome: &Outcome<T, E>) -> CdrResult<()> {
        (self.read)(reader, outcome)
    }

    #[inline]
    fn write(&self, values: &T, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        (self.write)(values, writer)
    }

    #[inline]
    fn pass_as_is(&self, values: &T, context: &Context) -> bool {
        (self.pass_as_is)(values, context)
    }
}

/// Calls `operation` of `object`, an `I`. `upcall` calls the servant if it is collocated.
///
/// # Errors
/// The exception that the operation raises, or the system exception of the failed call.
#[inline]
pub fn call<I, A, U, R, E>(
    object: &ObjectRef,
    operation: &str,
    arguments: A,
    upcall: U,
    results: R,
) -> Result<R::Values, E>
where
    I: HasServant,
    A: CallArguments,
    U: Fn(&A::Values, &I::Servant, &ActiveObject) -> Result<R::Values, E>,
    R: CallResults<E>,
    E: Raises,
{
    let stub = Stub { arguments, results, outcome: Outcome::missing() };
    let ended = if let Some(target) = Collocated::enter(object)
        && stub.arguments.pass_as_is(object.core())
        && let Some((active, servant)) = target.servant::<I>()
    {
        let mut passes_as_is = false;
        let upcall = AssertUnwindSafe(|| {
            let returned = upcall(stub.arguments.values(), servant, active);
            passes_as_is = match &returned {
                Ok(values) => stub.results.pass_as_is(values, object.core()),
                Err(raised) => {
                    raised.user().is_ok_and(|exception| exception.passes_as_is(object.core()))
                }
            };
            stub.outcome.set_first(returned);
        });
        match serving(active, || catch_unwind(upcall)).err() {
            None if passes_as_is => Ok(()),
            panic => target.pass_on(object, operation, &stub, panic),
        }
    } else {
        invoke_two_way(object, operation, &stub)
    };
    stub.outcome.after(ended)
}

/// Sends a one-way request to `object`, an `I`. `upcall` calls the servant if it is collocated.
///
/// # Errors
/// The system exception that prevented sending it.
#[inline]
pub fn call_one_way<I, A, U>(
    object: &ObjectRef,
    operation: &str,
    arguments: A,
    upcall: U,
) -> Result<(), SystemException>
where
    I: HasServant,
    A: CallArguments,
    U: Fn(&A::Values, &I::Servant, &ActiveObject),
{
    if let Some(target) = Collocated::enter(object)
        && arguments.pass_as_is(object.core())
        && let Some((active, servant)) = target.servant::<I>()
    {
        // Errors of one-way calls are not reported.
        let upcall = AssertUnwindSafe(|| upcall(arguments.values(), servant, active));
        if serving(active, || catch_unwind(upcall)).is_err() {
            let _ = target.panicked(operation);
        }
        return Ok(());
    }
    let write = |writer: &mut CdrWriter<'_>| arguments.write(writer);
    invoke_one_way(object, operation, &write)
}

/// Sends a one-way request.
#[inline(never)]
fn invoke_one_way(
    object: &ObjectRef,
    operation: &str,
    arguments: &dyn Body,
) -> Result<(), SystemException> {
    invoke(object, operation, ResponseFlags::NoResponse, arguments, ReadReply::Nobody)
}

/// A two-way call of an operation, for code that does not depend on its types.
struct Stub<A, R: CallResults<E>, E> {
    arguments: A,
    results: R,
    outcome: Outcome<R::Values, E>,
}

impl<A: CallArguments, R: CallResults<E>, E> Body for Stub<A, R, E> {
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.arguments.write(writer)
    }
}

impl<A, R, E> Invocation for Stub<A, R, E>
where
    A: CallArguments,
    R: CallResults<E>,
    E: Raises,
{
    fn read_results(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        self.results.read(reader, &self.outcome)
    }

    fn read_exception(&self, id: &str, reader: &mut CdrReader<'_>) -> CdrResult<bool> {
        self.outcome.read_exception(id, reader)
    }
}

impl<A, R, E> CollocatedCall for Stub<A, R, E>
where
    A: CallArguments,
    R: CallResults<E>,
    E: Raises,
{
    fn write_outcome(&self, writer: &mut CdrWriter<'_>, written: &mut Written) -> CdrResult<()> {
        match self.outcome.take() {
            Ok(values) => self.results.write(&values, writer),
            Err(raised) => write_raised(raised, writer, written),
        }
    }
}

/// Writes the exception that an operation raised; a system exception goes to `written` instead.
#[inline(never)]
fn write_raised<E: Raises>(
    raised: E,
    writer: &mut CdrWriter<'_>,
    written: &mut Written,
) -> CdrResult<()> {
    if let Ok(exception) = raised.user() {
        *written = Written::UserException;
        return exception.write(writer);
    }
    if let Ok(exception) = raised.into_system() {
        *written = Written::SystemException(exception);
    }
    Ok(())
}
