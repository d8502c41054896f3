//! The settings that follow from requirements of calls.

use std::time::Duration;

use zorb_core::lanes::Buffering;
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{
    ClientProtocols, ConnectionProperties, Policies, PrivateConnection, ProtocolChoice,
    RelativeRequestTimeout, RelativeRoundtripTimeout, ServerProtocols, SyncScope,
};
use zorb_giop::ProfileTag;

use super::{InvocationPriority, LaneBuilder, Priority, RtOrb};
use crate::qos::{Qos, QosClass};

/// The settings of lanes, connections and calls that [`expand`] derives from a [`Qos`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expansion {
    /// The CORBA priority of the calls and of the lane.
    pub priority: Priority,
    /// The static threads of the lane.
    pub threads: usize,
    /// The maximum number of dynamic threads of the lane.
    pub dynamic_threads: usize,
    /// The limits of requests that are queued for a thread; `None` to leave requests in the transport.
    pub buffering: Option<Buffering>,
    /// The protocols, the preferred one first, with the properties of their connections.
    pub protocols: Vec<ProtocolChoice>,
    /// Whether the calls have private connections.
    pub private: bool,
    /// The sync scope of one-way calls.
    pub sync_scope: SyncScope,
    /// The timeout of a call.
    pub round_trip: Option<Duration>,
    /// The timeout of sending a request.
    pub request: Option<Duration>,
}

/// The maximum size of a request in a datagram.
const MAX_DATAGRAM: u32 = 60_000;

/// The minimum and maximum size of socket buffers in octets.
const BUFFERS: (u64, u64) = (16 << 10, 4 << 20);

/// The maximum number of threads of a lane.
const MAX_THREADS: u64 = 8;

/// Derives settings from requirements. The result depends only on `qos`.
#[must_use]
pub fn expand(qos: &Qos) -> Expansion {
    use QosClass::{BulkData, ContinuousMedia, HighBandwidthStream, LowLatencyTransaction};
    let rate = u64::from(qos.rate.max(1));
    let period = Duration::from_secs(1) / qos.rate.max(1);
    let deadline = qos.deadline.unwrap_or(period).max(Duration::from_micros(1));
    let micros = u64::try_from(deadline.as_micros()).unwrap_or(u64::MAX).max(1);
    // The number of concurrent calls if each takes until its deadline.
    let concurrent = rate.saturating_mul(micros).div_ceil(1_000_000).max(1);
    let threads = match qos.class {
        BulkData => 1,
        _ => usize::try_from(concurrent.min(MAX_THREADS)).unwrap_or(1),
    };
    let size = u64::from(qos.size);
    let waiting = match qos.class {
        BulkData => Some(16),
        HighBandwidthStream => Some(concurrent.clamp(2, 64)),
        ContinuousMedia => Some(2),
        LowLatencyTransaction => None,
    };
    let buffering = waiting.map(|count| Buffering {
        max_requests: usize::try_from(count).unwrap_or(usize::MAX),
        max_octets: usize::try_from(count.saturating_mul(size.max(1))).ok(),
    });
    let queue = match qos.class {
        BulkData => 1 << 20,
        HighBandwidthStream => size.saturating_mul(concurrent + 1),
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
    let local_first = [ProfileTag::TAO_SHMIOP, ProfileTag::TAO_UIOP, ProfileTag::INTERNET_IOP];
    let datagrams = qos.class == ContinuousMedia && qos.loss > 0 && qos.size <= MAX_DATAGRAM;
    let protocols: Vec<ProfileTag> = match qos.class {
        // Shared memory is for calls with short response times.
        BulkData => vec![ProfileTag::TAO_UIOP, ProfileTag::INTERNET_IOP],
        _ if datagrams => std::iter::once(ProfileTag::TAO_DIOP).chain(local_first).collect(),
        _ => local_first.to_vec(),
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

/// The priority within the class: halving the deadline raises it by one step.
fn priority(class: QosClass, micros: u64) -> Priority {
    const STEP: i16 = 8191 / 32;
    let doublings = i16::try_from(micros.min(u64::from(u32::MAX)).ilog2()).unwrap_or(31);
    let value = class.base() + (31 - doublings) * STEP;
    Priority::new(value).unwrap_or(Priority::MIN)
}

impl Expansion {
    /// The policies for a reference or a call of a client.
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

    /// A lane for such calls.
    pub fn lane(&self) -> LaneBuilder {
        let lane = LaneBuilder::new(self.priority, self.threads);
        let lane = lane.dynamic_threads(self.dynamic_threads);
        match self.buffering {
            Some(buffering) => lane.buffering(buffering),
            None => lane,
        }
    }

    /// The policies of an object adapter for such calls: the priority, the protocols in its references, and the properties
    /// of connections. Add the policy of the pool that has [the lane](Self::lane).
    pub fn adapter_policies(&self, rt: &RtOrb) -> PoaPolicies {
        let protocols = ServerProtocols::new(self.protocols.iter().copied());
        PoaPolicies::new().with(rt.server_declared(self.priority)).with(protocols)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_follow_from_a_few_parameters() {
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
    fn classes_have_disjoint_priorities_for_all_deadlines() {
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
    fn media_that_may_be_lost_uses_datagrams_if_it_fits() {
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
}
