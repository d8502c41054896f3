//! A dispatcher: threads that run queued work at the priorities of the queues.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use zorb_os::lock::Lock;
use zorb_os::priority::{self, Schedule as ThreadSchedule};
use zorb_os::thread::{set_affinity, set_name};

use super::queue::ReadyQueue;
use super::shared::{Clock, ClockState, DispatchCounts, Lane, LaneState, Recurring, Shared, now};
use super::timers::Timers;
use super::{Refusal, Refused, Urgency};
use crate::Time;
use crate::strategy::Queue;

/// Options of a [`Dispatcher`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatcherOptions {
    /// The capacity of each queue. Default: 256.
    pub capacity: usize,
    /// The processor that its threads are bound to. Default: any.
    pub processor: Option<usize>,
    /// Whether starting fails if the system denies the threads their priorities. Default: it does
    /// not, and the threads run without priorities.
    pub need_priorities: bool,
}

impl Default for DispatcherOptions {
    fn default() -> Self {
        Self { capacity: 256, processor: None, need_priorities: false }
    }
}

/// Runs work in the order of queues: a thread for each at its priority, which runs work to
/// completion. So more urgent queues preempt less urgent ones, and there is no preemption within a
/// queue.
///
/// Work is a value, processed by one function, so dispatching does not allocate. The queue's lock
/// has priority inheritance. Use one dispatcher per processor.
///
/// Dropping it stops it.
pub struct Dispatcher<W: Send + 'static> {
    shared: Arc<Shared<W>>,
    threads: Vec<JoinHandle<()>>,
    denial: Option<String>,
}

impl<W: Send + 'static> Dispatcher<W> {
    /// Starts a thread for each of `queues`, and one for timers; `run` processes the work.
    ///
    /// # Errors
    /// The system's error if threads cannot be started or bound to the processor, and
    /// [`io::ErrorKind::PermissionDenied`] if priorities are required but denied.
    pub fn start(
        queues: &[Queue],
        options: &DispatcherOptions,
        run: impl Fn(W) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let lane = |queue: &Queue| Lane {
            queue: *queue,
            state: Lock::new(LaneState {
                ready: ReadyQueue::new(queue.discipline, options.capacity),
                counts: DispatchCounts::default(),
                sleeping: false,
                stopping: false,
            }),
            changes: AtomicU32::new(0),
        };
        let clock = ClockState { timers: Timers::new(), stopping: false };
        let shared = Arc::new(Shared {
            lanes: queues.iter().map(lane).collect(),
            clock: Clock { state: Lock::new(clock), changes: AtomicU32::new(0) },
        });
        let run = Arc::new(run);
        let mut dispatcher =
            Self { shared: Arc::clone(&shared), threads: Vec::new(), denial: None };
        let (tell, told) = channel();
        for (lane_index, queue) in queues.iter().enumerate() {
            let (shared, run) = (Arc::clone(&shared), Arc::clone(&run));
            let work = move || {
                if let Some(lane) = shared.lanes.get(lane_index) {
                    lane.serve(&*run);
                }
            };
            let name = format!("queue {}", queue.number);
            dispatcher.spawn(name, queue.priority, options, &tell, work)?;
        }
        let highest = queues.iter().map(|queue| queue.priority).max().unwrap_or(1);
        dispatcher
            .spawn("timers".to_owned(), highest, options, &tell, move || shared.keep_time())?;
        drop(tell);
        for result in told {
            let result: io::Result<Option<String>> = result;
            dispatcher.denial = result?.or(dispatcher.denial.take());
        }
        match dispatcher.denial.take() {
            Some(denial) if options.need_priorities => {
                Err(io::Error::new(io::ErrorKind::PermissionDenied, denial))
            }
            denial => {
                dispatcher.denial = denial;
                Ok(dispatcher)
            }
        }
    }

    fn spawn(
        &mut self,
        name: String,
        priority: u8,
        options: &DispatcherOptions,
        tell: &Sender<io::Result<Option<String>>>,
        work: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let (tell, processor) = (tell.clone(), options.processor);
        let body = move || {
            let ready = prepare(&name, priority, processor);
            let failed = ready.is_err();
            // The receiver is gone if another thread has failed.
            let _ = tell.send(ready);
            drop(tell);
            if !failed {
                work();
            }
        };
        self.threads.push(std::thread::Builder::new().spawn(body)?);
        Ok(())
    }

    /// Dispatches work in a queue.
    ///
    /// # Errors
    /// [`Refused`], with the work.
    pub fn dispatch(&self, queue: u32, urgency: Urgency, work: W) -> Result<(), Refused<W>> {
        self.shared.dispatch(queue, urgency, work)
    }

    /// Dispatches work in every `period` from now on. Deadlines in `urgency` are relative to each
    /// arrival; `make` creates the work from its arrival time.
    ///
    /// # Errors
    /// [`Refusal::UnknownQueue`].
    pub fn every(
        &self,
        period: Duration,
        queue: u32,
        urgency: Urgency,
        make: impl Fn(Time) -> W + Send + 'static,
    ) -> Result<(), Refusal> {
        self.shared.lane(queue).ok_or(Refusal::UnknownQueue)?;
        let clock = &self.shared.clock;
        let mut state = clock.state.lock();
        let recurring = Recurring { queue, urgency, make: Box::new(make) };
        state.timers.add(now(), period.into(), recurring);
        drop(state);
        clock.wake();
        Ok(())
    }

    /// The current time on the clock of deadlines: the machine's monotonic clock.
    #[must_use]
    pub fn now(&self) -> Time {
        now()
    }

    /// The statistics of a queue; `None` for an unknown queue.
    #[must_use]
    pub fn counts(&self, queue: u32) -> Option<DispatchCounts> {
        let lane = self.shared.lane(queue)?;
        let state = lane.state.lock();
        Some(state.counts)
    }

    /// The privileges that the system denies its threads.
    #[must_use]
    pub fn denial(&self) -> Option<&str> {
        self.denial.as_deref()
    }

    /// Stops accepting work, completes the queued work, and returns. Dropping does the same.
    pub fn stop(self) {}
}

impl<W: Send + 'static> Drop for Dispatcher<W> {
    fn drop(&mut self) {
        let clock = &self.shared.clock;
        clock.state.lock().stopping = true;
        clock.wake();
        for lane in &self.shared.lanes {
            let mut state = lane.state.lock();
            state.stopping = true;
            drop(state);
            lane.wake();
        }
        let own = std::thread::current().id();
        // If work stops its own dispatcher, this thread cannot join itself.
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != own) {
            // Panics of work are already caught and counted.
            let _ = thread.join();
        }
    }
}

impl<W: Send + 'static> fmt::Debug for Dispatcher<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queues: Vec<&Queue> = self.shared.lanes.iter().map(|lane| &lane.queue).collect();
        f.debug_struct("Dispatcher").field("queues", &queues).finish_non_exhaustive()
    }
}

/// Sets the name, processor and priority of the calling thread; returns the denial of a priority.
fn prepare(name: &str, level: u8, processor: Option<usize>) -> io::Result<Option<String>> {
    // The name is only informative.
    let _ = set_name(name);
    if let Some(processor) = processor {
        set_affinity(&[processor])?;
    }
    match priority::set(ThreadSchedule::Fifo(level)) {
        Ok(()) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Ok(Some(format!("{name} cannot have the priority SCHED_FIFO {level}: {error}")))
        }
        Err(error) => Err(error),
    }
}
