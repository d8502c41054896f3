//! Periodic tasks, each on a thread of its own.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use zorb_os::priority::{self, Schedule as ThreadSchedule};
use zorb_os::thread::{set_affinity, set_name};

use super::clock::{MachineClock, UpcallClock};
use super::counts::{Tally, UpcallCounts, UpcallEvent};
use super::releases::Activation;
use super::task::{PeriodicTask, UpcallScheduling};
use crate::model::set::TaskSet;
use crate::schedule::{Schedule, System};
use crate::strategy::Strategy;
use crate::{Anomaly, Time};

/// From the moment at which all threads are ready to the first releases.
const LEAD: Time = Time::from_millis(1);

type Upcall = Box<dyn FnMut(&Activation) + Send>;
type OnEvent = Arc<dyn Fn(&UpcallEvent<'_>) + Send + Sync>;

/// Why upcalls were not started. None of them was.
#[derive(Debug)]
#[non_exhaustive]
pub enum UpcallError {
    /// A task that makes no sense.
    Task {
        /// Its name.
        task: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Deadlines would be missed, or may be.
    NotSchedulable(Vec<Anomaly>),
    /// The strategy needs queues, as a [`Dispatcher`](crate::Dispatcher) has them, and not a thread
    /// for each task.
    Strategy(Strategy),
    /// The system has promised too much of its processors already (CORBA's `NO_RESOURCES`).
    NoResources {
        /// The task that there is no room for.
        task: String,
    },
    /// The system does not let a thread be scheduled as it should, and
    /// [`need_privilege`](Upcalls::need_privilege) was set (CORBA's `NO_PERMISSION`).
    Denied(String),
    /// What the system says when a thread cannot be started or kept on its processor.
    System(io::Error),
}

impl fmt::Display for UpcallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task { task, why } => write!(f, "the periodic task {task:?} cannot run: {why}"),
            Self::NotSchedulable(anomalies) => {
                f.write_str("deadlines may be missed")?;
                let first = anomalies.first();
                first.map_or(Ok(()), |anomaly| write!(f, ": {anomaly}"))
            }
            Self::Strategy(strategy) => write!(
                f,
                "upcalls have a thread each, which is for rms, dm, and preemptive edf on one \
                 processor, not for {strategy}"
            ),
            Self::NoResources { task } => {
                write!(f, "the system has no room left for the periodic task {task:?}")
            }
            Self::Denied(denial) => f.write_str(denial),
            Self::System(error) => write!(f, "threads of upcalls: {error}"),
        }
    }
}

impl std::error::Error for UpcallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System(error) => Some(error),
            _ => None,
        }
    }
}

/// Real-time upcalls that are to be started together.
///
/// Each task has a thread, which sleeps until the next release and is woken by the system: an upcall
/// takes one change of threads, no lock and no allocation.
#[derive(Default)]
pub struct Upcalls {
    tasks: Vec<(PeriodicTask, Upcall)>,
    admission: Option<System>,
    on_event: Option<OnEvent>,
    need_privilege: bool,
}

impl Upcalls {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With this task, whose upcalls are calls of `upcall`: any closure, such as one that calls an
    /// object's operation.
    #[must_use]
    pub fn task(
        mut self,
        task: PeriodicTask,
        upcall: impl FnMut(&Activation) + Send + 'static,
    ) -> Self {
        self.tasks.push((task, Box::new(upcall)));
        self
    }

    /// They start only if all deadlines are met for certain, by what is known of the tasks: budgets
    /// are what they need. The strategy says how threads are scheduled: rate and deadline monotonic
    /// give priorities of `SCHED_FIFO`, earliest deadline first is `SCHED_DEADLINE`, where `system` is
    /// preemptive and has one processor. With several processors each task stays on one.
    ///
    /// Without, tasks are scheduled as they say.
    #[must_use]
    pub fn admission(self, system: System) -> Self {
        Self { admission: Some(system), ..self }
    }

