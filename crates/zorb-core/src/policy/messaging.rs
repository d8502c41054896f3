//! The policies of calls (CORBA 3.3 part 1, 17.2: the `Messaging` module), and TAO's of connecting.

use std::time::Duration;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{Levels, PolicyType, TypedPolicy};
use crate::options::Options;

/// `TimeBase::TimeT`: units of 100 ns. Parts of one count as one, and what is too long is the longest.
fn to_time_t(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(100)).unwrap_or(u64::MAX)
}

fn from_time_t(time: u64) -> Duration {
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
    /// How long a call may take from its request to its reply (`RelativeRoundtripTimeoutPolicy`).
    /// Default: the option `RoundTripTimeout`.
    ///
    /// A call that takes longer fails with `TIMEOUT`; the last wait may take a sixteenth of the time
    /// longer. Calls that stubs make inside one ORB run on the calling thread and do not time out.
    RelativeRoundtripTimeout = RELATIVE_ROUNDTRIP_TIMEOUT, |options| options.round_trip_timeout
}

timeout! {
    /// How long a request may take until it is sent: getting a connection and handing the octets to
    /// the system (`RelativeRequestTimeoutPolicy`). Default: none, which leaves it to
    /// [`RelativeRoundtripTimeout`] and [`ConnectionTimeout`].
    ///
    /// A request that takes longer fails with `TIMEOUT`, completed NO. The server is not told.
    RelativeRequestTimeout = RELATIVE_REQUEST_TIMEOUT, |_| None
}

timeout! {
    /// The longest wait for a connection (TAO's `ConnectionTimeoutPolicy`). Default: the option
    /// `ConnectTimeout`. It holds for the call that has to connect.
    ConnectionTimeout = CONNECTION_TIMEOUT, |options| Some(options.connect_timeout)
}

macro_rules! modes {
    ($(#[$doc:meta])* $name:ident = $policy_type:ident, $what:literal {
        $($(#[$variant_doc:meta])* $variant:ident = $value:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        #[non_exhaustive]
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
        /// Nothing (`SYNC_NONE`): the call waits in the queue of the policy
        /// [`OnewayQueue`](super::OnewayQueue). Without one it is the same as
        /// [`WithTransport`](Self::WithTransport).
        None = 0,
        /// The system has taken the request (`SYNC_WITH_TRANSPORT`). The default.
        #[default]
        WithTransport = 1,
        /// The server has it and is about to run it (`SYNC_WITH_SERVER`). To servers that speak
        /// GIOP 1.1 or 1.0 this is the next one.
        WithServer = 2,
        /// The servant has run it (`SYNC_WITH_TARGET`); system exceptions come back.
        WithTarget = 3,
    }
}

modes! {
    /// Whether a call may reach an object in another way than those before it (`RebindPolicy`). A
    /// reference is bound from the first call on that was made with a policy other than
    /// [`Transparent`](Self::Transparent) and has succeeded.
    Rebind = REBIND, "RebindMode" {
        /// Forwards are followed, and requests that a closed connection has not taken are sent over
        /// another (`TRANSPARENT`). The default.
        #[default]
        Transparent = 0,
        /// A forward of a bound reference is not followed: `REBIND` (`NO_REBIND`).
        NoRebind = 1,
        /// Beyond that, a request is not sent again after its connection has been closed: `REBIND`
        /// (`NO_RECONNECT`).
        NoReconnect = 2,
    }
}
