//! Stubs: a generic layer with the types of an operation over code that does not depend on them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use zorb_base::gather::Body;
use zorb_base::raises::Raises;
use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Context};
use zorb_giop::ResponseFlags;
use zorb_invocation::client::{Invocation, Outcome, ReadReply, invoke};
use zorb_invocation::collocation::{Collocated, CollocatedCall, HasServant, Written};
use zorb_invocation::object::ObjectRef;
use zorb_os::probe;
use zorb_types::SystemException;

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

/// The functions that pass the results of an operation.
#[derive(Debug)]
pub struct Results<R, W, P> {
    read: R,
    write: W,
    pass_as_is: P,
}

impl<R, W, P> Results<R, W, P> {
    /// `read` unmarshals the results; `write` marshals them; `pass_as_is` returns whether a collocated call may
    /// pass them without marshalling.
    #[inline]
    pub fn new<T, E>(read: R, write: W, pass_as_is: P) -> Self
    where
        R: Fn(&mut CdrReader<'_>, &Outcome<T, E>) -> CdrResult<()>,
        W: Fn(&T, &mut CdrWriter<'_>) -> CdrResult<()>,
        P: Fn(&T, &Context) -> bool,
    {
        Self { read, write, pass_as_is }
    }
}

/// Calls `operation` of `object`. `upcall` calls the servant if it is collocated.
///
/// # Errors
/// The exception that the operation raises, or the system exception of the failed call.
#[inline]
pub fn call<I, V, W, P, U, R, X, Q, T, E>(
    object: &ObjectRef,
    operation: &str,
    arguments: Arguments<V, W, P>,
    upcall: U,
    results: Results<R, X, Q>,
) -> Result<T, E>
where
    I: HasServant,
    W: Fn(&V, &mut CdrWriter<'_>) -> CdrResult<()>,
    P: Fn(&V, &Context) -> bool,
    U: Fn(&V, &I::Servant) -> Result<T, E>,
    R: Fn(&mut CdrReader<'_>, &Outcome<T, E>) -> CdrResult<()>,
    X: Fn(&T, &mut CdrWriter<'_>) -> CdrResult<()>,
    Q: Fn(&T, &Context) -> bool,
    E: Raises,
{
    let outcome = Outcome::missing();
    let ended = if let Some(target) = Collocated::enter(object)
        && (arguments.pass_as_is)(&arguments.values, object.core())
        && let Some(servant) = target.servant::<I>()
    {
        let mut passes_as_is = false;
        let upcall = catch_unwind(AssertUnwindSafe(|| {
            let returned = upcall(&arguments.values, servant);
            passes_as_is = match &returned {
                Ok(values) => (results.pass_as_is)(values, object.core()),
                Err(raised) => {
                    raised.user().is_ok_and(|exception| exception.passes_as_is(object.core()))
                }
            };
            outcome.set(returned);
        }));
        match upcall.err() {
            None if passes_as_is => Ok(()),
            panic => {
                let stub = Stub::new(&arguments, &results, &outcome);
                target.pass_on(object, operation, &stub, panic)
            }
        }
    } else {
        invoke_two_way(object, operation, &Stub::new(&arguments, &results, &outcome))
    };
    outcome.after(ended)
}

/// Sends a one-way request. `upcall` calls the servant if it is collocated.
///
/// # Errors
/// The system exception that prevented sending it.
#[inline]
pub fn call_one_way<I, V, W, P, U>(
    object: &ObjectRef,
    operation: &str,
    arguments: Arguments<V, W, P>,
    upcall: U,
) -> Result<(), SystemException>
where
    I: HasServant,
    W: Fn(&V, &mut CdrWriter<'_>) -> CdrResult<()>,
    P: Fn(&V, &Context) -> bool,
    U: Fn(&V, &I::Servant),
{
    if let Some(target) = Collocated::enter(object)
        && (arguments.pass_as_is)(&arguments.values, object.core())
        && let Some(servant) = target.servant::<I>()
    {
        // Errors of one-way calls are not reported.
        let upcall = || upcall(&arguments.values, servant);
        if catch_unwind(AssertUnwindSafe(upcall)).is_err() {
            let _ = target.panicked(operation);
        }
        return Ok(());
    }
    let write = |writer: &mut CdrWriter<'_>| (arguments.write)(&arguments.values, writer);
    invoke_one_way(object, operation, &write)
}

/// Makes a two-way call with a request and a reply.
#[inline(never)]
fn invoke_two_way(
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
) -> Result<(), SystemException> {
    probe!(Begin);
    let (response, reply) = (ResponseFlags::SyncWithTarget, ReadReply::Typed(call));
    let ended = invoke(object, operation, response, call, reply);
    probe!(Reference);
    ended
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
struct Stub<'a, A, R, T, E> {
    arguments: &'a A,
    results: &'a R,
    outcome: &'a Outcome<T, E>,
}

impl<'a, A, R, T, E> Stub<'a, A, R, T, E> {
    #[inline]
    fn new(arguments: &'a A, results: &'a R, outcome: &'a Outcome<T, E>) -> Self {
        Self { arguments, results, outcome }
    }
}

impl<V, W, P, R, T, E> Body for Stub<'_, Arguments<V, W, P>, R, T, E>
where
    W: Fn(&V, &mut CdrWriter<'_>) -> CdrResult<()>,
{
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        (self.arguments.write)(&self.arguments.values, writer)
    }
}

impl<V, W, P, R, X, Q, T, E> Invocation for Stub<'_, Arguments<V, W, P>, Results<R, X, Q>, T, E>
where
    W: Fn(&V, &mut CdrWriter<'_>) -> CdrResult<()>,
    R: Fn(&mut CdrReader<'_>, &Outcome<T, E>) -> CdrResult<()>,
    E: Raises,
{
    fn read_results(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        (self.results.read)(reader, self.outcome)
    }

    fn read_exception(&self, id: &str, reader: &mut CdrReader<'_>) -> CdrResult<bool> {
        self.outcome.read_exception(id, reader)
    }
}

impl<V, W, P, R, X, Q, T, E> CollocatedCall for Stub<'_, Arguments<V, W, P>, Results<R, X, Q>, T, E>
where
    W: Fn(&V, &mut CdrWriter<'_>) -> CdrResult<()>,
    R: Fn(&mut CdrReader<'_>, &Outcome<T, E>) -> CdrResult<()>,
    X: Fn(&T, &mut CdrWriter<'_>) -> CdrResult<()>,
    E: Raises,
{
    fn write_outcome(&self, writer: &mut CdrWriter<'_>, written: &mut Written) -> CdrResult<()> {
        match self.outcome.take() {
            Ok(values) => (self.results.write)(&values, writer),
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
