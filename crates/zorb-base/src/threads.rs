//! Counts the ORB's threads, so that a shutdown can wait for the last one.

mod activity;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tracing::span::EnteredSpan;
use zorb_os::lock::{Condition, Lock};
use zorb_os::thread_count::CountedThread;

use self::activity::{ACTIVITY, NAME_OCTETS};
pub use self::activity::{ThreadActivity, record_operation, while_idle};
use crate::steady_events::{Event, record};

/// The number of running threads of an ORB, or of a pool.
#[derive(Debug)]
pub struct ThreadCount {
    running: Lock<RunningThreads>,
    ended: Condition,
    /// How many threads the ORBs of the process may have when another one is to start.
    limit: usize,
    /// The ORB's id; empty without one.
    orb: String,
}

#[derive(Debug, Default)]
struct RunningThreads {
    /// With work on other threads that was [entered](ThreadCount::enter).
    count: usize,
    threads: Vec<Arc<ThreadActivity>>,
}

/// Counts work on a thread that the ORB has not started, with the operation that it serves, until dropped.
#[derive(Debug)]
pub struct RunningUpcall {
    running: Running,
    /// The operation that the thread served before.
    before: [u64; NAME_OCTETS / 8],
}

impl Drop for RunningUpcall {
    fn drop(&mut self) {
        self.running.activity.iter().for_each(|activity| activity.set_words(self.before));
    }
}

/// Counts one thread until dropped.
#[derive(Debug)]
pub struct Running {
    threads: Arc<ThreadCount>,
    activity: Option<Arc<ThreadActivity>>,
}

thread_local! {
    /// The address of the count that the thread belongs to; 0 for none.
    static COUNTED_BY: Cell<usize> = const { Cell::new(0) };
}

impl Running {
    /// Marks the calling thread as the counted one, until it ends.
    pub fn is_this_thread(&mut self) {
        COUNTED_BY.set(Arc::as_ptr(&self.threads).addr());
        if self.activity.is_none() {
            self.activity = ThreadActivity::of_this_thread();
            self.threads.running.lock().threads.extend(self.activity.clone());
        }
    }
}

impl ThreadCount {
    /// Of no threads, which are only started while all ORBs of the process together have fewer than `limit`.
    pub fn new(limit: usize) -> Arc<Self> {
        Self::of_orb(limit, "")
    }

    /// The same for the ORB with the id `orb`, which is in the names of its threads and in what they log.
    pub fn of_orb(limit: usize, orb: &str) -> Arc<Self> {
        let (running, ended) = (Lock::default(), Condition::new());
        Arc::new(Self { running, ended, limit, orb: orb.to_owned() })
    }

    /// A counter of zero threads with the same limit and ORB.
    pub fn beside(&self) -> Arc<Self> {
        Self::of_orb(self.limit, &self.orb)
    }

    /// The name of a thread: `zorb-serve` is `front-serve` in the ORB with the id `front`.
    pub fn thread_name(&self, name: &str) -> String {
        let name = match name.strip_prefix("zorb-") {
            Some(purpose) if !self.orb.is_empty() => format!("{}-{purpose}", self.orb),
            _ => name.to_owned(),
        };
        name.replace('\0', " ")
    }

    /// Enters the span of what a thread of an ORB with an id logs, until the result is dropped.
    pub fn span(&self) -> Option<EnteredSpan> {
        (!self.orb.is_empty()).then(|| tracing::error_span!("orb", id = self.orb).entered())
    }

    /// Starts a counted thread, and records the event [`Event::ThreadStarted`].
    ///
    /// # Errors
    /// The system cannot start a thread, its address space has no room for one, or the process has as many as it
    /// [may](Self::new). `body` is dropped.
    pub fn spawn(
        self: &Arc<Self>,
        name: &str,
        body: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        self.spawn_with(name, None, body)
    }

