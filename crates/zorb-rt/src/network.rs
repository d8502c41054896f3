//! Network priorities: the classes of service of CORBA priorities.

use std::fmt;
use std::sync::Arc;

use zorb_core::policy::{NetworkClass, NetworkPriorities};

use super::Priority;

/// Maps CORBA priorities to classes of service in the network (TAO's `NetworkPriorityMapping`).
///
/// The ORB calls it once for each connection that serves one priority: those to lanes, and to objects with
/// server-declared priorities. It is set by [`RtOrbBuilder::network`](super::RtOrbBuilder::network). Default:
/// [`LinearNetwork`], only for connections with the property `network_priority`.
pub trait NetworkPriorityMapping: fmt::Debug + Send + Sync + 'static {
    /// The class of a connection that serves this priority; fields that are `None` have the system's defaults.
    fn to_network(&self, priority: Priority) -> NetworkClass;

    /// The lowest priority of this class (`to_CORBA`).
    fn to_corba(&self, class: NetworkClass) -> Option<Priority> {
        let has_class = |priority: &Priority| self.to_network(*priority) == class;
        (0..=i16::MAX).filter_map(|value| Priority::new(value).ok()).find(has_class)
    }
}

/// The classes of service (DSCP) in ascending order: default; class selectors, each followed by the assured
/// forwarding of its class in descending drop precedence; and expedited forwarding. Higher classes are
/// reserved for network control.
const CODE_POINTS: [u8; 18] =
    [0, 8, 14, 12, 10, 16, 22, 20, 18, 24, 30, 28, 26, 32, 38, 36, 34, 46];

/// The priority of each class in the machine's own queues (`SO_PRIORITY`): best effort, bulk, interactive
/// bulk and interactive, as `pfifo_fast` and `prio` define their bands. Values above 6 need a privilege.
const fn queue_of(dscp: u8) -> u32 {
    match dscp {
        46 => 6,
        32..=45 => 4,
        8 => 2,
        _ => 0,
    }
}

/// Maps all priorities evenly to the classes of service (TAO's `linear`): 0 to the default class, the
/// highest to expedited forwarding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinearNetwork;

impl LinearNetwork {
    /// The classes of service in ascending order.
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

/// The network classes of `mapping`, for all connections; without one, the linear classes, for connections with the
/// property `network_priority`.
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
        let positions: Vec<usize> = (0..=i16::MAX)
            .map(|value| {
                let dscp = of(value).dscp.unwrap();
                CODE_POINTS.iter().position(|&known| known == dscp).unwrap()
            })
            .collect();
        assert!(positions.is_sorted());
        assert_eq!(positions.last(), Some(&(CODE_POINTS.len() - 1)));
        for position in 0..CODE_POINTS.len() {
            let count = positions.iter().filter(|&&other| other == position).count();
            assert!((1820..=1821).contains(&count), "{position}: {count}");
        }
    }

    #[test]
    fn a_class_maps_back_to_its_lowest_priority() {
        for value in [0, 1, 5000, 20_000, i16::MAX] {
            let back = LinearNetwork.to_corba(of(value)).unwrap();
            assert!(back.value() <= value);
            assert_eq!(LinearNetwork.to_network(back), of(value));
        }
        let unknown = NetworkClass { dscp: Some(63), queue: None };
        assert_eq!(LinearNetwork.to_corba(unknown), None);
    }
}
