//! Lanes in the steady state: counts of violations by their threads.
//!
//! A *work interval* is the time from the event that wakes a thread to its next wait. Allocations and
//! [events](zorb_base::steady_events) are counted per thread; the difference over a work interval is a
//! violation of its lane. The system counts page faults per thread; they count from the first work interval
//! after the lane was frozen, because a starting thread has others. A lane that is not frozen checks one flag
//! per interval; each thread of a frozen lane makes one system call, once.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use zorb_base::callback::call_back;
use zorb_base::steady_events::EventCounts;
use zorb_os::alloc::AllocationCount;
use zorb_os::lock::{Lock, Locked};
use zorb_os::thread;

/// Steady-state violations of one lane since it was frozen (`Orb::freeze_pools`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneViolations {
    /// The name of the lane and of its threads.
    pub lane: Arc<str>,
    /// Its priority; `None` for a pool without lanes.
    pub priority: Option<i16>,
    /// Allocations, including those of servants. Counted if the program's allocator is
    /// [`CountingAllocator`](zorb_os::alloc::CountingAllocator).
    pub allocations: u64,
    /// Page faults, counted for each thread from its first work interval on.
    pub page_faults: u64,
    /// Started threads of the ORB.
    pub threads: u64,
    /// Opened connections to other servers.
    pub connects: u64,
    /// Changes of the tables that calls read: adapters, active objects, connections.
    pub table_writes: u64,
}

impl LaneViolations {
    /// The sum of all kinds.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.allocations + self.page_faults + self.threads + self.connects + self.table_writes
    }
}

impl fmt::Display for LaneViolations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lane, allocations, page_faults, threads, connects, table_writes, .. } = self;
        write!(
            f,
            "lane {lane}: {allocations} allocations, {page_faults} page faults, {threads} threads \
             started, {connects} connections opened, {table_writes} table writes"
        )
    }
}

/// Receives the violations of one work interval, on the thread that caused them, at the end of the interval.
/// Page faults are not included: they are counted on demand. A panic is logged.
pub type ViolationReport = dyn Fn(&LaneViolations) + Send + Sync;

/// The counts of one lane.
pub(crate) struct SteadyState {
    lane: Arc<str>,
    priority: Option<i16>,
    /// The number of the current freezing; 0 while there is none.
    freezing: AtomicU32,
    allocations: AtomicU64,
    threads_started: AtomicU64,
    connects: AtomicU64,
    table_writes: AtomicU64,
    rest: Lock<Rest>,
}

/// State that a work interval without violations does not use.
#[derive(Default)]
struct Rest {
    threads: Vec<Watched>,
    /// Page faults of ended threads, or until the lane was thawed.
    page_faults: u64,
    report: Option<Arc<ViolationReport>>,
    logged: bool,
}

/// A thread of the lane.
#[derive(Debug)]
struct Watched {
    thread: u32,
    /// Its page faults before its first work interval since the lane was frozen; `None` until then.
    before: Option<u64>,
}

/// The counts of a thread at the beginning of its work interval.
#[derive(Clone, Copy)]
struct WorkInterval {
    freezing: u32,
    allocations: u64,
    events: EventCounts,
}

/// The next number of a freezing; numbers are unique across lanes.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// The lane that watches a thread.
#[derive(Clone, Copy)]
struct Watcher {
    /// The address of its counts; 0 for none.
    lane: usize,
    /// The freezing for which the thread's page faults are counted.
    freezing: u32,
}

thread_local! {
    static INTERVAL: Cell<Option<WorkInterval>> = const { Cell::new(None) };
    static WATCHER: Cell<Watcher> = const { Cell::new(Watcher { lane: 0, freezing: 0 }) };
}

/// A thread of the lane, until dropped.
pub(crate) struct Watching<'f>(&'f SteadyState);

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.0.forget(thread::id());
    }
}

impl SteadyState {
    pub(crate) fn new(lane: &str, priority: Option<i16>) -> Self {
        Self {
            lane: lane.into(),
            priority,
            freezing: AtomicU32::new(0),
            allocations: AtomicU64::new(0),
            threads_started: AtomicU64::new(0),
            connects: AtomicU64::new(0),
            table_writes: AtomicU64::new(0),
            rest: Lock::default(),
        }
    }

    /// The name of the lane.
    pub(crate) fn lane(&self) -> &str {
        &self.lane
    }