    /// Tells `on_event` of everything that goes wrong, on the thread of the task and between two of
    /// its upcalls: so it had better be quick.
    #[must_use]
    pub fn on_event(self, on_event: impl Fn(&UpcallEvent<'_>) + Send + Sync + 'static) -> Self {
        Self { on_event: Some(Arc::new(on_event)), ..self }
    }

    /// They do not start where the system refuses to schedule threads as it should. By default these
    /// take turns with all others, and [`RunningUpcalls::denial`] says so.
    #[must_use]
    pub fn need_privilege(self) -> Self {
        Self { need_privilege: true, ..self }
    }

    /// Starts all; phases count from the same moment.
    ///
    /// # Errors
    /// As [`UpcallError`] has them. Nothing runs then.
    pub fn start(mut self) -> Result<RunningUpcalls, UpcallError> {
        if let Some(system) = &self.admission {
            let mut tasks: Vec<&mut PeriodicTask> =
                self.tasks.iter_mut().map(|(task, _)| task).collect();
            admit(&mut tasks, system)?;
        }
        for (task, _) in &self.tasks {
            if let Some(why) = task.flaw() {
                return Err(UpcallError::Task { task: task.name.clone(), why });
            }
        }
        let on_event = self.on_event.unwrap_or_else(|| Arc::new(|_| ()));
        let clock = MachineClock::new();
        let mut running = RunningUpcalls { tasks: Vec::new(), clock: clock.clone(), denial: None };
        let (tell, told) = channel();
        let mut starts = Vec::new();
        for (task, upcall) in self.tasks {
            let (start, started) = channel();
            starts.push(start);
            let tally = Arc::new(Tally::default());
            let thread = Thread {
                task: task.clone(),
                tally: Arc::clone(&tally),
                clock: clock.clone(),
                on_event: Arc::clone(&on_event),
                tell: tell.clone(),
                started,
            };
            let thread = std::thread::Builder::new()
                .spawn(move || thread.run(upcall))
                .map_err(UpcallError::System)?;
            running.tasks.push(Running { name: task.name, tally, thread: Some(thread) });
        }
        drop(tell);
        for ready in told {
            let denial: Option<String> = ready?;
            running.denial = denial.or(running.denial.take());
        }
        if let Some(denial) = running.denial.take_if(|_| self.need_privilege) {
            return Err(UpcallError::Denied(denial));
        }
        let start = clock.now() + LEAD;
        for thread in starts {
            // It waits for this, and for nothing else.
            let _ = thread.send(start);
        }
        Ok(running)
    }
}

impl fmt::Debug for Upcalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tasks: Vec<&PeriodicTask> = self.tasks.iter().map(|(task, _)| task).collect();
        f.debug_struct("Upcalls").field("tasks", &tasks).finish_non_exhaustive()
    }
}

/// Schedules `tasks` as the strategy of `system` says, if all of them meet their deadlines.
pub(super) fn admit(tasks: &mut [&mut PeriodicTask], system: &System) -> Result<(), UpcallError> {
    let by_deadlines = match system.strategy {
        Strategy::Rms | Strategy::Dm => false,
        Strategy::Edf if system.preemptive && system.processors == 1 => true,
        strategy => return Err(UpcallError::Strategy(strategy)),
    };
    let one = |anomaly| UpcallError::NotSchedulable(vec![anomaly]);
    let mut set = TaskSet::new();
    let mut handles = Vec::with_capacity(tasks.len());
    for task in tasks.iter() {
        if task.budget.is_zero() {
            let why = "without a budget nobody knows whether deadlines are met";
            return Err(UpcallError::Task { task: task.name.clone(), why });
        }
        handles.push(set.add(task.needs()).map_err(one)?);
    }
    let schedule = Schedule::compute(&set, system).map_err(one)?;
    if !schedule.is_schedulable() {
        return Err(UpcallError::NotSchedulable(schedule.anomalies));
    }
    for (task, handle) in tasks.iter_mut().zip(handles) {
        if by_deadlines {
            task.scheduling = UpcallScheduling::Deadline;
            continue;
        }
        let lowest = system.priorities.lowest();
        let level = schedule.priority(handle).unwrap_or(lowest);
        task.scheduling = UpcallScheduling::Fifo(level);
        if system.processors > 1 {
            task.processor = schedule.processor(handle);
        }
    }
    Ok(())
}

