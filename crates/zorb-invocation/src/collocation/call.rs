//! The call from a stub to the servant.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arc_swap::Guard;
use zorb_base::options::CollocationStrategy;
use zorb_base::upcall_thread::CollocatedUpcall;
use zorb_cdr::{ByteOrder, CdrError, CdrReader, CdrResult, CdrWriter, Context};
use zorb_giop::ResponseFlags;
use zorb_poa::{ActiveObject, panicked, serving};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, Transfer};

use super::find::collocate;
use super::local_target::LocalTarget;
use crate::client::{
    Invocation, LOCAL_TEXT, ReadReply, decoding, invoke, invoke_two_way, read_exception,
};
use crate::object::ObjectRef;

/// The target of a collocated call, while the call runs.
enum Collocated<'a> {
    /// The object adapter is not involved.
    Direct(&'a ActiveObject),
    /// The target is guarded, and the thread is marked as in an upcall.
    ThruPoa(Guard<Option<Arc<LocalTarget>>>, CollocatedUpcall),
}

impl<'a> Collocated<'a> {
    /// The target of `object` if it is in this ORB and can be called now. If `None`, the stub makes the call with
    /// a request and a reply in memory, which waits, fails or succeeds as any other.
    #[inline]
    fn enter(object: &'a ObjectRef) -> Option<Self> {
        let collocation = &object.shared().collocation;
        let strategy = object.collocation();
        if collocation.is_remote()
            || strategy == CollocationStrategy::Marshalled
            || !object.core().is_running()
        {
            return None;
        }
        match collocation.direct() {
            Some(active) if strategy == CollocationStrategy::Direct => Some(Self::Direct(active)),
            _ => Self::through_poa(object),
        }
    }

    #[inline(never)]
    fn through_poa(object: &'a ObjectRef) -> Option<Self> {
        let collocation = &object.shared().collocation;
        let mut guard = collocation.target();
        if guard.is_none() {
            collocate(object);
            guard = collocation.target();
        }
        let target = guard.as_ref()?;
        if !target.manager.is_active() || target.is_intercepted {
            return None;
        }
        if object.collocation() == CollocationStrategy::Direct && target.object.keep() {
            collocation.make_direct(target);
        }
        Some(Self::ThruPoa(guard, CollocatedUpcall::begin(object.core())))
    }

    #[inline]
    fn active(&self) -> Option<&ActiveObject> {
        match self {
            Self::Direct(active) => Some(active),
            Self::ThruPoa(target, _) => target.as_ref().map(|target| &*target.object),
        }
    }

    /// Makes the upcall; `None` if the call needs a request and a reply.
    #[inline]
    fn call(
        &self,
        object: &ObjectRef,
        operation: &str,
        call: &dyn CollocatedCall,
    ) -> Option<Result<(), SystemException>> {
        let active = self.active()?;
        let upcall = AssertUnwindSafe(|| call.upcall(active, object.core()));
        match serving(active, || catch_unwind(upcall)) {
            Ok(Passed::AsIs) => Some(Ok(())),
            Ok(Passed::NotCalled) => None,
            Ok(Passed::Marshalled(outcome)) => {
                Some(read_outcome(object, operation, call, *outcome))
            }
            Err(_) => Some(Err(panicked(active.id(), operation))),
        }
    }
}

/// Makes a two-way call: calls the servant if it is in this ORB, else sends a request and reads its reply.
///
/// # Errors
/// The system exception of the failed call. What the operation raises is an outcome of `call`.
pub fn call_two_way(
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
) -> Result<(), SystemException> {
    if let Some(target) = Collocated::enter(object)
        && let Some(ended) = target.call(object, operation, call)
    {
        return ended;
    }
    invoke_two_way(object, operation, call)
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
    if let Some(target) = Collocated::enter(object)
        && target.call(object, operation, call).is_some()
    {
        return Ok(()); // errors of one-way calls are not reported
    }
    invoke(object, operation, ResponseFlags::NoResponse, call, ReadReply::Nobody)
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
    /// A value has no encoding.
    Unencodable(CdrError),
}

impl Passed {
    /// Results that have been `written` to `octets`.
    #[cold]
    pub fn results(octets: Vec<u8>, written: CdrResult<()>) -> Self {
        Self::marshalled(written.map(|()| Marshalled::Results(octets)))
    }

    /// A user exception that has been `written` to `octets`.
    #[cold]
    pub fn user_exception(octets: Vec<u8>, written: CdrResult<()>) -> Self {
        Self::marshalled(written.map(|()| Marshalled::UserException(octets)))
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

/// A writer of an outcome that does not pass as it is.
#[cold]
pub fn writer(octets: &mut Vec<u8>) -> CdrWriter<'_> {
    CdrWriter::new(octets, ByteOrder::NATIVE).with_text(LOCAL_TEXT)
}

/// Ends a call whose outcome has been marshalled: reads it, as that of a reply.
#[cold]
fn read_outcome(
    object: &ObjectRef,
    operation: &str,
    call: &dyn CollocatedCall,
    outcome: Marshalled,
) -> Result<(), SystemException> {
    let reader = |octets| {
        CdrReader::new(octets, ByteOrder::NATIVE).with_text(LOCAL_TEXT).with_context(object.core())
    };
    match outcome {
        Marshalled::Results(octets) => call.read_results(&mut reader(&octets)).map_err(decoding),
        Marshalled::UserException(octets) => {
            read_exception(call, &mut reader(&octets)).map_err(decoding)?
        }
        Marshalled::SystemException(exception) => Err(raised(exception, operation)),
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
