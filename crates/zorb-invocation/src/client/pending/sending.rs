//! What threads that send a call have in common.

use std::sync::Arc;

use zorb_cdr::TextCoding;

use super::super::redirections::Redirections;
use super::call::PendingCall;
use crate::object::Binding;

/// Where the arguments of a request begin in its message.
#[derive(Clone, Copy)]
pub(super) struct BodyStart {
    pub(super) at: usize,
    pub(super) text: TextCoding,
}

/// What a thread that sends a call needs, and leaves to the call.
pub(super) struct Sending {
    /// The reference that its server has forwarded to; `None` for the original one.
    pub(super) forwarded: Option<Arc<Binding>>,
    pub(super) redirections: Redirections,
    /// Whether the thread may call objects of this ORB: no other call needs it.
    pub(super) makes_upcalls: bool,
}

impl Sending {
    /// Whether the next attempt is for an object of this ORB.
    #[cold]
    pub(super) fn is_local(&self, call: &PendingCall) -> bool {
        let target = self.forwarded.as_deref().unwrap_or_else(|| call.of.object.binding());
        // Without memory for them, the attempt fails.
        target.routes(call.of.object.core()).is_ok_and(|routes| routes.local.is_some())
    }
}
