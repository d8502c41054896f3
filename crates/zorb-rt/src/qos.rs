//! Classes of service: a few parameters instead of many settings.

use std::fmt;
use std::time::Duration;

use zorb_core::ObjectRef;
use zorb_core::lanes::Buffering;
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{
    ClientProtocols, ConnectionProperties, Policies, PrivateConnection, ProtocolChoice,
    RelativeRequestTimeout, RelativeRoundtripTimeout, ServerProtocols, SyncScope,
};
use zorb_giop::ProfileTag;
use zorb_types::SystemException;

use super::{InvocationPriority, LaneBuilder, Priority, RtOrb};

/// What calls are for, of which their settings are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QosClass {
    /// Files, logs, updates: much of it, and whenever there is room.
    BulkData,
    /// Large values without a pause, such as uncompressed pictures: the more throughput the better.
    HighBandwidthStream,
    /// Sound and moving pictures: a value in every period, and late is as good as lost.
    ContinuousMedia,
    /// Small requests whose answers are needed by a deadline, such as those of control loops.
    LowLatencyTransaction,
}

impl QosClass {
    /// All, the least urgent first.
    pub const ALL: [Self; 4] = [
        Self::BulkData,
        Self::HighBandwidthStream,
        Self::ContinuousMedia,
        Self::LowLatencyTransaction,
    ];

    /// The lowest of its priorities, of which each class has a quarter.
    const fn base(self) -> i16 {
        match self {
            Self::BulkData => 0,
            Self::HighBandwidthStream => 8192,
            Self::ContinuousMedia => 16_384,
            Self::LowLatencyTransaction => 24_576,
        }
    }
}

impl fmt::Display for QosClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::BulkData => "bulk data",
            Self::HighBandwidthStream => "high-bandwidth stream",
            Self::ContinuousMedia => "continuous media",
            Self::LowLatencyTransaction => "low-latency transaction",
        })
    }
}

/// What is asked of calls: a class, and as much as is known about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qos {
    /// What they are for.
    pub class: QosClass,
    /// How many there are in a second. Default: one.
    pub rate: u32,
    /// The octets of each. Default: 1024.
    pub size: u32,
    /// By when each has to be done. Default: by the next, at that rate.
    pub deadline: Option<Duration>,
    /// How many of 1000 may be lost. Default: none.
    pub loss: u16,
}

impl Qos {
    /// Calls of a class.
    #[must_use]
    pub const fn new(class: QosClass) -> Self {
        Self { class, rate: 1, size: 1024, deadline: None, loss: 0 }
    }

    /// With so many in a second.
    #[must_use]
    pub const fn rate(self, rate: u32) -> Self {
        Self { rate, ..self }
    }

    /// Of so many octets each.
    #[must_use]
    pub const fn size(self, size: u32) -> Self {
        Self { size, ..self }
    }

    /// Each to be done in this time.
    #[must_use]
    pub const fn deadline(self, deadline: Duration) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Of which so many of 1000 may be lost.
    #[must_use]
    pub const fn loss(self, permille: u16) -> Self {
        Self { loss: permille, ..self }
    }
}

/// What a [`Qos`] comes to: settings of lanes, connections and calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The CORBA priority of the calls and of the lane.
    pub priority: Priority,
    /// The static threads of the lane.
    pub threads: usize,
    /// How many threads more it may have for a while.
    pub dynamic_threads: usize,
    /// How many requests may wait for a thread; `None` when those that find none stay in the transport.
    pub buffering: Option<Buffering>,
    /// The protocols, the preferred one first, each with how its connections are set up.
    pub protocols: Vec<ProtocolChoice>,
    /// Whether its connections are for these calls alone.
    pub private: bool,
    /// What one-way calls wait for.
    pub sync_scope: SyncScope,
    /// How long a call may take.
    pub round_trip: Option<Duration>,
    /// How long a request may take to be sent.
    pub request: Option<Duration>,
}

/// The largest request that goes into a datagram.
const MAX_DATAGRAM: u32 = 60_000;
/// The least and the most octets of a socket's queues.
const BUFFERS: (u64, u64) = (16 << 10, 4 << 20);
/// The most threads of a lane.
const MAX_THREADS: u64 = 8;

