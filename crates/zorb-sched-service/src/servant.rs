//! The servant of `RtecScheduler::Scheduler`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use zorb::poa::{Poa, PoaError};
use zorb::{CompletionStatus, MinorCode, Result, SystemException};
use zorb_sched::{Anomaly, RtInfo, Schedule, System, TaskSet};

use crate::convert::{self, Parameters, bad_param, long};
use crate::rtec_base::{DependencyEnabledTypeT, DependencyInfo, DependencyTypeT};
use crate::rtec_scheduler as wire;
use crate::rtec_scheduler::{
    ConfigInfo, CriticalityT, DispatchingTypeT, DuplicateName, ImportanceT, InfoTypeT,
    InsufficientThreadPriorityLevels, NotScheduled, RtInfoEnableStatePair, RtInfoEnabledTypeT,
    Scheduler, SchedulerServant, SchedulingAnomaly, UnknownPriorityLevel, scheduler,
};
use crate::state::{State, queues_to_wire, range};

/// The scheduling service (`RtecScheduler::Scheduler`): clients create and describe operations, and
/// query their priorities.
///
/// Every change invalidates the last schedule: priorities are `NOT_SCHEDULED` until a new one is
/// computed. Problems are reported as anomalies with the schedule; after a fatal anomaly there is
/// no schedule. The deadline of an operation is its period, because the interface has no deadlines.
#[derive(Debug)]
pub struct SchedulerService {
    state: Mutex<State>,
}

impl SchedulerService {
    /// A service with these initial operations, and this strategy and machine.
    #[must_use]
    pub fn new(set: TaskSet, system: System) -> Self {
        Self { state: Mutex::new(State::new(set, system)) }
    }

    /// Serves the service by an object in this adapter.
    ///
    /// # Errors
    /// Those of activating an object.
    pub fn serve(self, poa: &Poa) -> std::result::Result<Scheduler, PoaError> {
        poa.activate(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, number: i32, parameters: &Parameters) -> Result<(), scheduler::SetError> {
        let mut state = self.state();
        let handle = state.handle(number)?;
        let mut info = state.info(handle)?.clone();
        parameters.put(&mut info)?;
        Ok(state.set(handle, info).map_err(|_| bad_param())?)
    }

    /// Applies all of the changes or none.
    fn put_all(&self, infos: &[wire::RtInfo], fresh: bool) -> Result<(), scheduler::SetSeqError> {
        let mut state = self.state();
        let mut next = state.clone();
        if fresh {
            for handle in next.handles() {
                let name = next.info(handle)?.entry_point.clone();
                let info = RtInfo::new(name, zorb_sched::Time::ZERO);
                next.set(handle, info).map_err(|_| bad_param())?;
            }
        }
        for info in infos {
            let handle = next.handle(info.handle)?;
            let mut own = next.info(handle)?.clone();
            Parameters::from(info).put(&mut own)?;
            next.set(handle, own).map_err(|_| bad_param())?;
        }
        *state = next;
        Ok(())
    }

    /// Computes a schedule without blocking other requests.
    fn compute(
        &self,
        minimum: i32,
        maximum: i32,
    ) -> std::result::Result<Computed, InsufficientThreadPriorityLevels> {
        let priorities = range(minimum, maximum).ok_or(InsufficientThreadPriorityLevels)?;
        let before = self.state().clone();
        let system = System { priorities, ..before.system.clone() };
        let schedule = before.active().and_then(|active| Schedule::compute(&active, &system));
        let anomalies = match &schedule {
            Ok(schedule) => schedule.anomalies.iter().map(convert::anomaly).collect(),
            Err(fatal) => vec![convert::anomaly(fatal)],
        };
        let schedule = schedule.ok();
        let computed = Computed {
            infos: before.all_to_wire(schedule.as_ref()),
            dependencies: before.dependencies_to_wire(),
            configs: schedule.as_ref().map(queues_to_wire).unwrap_or_default(),
            anomalies,
        };
        if let Some(schedule) = schedule {
            self.state().store(schedule, before.version);
        }
        Ok(computed)
    }
}

struct Computed {
    infos: Vec<wire::RtInfo>,
    dependencies: Vec<DependencyInfo>,
    configs: Vec<ConfigInfo>,
    anomalies: Vec<SchedulingAnomaly>,
}

/// The exception for too many operations or calls.
fn full() -> SystemException {
    SystemException::no_resources(MinorCode::default(), CompletionStatus::No)
}

impl SchedulerServant for SchedulerService {
    fn create(&self, entry_point: &str) -> Result<i32, scheduler::CreateError> {
        match self.state().create(entry_point) {
            Ok(handle) => Ok(long(handle.number())),
            Err(Anomaly::DuplicateName { .. }) => Err(DuplicateName.into()),
            Err(_) => Err(full().into()),
        }
    }

