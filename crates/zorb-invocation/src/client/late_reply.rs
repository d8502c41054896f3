//! Replies within an ORB that are sent after their upcalls have returned.

use std::cell::Cell;
use std::io::IoSlice;
use std::sync::Arc;
use std::time::Instant;

use zorb_base::threads::Running;
use zorb_cdr::Gathered;
use zorb_giop::ServedRequest;
use zorb_os::lock::{Condition, Lock};
use zorb_poa::RequestSource;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::client::core::ClientCore;

/// The source of a request of this ORB. A reply that is written during the upcall stays in its buffer.
pub(super) struct LocalSource<'a> {
    core: &'a Arc<ClientCore>,
    /// Where the reply will be, if the servant answers later.
    late: Cell<Option<Arc<LateReply>>>,
}

impl<'a> LocalSource<'a> {
    #[inline]
    pub(super) fn new(core: &'a Arc<ClientCore>) -> Self {
        Self { core, late: Cell::new(None) }
    }

    /// Where the reply will be, if the servant answers later.
    pub(super) fn late(&self) -> Option<Arc<LateReply>> {
        self.late.take()
    }
}

impl RequestSource for LocalSource<'_> {
    fn send_parts(&self, _: ServedRequest, _: &mut [IoSlice<'_>], _: Gathered) {}

    fn defer(&self) -> Result<Box<dyn RequestSource + Send + Sync>, SystemException> {
        let reply = Arc::new(LateReply::default());
        self.late.set(Some(Arc::clone(&reply)));
        Ok(Box::new(DeferredCall { reply, _running: self.core.threads().enter() }))
    }
}

/// A request of this ORB that has been taken over from its upcall. Shutdown waits for it.
struct DeferredCall {
    reply: Arc<LateReply>,
    _running: Running,
}

impl RequestSource for DeferredCall {
    fn send_parts(&self, _: ServedRequest, parts: &mut [IoSlice<'_>], _: Gathered) {
        let mut message = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
        parts.iter().for_each(|part| message.extend_from_slice(part));
        *self.reply.message.lock() = Some(message);
        self.reply.sent.notify_all();
    }
}

/// A slot for the reply that a caller waits for.
#[derive(Debug, Default)]
pub(super) struct LateReply {
    message: Lock<Option<Vec<u8>>>,
    sent: Condition,
}

impl LateReply {
    /// Waits for the reply.
    ///
    /// # Errors
    /// `TIMEOUT`, completed MAYBE, after the deadline.
    pub(super) fn wait(&self, deadline: Option<Instant>) -> Result<Vec<u8>, SystemException> {
        let mut message = self.message.lock();
        loop {
            if let Some(message) = message.take() {
                return Ok(message);
            }
            message = match deadline.map(|end| end.saturating_duration_since(Instant::now())) {
                None => self.sent.wait(message),
                Some(left) if left.is_zero() => {
                    let code = minor::timeout::ROUND_TRIP;
                    return Err(SystemException::timeout(code, CompletionStatus::Maybe));
                }
                Some(left) => self.sent.wait_for(message, left),
            };
        }
    }
}
