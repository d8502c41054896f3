//! The servant of `RtecScheduler::Scheduler`.

use zorb::{CompletionStatus, MinorCode, Result, SystemException};
use zorb_sched::Anomaly;

use crate::convert::{self, Parameters, long};
use crate::rtec_base::{DependencyEnabledTypeT, DependencyInfo, DependencyTypeT};
use crate::rtec_scheduler as wire;
use crate::rtec_scheduler::{
    ConfigInfo, CriticalityT, DispatchingTypeT, DuplicateName, ImportanceT, InfoTypeT,
    NotScheduled, RtInfoEnableStatePair, RtInfoEnabledTypeT, SchedulerServant, SchedulingAnomaly,
    UnknownPriorityLevel, scheduler,
};
use crate::service::{Computed, SchedulerService};
use crate::state::queues_to_wire;

/// The longest name of an operation, in octets.
const LONGEST_NAME: usize = 1024;

/// The exception for too many operations or calls.
fn full() -> SystemException {
    SystemException::no_resources(MinorCode::default(), CompletionStatus::No)
}

impl SchedulerServant for SchedulerService {
    fn create(&self, entry_point: &str) -> Result<i32, scheduler::CreateError> {
        let mut state = self.changing()?;
        if entry_point.len() > LONGEST_NAME {
            return Err(SystemException::imp_limit(MinorCode::NONE, CompletionStatus::No).into());
        }
        match state.create(entry_point) {
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
        let mut state = self.changing()?;
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
        let mut state = self.changing()?;
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
        let mut state = self.changing()?;
        let (caller, callee) = (state.handle(handle)?, state.handle(dependency)?);
        let call = convert::call(callee, number_of_calls, dependency_type)?;
        Ok(state.enable_dependency(caller, call, enabled)?)
    }

    fn set_dependency_enable_state_seq(
        &self,
        dependencies: &[DependencyInfo],
    ) -> Result<(), scheduler::SetDependencyEnableStateSeqError> {
        let mut state = self.changing()?;
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
        let mut state = self.changing()?;
        let handle = state.handle(handle)?;
        state.enable(handle, enabled);
        Ok(())
    }

    fn set_rt_info_enable_state_seq(
        &self,
        pairs: &[RtInfoEnableStatePair],
    ) -> Result<(), scheduler::SetRtInfoEnableStateSeqError> {
        let mut state = self.changing()?;
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
