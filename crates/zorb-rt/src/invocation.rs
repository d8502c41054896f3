//! The priority of single calls.

use std::sync::atomic::{AtomicBool, Ordering};

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_core::interceptor::ClientRequestInfo;
use zorb_core::policy::{Levels, PolicyType, TypedPolicy};

use super::Priority;

/// Whether there has ever been such a policy in this process: until then calls do not look for one.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// The policy of a client by which calls have a priority that is not their thread's: what requests say
/// (`RTCorbaPriority`), and which lane, band and class of the network they go by. It is for objects to
/// whose servers the client's priority counts, and can be set for a call, a reference, a thread, or the
/// ORB. Default: calls have the priority of their thread.
///
/// The calling thread itself stays as it is: to be scheduled at the priority as well, it takes it
/// on by [`RtCurrent::set_priority`](super::RtCurrent::set_priority).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvocationPriority(Priority);

impl InvocationPriority {
    /// Calls of this priority.
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

    /// The priority that this policy gives to a request, if the client has it.
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