    /// Like [`spawn`](Self::spawn), with a stack of `stack_size` octets; `None` for the default of
    /// [`std::thread`].
    ///
    /// # Errors
    /// As those of [`spawn`](Self::spawn).
    pub fn spawn_with(
        self: &Arc<Self>,
        name: &str,
        stack_size: Option<usize>,
        body: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        record(Event::ThreadStarted);
        let started = CountedThread::one_of(self.limit, stack_size)?;
        let name = self.thread_name(name);
        let activity = ThreadActivity::new(&name);
        let running = self.begin(Some(Arc::clone(&activity)));
        let builder = std::thread::Builder::new().name(name);
        // If the thread cannot be started, the closure is dropped, which decrements the count.
        stack_size
            .into_iter()
            .fold(builder, std::thread::Builder::stack_size)
            .spawn(move || {
                let (mut running, _started) = (running, started);
                running.is_this_thread();
                let _span = running.threads.span();
                ACTIVITY.set(Some(activity));
                body();
            })
            .map(drop)
    }

    /// Counts work on another thread that [`join`](Self::join) must wait for, until the result is dropped.
    pub fn enter(self: &Arc<Self>) -> Running {
        self.begin(None)
    }

    /// Counts an upcall on the calling thread that [`join`](Self::join) must wait for, until the result is dropped. Until
    /// then, reports about it name the thread and `operation`. `None` if the thread [is counted](Self::counts_this_thread)
    /// already.
    #[cold]
    pub fn enter_upcall(self: &Arc<Self>, operation: &[u8]) -> Option<RunningUpcall> {
        if self.counts_this_thread() {
            return None;
        }
        let own = || {
            let thread = std::thread::current();
            ThreadActivity::new(thread.name().unwrap_or("without a name"))
        };
        let known =
            ACTIVITY.try_with(|known| Arc::clone(known.borrow_mut().get_or_insert_with(own)));
        let activity = known.unwrap_or_else(|_| own());
        let before = activity.words();
        activity.set_operation(operation);
        Some(RunningUpcall { running: self.begin(Some(activity)), before })
    }

    fn begin(self: &Arc<Self>, activity: Option<Arc<ThreadActivity>>) -> Running {
        let mut running = self.running.lock();
        running.count += 1;
        running.threads.extend(activity.clone());
        Running { threads: Arc::clone(self), activity }
    }

    /// Whether the calling thread is one of those that are counted, so that it cannot wait for all of them.
    pub fn counts_this_thread(&self) -> bool {
        COUNTED_BY.get() == std::ptr::from_ref(self).addr()
    }

    /// The number of threads that work for the ORB: its own, and those of the program that make collocated upcalls.
    pub fn threads(&self) -> usize {
        self.running.lock().threads.len()
    }

    /// Whether no counted thread runs.
    pub fn is_empty(&self) -> bool {
        self.running.lock().count == 0
    }

    /// Waits until no counted thread runs.
    pub fn join(&self) {
        let mut running = self.running.lock();
        while running.count > 0 {
            running = self.ended.wait(running);
        }
    }

    /// Waits until no counted thread runs, at most for `limit`. Returns the threads that still run.
    pub fn join_within(&self, limit: Duration) -> Vec<Arc<ThreadActivity>> {
        let running = self.running.lock();
        let running = self.ended.wait_while(running, limit, |running| running.count > 0);
        let mut threads: Vec<Arc<ThreadActivity>> = Vec::new();
        if running.count == 0 {
            return threads;
        }
        for thread in &running.threads {
            if !threads.iter().any(|known| Arc::ptr_eq(known, thread)) {
                threads.push(Arc::clone(thread));
            }
        }
        threads
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = self.threads.running.lock();
        running.count -= 1;
        if let Some(activity) = &self.activity {
            // A thread is there once for each of its nested upcalls.
            let known = running.threads.iter().position(|known| Arc::ptr_eq(known, activity));
            known.map(|known| running.threads.swap_remove(known));
        }
        self.threads.ended.notify_all();
    }
}