/// What the thread of a task begins with.
struct Thread {
    task: PeriodicTask,
    tally: Arc<Tally>,
    clock: MachineClock,
    on_event: OnEvent,
    tell: Sender<Result<Option<String>, UpcallError>>,
    started: Receiver<Time>,
}

impl Thread {
    fn run(self, mut upcall: Upcall) {
        let ready = prepare(&self.task);
        // Nobody listens when another thread has failed, and then nobody says when to start.
        let _ = self.tell.send(ready);
        drop(self.tell);
        if let Ok(start) = self.started.recv() {
            self.task.serve(&self.clock, start, &self.tally, &mut *upcall, &*self.on_event);
        }
    }
}

/// Gives the calling thread the name, processor and scheduling of `task`; what was refused of the
/// last.
fn prepare(task: &PeriodicTask) -> Result<Option<String>, UpcallError> {
    // A name is a help, no more.
    let _ = set_name(&task.name);
    if let Some(processor) = task.processor {
        set_affinity(&[processor as usize]).map_err(UpcallError::System)?;
    }
    let (wanted, set) = match task.scheduling {
        UpcallScheduling::Shared => return Ok(None),
        UpcallScheduling::Fifo(level) => {
            (format!("SCHED_FIFO {level}"), priority::set(ThreadSchedule::Fifo(level)))
        }
        UpcallScheduling::Deadline => {
            let deadline = task.relative_deadline().min(task.period).as_duration();
            let (budget, period) = (task.budget.as_duration(), task.period.as_duration());
            ("SCHED_DEADLINE".to_owned(), priority::set_deadline(budget, deadline, period))
        }
    };
    match set {
        Ok(()) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let name = &task.name;
            Ok(Some(format!("the periodic task {name:?} cannot have {wanted}: {error}")))
        }
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
            Err(UpcallError::NoResources { task: task.name.clone() })
        }
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            let why = "the system does not take its budget, deadline and period";
            Err(UpcallError::Task { task: task.name.clone(), why })
        }
        Err(error) => Err(UpcallError::System(error)),
    }
}

/// Upcalls that run, until this is dropped.
pub struct RunningUpcalls {
    tasks: Vec<Running>,
    clock: MachineClock,
    denial: Option<String>,
}

struct Running {
    name: String,
    tally: Arc<Tally>,
    thread: Option<JoinHandle<()>>,
}

impl RunningUpcalls {
    /// What became of the upcalls of a task so far; `None` for a name that there is not.
    #[must_use]
    pub fn counts(&self, task: &str) -> Option<UpcallCounts> {
        let running = self.tasks.iter().find(|running| running.name == task)?;
        Some(running.tally.counts())
    }

    /// What the system does not let threads have.
    #[must_use]
    pub fn denial(&self) -> Option<&str> {
        self.denial.as_deref()
    }

    /// Ends after the upcalls that run; the counts of all tasks, in their order.
    pub fn stop(mut self) -> Vec<(String, UpcallCounts)> {
        self.end();
        let tasks = std::mem::take(&mut self.tasks).into_iter();
        tasks.map(|running| (running.name, running.tally.counts())).collect()
    }

    fn end(&mut self) {
        self.clock.stop();
        let own = std::thread::current().id();
        for running in &mut self.tasks {
            // An upcall that stops its own task ends by itself.
            if let Some(thread) = running.thread.take_if(|thread| thread.thread().id() != own) {
                // Panics of upcalls have been caught; one of the reports has ended its thread.
                let _ = thread.join();
            }
        }
    }
}

impl Drop for RunningUpcalls {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for RunningUpcalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tasks: Vec<&str> = self.tasks.iter().map(|running| running.name.as_str()).collect();
        f.debug_struct("RunningUpcalls").field("tasks", &tasks).finish_non_exhaustive()
    }
}