/// The settings for what is asked. The same for the same, on every machine.
#[must_use]
pub fn expand(qos: &Qos) -> Expansion {
    use QosClass::{BulkData, ContinuousMedia, HighBandwidthStream, LowLatencyTransaction};
    let rate = u64::from(qos.rate.max(1));
    let period = Duration::from_secs(1) / qos.rate.max(1);
    let deadline = qos.deadline.unwrap_or(period).max(Duration::from_micros(1));
    let micros = u64::try_from(deadline.as_micros()).unwrap_or(u64::MAX).max(1);
    // As many as are under way at the same time when each takes all the time that it has.
    let under_way = rate.saturating_mul(micros).div_ceil(1_000_000).max(1);
    let threads = match qos.class {
        BulkData => 1,
        _ => usize::try_from(under_way.min(MAX_THREADS)).unwrap_or(1),
    };
    let size = u64::from(qos.size);
    let waiting = match qos.class {
        BulkData => Some(16),
        HighBandwidthStream => Some(under_way.clamp(2, 64)),
        ContinuousMedia => Some(2),
        LowLatencyTransaction => None,
    };
    let buffering = waiting.map(|count| Buffering {
        max_requests: usize::try_from(count).unwrap_or(usize::MAX),
        max_octets: usize::try_from(count.saturating_mul(size.max(1))).ok(),
    });
    let queue = match qos.class {
        BulkData => 1 << 20,
        HighBandwidthStream => size.saturating_mul(under_way + 1),
        ContinuousMedia | LowLatencyTransaction => size.saturating_mul(2),
    };
    let queue = u32::try_from(queue.clamp(BUFFERS.0, BUFFERS.1)).ok();
    let mut stream = ConnectionProperties::default();
    stream.send_buffer = queue;
    stream.receive_buffer = queue;
    stream.no_delay = Some(qos.class != BulkData);
    stream.keep_alive = Some(matches!(qos.class, BulkData | HighBandwidthStream));
    stream.dscp = Some(match qos.class {
        BulkData => 8,
        HighBandwidthStream => 26,
        ContinuousMedia => 34,
        LowLatencyTransaction => 46,
    });
    let choice = |profile| ProtocolChoice { profile, properties: Some(stream) };
    let near = [ProfileTag::TAO_SHMIOP, ProfileTag::TAO_UIOP, ProfileTag::INTERNET_IOP];
    let datagrams = qos.class == ContinuousMedia && qos.loss > 0 && qos.size <= MAX_DATAGRAM;
    let protocols: Vec<ProfileTag> = match qos.class {
        // Rings of shared memory are for who is waited for.
        BulkData => vec![ProfileTag::TAO_UIOP, ProfileTag::INTERNET_IOP],
        _ if datagrams => std::iter::once(ProfileTag::TAO_DIOP).chain(near).collect(),
        _ => near.to_vec(),
    };
    Expansion {
        priority: priority(qos.class, micros),
        threads,
        dynamic_threads: usize::from(qos.class == BulkData),
        buffering,
        protocols: protocols.into_iter().map(choice).collect(),
        private: matches!(qos.class, HighBandwidthStream | LowLatencyTransaction),
        sync_scope: match qos.class {
            ContinuousMedia if qos.loss > 0 => SyncScope::None,
            LowLatencyTransaction => SyncScope::WithTarget,
            _ => SyncScope::WithTransport,
        },
        round_trip: match qos.class {
            LowLatencyTransaction => Some(deadline),
            BulkData | HighBandwidthStream => qos.deadline,
            ContinuousMedia => None,
        },
        request: (qos.class == ContinuousMedia).then_some(deadline),
    }
}

/// The shorter the deadline the higher, within the class: half of it is a step up.
fn priority(class: QosClass, micros: u64) -> Priority {
    const STEP: i16 = 8191 / 32;
    let doublings = i16::try_from(micros.min(u64::from(u32::MAX)).ilog2()).unwrap_or(31);
    let value = class.base() + (31 - doublings) * STEP;
    Priority::new(value).unwrap_or(Priority::MIN)
}

impl Expansion {
    /// What clients set, for a reference or a call.
    #[must_use]
    pub fn policies(&self) -> Policies {
        let protocols = ClientProtocols::new(self.protocols.iter().copied()).or_any();
        let priority = InvocationPriority::new(self.priority);
        let mut policies = Policies::new().with(priority).with(protocols).with(self.sync_scope);
        if self.private {
            policies = policies.with(PrivateConnection);
        }
        if let Some(limit) = self.round_trip {
            policies = policies.with(RelativeRoundtripTimeout(limit));
        }
        if let Some(limit) = self.request {
            policies = policies.with(RelativeRequestTimeout(limit));
        }
        policies
    }

    /// A lane for such calls, in which as many requests wait as [`buffering`](Self::buffering) says.
    pub fn lane(&self) -> LaneBuilder {
        let lane = LaneBuilder::new(self.priority, self.threads);
        let lane = lane.dynamic_threads(self.dynamic_threads);
        match self.buffering {
            Some(buffering) => lane.buffering(buffering),
            None => lane,
        }
    }

    /// What servers set, for an adapter whose objects have such calls: the priority, which protocols
    /// their references name first, and how connections to them are set up. The pool that has
    /// [the lane](Self::lane) comes beside it.
    pub fn adapter_policies(&self, rt: &RtOrb) -> PoaPolicies {
        let protocols = ServerProtocols::new(self.protocols.iter().copied());
        PoaPolicies::new().with(rt.server_declared(self.priority)).with(protocols)
    }
}

/// What is asked of an object's calls: of all of them, and of some operations something else.
#[derive(Clone, Debug)]
pub struct ObjectQos {
    object: Qos,
    operations: Vec<(String, Qos)>,
}

