//! The priority of single calls.

use std::sync::atomic::{AtomicBool, Ordering};

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_core::interceptor::ClientRequestInfo;
use zorb_core::policy::{Levels, PolicyType, TypedPolicy};

use super::Priority;

/// Whether the process has ever created such a policy. Until then requests do not look for one.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// The policy of a client that sets the priority of calls, by default that of the calling thread. Requests
/// contain it (`RTCorbaPriority`), and it selects their lane, priority band and network class, if the
/// server propagates the client's priority. It can be set for a call, a reference, a thread, or the ORB.
///
/// The priority of the calling thread does not change; that is set with
/// [`RtCurrent::set_priority`](super::RtCurrent::set_priority).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvocationPriority(Priority);

impl InvocationPriority {
    /// Sets the priority of calls.
    #[must_use]
    pub fn new(priority: Priority) -> Self {
        IN_USE.store(true, Ordering::Relaxed);
        Self(priority)
    }

    /// The priority.
    #[must_use]
    pub const fn priority(self) -> Priority {
        self.0
    }

    /// The priority of a request, if the client has this policy.
    pub(crate) fn of(info: &ClientRequestInfo<'_>) -> Option<Priority> {
        if !IN_USE.load(Ordering::Relaxed) {
            return None;
        }
        info.policies().value::<Self>().map(|policy| policy.priority())
    }
}

impl TypedPolicy for InvocationPriority {
    const POLICY_TYPE: PolicyType = PolicyType::INVOCATION_PRIORITY;
    const LEVELS: Levels = Levels::CLIENT;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_i16(self.0.value());
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        Priority::new(reader.read_i16()?)
            .map(Self::new)
            .map_err(|_| reader.error(CdrErrorKind::BoundExceeded, "Priority"))
    }
}
