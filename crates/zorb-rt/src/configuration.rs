//! The configuration of a real-time ORB, by the program and by options.

use std::sync::Arc;

use zorb_core::options::{Options, Origin};

use super::{
    Continuous, Denied, Direct, Linear, LinearNetwork, NativePriority, NetworkPriorityMapping,
    Priority, PriorityMapping, PriorityTransform, RtMapping, RtNetwork, RtOptions,
    SchedulingPolicy,
};

/// The options of a real-time ORB; the defaults if the ORB does not have them.
pub(crate) fn options_of(options: &Options) -> RtOptions {
    options.get().cloned().unwrap_or_default()
}

fn mapping(options: &RtOptions) -> Arc<dyn PriorityMapping> {
    let (lowest, highest) = (options.rt_lowest_priority, options.rt_highest_priority);
    match options.rt_mapping {
        RtMapping::Linear => Arc::new(Linear::new(lowest, highest)),
        RtMapping::Direct => Arc::new(Direct::new(lowest, highest)),
        RtMapping::Continuous => Arc::new(Continuous::new(lowest.max(NativePriority(1)), highest)),
    }
}

/// The settings of a program, or of the options; `None` for those that are not set.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    pub(crate) mapping: Option<Arc<dyn PriorityMapping>>,
    pub(crate) transform: Option<Arc<dyn PriorityTransform>>,
    /// `Some(None)` if an option disables it.
    pub(crate) network: Option<Option<Arc<dyn NetworkPriorityMapping>>>,
    pub(crate) denied: Option<Denied>,
    pub(crate) scheduling: Option<SchedulingPolicy>,
    pub(crate) lock_memory: Option<bool>,
    pub(crate) max_client_priority: Option<Priority>,
}

impl Configuration {
    /// The settings of the options whose origin `counts`.
    fn of(options: &Options, counts: impl Fn(&Origin) -> bool) -> Self {
        let rt = options_of(options);
        let set = |names: &[&str]| names.iter().any(|name| counts(&options.origin(name)));
        let maps = set(&["RtMapping", "RtLowestPriority", "RtHighestPriority"]);
        let network: Option<Arc<dyn NetworkPriorityMapping>> = match rt.rt_network {
            RtNetwork::Linear => Some(Arc::new(LinearNetwork)),
            RtNetwork::None => None,
        };
        Self {
            mapping: maps.then(|| mapping(&rt)),
            network: set(&["RtNetwork"]).then_some(network),
            denied: set(&["RtDenied"]).then_some(rt.rt_denied),
            scheduling: set(&["RtScheduling"]).then_some(rt.rt_scheduling),
            lock_memory: set(&["RtLockMemory"]).then_some(rt.rt_lock_memory),
            max_client_priority: set(&["RtMaxClientPriority"]).then_some(rt.rt_max_client_priority),
            transform: None,
        }
    }

    /// The effective configuration, in descending precedence: the values that the program forces; those of the operator,
    /// and those that the ORB's builder forces; the program's; those of the ORB's builder.
    pub(crate) fn effective(self, forced: Self, options: &Options) -> Self {
        let binding = Self::of(options, Origin::is_binding);
        self.log_overridden(&binding, options);
        forced.or(binding).or(self).or(Self::of(options, |_| true))
    }

    /// This configuration, with the values of `weaker` where it has none.
    fn or(mut self, weaker: Self) -> Self {
        self.mapping = self.mapping.or(weaker.mapping);
        self.transform = self.transform.or(weaker.transform);
        self.denied = self.denied.or(weaker.denied);
        self.scheduling = self.scheduling.or(weaker.scheduling);
        self.lock_memory = self.lock_memory.or(weaker.lock_memory);
        self.network = self.network.or(weaker.network);
        self.max_client_priority = self.max_client_priority.or(weaker.max_client_priority);
        self
    }

    fn log_overridden(&self, by: &Self, options: &Options) {
        for (name, is_overridden) in [
            ("RtMapping", self.mapping.is_some() && by.mapping.is_some()),
            ("RtNetwork", self.network.is_some() && by.network.is_some()),
            ("RtDenied", self.denied.is_some() && by.denied.is_some()),
            ("RtScheduling", self.scheduling.is_some() && by.scheduling.is_some()),
            ("RtLockMemory", self.lock_memory.is_some() && by.lock_memory.is_some()),
            (
                "RtMaxClientPriority",
                self.max_client_priority.is_some() && by.max_client_priority.is_some(),
            ),
        ] {
            if is_overridden {
                tracing::info!("option {name}: {} overrides the program", options.origin(name));
            }
        }
    }
}
