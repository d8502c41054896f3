//! Object adapters that refuse expired requests.

use std::time::Duration;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use super::messaging::{from_time_t, to_time_t};
use super::{Deadline, Levels, PolicyType, TypedPolicy};

/// The policy of an object adapter that refuses expired requests: those that reach their object after
/// their request end time (`Messaging::RequestEndTimePolicy`, which clients compute from
/// `RelativeRequestTimeoutPolicy`), or after their reply end time (`ReplyEndTimePolicy`, from
/// `RelativeRoundtripTimeoutPolicy`). They fail with `TIMEOUT`, completed NO. By default end times are
/// ignored.
///
/// The adapter's references contain the policy, and clients send such servers the end times of their requests.
/// Requests without end times, and collocated calls, are always served.
///
/// Calls that the upcall makes on its thread end at the reply end time, too: each has the remaining time of the request.
///
/// End times are wall-clock times: the clocks of servers and clients must be synchronized within the
/// [`tolerance`](Self::tolerance), by which servers extend end times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ServeInTime {
    tolerance: Duration,
}

impl ServeInTime {
    /// The name of its interceptors.
    #[doc(hidden)]
    pub const NAME: &'static str = "Zorb::ServeInTimePolicy";

    /// Refuses requests after their end times.
    #[must_use]
    pub const fn new() -> Self {
        Self { tolerance: Duration::ZERO }
    }

    /// Sets the time after an end time during which requests are still served, and the calls of their upcalls may
    /// still take place, for clocks that are not synchronized. Default: zero.
    #[must_use]
    pub const fn tolerance(self, tolerance: Duration) -> Self {
        Self { tolerance }
    }

    /// Whether this time has passed, with the tolerance.
    pub(crate) fn has_passed(self, end: Deadline) -> bool {
        end.time_left().is_zero() && end.time_since() >= self.tolerance
    }

    /// This time, extended by the tolerance.
    pub(crate) fn extended(self, end: Deadline) -> Deadline {
        end.later(self.tolerance)
    }
}

impl TypedPolicy for ServeInTime {
    const POLICY_TYPE: PolicyType = PolicyType::SERVE_IN_TIME;
    const LEVELS: Levels = Levels::SERVER;
    const EXPOSED: bool = true;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u64(to_time_t(self.tolerance));
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self { tolerance: from_time_t(reader.read_u64()?) })
    }
}
