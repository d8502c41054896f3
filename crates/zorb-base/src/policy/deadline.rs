//! Absolute deadlines, and the policies that set them for calls.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use super::{Levels, PolicyType, TypedPolicy};

/// The time from CORBA's epoch, 15 October 1582, to Unix's, in units of 100 ns.
const UNIX_IN_TIME_T: u64 = 0x01B2_1DD2_1381_4000;

/// An absolute deadline that is valid on all nodes: `TimeBase::TimeT`, units of 100 ns since 15 October 1582, UTC. The
/// clocks of the nodes must be synchronized with the accuracy that deadlines need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadline(u64);

impl Deadline {
    /// The deadline `time` from now.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(now().saturating_add(units(time)))
    }

    /// The deadline at `moment` of the monotonic clock, converted with the current offset of the system clock.
    #[must_use]
    pub fn at(moment: Instant) -> Self {
        let (steady, wall) = (Instant::now(), now());
        Self(match moment.checked_duration_since(steady) {
            Some(left) => wall.saturating_add(units(left)),
            None => wall.saturating_sub(units(steady.saturating_duration_since(moment))),
        })
    }

    /// The deadline with this `TimeBase::TimeT`.
    #[must_use]
    pub const fn from_time_t(time: u64) -> Self {
        Self(time)
    }

    /// The deadline `time` later; the latest there is beyond the range.
    #[must_use]
    pub fn later(self, time: Duration) -> Self {
        Self(self.0.saturating_add(units(time)))
    }

    /// The `TimeBase::TimeT`.
    #[must_use]
    pub const fn as_time_t(self) -> u64 {
        self.0
    }

    /// Writes it as a `TimeBase::UtcT` without inaccuracy.
    #[doc(hidden)]
    pub fn write_utc(self, writer: &mut CdrWriter<'_>) {
        writer.write_u64(self.0);
        writer.write_u32(0);
        writer.write_u16(0);
        writer.write_i16(0);
    }

    /// Reads the time of a `TimeBase::UtcT`. Its inaccuracy and its time zone, which displays need, are ignored.
    #[doc(hidden)]
    pub fn read_utc(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_u64().map(Self)
    }

    /// The time until the deadline; zero if it has passed.
    #[must_use]
    pub fn time_left(self) -> Duration {
        time(self.0.saturating_sub(now()))
    }

    /// The time since the deadline; zero if it has not passed.
    #[must_use]
    pub fn time_since(self) -> Duration {
        time(now().saturating_sub(self.0))
    }
}

macro_rules! end_time {
    ($(#[$doc:meta])* $name:ident = $policy_type:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub Deadline);

        impl TypedPolicy for $name {
            const POLICY_TYPE: PolicyType = PolicyType::$policy_type;
            const LEVELS: Levels = Levels::CLIENT;

            fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                self.0.write_utc(writer);
                Ok(())
            }

            fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
                Deadline::read_utc(reader).map(Self)
            }
        }
    };
}

end_time! {
    /// The time by which a request must be sent (`RequestEndTimePolicy`). Default: none.
    ///
    /// With [`RelativeRequestTimeout`](super::RelativeRequestTimeout) the earlier end counts. A call after this time
    /// fails with `TIMEOUT` (OMG 2), completed NO, and nothing is sent.
    RequestEndTime = REQUEST_END_TIME
}

end_time! {
    /// The time by which a call must be complete (`ReplyEndTimePolicy`). Default: none.
    ///
    /// With [`RelativeRoundtripTimeout`](super::RelativeRoundtripTimeout) the earlier end counts. A call after this time
    /// fails with `TIMEOUT` (OMG 3), completed NO, and nothing is sent. The system clock is read when the call begins:
    /// if it is set during the call, the call does not end earlier or later.
    ReplyEndTime = REPLY_END_TIME
}

fn time(units: u64) -> Duration {
    Duration::from_micros(units / 10) + Duration::from_nanos(units % 10 * 100)
}

fn units(time: Duration) -> u64 {
    u64::try_from(time.as_nanos() / 100).unwrap_or(u64::MAX)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_IN_TIME_T.saturating_add(units(since))
}
