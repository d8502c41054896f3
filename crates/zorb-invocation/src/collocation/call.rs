//! The call from a stub to the servant.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zorb_base::options::CollocationStrategy;
use zorb_base::upcall_thread::CollocatedUpcall;
use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Context};
use zorb_giop::ResponseFlags;
use zorb_poa::{ActiveObject, CurrentUpcall, panicked, serving};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, Transfer};

use super::find::collocate;
use crate::client::{
    Invocation, LOCAL_TEXT, ReadReply, decoding, invoke, invoke_two_way, read_exception,
};
use crate::object::ObjectRef;

/// Makes a two-way call: calls the servant if it is in this ORB, else sends a request and reads its reply.
///
/// # Errors
/// The system exception of the failed call. What the operation raises is an outcome of `call`.
pub fn call_two_way(
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
) -> Result<(), SystemException> {
    match object.shared().collocation.is_remote() {
        true => invoke_two_way(object, operation, call),
        false => call_near::<false>(object, operation, call),
    }
}

/// Makes a one-way call: calls the servant if it is in this ORB, else sends a request.
///
/// # Errors
/// The system exception that prevented sending it.
pub fn call_one_way(
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
) -> Result<(), SystemException> {
    match object.shared().collocation.is_remote() {
        true => invoke(object, operation, ResponseFlags::NoResponse, call, ReadReply::Nobody),
        false => call_near::<true>(object, operation, call),
    }
}

/// Makes a call to an object that may be in this ORB.
#[inline(never)] // a call to another ORB saves no registers for it: 12 instructions
fn call_near<const ONE_WAY: bool>(
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
) -> Result<(), SystemException> {
    let strategy = object.collocation();
    if strategy == CollocationStrategy::Marshalled || !object.core().is_running() {
        return call_by_request::<ONE_WAY>(object, operation, call);
    }
    match object.shared().collocation.direct() {
        Some(active) if strategy == CollocationStrategy::Direct => {
            let passed = upcall(active, object, operation, call);
            end::<ONE_WAY>(passed, object, operation, call)
        }
        _ => call_through_poa::<ONE_WAY>(object, operation, call),
    }
}

/// Makes a call to an object that may be in this ORB, through its adapter.
#[inline(never)] // a direct call saves no registers for it
fn call_through_poa<const ONE_WAY: bool>(
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
) -> Result<(), SystemException> {
    let passed = upcall_through_poa(object, operation, call);
    end::<ONE_WAY>(passed, object, operation, call)
}

/// Returns the outcome of an upcall; makes the call by a request if there was none.
#[inline(always)] // as `upcall`
fn end<const ONE_WAY: bool>(
    passed: Passed,
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
) -> Result<(), SystemException> {
    match passed {
        Passed::AsIs => Ok(()),
        Passed::NotCalled => call_by_request::<ONE_WAY>(object, operation, call),
        Passed::Marshalled(_) if ONE_WAY => Ok(()), // errors of one-way calls are not reported
        Passed::Marshalled(outcome) => read_outcome(object, operation, call, outcome),
    }
}

/// Makes a call by a request, which waits, fails or succeeds as any other.
#[cold]
fn call_by_request<const ONE_WAY: bool>(
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
) -> Result<(), SystemException> {
    match ONE_WAY {
        true => invoke(object, operation, ResponseFlags::NoResponse, call, ReadReply::Nobody),
        false => invoke_two_way(object, operation, call),
    }
}

/// Calls the servant while its target is guarded and the thread is marked as in an upcall.
#[inline(always)] // as `upcall`
fn upcall_through_poa(object: &ObjectRef, operation: &str, call: &dyn CollocatedCall) -> Passed {
    let collocation = &object.shared().collocation;
    let mut guard = collocation.target();
    if guard.is_none() {
        collocate(object);
        guard = collocation.target();
    }
    let Some(target) = guard.as_ref() else { return Passed::NotCalled };
    if !target.manager.is_active() || target.is_intercepted {
        return Passed::NotCalled;
    }
    if object.collocation() == CollocationStrategy::Direct && target.object.keep() {
        collocation.make_direct(target);
    }
    let _upcall = CollocatedUpcall::begin(object.core());
    upcall(&target.object, object, operation, call)
}

