//! What CORBA's priorities are in the network.

use std::fmt;
use std::sync::Arc;

use zorb_core::policy::{NetworkClass, NetworkPriorities};

use super::Priority;

/// How CORBA's priorities and classes of service in the network correspond (TAO's
/// `NetworkPriorityMapping`).
///
/// It is asked once for each connection that serves one priority: those to lanes, and to objects whose
/// servers declare theirs. Set by [`RtOrbBuilder::network`](super::RtOrbBuilder::network); of connections
/// with the property `network_priority` alone it is asked where none is set, and is linear.
pub trait NetworkPriorityMapping: fmt::Debug + Send + Sync + 'static {
    /// The class of a connection of this priority; what it does not say is left to the system.
    fn to_network(&self, priority: Priority) -> NetworkClass;

    /// The priority of which that is the class (`to_CORBA`): the lowest, where there are several.
    fn to_corba(&self, class: NetworkClass) -> Option<Priority> {
        let wanted = |priority: &Priority| self.to_network(*priority) == class;
        (0..=i16::MAX).filter_map(|value| Priority::new(value).ok()).find(wanted)
    }
}

/// The classes of service (DSCP) from the least to the most urgent: the default, then the class
/// selectors, each before the assured forwarding of its class, from the most dropped to the least, and
/// expedited forwarding. Those above are for the network's own messages.
const CODE_POINTS: [u8; 18] =
    [0, 8, 14, 12, 10, 16, 22, 20, 18, 24, 30, 28, 26, 32, 38, 36, 34, 46];

/// What the machine's own queues have for each of these classes (`SO_PRIORITY`): best effort, bulk,
/// interactive bulk and interactive, as `pfifo_fast` and `prio` sort them into bands. 6 is the most
/// that needs no privilege.
const fn queue_of(dscp: u8) -> u32 {
    match dscp {
        46 => 6,
        32..=45 => 4,
        8 => 2,
        _ => 0,
    }
}

/// Spreads all priorities evenly over the classes of service (TAO's `linear`): 0 is the default class,
/// the highest is expedited forwarding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinearNetwork;

impl LinearNetwork {
    /// The classes of service that it uses, the least urgent first.
    pub const CODE_POINTS: [u8; 18] = CODE_POINTS;
}

impl NetworkPriorityMapping for LinearNetwork {
    fn to_network(&self, priority: Priority) -> NetworkClass {
        let slots = CODE_POINTS.len();
        let value = usize::try_from(priority.value()).unwrap_or_default();
        let slot = value * slots / (usize::from(i16::MAX.unsigned_abs()) + 1);
        let dscp = CODE_POINTS.get(slot).copied().unwrap_or_default();
        NetworkClass { dscp: Some(dscp), queue: Some(queue_of(dscp)) }
    }
}

/// The network classes of `mapping`, for all connections; without one the linear classes, for connections
/// that ask for them.
pub(crate) fn priorities(mapping: Option<Arc<dyn NetworkPriorityMapping>>) -> NetworkPriorities {
    let for_all = mapping.is_some();
    let mapping = mapping.unwrap_or_else(|| Arc::new(LinearNetwork));
    let class_of = move |priority| Some(mapping.to_network(Priority::new(priority).ok()?));
    NetworkPriorities::new(class_of, for_all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: i16) -> NetworkClass {
        LinearNetwork.to_network(Priority::new(value).unwrap())
    }

    #[test]
    fn the_linear_mapping_rises_over_all_classes() {
        assert_eq!(of(0), NetworkClass { dscp: Some(0), queue: Some(0) });
        assert_eq!(of(i16::MAX), NetworkClass { dscp: Some(46), queue: Some(6) });
        let places: Vec<usize> = (0..=i16::MAX)
            .map(|value| {
                let dscp = of(value).dscp.unwrap();
                CODE_POINTS.iter().position(|&known| known == dscp).unwrap()
            })
            .collect();
        assert!(places.is_sorted());
        assert_eq!(places.last(), Some(&(CODE_POINTS.len() - 1)));
        for place in 0..CODE_POINTS.len() {
            let count = places.iter().filter(|&&other| other == place).count();
            assert!((1820..=1821).contains(&count), "{place}: {count}");
        }
    }

    #[test]
    fn the_way_back_is_the_lowest_priority_of_the_class() {
        for value in [0, 1, 5000, 20_000, i16::MAX] {
            let back = LinearNetwork.to_corba(of(value)).unwrap();
            assert!(back.value() <= value);
            assert_eq!(LinearNetwork.to_network(back), of(value));
        }
        let unknown = NetworkClass { dscp: Some(63), queue: None };
        assert_eq!(LinearNetwork.to_corba(unknown), None);
    }
}
