//! The state of the service.

use zorb_sched::{Anomaly, Call, Handle, PriorityRange, RtInfo, Schedule, System, TaskSet, Time};

use crate::convert::{self, long};
use crate::rtec_base::{DependencyEnabledTypeT, DependencyInfo};
use crate::rtec_scheduler as wire;
use wire::{RtInfoEnabledTypeT, UnknownTask};

/// A call that can be disabled.
#[derive(Clone, Copy, Debug)]
struct Dependency {
    caller: Handle,
    call: Call,
    enabled: DependencyEnabledTypeT,
}

/// The operations, and the last schedule if it is still valid.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The operations, without calls.
    set: TaskSet,
    /// Whether each operation is enabled, by index.
    enabled: Vec<RtInfoEnabledTypeT>,
    dependencies: Vec<Dependency>,
    pub(crate) system: System,
    /// Incremented by every change that a schedule depends on.
    pub(crate) version: u64,
    schedule: Option<Schedule>,
}

impl State {
    pub(crate) fn new(mut set: TaskSet, system: System) -> Self {
        let enabled = DependencyEnabledTypeT::DependencyEnabled;
        let callers: Vec<Handle> = set.iter().map(|(handle, _)| handle).collect();
        let mut dependencies = Vec::new();
        for &caller in &callers {
            let calls = set.get(caller).map(|info| info.calls.clone()).unwrap_or_default();
            for call in calls {
                dependencies.push(Dependency { caller, call, enabled });
                // The index was checked above.
                let _ = set.remove_call(caller, call);
            }
        }
        let enabled = vec![RtInfoEnabledTypeT::RtInfoEnabled; set.len()];
        Self { set, enabled, dependencies, system, version: 0, schedule: None }
    }

    /// Invalidates the schedule.
    fn changed(&mut self) {
        self.version += 1;
        self.schedule = None;
    }

    /// The operation with a handle from a client.
    pub(crate) fn handle(&self, number: i32) -> Result<Handle, UnknownTask> {
        u32::try_from(number).ok().and_then(|number| self.set.handle(number)).ok_or(UnknownTask)
    }

    pub(crate) fn lookup(&self, entry_point: &str) -> Result<Handle, UnknownTask> {
        self.set.lookup(entry_point).ok_or(UnknownTask)
    }

    pub(crate) fn handles(&self) -> Vec<Handle> {
        self.set.iter().map(|(handle, _)| handle).collect()
    }

    pub(crate) fn create(&mut self, entry_point: &str) -> Result<Handle, Anomaly> {
        let handle = self.set.add(RtInfo::new(entry_point, Time::ZERO))?;
        self.enabled.push(RtInfoEnabledTypeT::RtInfoEnabled);
        self.changed();
        Ok(handle)
    }

    /// The properties of an operation, without its calls.
    pub(crate) fn info(&self, handle: Handle) -> Result<&RtInfo, UnknownTask> {
        self.set.get(handle).ok_or(UnknownTask)
    }

    pub(crate) fn set(&mut self, handle: Handle, info: RtInfo) -> Result<(), Anomaly> {
        self.set.set(handle, info)?;
        self.changed();
        Ok(())
    }

    pub(crate) fn enable(&mut self, handle: Handle, enabled: RtInfoEnabledTypeT) {
        if let Some(slot) = self.enabled.get_mut(index(handle)) {
            *slot = enabled;
            self.changed();
        }
    }

    /// Adds a call; returns whether there was room.
    pub(crate) fn add_dependency(&mut self, caller: Handle, call: Call) -> bool {
        if self.dependencies.len() >= zorb_sched::MAX_CALLS {
            return false;
        }
        let enabled = DependencyEnabledTypeT::DependencyEnabled;
        self.dependencies.push(Dependency { caller, call, enabled });
        self.changed();
        true
    }

    fn position(&self, caller: Handle, call: Call) -> Result<usize, UnknownTask> {
        let same = |known: &Dependency| known.caller == caller && known.call == call;
        self.dependencies.iter().position(same).ok_or(UnknownTask)
    }

    pub(crate) fn remove_dependency(
        &mut self,
        caller: Handle,
        call: Call,
    ) -> Result<(), UnknownTask> {
        let found = self.position(caller, call)?;
        self.dependencies.remove(found);
        self.changed();
        Ok(())
    }

    pub(crate) fn enable_dependency(
        &mut self,
        caller: Handle,
        call: Call,
        enabled: DependencyEnabledTypeT,
    ) -> Result<(), UnknownTask> {
        let found = self.position(caller, call)?;
        self.dependencies[found].enabled = enabled;
        self.changed();
        Ok(())
    }