    fn lookup(&self, entry_point: &str) -> Result<i32, scheduler::LookupError> {
        Ok(long(self.state().lookup(entry_point)?.number()))
    }

    fn get(&self, handle: i32) -> Result<wire::RtInfo, scheduler::GetError> {
        let state = self.state();
        let handle = state.handle(handle)?;
        Ok(state.to_wire(handle, state.schedule())?)
    }

    fn set(
        &self,
        handle: i32,
        criticality: CriticalityT,
        worst: u64,
        typical: u64,
        cached: u64,
        period: i32,
        importance: ImportanceT,
        quantum: u64,
        threads: i32,
        info_type: InfoTypeT,
    ) -> Result<(), scheduler::SetError> {
        let parameters = Parameters {
            criticality,
            worst,
            typical,
            cached,
            period,
            importance,
            quantum,
            threads,
            info_type,
        };
        self.put(handle, &parameters)
    }

    fn reset(
        &self,
        handle: i32,
        criticality: CriticalityT,
        worst: u64,
        typical: u64,
        cached: u64,
        period: i32,
        importance: ImportanceT,
        quantum: u64,
        threads: i32,
        info_type: InfoTypeT,
    ) -> Result<(), scheduler::ResetError> {
        let parameters = Parameters {
            criticality,
            worst,
            typical,
            cached,
            period,
            importance,
            quantum,
            threads,
            info_type,
        };
        Ok(self.put(handle, &parameters)?)
    }

    fn set_seq(&self, infos: &[wire::RtInfo]) -> Result<(), scheduler::SetSeqError> {
        self.put_all(infos, false)
    }

    fn reset_seq(&self, infos: &[wire::RtInfo]) -> Result<(), scheduler::ResetSeqError> {
        Ok(self.put_all(infos, false)?)
    }

    fn replace_seq(&self, infos: &[wire::RtInfo]) -> Result<(), scheduler::ReplaceSeqError> {
        Ok(self.put_all(infos, true)?)
    }

    fn add_dependency(
        &self,
        handle: i32,
        dependency: i32,
        number_of_calls: i32,
        dependency_type: DependencyTypeT,
    ) -> Result<(), scheduler::AddDependencyError> {
        let mut state = self.state();
        let (caller, callee) = (state.handle(handle)?, state.handle(dependency)?);
        let call = convert::call(callee, number_of_calls, dependency_type)?;
        if !state.add_dependency(caller, call) {
            return Err(full().into());
        }
        Ok(())
    }

    fn remove_dependency(
        &self,
        handle: i32,
        dependency: i32,
        number_of_calls: i32,
        dependency_type: DependencyTypeT,
    ) -> Result<(), scheduler::RemoveDependencyError> {
        let mut state = self.state();
        let (caller, callee) = (state.handle(handle)?, state.handle(dependency)?);
        let call = convert::call(callee, number_of_calls, dependency_type)?;
        Ok(state.remove_dependency(caller, call)?)
    }

    fn set_dependency_enable_state(
        &self,
        handle: i32,
        dependency: i32,
        number_of_calls: i32,
        dependency_type: DependencyTypeT,
        enabled: DependencyEnabledTypeT,
    ) -> Result<(), scheduler::SetDependencyEnableStateError> {
        let mut state = self.state();
        let (caller, callee) = (state.handle(handle)?, state.handle(dependency)?);
        let call = convert::call(callee, number_of_calls, dependency_type)?;
        Ok(state.enable_dependency(caller, call, enabled)?)
    }

