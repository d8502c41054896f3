//! Counts the ORB's threads, so that a shutdown can wait for the last one.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tracing::span::EnteredSpan;
use zorb_os::lock::{Condition, Lock};
use zorb_os::thread_count::CountedThread;

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

thread_local! {
    /// The activity of the calling thread, if a [`ThreadCount`] has started it.
    static ACTIVITY: RefCell<Option<Arc<ThreadActivity>>> = const { RefCell::new(None) };
}

/// The number of octets of an operation's name that are recorded.
const NAME_OCTETS: usize = 32;

/// What a counted thread does: its name, and the operation that it served last.
#[derive(Debug)]
pub struct ThreadActivity {
    thread: String,
    /// The first octets of the operation's name, padded with NUL. A thread writes its own without synchronization.
    operation: [AtomicU64; NAME_OCTETS / 8],
    /// Whether it waits for requests, or for a client to read. Written likewise.
    rests: AtomicBool,
}

impl ThreadActivity {
    fn new(thread: &str) -> Arc<Self> {
        let rests = AtomicBool::new(false);
        Arc::new(Self { thread: thread.to_owned(), operation: Default::default(), rests })
    }

    /// That of the calling thread, if a [`ThreadCount`] has started it.
    pub fn of_this_thread() -> Option<Arc<Self>> {
        ACTIVITY.try_with(|activity| activity.borrow().clone()).ok().flatten()
    }

    /// Whether the thread makes no upcall, because it waits for requests, or for a client to read.
    pub fn rests(&self) -> bool {
        self.rests.load(Ordering::Relaxed)
    }

    /// Sets whether the calling thread [rests](Self::rests).
    #[inline]
    pub fn set_rests(&self, rests: bool) {
        self.rests.store(rests, Ordering::Relaxed);
    }

    /// The name of the thread.
    pub fn thread(&self) -> &str {
        &self.thread
    }