    /// The enabled operations: a disabled operation uses no time and is not called.
    pub(crate) fn active(&self) -> Result<TaskSet, Anomaly> {
        let off = |handle: Handle| {
            self.enabled.get(index(handle)) == Some(&RtInfoEnabledTypeT::RtInfoDisabled)
        };
        let mut active = TaskSet::new();
        for (handle, info) in self.set.iter() {
            let mut info = info.clone();
            if off(handle) {
                info = RtInfo::new(info.entry_point, Time::ZERO);
                info.info_type = zorb_sched::InfoType::RemoteDependant;
            }
            active.add(info)?;
        }
        for dependency in &self.dependencies {
            let Dependency { caller, call, enabled } = *dependency;
            let on = enabled != DependencyEnabledTypeT::DependencyDisabled;
            if on && !off(caller) && !off(call.operation) {
                active.add_call(caller, call)?;
            }
        }
        Ok(active)
    }

    /// Stores a schedule, unless something has changed since the version it was computed for.
    pub(crate) fn store(&mut self, schedule: Schedule, version: u64) {
        if self.version == version {
            self.schedule = Some(schedule);
        }
    }

    pub(crate) fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_ref()
    }

    /// An operation as an IDL struct, with its priorities if there is a schedule.
    pub(crate) fn to_wire(
        &self,
        handle: Handle,
        schedule: Option<&Schedule>,
    ) -> Result<wire::RtInfo, UnknownTask> {
        let info = self.info(handle)?;
        let rank = schedule.and_then(|schedule| schedule.rank(handle));
        let priority = schedule.and_then(|schedule| schedule.priority(handle));
        let dependencies = self.dependencies.iter().filter(|known| known.caller == handle);
        Ok(wire::RtInfo {
            entry_point: info.entry_point.clone(),
            handle: long(handle.number()),
            worst_case_execution_time: info.worst.as_time_t(),
            typical_execution_time: info.typical.as_time_t(),
            cached_execution_time: info.cached.as_time_t(),
            period: convert::period(info.period),
            criticality: convert::criticality_to_wire(info.criticality),
            importance: convert::importance_to_wire(info.importance),
            quantum: info.quantum.as_time_t(),
            threads: long(info.threads),
            dependencies: dependencies.map(dependency).collect(),
            priority: priority.map_or(0, i32::from),
            preemption_subpriority: rank.map_or(0, |rank| long(rank.subpriority)),
            preemption_priority: rank.map_or(0, |rank| long(rank.queue)),
            info_type: convert::info_type_to_wire(info.info_type),
            enabled: self.enabled.get(index(handle)).copied().unwrap_or_default(),
            volatile_token: 0,
        })
    }

    pub(crate) fn all_to_wire(&self, schedule: Option<&Schedule>) -> Vec<wire::RtInfo> {
        let infos = self.set.iter().filter_map(|(handle, _)| self.to_wire(handle, schedule).ok());
        infos.collect()
    }

    pub(crate) fn dependencies_to_wire(&self) -> Vec<DependencyInfo> {
        self.dependencies.iter().map(dependency).collect()
    }
}

/// The index of an operation.
fn index(handle: Handle) -> usize {
    handle.number().saturating_sub(1) as usize
}

fn dependency(known: &Dependency) -> DependencyInfo {
    DependencyInfo {
        dependency_type: convert::call_kind_to_wire(known.call.kind),
        number_of_calls: long(known.call.times),
        rt_info: long(known.caller.number()),
        rt_info_depended_on: long(known.call.operation.number()),
        enabled: known.enabled,
    }
}

/// The queues of a schedule as IDL structs.
pub(crate) fn queues_to_wire(schedule: &Schedule) -> Vec<wire::ConfigInfo> {
    let queue = |queue: &zorb_sched::Queue| {
        let own = schedule.tasks.iter().filter(|task| task.queue == queue.number);
        let mut periods: Vec<i32> = own.map(|task| convert::period(task.task.period)).collect();
        periods.sort_unstable();
        periods.dedup();
        wire::ConfigInfo {
            preemption_priority: long(queue.number),
            thread_priority: i32::from(queue.priority),
            dispatching_type: convert::dispatching(queue.discipline),
            timer_periods: periods,
        }
    };
    schedule.queues.iter().map(queue).collect()
}

/// The range of priorities from 1 to 99 between the two; `None` if it is empty.
pub(crate) fn range(minimum: i32, maximum: i32) -> Option<PriorityRange> {
    let lowest = u8::try_from(minimum.max(1)).ok()?;
    let highest = u8::try_from(maximum.min(99)).ok()?;
    PriorityRange::new(lowest, highest).ok()
}