impl ObjectQos {
    /// This for all operations.
    #[must_use]
    pub const fn new(object: Qos) -> Self {
        Self { object, operations: Vec::new() }
    }

    /// And this for one of them.
    #[must_use]
    pub fn operation(mut self, name: impl Into<String>, qos: Qos) -> Self {
        self.operations.push((name.into(), qos));
        self
    }

    /// What is asked of an operation.
    #[must_use]
    pub fn of(&self, operation: &str) -> &Qos {
        let own = self.operations.iter().rev().find(|(name, _)| name == operation);
        own.map_or(&self.object, |(_, qos)| qos)
    }

    /// The reference for calls of an operation. It finds its own ways to the object: make it once and
    /// keep it. A single call of another sort is made by what `for_call` of it makes of
    /// [`Expansion::policies`].
    ///
    /// # Errors
    /// `NO_PERMISSION` where a policy cannot be set.
    pub fn reference(
        &self,
        object: &ObjectRef,
        operation: &str,
    ) -> Result<ObjectRef, SystemException> {
        object.with_policies(&expand(self.of(operation)).policies())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_parameters_say_it_all() {
        let control = Qos::new(QosClass::LowLatencyTransaction)
            .rate(500)
            .size(64)
            .deadline(Duration::from_millis(1));
        let expansion = expand(&control);
        assert_eq!(expansion.priority.value(), 24_576 + 22 * 255);
        assert_eq!((expansion.threads, expansion.dynamic_threads), (1, 0));
        assert_eq!(expansion.buffering, None);
        assert!(expansion.private);
        assert_eq!(expansion.round_trip, Some(Duration::from_millis(1)));
        let properties = expansion.protocols[0].properties.unwrap();
        assert_eq!((properties.dscp, properties.no_delay), (Some(46), Some(true)));
        assert_eq!(properties.send_buffer, Some(16 << 10));
    }

    #[test]
    fn classes_come_in_their_order_whatever_the_deadlines() {
        let extremes = [Duration::ZERO, Duration::from_micros(1), Duration::MAX];
        let mut before = None;
        for class in QosClass::ALL {
            let of = |deadline| expand(&Qos::new(class).deadline(deadline)).priority;
            let [none, shortest, longest] = extremes.map(of);
            assert!(none == shortest && longest < shortest, "{class}");
            assert!(before < Some(longest), "{class}");
            before = Some(shortest);
        }
    }

    #[test]
    fn extremes_stay_within_limits() {
        for class in QosClass::ALL {
            for (rate, size, deadline) in [
                (0, 0, Duration::ZERO),
                (u32::MAX, u32::MAX, Duration::MAX),
                (u32::MAX, 1, Duration::from_secs(1)),
            ] {
                let qos = Qos::new(class).rate(rate).size(size).deadline(deadline);
                let expansion = expand(&qos);
                assert!((1..=8).contains(&expansion.threads), "{qos:?}");
                let queue = expansion.protocols[0].properties.unwrap().send_buffer.unwrap();
                assert!((16 << 10..=4 << 20).contains(&queue), "{qos:?}");
                if let Some(Buffering { max_requests, .. }) = expansion.buffering {
                    assert!((2..=64).contains(&max_requests));
                }
            }
        }
    }

    #[test]
    fn media_that_may_be_lost_goes_in_datagrams_as_long_as_it_fits() {
        let media = Qos::new(QosClass::ContinuousMedia).rate(50).size(1400);
        let first = |qos: &Qos| expand(qos).protocols[0].profile;
        assert_eq!(first(&media), ProfileTag::TAO_SHMIOP);
        assert_eq!(first(&media.loss(10)), ProfileTag::TAO_DIOP);
        assert_eq!(first(&media.loss(10).size(60_001)), ProfileTag::TAO_SHMIOP);
        assert_eq!(expand(&media.loss(10)).sync_scope, SyncScope::None);
        let bulk = Qos::new(QosClass::BulkData).loss(10);
        assert_eq!(first(&bulk), ProfileTag::TAO_UIOP);
    }

    #[test]
    fn servers_have_the_same_settings() {
        let orb = zorb_core::Orb::builder().without_environment().build().unwrap();
        let rt = RtOrb::builder().attach(&orb).unwrap();
        let stream = expand(&Qos::new(QosClass::HighBandwidthStream).rate(30).size(1 << 20));
        let policies = stream.adapter_policies(&rt).others;
        let protocols = policies.value::<ServerProtocols>().unwrap();
        assert_eq!(protocols.choices(), stream.protocols);
        let model = policies.value::<crate::PriorityModel>().unwrap();
        assert_eq!(model.server_priority(), stream.priority);
    }

    #[test]
    fn operations_have_their_own() {
        let bulk = Qos::new(QosClass::BulkData);
        let control = Qos::new(QosClass::LowLatencyTransaction);
        let asked = ObjectQos::new(bulk).operation("stop", control);
        assert_eq!((asked.of("stop"), asked.of("get")), (&control, &bulk));
    }
}
