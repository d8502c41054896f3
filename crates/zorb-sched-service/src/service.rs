//! The scheduling service: its state, and who may change it.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use zorb::SystemException;
use zorb::poa::{Poa, PoaError};
use zorb_sched::{RtInfo, Schedule, System, TaskSet};

use crate::convert::{self, Parameters, bad_param};
use crate::rtec_base::DependencyInfo;
use crate::rtec_scheduler as wire;
use crate::rtec_scheduler::{
    ConfigInfo, InsufficientThreadPriorityLevels, Scheduler, SchedulingAnomaly, scheduler,
};
use crate::state::{State, queues_to_wire, range};

/// Refuses an operation that changes something.
type WriteCheck = dyn Fn() -> Result<(), SystemException> + Send + Sync;

/// The scheduling service (`RtecScheduler::Scheduler`): clients create and describe operations, and
/// query their priorities.
///
/// Every change invalidates the last schedule: priorities are `NOT_SCHEDULED` until a new one is
/// computed. Problems are reported as anomalies with the schedule; after a fatal anomaly there is
/// no schedule. The deadline of an operation is its period, because the interface has no deadlines.
///
/// ```
/// use zorb::Orb;
/// use zorb_sched::{Strategy, System, TaskSet};
/// use zorb_sched_service::SchedulerService;
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
/// let service = SchedulerService::new(TaskSet::new(), System::new(Strategy::Rms));
/// let scheduler = service.serve(&orb.root_poa())?;
/// orb.publish("ScheduleService", &scheduler)?;
/// assert_eq!(scheduler.create("sensor")?, scheduler.lookup("sensor")?);
/// # orb.shutdown(true)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SchedulerService {
    state: Mutex<State>,
    write_check: Option<Box<WriteCheck>>,
}

impl SchedulerService {
    /// A service with these initial operations, and this strategy and machine.
    #[must_use]
    pub fn new(set: TaskSet, system: System) -> Self {
        Self { state: Mutex::new(State::new(set, system)), write_check: None }
    }

    /// Makes all operations that change something, and those that compute a schedule, ask `check` first, and raise its
    /// exception.
    pub fn set_write_check(
        &mut self,
        check: impl Fn() -> Result<(), SystemException> + Send + Sync + 'static,
    ) {
        self.write_check = Some(Box::new(check));
    }

    /// Serves the service by an object in this adapter.
    ///
    /// # Errors
    /// Those of activating an object.
    pub fn serve(self, poa: &Poa) -> Result<Scheduler, PoaError> {
        poa.activate(self)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, for an operation that changes it.
    ///
    /// # Errors
    /// The client may not change it.
    pub(crate) fn changing(&self) -> Result<MutexGuard<'_, State>, SystemException> {
        self.check_writer()?;
        Ok(self.state())
    }

    fn check_writer(&self) -> Result<(), SystemException> {
        self.write_check.as_ref().map_or(Ok(()), |check| check())
    }

    pub(crate) fn put(
        &self,
        number: i32,
        parameters: &Parameters,
    ) -> Result<(), scheduler::SetError> {
        let mut state = self.changing()?;
        let handle = state.handle(number)?;
        let mut info = state.info(handle)?.clone();
        parameters.put(&mut info)?;
        Ok(state.set(handle, info).map_err(|_| bad_param())?)
    }

    /// Applies all of the changes or none.
    pub(crate) fn put_all(
        &self,
        infos: &[wire::RtInfo],
        fresh: bool,
    ) -> Result<(), scheduler::SetSeqError> {
        let mut state = self.changing()?;
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
    pub(crate) fn compute(
        &self,
        minimum: i32,
        maximum: i32,
    ) -> Result<Computed, scheduler::ComputeSchedulingError> {
        let priorities = range(minimum, maximum).ok_or(InsufficientThreadPriorityLevels)?;
        let before = self.changing()?.clone();
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

/// A computed schedule, as IDL structs.
pub(crate) struct Computed {
    pub(crate) infos: Vec<wire::RtInfo>,
    pub(crate) dependencies: Vec<DependencyInfo>,
    pub(crate) configs: Vec<ConfigInfo>,
    pub(crate) anomalies: Vec<SchedulingAnomaly>,
}

impl fmt::Debug for SchedulerService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchedulerService").field("state", &self.state).finish_non_exhaustive()
    }
}