    fn rest(&self) -> Locked<'_, Rest> {
        self.rest.lock()
    }

    /// Whether the lane is frozen.
    pub(crate) fn is_on(&self) -> bool {
        self.freezing.load(Ordering::Relaxed) != 0
    }

    /// Counts the page faults of the calling thread until the result is dropped.
    pub(crate) fn watch(&self) -> Watching<'_> {
        self.watch_for_good();
        Watching(self)
    }

    /// The same for a thread that lives as long as the lane.
    pub(crate) fn watch_for_good(&self) {
        WATCHER.set(Watcher { lane: self.address(), freezing: 0 });
        self.rest().threads.push(Watched { thread: thread::id(), before: None });
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Counts the calling thread's page faults from now on, if it belongs to this lane and they are not
    /// counted yet.
    #[cold]
    fn watch_from_here(&self, freezing: u32) {
        let watcher = WATCHER.get();
        if watcher.lane != self.address() || watcher.freezing == freezing {
            return; // borrowed by this lane, or not its first work interval
        }
        WATCHER.set(Watcher { freezing, ..watcher });
        let (thread, faults) = (thread::id(), thread::own_page_faults().ok());
        let mut rest = self.rest();
        // It may have been frozen again.
        if self.freezing.load(Ordering::Relaxed) == freezing
            && let Some(watched) = rest.threads.iter_mut().find(|one| one.thread == thread)
        {
            watched.before = faults;
        }
    }

    fn forget(&self, thread: u32) {
        let mut rest = self.rest();
        let Some(at) = rest.threads.iter().position(|watched| watched.thread == thread) else {
            return;
        };
        let watched = rest.threads.swap_remove(at);
        if self.is_on() {
            rest.page_faults += watched.since();
        }
    }

    /// The calling thread begins to work.
    #[inline]
    pub(crate) fn work_begins(&self) {
        let freezing = self.freezing.load(Ordering::Relaxed);
        if freezing != 0 {
            self.begin_interval(freezing);
        }
    }

    /// Records the counts of the thread, unless a work interval has begun.
    #[cold]
    fn begin_interval(&self, freezing: u32) {
        if INTERVAL.get().is_none_or(|begun| begun.freezing != freezing) {
            self.watch_from_here(freezing);
            let allocations = AllocationCount::this_thread().allocations;
            INTERVAL.set(Some(WorkInterval {
                freezing,
                allocations,
                events: EventCounts::of_this_thread(),
            }));
        }
    }

    /// The calling thread is about to wait.
    #[inline]
    pub(crate) fn work_ends(&self) {
        let freezing = self.freezing.load(Ordering::Relaxed);
        if freezing != 0
            && let Some(begun) = INTERVAL.take()
            && begun.freezing == freezing
        {
            let allocations = AllocationCount::this_thread().allocations;
            if (allocations, EventCounts::of_this_thread()) != (begun.allocations, begun.events) {
                self.violated(&begun);
            }
        }
    }

    #[cold]
    fn violated(&self, begun: &WorkInterval) {
        let events = EventCounts::of_this_thread();
        self.add(LaneViolations {
            allocations: AllocationCount::this_thread().allocations.wrapping_sub(begun.allocations),
            threads: events.threads - begun.events.threads,
            connects: events.connects - begun.events.connects,
            table_writes: events.table_writes - begun.events.table_writes,
            ..self.blank()
        });
    }

    fn add(&self, new: LaneViolations) {
        self.allocations.fetch_add(new.allocations, Ordering::Relaxed);
        self.threads_started.fetch_add(new.threads, Ordering::Relaxed);
        self.connects.fetch_add(new.connects, Ordering::Relaxed);
        self.table_writes.fetch_add(new.table_writes, Ordering::Relaxed);
        let (report, first) = {
            let mut rest = self.rest();
            (rest.report.clone(), !std::mem::replace(&mut rest.logged, true))
        };
        if first {
            tracing::warn!("{new}");
        }
        if let Some(report) = report {
            call_back("the report of violations", || report(&new));
        }
    }

    fn blank(&self) -> LaneViolations {
        LaneViolations {
            lane: Arc::clone(&self.lane),
            priority: self.priority,
            ..LaneViolations::default()
        }
    }

    pub(crate) fn freeze(&self, report: Option<&Arc<ViolationReport>>) -> io::Result<()> {
        // Fails if they cannot be counted.
        thread::page_faults(thread::id())?;
        thread::own_page_faults()?;
        let mut rest = self.rest();
        self.freezing.store(0, Ordering::Relaxed);
        for count in [&self.allocations, &self.threads_started, &self.connects, &self.table_writes]
        {
            count.store(0, Ordering::Relaxed);
        }
        rest.page_faults = 0;
        rest.logged = false;
        rest.report = report.cloned();
        rest.threads.iter_mut().for_each(|watched| watched.before = None);
        // It does not wrap around within a lane's lifetime.
        self.freezing.store(NEXT.fetch_add(1, Ordering::Relaxed).max(1), Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn thaw(&self) {
        let mut rest = self.rest();
        if self.freezing.swap(0, Ordering::Relaxed) != 0 {
            let faults: u64 = rest.threads.iter().map(Watched::since).sum();
            rest.page_faults += faults;
        }
        rest.report = None;
    }

    pub(crate) fn violations(&self) -> LaneViolations {
        let rest = self.rest();
        let running = match self.is_on() {
            true => rest.threads.iter().map(Watched::since).sum(),
            false => 0,
        };
        LaneViolations {
            allocations: self.allocations.load(Ordering::Relaxed),
            page_faults: rest.page_faults + running,
            threads: self.threads_started.load(Ordering::Relaxed),
            connects: self.connects.load(Ordering::Relaxed),
            table_writes: self.table_writes.load(Ordering::Relaxed),
            ..self.blank()
        }
    }
}

impl Watched {
    /// Its page faults since its first work interval.
    fn since(&self) -> u64 {
        let Some(before) = self.before else { return 0 };
        thread::page_faults(self.thread).map_or(0, |now| now.saturating_sub(before))
    }
}

impl fmt::Debug for SteadyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SteadyState")
            .field("lane", &self.lane)
            .field("is_on", &self.is_on())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use zorb_base::steady_events::{Event, record};

    use super::*;

    #[test]
    fn a_panic_in_the_report_ends_no_thread() {
        let steady_state = SteadyState::new("lane", None);
        let report: Arc<ViolationReport> = Arc::new(|_| panic!("on purpose"));
        steady_state.freeze(Some(&report)).unwrap();
        for violations in 1..3 {
            steady_state.work_begins();
            record(Event::TableWritten);
            steady_state.work_ends();
            assert_eq!(steady_state.violations().table_writes, violations);
        }
    }
}
