//! The policies of calls (CORBA 3.3 part 1, 17.2: the `Messaging` module), and TAO's connection timeout.

use std::time::Duration;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{Levels, PolicyType, TypedPolicy};
use crate::options::Options;

/// `TimeBase::TimeT`: units of 100 ns, rounded up, saturating.
pub(super) fn to_time_t(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(100)).unwrap_or(u64::MAX)
}

pub(super) fn from_time_t(time: u64) -> Duration {
    Duration::new(time / 10_000_000, (time % 10_000_000) as u32 * 100)
}

macro_rules! timeout {
    ($(#[$doc:meta])* $name:ident = $policy_type:ident, $default:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub Duration);

        impl TypedPolicy for $name {
            const POLICY_TYPE: PolicyType = PolicyType::$policy_type;
            const LEVELS: Levels = Levels::CLIENT;

            fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                writer.write_u64(to_time_t(self.0));
                Ok(())
            }

            fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
                reader.read_u64().map(from_time_t).map(Self)
            }

            fn default_of(options: &Options) -> Option<Self> {
                let default: fn(&Options) -> Option<Duration> = $default;
                default(options).map(Self)
            }
        }
    };
}

timeout! {
    /// The maximum time from request to reply (`RelativeRoundtripTimeoutPolicy`).
    /// Default: the option `RoundTripTimeout`.
    ///
    /// A call that takes longer fails with `TIMEOUT`, at most 1 ms late. Calls that stubs make inside one
    /// ORB run on the calling thread and do not time out.
    RelativeRoundtripTimeout = RELATIVE_ROUNDTRIP_TIMEOUT, |options| options.round_trip_timeout
}

timeout! {
    /// The maximum time until a request is sent: connecting, and passing the octets to the system
    /// (`RelativeRequestTimeoutPolicy`). Default: that of [`RelativeRoundtripTimeout`] and
    /// [`ConnectionTimeout`].
    ///
    /// A request that takes longer fails with `TIMEOUT`, completed NO. The server is not notified.
    RelativeRequestTimeout = RELATIVE_REQUEST_TIMEOUT, |_| None
}

timeout! {
    /// The maximum time to connect (TAO's `ConnectionTimeoutPolicy`), for the call that connects. Default:
    /// the option `ConnectTimeout`.
    ConnectionTimeout = CONNECTION_TIMEOUT, |options| Some(options.connect_timeout)
}

/// The maximum number of forwards that a call follows (`MaxHopsPolicy`); beyond it, the call fails with `IMP_LIMIT`.
/// Default: the option `MaxForwards`.
///
/// The standard counts routers, which Zorb does not have: requests go straight to the server. A forward is the only way
/// in which one server passes a request on to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaxHops(pub u16);

impl TypedPolicy for MaxHops {
    const POLICY_TYPE: PolicyType = PolicyType::MAX_HOPS;
    const LEVELS: Levels = Levels::CLIENT;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u16(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_u16().map(Self)
    }

    fn default_of(options: &Options) -> Option<Self> {
        Some(Self(options.max_forwards.try_into().unwrap_or(u16::MAX)))
    }
}

macro_rules! modes {
    ($(#[$doc:meta])* $name:ident = $policy_type:ident, $what:literal {
        $($(#[$variant_doc:meta])* $variant:ident = $value:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub enum $name {
            $($(#[$variant_doc])* $variant = $value,)*
        }

        impl TypedPolicy for $name {
            const POLICY_TYPE: PolicyType = PolicyType::$policy_type;
            const LEVELS: Levels = Levels::CLIENT;

            fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                writer.write_i16(*self as i16);
                Ok(())
            }

            fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
                match reader.read_i16()? {
                    $($value => Ok(Self::$variant),)*
                    _ => Err(reader.error(CdrErrorKind::BadEnum, $what)),
                }
            }

            fn default_of(_: &Options) -> Option<Self> {
                Some(Self::default())
            }
        }
    };
}

modes! {
    /// What a one-way call waits for (`SyncScopePolicy`).
    SyncScope = SYNC_SCOPE, "SyncScope" {
        /// Nothing (`SYNC_NONE`): the call is queued by the policy `OnewayQueue`. Without that it is the
        /// same as [`WithTransport`](Self::WithTransport).
        None = 0,
        /// That the operating system has accepted the request (`SYNC_WITH_TRANSPORT`). The default.
        #[default]
        WithTransport = 1,
        /// That the server has received the request, before the upcall (`SYNC_WITH_SERVER`). With GIOP 1.1
        /// and 1.0 the same as [`WithTarget`](Self::WithTarget).
        WithServer = 2,
        /// The end of the upcall (`SYNC_WITH_TARGET`); system exceptions are returned.
        WithTarget = 3,
    }
}

modes! {
    /// Whether a call may reach its object over other connections than earlier calls (`RebindPolicy`). The
    /// first successful call with a policy other than [`Transparent`](Self::Transparent) binds the
    /// reference.
    Rebind = REBIND, "RebindMode" {
        /// Forwards are followed, and requests that were not processed before their connection was closed
        /// are sent again (`TRANSPARENT`). The default.
        #[default]
        Transparent = 0,
        /// A bound reference does not follow forwards: the call fails with `REBIND` (`NO_REBIND`).
        NoRebind = 1,
        /// As `NoRebind`, and a request is not sent again after its connection has been closed
        /// (`NO_RECONNECT`).
        NoReconnect = 2,
    }
}
