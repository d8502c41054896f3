//! The numbers of policy types.

use std::fmt;

/// The number of a policy's type (`CORBA::PolicyType`). Programs may define policies of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyType(pub u32);

macro_rules! policy_types {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        impl PolicyType {
            $($(#[$doc])* pub const $name: Self = Self($value);)*

            /// The standard's name, if the number is known.
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
    /// How an object adapter's requests are distributed to threads.
    THREAD = 16, "ThreadPolicy";
    /// Whether references outlive their object adapter.
    LIFESPAN = 17, "LifespanPolicy";
    /// Whether a servant may have several object ids.
    ID_UNIQUENESS = 18, "IdUniquenessPolicy";
    /// Whether the object adapter or the program assigns object ids.
    ID_ASSIGNMENT = 19, "IdAssignmentPolicy";
    /// Whether creating a reference to a servant activates it.
    IMPLICIT_ACTIVATION = 20, "ImplicitActivationPolicy";
    /// Whether an object adapter keeps a map of its active objects.
    SERVANT_RETENTION = 21, "ServantRetentionPolicy";
    /// How an object adapter finds the servant of an object that is not active.
    REQUEST_PROCESSING = 22, "RequestProcessingPolicy";
    /// [`Rebind`](super::Rebind).
    REBIND = 23, "RebindPolicy";
    /// [`SyncScope`](super::SyncScope).
    SYNC_SCOPE = 24, "SyncScopePolicy";
    /// The priorities of queued requests; not supported.
    REQUEST_PRIORITY = 25, "RequestPriorityPolicy";
    /// The priorities of queued replies; not supported.
    REPLY_PRIORITY = 26, "ReplyPriorityPolicy";
    /// The earliest time of a request's delivery; not supported.
    REQUEST_START_TIME = 27, "RequestStartTimePolicy";
    /// [`RequestEndTime`](super::RequestEndTime).
    REQUEST_END_TIME = 28, "RequestEndTimePolicy";
    /// The earliest time of a reply's delivery; not supported.
    REPLY_START_TIME = 29, "ReplyStartTimePolicy";
    /// [`ReplyEndTime`](super::ReplyEndTime).
    REPLY_END_TIME = 30, "ReplyEndTimePolicy";
    /// [`RelativeRequestTimeout`](super::RelativeRequestTimeout).
    RELATIVE_REQUEST_TIMEOUT = 31, "RelativeRequestTimeoutPolicy";
    /// [`RelativeRoundtripTimeout`](super::RelativeRoundtripTimeout).
    RELATIVE_ROUNDTRIP_TIMEOUT = 32, "RelativeRoundtripTimeoutPolicy";
    /// How requests are routed; not supported.
    ROUTING = 33, "RoutingPolicy";
    /// [`MaxHops`](super::MaxHops).
    MAX_HOPS = 34, "MaxHopsPolicy";
    /// The order of queued requests; not supported.
    QUEUE_ORDER = 35, "QueueOrderPolicy";
    /// [`BidirectionalPolicy`](super::BidirectionalPolicy).
    BIDIRECTIONAL = 37, "BidirectionalPolicy";
    /// RT-CORBA: [`PriorityModel`](super::PriorityModel).
    PRIORITY_MODEL = 40, "PriorityModelPolicy";
    /// RT-CORBA: [`ThreadpoolPolicy`](super::ThreadpoolPolicy).
    THREADPOOL = 41, "ThreadpoolPolicy";
    /// RT-CORBA: [`ServerProtocols`](super::ServerProtocols).
    SERVER_PROTOCOL = 42, "ServerProtocolPolicy";
    /// RT-CORBA: [`ClientProtocols`](super::ClientProtocols).
    CLIENT_PROTOCOL = 43, "ClientProtocolPolicy";
    /// RT-CORBA: [`PrivateConnection`](super::PrivateConnection).
    PRIVATE_CONNECTION = 44, "PrivateConnectionPolicy";
    /// RT-CORBA: [`PriorityBands`](super::PriorityBands).
    PRIORITY_BANDED_CONNECTION = 45, "PriorityBandedConnectionPolicy";
    /// ZIOP: whether messages are compressed.
    COMPRESSION_ENABLING = 64, "CompressionEnablingPolicy";
    /// ZIOP: the compressors, in order of preference.
    COMPRESSOR_ID_LEVEL_LIST = 65, "CompressorIdLevelListPolicy";
    /// ZIOP: the size from which messages are compressed.
    COMPRESSION_LOW_VALUE = 66, "CompressionLowValuePolicy";
    /// ZIOP: what compression must achieve.
    COMPRESSION_MIN_RATIO = 67, "CompressionMinRatioPolicy";
    /// [`ConnectionProperties`](super::ConnectionProperties), Zorb's own.
    CONNECTION_PROPERTIES = 0x5a42_0001, "Zorb::ConnectionPropertiesPolicy";
    /// Zorb's `BufferStrategy`.
    BUFFER_STRATEGY = 0x5a42_0002, "Zorb::BufferStrategyPolicy";
    /// Zorb's `OnewayQueue`.
    ONEWAY_QUEUE = 0x5a42_0003, "Zorb::OnewayQueuePolicy";
    /// [`ServeInTime`](super::ServeInTime), Zorb's own.
    SERVE_IN_TIME = 0x5a42_0004, "Zorb::ServeInTimePolicy";
    /// Zorb's `InvocationPriority`: the priority of a call.
    INVOCATION_PRIORITY = 0x5a42_0005, "Zorb::InvocationPriorityPolicy";
    /// TAO's [`ConnectionTimeout`](super::ConnectionTimeout).
    CONNECTION_TIMEOUT = 0x5441_0008, "TAO::ConnectionTimeoutPolicy";
}

impl PolicyType {
    /// The policies of CORBA Messaging that would have no effect. Setting one fails with `INV_POLICY`.
    pub(super) const UNSUPPORTED: [Self; 6] = [
        Self::REQUEST_PRIORITY,
        Self::REPLY_PRIORITY,
        Self::REQUEST_START_TIME,
        Self::REPLY_START_TIME,
        Self::ROUTING,
        Self::QUEUE_ORDER,
    ];

    /// Whether it is a policy about the compression of messages.
    #[doc(hidden)]
    pub const fn is_about_compression(self) -> bool {
        matches!(self.0, 64..=67)
    }
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