    /// The name of the operation that the thread served last, cut to 32 octets; empty if it has not served any. It is
    /// right if the thread is still serving this operation.
    pub fn operation(&self) -> String {
        let octets =
            self.operation.iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes());
        let name: Vec<u8> = octets.take_while(|&octet| octet != 0).collect();
        String::from_utf8_lossy(&name).into_owned()
    }

    fn set_operation(&self, name: &[u8]) {
        let mut octets = [0; NAME_OCTETS];
        for (octet, from) in octets.iter_mut().zip(name) {
            *octet = *from;
        }
        let mut words = [0; NAME_OCTETS / 8];
        for (word, from) in words.iter_mut().zip(octets.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*from);
        }
        self.set_words(words);
    }

    fn words(&self) -> [u64; NAME_OCTETS / 8] {
        self.operation.each_ref().map(|word| word.load(Ordering::Relaxed))
    }

    fn set_words(&self, words: [u64; NAME_OCTETS / 8]) {
        for (word, value) in self.operation.iter().zip(words) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

/// Records the operation that the calling thread is about to serve, for reports about threads that do not end.
#[cold]
pub fn record_operation(name: &[u8]) {
    // A thread that ends may have dropped it, and still make a collocated call.
    let _ = ACTIVITY.try_with(|activity| {
        if let Some(activity) = &*activity.borrow() {
            activity.set_operation(name);
        }
    });
}

/// Calls `wait`, during which the calling thread [rests](ThreadActivity::rests).
#[cold]
pub fn rest<T>(wait: impl FnOnce() -> T) -> T {
    let activity = ThreadActivity::of_this_thread();
    activity.iter().for_each(|activity| activity.set_rests(true));
    let waited = wait();
    activity.iter().for_each(|activity| activity.set_rests(false));
    waited
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

#[cfg(test)]
mod tests {
    use zorb_testkit::{in_own_process, limit_address_space};

    use super::*;

    #[test]
    fn a_thread_knows_who_counts_it() {
        let (own, other) = (ThreadCount::new(usize::MAX), ThreadCount::new(usize::MAX));
        let (tell, told) = std::sync::mpsc::channel();
        let counts = [Arc::clone(&own), Arc::clone(&other)];
        let body = move || {
            tell.send(counts.each_ref().map(|count| count.counts_this_thread())).unwrap();
            let mut moved = counts[1].enter();
            moved.is_this_thread();
            tell.send(counts.each_ref().map(|count| count.counts_this_thread())).unwrap();
        };
        own.spawn("counted", body).unwrap();
        assert_eq!(told.recv().unwrap(), [true, false]);
        assert_eq!(told.recv().unwrap(), [false, true]);
        assert!(!own.counts_this_thread());
        own.join();
    }

    #[test]
    fn a_thread_for_which_there_is_no_memory_is_not_started() {
        let name = "threads::tests::a_thread_for_which_there_is_no_memory_is_not_started";
        in_own_process(name, || {
            let count = ThreadCount::new(usize::MAX);
            // Some have room for the stack, but not for that of signals, without which the process ends.
            for pages in 0..16 {
                limit_address_space((2 << 20) + (pages << 12));
                let (tell, told) = std::sync::mpsc::channel();
                let tells = move || {
                    let _ = tell.send(());
                };
                if count.spawn("counted", tells).is_ok() {
                    told.recv().unwrap();
                }
                count.join();
            }
            assert_eq!(
                count.spawn("counted", || {}).unwrap_err().kind(),
                io::ErrorKind::OutOfMemory
            );
            assert!(count.is_empty());
        });
    }

    #[test]
    fn threads_that_do_not_end_are_named_with_their_operation() {
        let count = ThreadCount::new(8);
        let (stuck, freed) = std::sync::mpsc::channel::<()>();
        let (begun, has_begun) = std::sync::mpsc::channel();
        count
            .spawn("server", move || {
                record_operation(b"an_operation_whose_name_is_longer_than_others");
                record_operation(b"withdraw");
                begun.send(()).unwrap();
                let _ = freed.recv();
            })
            .unwrap();
        has_begun.recv().unwrap();
        let running = count.join_within(Duration::ZERO);
        let [thread] = running.as_slice() else { panic!("{running:?}") };
        assert_eq!((thread.thread(), &*thread.operation()), ("server", "withdraw"));
        drop(stuck);
        count.join();
        assert!(count.join_within(Duration::ZERO).is_empty());
    }

    #[test]
    fn a_thread_that_waits_for_a_client_rests() {
        let count = ThreadCount::new(8);
        let (tell, told) = std::sync::mpsc::channel();
        let (free, freed) = std::sync::mpsc::channel::<()>();
        let body = move || {
            rest(|| {
                tell.send(()).unwrap();
                freed.recv().unwrap();
            });
            tell.send(()).unwrap();
            let _ = freed.recv();
        };
        count.spawn("sender", body).unwrap();
        let rests = || count.join_within(Duration::ZERO)[0].rests();
        told.recv().unwrap();
        assert!(rests());
        free.send(()).unwrap();
        told.recv().unwrap();
        assert!(!rests());
        drop(free);
        count.join();
    }

    #[test]
    fn upcalls_of_other_threads_are_named_with_their_operation() {
        let count = ThreadCount::new(8);
        let running = || {
            let threads = count.join_within(Duration::ZERO);
            threads.iter().map(|thread| thread.operation()).collect::<Vec<_>>()
        };
        let outer = count.enter_upcall(b"outer");
        {
            let _inner = count.enter_upcall(b"inner");
            assert_eq!(running(), ["inner"]);
        }
        assert_eq!(running(), ["outer"]);
        let named = count.join_within(Duration::ZERO);
        assert_eq!(Some(named[0].thread()), std::thread::current().name());
        drop(outer);
        assert!(running().is_empty() && count.is_empty());
    }

    #[test]
    fn threads_have_the_id_of_their_orb_in_their_names() {
        let (plain, front) = (ThreadCount::new(8), ThreadCount::of_orb(8, "front").beside());
        assert_eq!(plain.thread_name("zorb-serve"), "zorb-serve");
        assert_eq!(front.thread_name("zorb-serve"), "front-serve");
        assert_eq!(front.thread_name("telemetry"), "telemetry");
        let (tell, told) = std::sync::mpsc::channel();
        let name = || std::thread::current().name().map(str::to_owned);
        front.spawn("zorb-serve", move || tell.send(name()).unwrap()).unwrap();
        assert_eq!(told.recv().unwrap().as_deref(), Some("front-serve"));
    }

    #[test]
    fn long_names_of_operations_are_cut() {
        let activity = ThreadActivity::new("server");
        let name = "an_operation_whose_name_is_longer_than_others";
        activity.set_operation(name.as_bytes());
        assert_eq!(activity.operation(), name[..NAME_OCTETS]);
    }
}
