//! Stubs: the types of an operation around a call that does not depend on them.

use std::marker::PhantomData;

use zorb_base::gather::Body;
use zorb_base::raises::Raises;
use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Context};
use zorb_invocation::client::{Invocation, Outcome};
use zorb_invocation::collocation::{
    self, CollocatedCall, HasServant, Passed, call_two_way, writer,
};
use zorb_invocation::object::ObjectRef;
use zorb_poa::ActiveObject;
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

    fn values(&self) -> &V {
        &self.values
    }

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        (self.write)(&self.values, writer)
    }

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

    fn read(&self, reader: &mut CdrReader<'_>, outcome: &Outcome<T, E>) -> CdrResult<()> {
        (self.read)(reader, outcome)
    }

    fn write(&self, values: &T, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        (self.write)(values, writer)
    }

    fn pass_as_is(&self, values: &T, context: &Context) -> bool {
        (self.pass_as_is)(values, context)
    }
}

/// Calls `operation` of `object`, an `I`. `upcall` calls the servant if it is collocated.
///
/// # Errors
/// The exception that the operation raises, or the system exception of the failed call.
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
    let outcome = Outcome::missing();
    let interface = PhantomData::<fn() -> I>;
    let stub = Stub { arguments, upcall, results, outcome: &outcome, interface };
    let ended = call_two_way(object, operation, &stub);
    outcome.after(ended)
}

/// Sends a one-way request to `object`, an `I`. `upcall` calls the servant if it is collocated.
///
/// # Errors
/// The system exception that prevented sending it.
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
    let stub = OneWayStub { arguments, upcall, interface: PhantomData::<fn() -> I> };
    collocation::call_one_way(object, operation, &stub)
}

/// A two-way call of an operation of the interface `I`, for code that does not depend on its types.
struct Stub<'o, I, A, U, R: CallResults<E>, E> {
    arguments: A,
    upcall: U,
    results: R,
    /// Borrowed, so that nothing is to be dropped: smaller code.
    outcome: &'o Outcome<R::Values, E>,
    interface: PhantomData<fn() -> I>,
}

impl<I, A: CallArguments, U, R: CallResults<E>, E> Body for Stub<'_, I, A, U, R, E> {
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.arguments.write(writer)
    }
}

impl<I, A, U, R, E> Invocation for Stub<'_, I, A, U, R, E>
where
    A: CallArguments,
    R: CallResults<E>,
    E: Raises,
{
    fn read_results(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        self.results.read(reader, self.outcome)
    }

    fn read_exception(&self, id: &str, reader: &mut CdrReader<'_>) -> CdrResult<bool> {
        self.outcome.read_exception(id, reader)
    }
}

impl<I, A, U, R, E> CollocatedCall for Stub<'_, I, A, U, R, E>
where
    I: HasServant,
    A: CallArguments,
    U: Fn(&A::Values, &I::Servant, &ActiveObject) -> Result<R::Values, E>,
    R: CallResults<E>,
    E: Raises,
{
    fn upcall(&self, active: &ActiveObject, context: &Context) -> Passed {
        if !self.arguments.pass_as_is(context) {
            return Passed::NotCalled;
        }
        let Some(servant) = active.servant::<I::Servant>(I::ENTRY) else {
            return Passed::NotCalled;
        };
        let returned = (self.upcall)(self.arguments.values(), servant, active);
        match returned {
            Ok(values) => {
                let passed = match self.results.pass_as_is(&values, context) {
                    true => Passed::AsIs,
                    false => {
                        let mut octets = Vec::new();
                        let written = self.results.write(&values, &mut writer(&mut octets));
                        Passed::results(octets, written)
                    }
                };
                // Not `returned`: a processor waits to read at once what was just written in parts, here and in
                // `Outcome::after`. A program that only makes such calls takes 5 ns for one instead of 12.
                self.outcome.set_first(Ok(values));
                passed
            }
            Err(raised) => {
                let passed = pass_raised(&raised, context);
                self.outcome.set_first(Err(raised));
                passed
            }
        }
    }
}

/// Passes the exception that an operation raised.
#[inline(never)] // one for all operations that raise the same
fn pass_raised<E: Raises>(raised: &E, context: &Context) -> Passed {
    match raised.user() {
        Ok(exception) if exception.passes_as_is(context) => Passed::AsIs,
        Ok(exception) => {
            let mut octets = Vec::new();
            let written = exception.write(&mut writer(&mut octets));
            Passed::user_exception(octets, written)
        }
        Err(exception) => Passed::system_exception(exception.clone()),
    }
}

/// A one-way call of an operation of the interface `I`, for code that does not depend on its types.
struct OneWayStub<I, A, U> {
    arguments: A,
    upcall: U,
    interface: PhantomData<fn() -> I>,
}

impl<I, A: CallArguments, U> Body for OneWayStub<I, A, U> {
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.arguments.write(writer)
    }
}

impl<I, A: CallArguments, U> Invocation for OneWayStub<I, A, U> {}

impl<I, A, U> CollocatedCall for OneWayStub<I, A, U>
where
    I: HasServant,
    A: CallArguments,
    U: Fn(&A::Values, &I::Servant, &ActiveObject),
{
    fn upcall(&self, active: &ActiveObject, context: &Context) -> Passed {
        if self.arguments.pass_as_is(context)
            && let Some(servant) = active.servant::<I::Servant>(I::ENTRY)
        {
            (self.upcall)(self.arguments.values(), servant, active);
            return Passed::AsIs;
        }
        Passed::NotCalled
    }
}
