//! Periodic tasks, each on a thread of its own.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use thiserror::Error;
use zorb_os::priority::{self, Schedule as ThreadSchedule};
use zorb_os::thread::{set_affinity, set_name};

use super::clock::{MachineClock, UpcallClock};
use super::counts::{Counters, UpcallCounts, UpcallEvent};
use super::releases::Activation;
use super::task::{PeriodicTask, UpcallScheduling};
use crate::model::set::TaskSet;
use crate::schedule::Schedule;
use crate::strategy::Strategy;
use crate::system::System;
use crate::{Anomaly, Time};

/// The time from the moment at which all threads are ready to the first releases.
const LEAD: Time = Time::from_millis(1);

type Upcall = Box<dyn FnMut(&Activation) + Send>;
type OnEvent = Arc<dyn Fn(&UpcallEvent<'_>) + Send + Sync>;

/// Why upcalls were not started. None of them runs.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum UpcallError {
    /// An invalid task.
    #[error("the periodic task {task:?} is invalid: {why}")]
    Task {
        /// Its name.
        task: String,
        /// The reason.
        why: &'static str,
    },
    /// Deadlines are, or may be, missed.
    #[error("deadlines may be missed{}", first(.0))]
    NotSchedulable(Vec<Anomaly>),
    /// The strategy needs the queues of a [`Dispatcher`](crate::Dispatcher) instead of a thread per
    /// task.
    #[error(
        "upcalls have a thread each, which is for rms, dm, and preemptive edf on one processor, but \
         not {0}"
    )]
    Strategy(Strategy),
    /// The system's deadline bandwidth is exhausted (CORBA's `NO_RESOURCES`).
    #[error("the system has no bandwidth left for the periodic task {task:?}")]
    NoResources {
        /// The rejected task.
        task: String,
    },
    /// The system denies a thread its scheduling, and [`need_privilege`](Upcalls::need_privilege)
    /// was set (CORBA's `NO_PERMISSION`).
    #[error("{0}")]
    Denied(String),
    /// The system's error if a thread cannot be started or bound to its processor.
    #[error("cannot start the threads of upcalls: {0}")]
    System(io::Error),
}

fn first(anomalies: &[Anomaly]) -> String {
    anomalies.first().map_or_else(String::new, |anomaly| format!(": {anomaly}"))
}

/// Real-time upcalls to start together.
///
/// Each task has a thread, which sleeps until the next release: an upcall costs one context switch,
/// no lock and no allocation.
#[derive(Default)]
pub struct Upcalls {
    tasks: Vec<(PeriodicTask, Upcall)>,
    admission: Option<System>,
    on_event: Option<OnEvent>,
    need_privilege: bool,
}

impl Upcalls {
    /// Creates a set without tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a task whose upcalls call `upcall`: any closure, for example one that calls an object's
    /// operation.
    #[must_use]
    pub fn task(
        mut self,
        task: PeriodicTask,
        upcall: impl FnMut(&Activation) + Send + 'static,
    ) -> Self {
        self.tasks.push((task, Box::new(upcall)));
        self
    }

    /// Requires admission: the upcalls start only if all deadlines are guaranteed; budgets are the
    /// worst-case execution times. The strategy determines the scheduling of the threads: rate and
    /// deadline monotonic assign `SCHED_FIFO` priorities, earliest deadline first is
    /// `SCHED_DEADLINE`, if `system` is preemptive and has one processor. With several processors
    /// each task is bound to one.
    ///
    /// Without admission, each task's own scheduling applies.
    #[must_use]
    pub fn admission(self, system: System) -> Self {
        Self { admission: Some(system), ..self }
    }

    /// Reports every problem to `on_event`, on the thread of the task between two upcalls; it
    /// should be fast.
    #[must_use]
    pub fn on_event(self, on_event: impl Fn(&UpcallEvent<'_>) + Send + Sync + 'static) -> Self {
        Self { on_event: Some(Arc::new(on_event)), ..self }
    }

    /// Fails if the system denies the threads their scheduling. By default they are then
    /// time-shared, and [`RunningUpcalls::denial`] reports it.
    #[must_use]
    pub fn need_privilege(self) -> Self {
        Self { need_privilege: true, ..self }
    }

    /// Starts all tasks; phases are relative to the same time.
    ///
    /// # Errors
    /// See [`UpcallError`]. Nothing runs then.
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
            let counters = Arc::new(Counters::default());
            let thread = Thread {
                task: task.clone(),
                counters: Arc::clone(&counters),
                clock: clock.clone(),
                on_event: Arc::clone(&on_event),
                tell: tell.clone(),
                started,
            };
            let thread = std::thread::Builder::new()
                .spawn(move || thread.run(upcall))
                .map_err(UpcallError::System)?;
            running.tasks.push(Running { name: task.name, counters, thread: Some(thread) });
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
            // This is all that it waits for.
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

/// Schedules `tasks` by the strategy of `system`, if all of them meet their deadlines.
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
            let why = "admission needs a budget";
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

/// The initial data of a task's thread.
struct Thread {
    task: PeriodicTask,
    counters: Arc<Counters>,
    clock: MachineClock,
    on_event: OnEvent,
    tell: Sender<Result<Option<String>, UpcallError>>,
    started: Receiver<Time>,
}

impl Thread {
    fn run(self, mut upcall: Upcall) {
        let ready = prepare(&self.task);
        // The receiver is gone if another thread has failed; then nothing starts.
        let _ = self.tell.send(ready);
        drop(self.tell);
        if let Ok(start) = self.started.recv() {
            self.task.serve(&self.clock, start, &self.counters, &mut *upcall, &*self.on_event);
        }
    }
}

/// Sets the name, processor and scheduling of the calling thread for `task`; returns the denial of
/// the scheduling.
fn prepare(task: &PeriodicTask) -> Result<Option<String>, UpcallError> {
    // The name is only informative.
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
            let why = "the system rejects its budget, deadline and period";
            Err(UpcallError::Task { task: task.name.clone(), why })
        }
        Err(error) => Err(UpcallError::System(error)),
    }
}

/// Running upcalls; dropping this stops them.
pub struct RunningUpcalls {
    tasks: Vec<Running>,
    clock: MachineClock,
    denial: Option<String>,
}

struct Running {
    name: String,
    counters: Arc<Counters>,
    thread: Option<JoinHandle<()>>,
}

impl RunningUpcalls {
    /// The statistics of a task's upcalls so far; `None` for an unknown name.
    #[must_use]
    pub fn counts(&self, task: &str) -> Option<UpcallCounts> {
        let running = self.tasks.iter().find(|running| running.name == task)?;
        Some(running.counters.counts())
    }

    /// The privileges that the system denies the threads.
    #[must_use]
    pub fn denial(&self) -> Option<&str> {
        self.denial.as_deref()
    }

    /// Stops after the running upcalls; returns the statistics of all tasks, in order.
    pub fn stop(mut self) -> Vec<(String, UpcallCounts)> {
        self.end();
        let tasks = std::mem::take(&mut self.tasks).into_iter();
        tasks.map(|running| (running.name, running.counters.counts())).collect()
    }

    fn end(&mut self) {
        self.clock.stop();
        let own = std::thread::current().id();
        for running in &mut self.tasks {
            // An upcall that stops its own task cannot join itself.
            if let Some(thread) = running.thread.take_if(|thread| thread.thread().id() != own) {
                // Panics of upcalls are caught; this one was in `on_event`.
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