/// Makes the upcall.
#[inline(always)] // 21 instructions of a call through the POA, 8 of a direct one
fn upcall(
    active: &ActiveObject,
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
) -> Passed {
    let upcall = AssertUnwindSafe(|| call.upcall(active, object.core()));
    let current = CurrentUpcall { object: active, operation: operation.as_bytes(), source: None };
    match serving(current, || catch_unwind(upcall)) {
        Ok(passed) => passed,
        Err(panic) => ended_by_panic(panic, active, operation),
    }
}

#[cold]
#[inline(never)] // 8 instructions of a call through the POA
fn ended_by_panic(panic: Box<dyn Any + Send>, active: &ActiveObject, operation: &str) -> Passed {
    Passed::marshalled(Ok(Marshalled::Panicked(panicked(panic, active.id(), operation))))
}

/// A call whose object may be in this ORB.
pub trait CollocatedCall: Invocation {
    /// Calls the servant of `active` and passes its outcome, if the arguments pass without marshalling and the
    /// servant has the interface.
    fn upcall(&self, active: &ActiveObject, context: &Context) -> Passed;
}

/// How an upcall has passed its outcome.
#[derive(Debug)]
pub enum Passed {
    /// There was no upcall.
    NotCalled,
    /// As it is.
    AsIs,
    /// Marshalled, as its types require.
    Marshalled(Box<Marshalled>),
}

/// The outcome of an upcall, as in the body of a reply.
#[derive(Debug)]
pub enum Marshalled {
    /// The results.
    Results(Vec<u8>),
    /// A user exception.
    UserException(Vec<u8>),
    /// A system exception that the servant raised.
    SystemException(SystemException),
    /// The servant panicked.
    Panicked(SystemException),
    /// A value has no encoding.
    Unencodable(CdrError),
}

impl Passed {
    /// Results that have been `written` to `octets` by a [`writer`].
    #[cold]
    pub fn results(octets: Vec<u8>, written: CdrResult<()>) -> Self {
        Self::marshalled(finished(octets, written).map(Marshalled::Results))
    }

    /// A user exception that has been `written` to `octets` by a [`writer`].
    #[cold]
    pub fn user_exception(octets: Vec<u8>, written: CdrResult<()>) -> Self {
        Self::marshalled(finished(octets, written).map(Marshalled::UserException))
    }

    /// A system exception that the servant raised.
    #[cold]
    pub fn system_exception(exception: SystemException) -> Self {
        Self::marshalled(Ok(Marshalled::SystemException(exception)))
    }

    fn marshalled(outcome: CdrResult<Marshalled>) -> Self {
        Self::Marshalled(Box::new(outcome.unwrap_or_else(Marshalled::Unencodable)))
    }
}

/// What a [`writer`] has written. One without memory, which stubs do not [finish](CdrWriter::finish), leaves no capacity.
fn finished(octets: Vec<u8>, written: CdrResult<()>) -> CdrResult<Vec<u8>> {
    written?;
    match octets.capacity() {
        0 => Err(CdrError::new(CdrErrorKind::OutOfMemory, 0, "message")),
        _ => Ok(octets),
    }
}

/// A writer of an outcome that does not pass as it is.
#[cold]
pub fn writer(octets: &mut Vec<u8>) -> CdrWriter<'_> {
    CdrWriter::new(octets, ByteOrder::NATIVE).with_text(LOCAL_TEXT)
}

/// Ends a call whose outcome has been marshalled: reads it, as that of a reply.
#[cold]
#[expect(clippy::boxed_local, reason = "unboxed out of line")]
fn read_outcome(
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
    outcome: Box<Marshalled>,
) -> Result<(), SystemException> {
    let reader = |octets| {
        CdrReader::new(octets, ByteOrder::NATIVE).with_text(LOCAL_TEXT).with_context(object.core())
    };
    match *outcome {
        Marshalled::Results(octets) => call.read_results(&mut reader(&octets)).map_err(decoding),
        Marshalled::UserException(octets) => {
            read_exception(call, &mut reader(&octets)).map_err(decoding)?
        }
        Marshalled::SystemException(exception) => Err(raised(exception, operation)),
        Marshalled::Panicked(exception) => Err(exception),
        Marshalled::Unencodable(error) => {
            Err(SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::SendReply))
        }
    }
}

/// A system exception that a servant raised, with a context.
fn raised(exception: SystemException, operation: &str) -> SystemException {
    if exception.context().is_some() {
        return exception;
    }
    exception.with_context(ErrorContext::new(Phase::Upcall).with_operation(operation))
}
