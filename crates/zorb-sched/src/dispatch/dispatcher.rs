//! Threads that take work out of queues, at the queues' priorities.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use zorb_os::clock::MonotonicTime;
use zorb_os::futex;
use zorb_os::lock::Lock;
use zorb_os::priority::{self, Schedule as ThreadSchedule};
use zorb_os::thread::{set_affinity, set_name};

use super::queue::ReadyQueue;
use super::timers::Timers;
use super::{Refusal, Refused, Urgency};
use crate::Time;
use crate::strategy::Queue;

/// How a [`Dispatcher`] is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatcherOptions {
    /// How much waits in each queue at most. Default: 256.
    pub capacity: usize,
    /// The processor that its threads stay on. Default: any.
    pub processor: Option<usize>,
    /// Whether it does not start where the system refuses to give its threads their priorities.
    /// Default: it does, and they take turns with others.
    pub need_priorities: bool,
}

impl Default for DispatcherOptions {
    fn default() -> Self {
        Self { capacity: 256, processor: None, need_priorities: false }
    }
}

/// What has become of the work of one queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DispatchCounts {
    /// Work that was done.
    pub done: u64,
    /// Of it, that which ended after its deadline.
    pub late: u64,
    /// Of it, that which panicked.
    pub panicked: u64,
    /// Work that was refused, because the queue was full.
    pub refused: u64,
    /// Periodic work that was left out, because its turn came when the next was due.
    pub skipped: u64,
}

/// Runs work in the order of queues: a thread for each, at its priority, which finishes what it has
/// begun. So more urgent queues interrupt less urgent ones, and nothing interrupts within a queue.
///
/// Work is a value, and one function does all of it; so dispatching allocates nothing. The queue's
/// lock has priority inheritance. For several processors, have a dispatcher on each.
///
/// Dropping it stops it.
pub struct Dispatcher<W: Send + 'static> {
    shared: Arc<Shared<W>>,
    threads: Vec<JoinHandle<()>>,
    denial: Option<String>,
}

struct Shared<W> {
    lanes: Vec<Lane<W>>,
    clock: Clock<W>,
}

/// A queue, and what its thread sleeps on.
struct Lane<W> {
    queue: Queue,
    state: Lock<LaneState<W>>,
    /// Changes whenever there may be work.
    changes: AtomicU32,
}

struct LaneState<W> {
    ready: ReadyQueue<W>,
    counts: DispatchCounts,
    sleeping: bool,
    stopping: bool,
}

/// The timers, and what their thread sleeps on.
struct Clock<W> {
    state: Lock<ClockState<W>>,
    changes: AtomicU32,
}

struct ClockState<W> {
    timers: Timers<Recurring<W>>,
    stopping: bool,
}

/// Work that is made anew in every period.
struct Recurring<W> {
    queue: u32,
    urgency: Urgency,
    make: Box<dyn Fn(Time) -> W + Send>,
}

/// The present on the clock of deadlines.
fn now() -> Time {
    Time::from_nanos(MonotonicTime::now().as_nanos())
}

