//! The options of real-time programs.

use std::time::Duration;

use zorb_transport::{NameValuePairs, OptionNumber};

use super::{Denied, NativePriority, Priority, SchedulingPolicy};

const HOUR_MS: u64 = 3_600_000;

/// The priority mappings of the option `RtMapping`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RtMapping {
    /// [`Linear`](super::Linear).
    #[default]
    Linear,
    /// [`Direct`](super::Direct).
    Direct,
    /// [`Continuous`](super::Continuous).
    Continuous,
}

/// The network priority mappings of the option `RtNetwork`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RtNetwork {
    /// None: connections have the class of the option `Dscp`.
    #[default]
    None,
    /// [`LinearNetwork`](super::LinearNetwork).
    Linear,
}

/// How one-way calls are sent: the option `RtOneways`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RtOneways {
    /// By the calling thread.
    #[default]
    Direct,
    /// By the thread of a queue.
    Queued,
}

zorb_transport::option_words!(RtMapping {
    "linear" => Linear,
    "direct" => Direct,
    "continuous" => Continuous,
});
zorb_transport::option_words!(RtNetwork { "none" => None, "linear" => Linear });
zorb_transport::option_words!(RtOneways { "direct" => Direct, "queued" => Queued });
zorb_transport::option_words!(SchedulingPolicy { "fifo" => Fifo, "rr" => RoundRobin });
zorb_transport::option_words!(Denied { "run" => Run, "refuse" => Refuse });

impl OptionNumber for NativePriority {
    fn from_number(number: u64, _: &str) -> Option<Self> {
        number.try_into().ok().map(Self)
    }

    fn number(&self, _: &str) -> u64 {
        self.0.unsigned_abs().into()
    }
}

zorb_transport::options! {
    /// The options of real-time programs. The facade's ORB has them with its feature `rt`; other builders add them
    /// with `Orb::builder().declare(RtOptions::default())`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RtOptions of "rt", set by (trait SetRtOptions) {
        /// Mapping of CORBA priorities to native ones: linear over RtLowestPriority to RtHighestPriority,
        /// direct for the same number, continuous for consecutive numbers from RtLowestPriority.
        "RtMapping" rt_mapping: RtMapping = RtMapping::Linear;
        /// Lowest native priority that RtMapping maps to; 0 is the time-sharing class, or with continuous
        /// means 1.
        "RtLowestPriority" rt_lowest_priority: NativePriority = NativePriority::SHARED, 0..=99;
        /// Highest native priority that RtMapping maps to; those above the default are reserved for
        /// watchdogs.
        "RtHighestPriority" rt_highest_priority: NativePriority = NativePriority::DEFAULT_MAX, 0..=99;
        /// Scheduling of threads of the same real-time priority: in order until they block, or round-robin.
        "RtScheduling" rt_scheduling: SchedulingPolicy = SchedulingPolicy::Fifo;
        /// What to do if the system denies a priority: run without it, or refuse the call.
        "RtDenied" rt_denied: Denied = Denied::Run;
        /// Whether to lock the memory of the process (mlockall) and to prefault the stacks of pool threads.
        "RtLockMemory" rt_lock_memory: bool = false;
        /// Mapping of the priority that a connection serves to its DSCP: none for that of Dscp, or linear.
        "RtNetwork" rt_network: RtNetwork = RtNetwork::None;
        /// Thread pool, such as control=1000:2 30000:1+1: lanes as priority:static threads+dynamic threads,
        /// and settings.
        "RtPool" rt_pool: NameValuePairs = Vec::new();
        /// Real-time policies of an object adapter, such as valves=server-declared=20000 pool=control; / is
        /// the root adapter, * all others that are not named.
        "RtAdapter" rt_adapter: NameValuePairs = Vec::new();
        /// Highest CORBA priority at which upcalls run for clients; higher priorities of requests are reduced to it.
        "RtMaxClientPriority" rt_max_client_priority: Priority = Priority::MAX, 0..=32_767;
        /// Priority bands of calls, each with connections of its own, such as 0-9999,10000-32767; empty for
        /// none.
        "RtBands" rt_bands: String = String::new();
        /// Whether each object reference has connections of its own.
        "RtPrivateConnections" rt_private_connections: bool = false;
        /// Whether one-way calls are sent by the calling thread, or by a queue that MaxQueuedCalls and
        /// MaxQueuedOctets bound.
        "RtOneways" rt_oneways: RtOneways = RtOneways::Direct;
        /// Maximum time to send a request, connecting included; 0 for no limit but that of the call.
        "RtRequestTimeout" rt_request_timeout: Option<Duration> = None, 0..=HOUR_MS, "ms";
        /// Protocols of calls in order of preference and properties of their connections, in the syntax of RtAdapter;
        /// empty for those of other options.
        "RtProtocols" rt_protocols: String = String::new();
    }
}