    fn set_dependency_enable_state_seq(
        &self,
        dependencies: &[DependencyInfo],
    ) -> Result<(), scheduler::SetDependencyEnableStateSeqError> {
        let mut state = self.state();
        let mut next = state.clone();
        for known in dependencies {
            let caller = next.handle(known.rt_info)?;
            let callee = next.handle(known.rt_info_depended_on)?;
            let call = convert::call(callee, known.number_of_calls, known.dependency_type)?;
            next.enable_dependency(caller, call, known.enabled)?;
        }
        *state = next;
        Ok(())
    }

    fn set_rt_info_enable_state(
        &self,
        handle: i32,
        enabled: RtInfoEnabledTypeT,
    ) -> Result<(), scheduler::SetRtInfoEnableStateError> {
        let mut state = self.state();
        let handle = state.handle(handle)?;
        state.enable(handle, enabled);
        Ok(())
    }

    fn set_rt_info_enable_state_seq(
        &self,
        pairs: &[RtInfoEnableStatePair],
    ) -> Result<(), scheduler::SetRtInfoEnableStateSeqError> {
        let mut state = self.state();
        let mut next = state.clone();
        for pair in pairs {
            let handle = next.handle(pair.handle)?;
            next.enable(handle, pair.enabled);
        }
        *state = next;
        Ok(())
    }

    fn priority(&self, handle: i32) -> Result<(i32, i32, i32), scheduler::PriorityError> {
        let state = self.state();
        let handle = state.handle(handle)?;
        let schedule = state.schedule().ok_or(NotScheduled)?;
        let info = state.to_wire(handle, Some(schedule))?;
        Ok((info.priority, info.preemption_subpriority, info.preemption_priority))
    }

    fn entry_point_priority(
        &self,
        entry_point: &str,
    ) -> Result<(i32, i32, i32), scheduler::EntryPointPriorityError> {
        let state = self.state();
        let handle = state.lookup(entry_point)?;
        let schedule = state.schedule().ok_or(NotScheduled)?;
        let info = state.to_wire(handle, Some(schedule))?;
        Ok((info.priority, info.preemption_subpriority, info.preemption_priority))
    }

    fn compute_scheduling(
        &self,
        minimum: i32,
        maximum: i32,
    ) -> Result<
        (Vec<wire::RtInfo>, Vec<DependencyInfo>, Vec<ConfigInfo>, Vec<SchedulingAnomaly>),
        scheduler::ComputeSchedulingError,
    > {
        let Computed { infos, dependencies, configs, anomalies } =
            self.compute(minimum, maximum)?;
        Ok((infos, dependencies, configs, anomalies))
    }

    fn recompute_scheduling(
        &self,
        minimum: i32,
        maximum: i32,
    ) -> Result<Vec<SchedulingAnomaly>, scheduler::RecomputeSchedulingError> {
        Ok(self.compute(minimum, maximum)?.anomalies)
    }

    fn get_rt_info_set(&self) -> Result<Vec<wire::RtInfo>, scheduler::GetRtInfoSetError> {
        let state = self.state();
        Ok(state.all_to_wire(state.schedule()))
    }

    fn get_dependency_set(&self) -> Result<Vec<DependencyInfo>, scheduler::GetDependencySetError> {
        Ok(self.state().dependencies_to_wire())
    }

    fn get_config_info_set(&self) -> Result<Vec<ConfigInfo>, scheduler::GetConfigInfoSetError> {
        Ok(self.state().schedule().map(queues_to_wire).unwrap_or_default())
    }

    fn dispatch_configuration(
        &self,
        queue: i32,
    ) -> Result<(i32, DispatchingTypeT), scheduler::DispatchConfigurationError> {
        let state = self.state();
        let schedule = state.schedule().ok_or(NotScheduled)?;
        let found = usize::try_from(queue).ok().and_then(|queue| schedule.queues.get(queue));
        let found = found.ok_or(UnknownPriorityLevel)?;
        Ok((i32::from(found.priority), convert::dispatching(found.discipline)))
    }

    fn last_scheduled_priority(&self) -> Result<i32, scheduler::LastScheduledPriorityError> {
        let state = self.state();
        let schedule = state.schedule().ok_or(NotScheduled)?;
        Ok(long(schedule.queues.len()) - 1)
    }

    fn get_config_infos(&self) -> Result<Vec<ConfigInfo>, scheduler::GetConfigInfosError> {
        let state = self.state();
        let schedule = state.schedule().ok_or(NotScheduled)?;
        Ok(queues_to_wire(schedule))
    }
}
