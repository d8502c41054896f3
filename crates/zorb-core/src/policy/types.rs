//! The numbers of policy types.

use std::fmt;

/// Which policy (`CORBA::PolicyType`). The set is open: programs may have policies of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyType(pub u32);

macro_rules! policy_types {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        impl PolicyType {
            $($(#[$doc])* pub const $name: Self = Self($value);)*

            /// The standard's name, where the number is a known one.
            pub const fn name(self) -> Option<&'static str> {
                Some(match self.0 {
                    $($value => $text,)*
                    _ => return None,
                })
            }
        }
    };
}

policy_types! {
    /// [`Rebind`](super::Rebind).
    REBIND = 23, "RebindPolicy";
    /// [`SyncScope`](super::SyncScope).
    SYNC_SCOPE = 24, "SyncScopePolicy";
    /// The priorities of queued requests.
    REQUEST_PRIORITY = 25, "RequestPriorityPolicy";
    /// The priorities of queued replies.
    REPLY_PRIORITY = 26, "ReplyPriorityPolicy";
    /// From when on a request may be delivered.
    REQUEST_START_TIME = 27, "RequestStartTimePolicy";
    /// Until when a request may be delivered.
    REQUEST_END_TIME = 28, "RequestEndTimePolicy";
    /// From when on a reply may be delivered.
    REPLY_START_TIME = 29, "ReplyStartTimePolicy";
    /// Until when a reply may be delivered.
    REPLY_END_TIME = 30, "ReplyEndTimePolicy";
    /// [`RelativeRequestTimeout`](super::RelativeRequestTimeout).
    RELATIVE_REQUEST_TIMEOUT = 31, "RelativeRequestTimeoutPolicy";
    /// [`RelativeRoundtripTimeout`](super::RelativeRoundtripTimeout).
    RELATIVE_ROUNDTRIP_TIMEOUT = 32, "RelativeRoundtripTimeoutPolicy";
    /// How requests are routed.
    ROUTING = 33, "RoutingPolicy";
    /// Over how many routers a request may go.
    MAX_HOPS = 34, "MaxHopsPolicy";
    /// In which order requests are queued.
    QUEUE_ORDER = 35, "QueueOrderPolicy";
    /// Bidirectional GIOP.
    BIDIRECTIONAL = 37, "BidirectionalPolicy";
    /// RT-CORBA: who says at which priority an upcall runs.
    PRIORITY_MODEL = 40, "PriorityModelPolicy";
    /// RT-CORBA: the threads of an adapter.
    THREADPOOL = 41, "ThreadpoolPolicy";
    /// RT-CORBA: the protocols of an adapter's references.
    SERVER_PROTOCOL = 42, "ServerProtocolPolicy";
    /// RT-CORBA: the protocols that a client uses, in its order of preference.
    CLIENT_PROTOCOL = 43, "ClientProtocolPolicy";
    /// RT-CORBA: a connection for one reference alone.
    PRIVATE_CONNECTION = 44, "PrivateConnectionPolicy";
    /// RT-CORBA: a connection for each band of priorities.
    PRIORITY_BANDED_CONNECTION = 45, "PriorityBandedConnectionPolicy";
    /// [`ConnectionProperties`](super::ConnectionProperties), Zorb's own.
    CONNECTION_PROPERTIES = 0x5a42_0001, "Zorb::ConnectionPropertiesPolicy";
    /// Zorb's [`BufferStrategy`](crate::BufferStrategy).
    BUFFER_STRATEGY = 0x5a42_0002, "Zorb::BufferStrategyPolicy";
    /// Zorb's [`OnewayQueue`](crate::OnewayQueue).
    ONEWAY_QUEUE = 0x5a42_0003, "Zorb::OnewayQueuePolicy";
    /// Requests that are of no use any more are not served, Zorb's own.
    SERVE_IN_TIME = 0x5a42_0004, "Zorb::ServeInTimePolicy";
    /// The priority of calls that is not their thread's, Zorb's own.
    INVOCATION_PRIORITY = 0x5a42_0005, "Zorb::InvocationPriorityPolicy";
    /// TAO's [`ConnectionTimeout`](super::ConnectionTimeout).
    CONNECTION_TIMEOUT = 0x5441_0008, "TAO::ConnectionTimeoutPolicy";
}

impl fmt::Display for PolicyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "policy type {:#x}", self.0),
        }
    }
}

impl fmt::Debug for PolicyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PolicyType({self})")
    }
}
