//! The call from a stub to the servant.

use std::sync::Arc;

use arc_swap::Guard;
use zorb_base::gather::Body;
use zorb_base::options::CollocationStrategy;
use zorb_cdr::{ByteOrder, CdrReader, CdrWriter};
use zorb_poa::{ActiveObject, panicked};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, Transfer};

use super::HasServant;
use super::find::collocate;
use super::local_target::LocalTarget;
use super::upcall::Upcall;
use crate::client::{Invocation, LOCAL_TEXT, decoding, missing, read_exception};
use crate::object::ObjectRef;

/// The target of a collocated call, while the call runs.
pub enum Collocated<'a> {
    /// The object adapter is not asked.
    Direct(&'a ActiveObject),
    /// The target is guarded, and the thread known to be in an upcall.
    ThruPoa(Guard<Option<Arc<LocalTarget>>>, Upcall),
}

impl std::fmt::Debug for Collocated<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collocated").finish_non_exhaustive()
    }
}

impl<'a> Collocated<'a> {
    /// The target of `object` if it is of this ORB and nothing stands in the way; `None` has the
    /// stub make the call by messages, which then waits, fails or succeeds as any other.
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
        if !target.manager.is_active() {
            return None;
        }
        if object.collocation() == CollocationStrategy::Direct {
            collocation.make_direct(target);
        }
        Some(Self::ThruPoa(guard, Upcall::enter(object.core())))
    }

    #[inline]
    fn active(&self) -> Option<&ActiveObject> {
        match self {
            Self::Direct(active) => Some(active),
            Self::ThruPoa(target, _) => target.as_ref().map(|target| &*target.object),
        }
    }

    /// The servant, if it serves the interface `I`.
    #[inline]
    pub fn servant<I: HasServant>(&self) -> Option<&I::Servant> {
        self.active()?.servant::<I::Servant>(I::ENTRY)
    }

    /// The exception for a servant that has panicked, which ends the call alone.
    #[cold]
    pub fn panicked(&self, operation: &str) -> SystemException {
        match self.active() {
            Some(active) => panicked(active, operation),
            None => missing(),
        }
    }
}

/// Results that the caller gets as if they had been sent.
#[cold]
pub fn pass_results(
    object: &ObjectRef,
    invocation: &dyn Invocation,
    results: &dyn Body,
) -> Result<(), SystemException> {
    let octets = encoded(results)?;
    invocation.read_results(&mut reader(object, &octets)).map_err(decoding)
}

/// A user exception that the caller gets as if it had been sent.
#[cold]
pub fn pass_exception(
    object: &ObjectRef,
    invocation: &dyn Invocation,
    exception: &dyn Body,
) -> Result<(), SystemException> {
    let octets = encoded(exception)?;
    read_exception(invocation, &mut reader(object, &octets)).map_err(decoding)?
}

/// A system exception that a servant raised; it gets a context if it has none.
#[cold]
pub fn raised(exception: SystemException, operation: &str) -> SystemException {
    if exception.context().is_some() {
        return exception;
    }
    exception.with_context(ErrorContext::new(Phase::Upcall).with_operation(operation))
}

fn encoded(body: &dyn Body) -> Result<Vec<u8>, SystemException> {
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE).with_text(LOCAL_TEXT);
    match body.write(&mut writer) {
        Ok(()) => Ok(octets),
        Err(error) => {
            Err(SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::SendReply))
        }
    }
}

fn reader<'a>(object: &'a ObjectRef, octets: &'a [u8]) -> CdrReader<'a> {
    let reader = CdrReader::new(octets, ByteOrder::NATIVE).with_text(LOCAL_TEXT);
    reader.with_context(object.core())
}
