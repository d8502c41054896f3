//! The call from a stub to the servant.

use std::any::Any;
use std::sync::Arc;

use arc_swap::Guard;
use zorb_base::options::CollocationStrategy;
use zorb_base::upcall_thread::CollocatedUpcall;
use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};
use zorb_poa::{ActiveObject, panicked};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, Transfer};

use super::HasServant;
use super::find::collocate;
use super::local_target::LocalTarget;
use crate::client::{Invocation, LOCAL_TEXT, NO_REPLY, decoding, read_exception};
use crate::object::ObjectRef;

/// The target of a collocated call, while the call runs.
pub enum Collocated<'a> {
    /// The object adapter is not involved.
    Direct(&'a ActiveObject),
    /// The target is guarded, and the thread is marked as in an upcall.
    ThruPoa(Guard<Option<Arc<LocalTarget>>>, CollocatedUpcall),
}

impl std::fmt::Debug for Collocated<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collocated").finish_non_exhaustive()
    }
}

impl<'a> Collocated<'a> {
    /// The target of `object` if it is in this ORB and can be called now. If `None`, the stub makes the call with
    /// a request and a reply in memory, which waits, fails or succeeds as any other.
    #[inline]
    pub fn enter(object: &'a ObjectRef) -> Option<Self> {
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

    /// The object and its servant, if it serves the interface `I`.
    #[inline]
    pub fn servant<I: HasServant>(&self) -> Option<(&ActiveObject, &I::Servant)> {
        let active = self.active()?;
        Some((active, active.servant::<I::Servant>(I::ENTRY)?))
    }

    /// The exception for a servant that panicked, which ends only the call.
    #[cold]
    pub fn panicked(&self, operation: &str) -> SystemException {
        match self.active() {
            Some(active) => panicked(active.id(), operation),
            None => NO_REPLY,
        }
    }

    /// Ends a call whose outcome is not passed as it is, but encoded and decoded, as in a reply.
    ///
    /// # Errors
    /// The system exception that the servant raised, that of its panic, or that of values without an
    /// encoding.
    #[cold]
    pub fn pass_on(
        &self,
        object: &ObjectRef,
        operation: &str,
        call: &dyn CollocatedCall,
        panic: Option<Panic>,
    ) -> Result<(), SystemException> {
        if panic.is_some() {
            return Err(self.panicked(operation));
        }
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE).with_text(LOCAL_TEXT);
        let mut written = Written::Results;
        call.write_outcome(&mut writer, &mut written).map_err(|error| {
            SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::SendReply)
        })?;
        let mut reader = CdrReader::new(&octets, ByteOrder::NATIVE)
            .with_text(LOCAL_TEXT)
            .with_context(object.core());
        match written {
            Written::Results => call.read_results(&mut reader).map_err(decoding),
            Written::UserException => read_exception(call, &mut reader).map_err(decoding)?,
            Written::SystemException(exception) => Err(raised(exception, operation)),
        }
    }
}

/// The payload of a panic.
type Panic = Box<dyn Any + Send>;

/// A two-way call whose object may be in this ORB.
pub trait CollocatedCall: Invocation {
    /// Takes the outcome of the upcall and writes it as the body of a reply; sets `written`, which is
    /// [`Written::Results`] before.
    ///
    /// # Errors
    /// A value has no encoding.
    fn write_outcome(&self, writer: &mut CdrWriter<'_>, written: &mut Written) -> CdrResult<()>;
}

/// The kind of outcome that was written.
#[derive(Debug)]
pub enum Written {
    /// The results.
    Results,
    /// A user exception.
    UserException,
    /// Nothing has been written: the servant raised a system exception.
    SystemException(SystemException),
}

/// A system exception that a servant raised, with a context.
fn raised(exception: SystemException, operation: &str) -> SystemException {
    if exception.context().is_some() {
        return exception;
    }
    exception.with_context(ErrorContext::new(Phase::Upcall).with_operation(operation))
}