impl<W: Send + 'static> Dispatcher<W> {
    /// Starts a thread for each of `queues`, and one for timers; `run` does the work.
    ///
    /// # Errors
    /// What the system says when threads cannot be started or kept on the processor, and
    /// [`io::ErrorKind::PermissionDenied`] where priorities are needed and refused.
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
        for (place, queue) in queues.iter().enumerate() {
            let (shared, run) = (Arc::clone(&shared), Arc::clone(&run));
            let work = move || {
                if let Some(lane) = shared.lanes.get(place) {
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
            // Nobody listens when another thread has failed.
            let _ = tell.send(ready);
            drop(tell);
            if !failed {
                work();
            }
        };
        self.threads.push(std::thread::Builder::new().spawn(body)?);
        Ok(())
    }

    /// Has work done in a queue.
    ///
    /// # Errors
    /// [`Refused`], with the work.
    pub fn dispatch(&self, queue: u32, urgency: Urgency, work: W) -> Result<(), Refused<W>> {
        self.shared.dispatch(queue, urgency, work)
    }

    /// Has work done in every `period`, from now on. Deadlines in `urgency` count from each
    /// arrival; `make` makes the work, out of the time at which it was to come.
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

    /// The present, on the clock that deadlines are on: the machine's monotonic clock.
    #[must_use]
    pub fn now(&self) -> Time {
        now()
    }

    /// What has become of a queue's work; `None` for a queue that there is not.
    #[must_use]
    pub fn counts(&self, queue: u32) -> Option<DispatchCounts> {
        let lane = self.shared.lane(queue)?;
        let state = lane.state.lock();
        Some(state.counts)
    }

    /// What the system does not let its threads have.
    #[must_use]
    pub fn denial(&self) -> Option<&str> {
        self.denial.as_deref()
    }

    /// Takes no more work, does what waits, and ends when that is done. The same as dropping it.
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
        // Where work stops its own dispatcher, its thread ends by itself.
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != own) {
            // What panics there has been caught and counted.
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

/// Gives the calling thread its name, its processor and its priority; what was refused of the last.
fn prepare(name: &str, level: u8, processor: Option<usize>) -> io::Result<Option<String>> {
    // A name is a help, no more.
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

impl<W: Send> Shared<W> {
    fn lane(&self, queue: u32) -> Option<&Lane<W>> {
        self.lanes.iter().find(|lane| lane.queue.number == queue)
    }

    fn dispatch(&self, queue: u32, urgency: Urgency, work: W) -> Result<(), Refused<W>> {
        let Some(lane) = self.lane(queue) else {
            return Err(Refused { why: Refusal::UnknownQueue, work });
        };
        let mut state = lane.state.lock();
        if state.stopping {
            return Err(Refused { why: Refusal::Stopping, work });
        }
        if let Err(refused) = state.ready.push(urgency, work) {
            state.counts.refused += 1;
            return Err(refused);
        }
        let sleeping = std::mem::take(&mut state.sleeping);
        drop(state);
        if sleeping {
            lane.wake();
        }
        Ok(())
    }

    /// The timers' thread.
    fn keep_time(&self) {
        loop {
            let seen = self.clock.changes.load(Ordering::Acquire);
            let mut state = self.clock.state.lock();
            if state.stopping {
                return;
            }
            while let Some(due) = state.timers.pop(now()) {
                let (arrival, skipped) = (due.arrival, due.skipped);
                let Recurring { queue, urgency, make } = due.what;
                let urgency = Urgency { deadline: arrival + urgency.deadline, ..*urgency };
                // A full queue counts what it refuses, and a panic makes no work.
                if let Ok(work) = catch_unwind(AssertUnwindSafe(|| make(arrival))) {
                    let _ = self.dispatch(*queue, urgency, work);
                }
                if let Some(lane) = self.lane(*queue).filter(|_| skipped > 0) {
                    let mut state = lane.state.lock();
                    state.counts.skipped += skipped;
                }
            }
            let next = state.timers.next();
            drop(state);
            let wait = next.map(|next| (next - now()).as_duration());
            futex::wait(&self.clock.changes, seen, wait);
        }
    }
}

impl<W> Clock<W> {
    fn wake(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        futex::wake(&self.changes);
    }
}

impl<W: Send> Lane<W> {
    fn wake(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        futex::wake(&self.changes);
    }

    /// The queue's thread.
    fn serve(&self, run: &(impl Fn(W) + ?Sized)) {
        loop {
            let seen = self.changes.load(Ordering::Acquire);
            let mut state = self.state.lock();
            let Some((deadline, work)) = state.ready.pop() else {
                if state.stopping {
                    return;
                }
                state.sleeping = true;
                drop(state);
                futex::wait(&self.changes, seen, None);
                continue;
            };
            drop(state);
            let panicked = catch_unwind(AssertUnwindSafe(|| run(work))).is_err();
            let late = now() > deadline;
            let mut state = self.state.lock();
            state.counts.done += 1;
            state.counts.late += u64::from(late);
            state.counts.panicked += u64::from(panicked);
        }
    }
}
