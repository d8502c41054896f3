//! Requests that wait for a thread of their lane, and threads that wait for a request.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use zorb_os::futex;
use zorb_os::lock::Lock;

use super::settings::Buffering;
use crate::server::Job;

/// The most requests that wait where the program sets no limit.
const MOST_WAITING: usize = 65_536;
/// For how many requests there is room from the start.
const ROOM: usize = 64;
/// How many buffers are kept for requests to come.
const SPARES: usize = 64;

/// The queue of a lane. Its lock is held for a few instructions, by threads of different priorities
/// where they are borrowed: so it hands down the priority of who waits for it.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: Lock<Waiting>,
    buffering: Option<Buffering>,
    /// Whether requests of higher priority are served first.
    by_priority: bool,
    /// How many threads wait, for who does not take the lock.
    idle: AtomicUsize,
    /// Changes when a thread becomes free, for readers that wait for one.
    freed: AtomicU32,
    /// How many readers wait: connections without anything to wait on have one each.
    readers_waiting: AtomicU32,
}

#[derive(Debug, Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    octets: usize,
    /// How many of the jobs a thread has been called for.
    assigned: usize,
    idle: Vec<Arc<Worker>>,
    spares: Vec<Vec<u8>>,
    ended: bool,
}

/// A thread that makes upcalls.
#[derive(Debug)]
pub(super) struct Worker {
    /// Its id in the system.
    pub(super) thread: u32,
    /// What it is called for; 0 while it waits.
    called: AtomicU32,
}

/// What a thread that waits is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// The next request of its own lane.
    Own,
    /// To see whether there is something to do.
    Look,
    /// A request of the lane of this rank, which borrows it.
    Lent(usize),
}

impl Call {
    fn to_word(self) -> u32 {
        match self {
            Self::Own => 1,
            Self::Look => 2,
            Self::Lent(rank) => u32::try_from(rank).unwrap_or(u32::MAX - 3) + 3,
        }
    }

    fn from_word(word: u32) -> Option<Self> {
        Some(match word {
            0 => return None,
            1 => Self::Own,
            2 => Self::Look,
            lent => Self::Lent(lent as usize - 3),
        })
    }
}

/// What becomes of a request that has been read.
pub(super) enum Offered {
    /// It is in the queue, and this thread is to be woken for it.
    Assigned(Arc<Worker>),
    /// It is in the queue.
    Waits,
    /// Too many wait.
    TooMany(Job),
    /// The lane has ended.
    Ended,
}

/// What a thread that wants to wait is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    Wait,
    LookAgain,
    End,
}

impl Queue {
    pub(super) fn new(buffering: Option<Buffering>, by_priority: bool) -> Self {
        let waiting = Waiting {
            jobs: VecDeque::with_capacity(ROOM),
            spares: Vec::with_capacity(SPARES),
            ..Waiting::default()
        };
        Self {
            waiting: Lock::new(waiting),
            buffering,
            by_priority,
            idle: AtomicUsize::new(0),
            freed: AtomicU32::new(0),
            readers_waiting: AtomicU32::new(0),
        }
    }

    fn with<R>(&self, work: impl FnOnce(&mut Waiting) -> R) -> R {
        let mut waiting = self.waiting.lock();
        let result = work(&mut waiting);
        self.idle.store(waiting.idle.len(), Ordering::Release);
        result
    }

    /// A buffer for the next request.
    pub(super) fn spare(&self) -> Vec<u8> {
        self.with(|waiting| waiting.spares.pop()).unwrap_or_default()
    }

    /// Keeps the buffer of a request that has been served.
    pub(super) fn give_back(&self, buffer: Vec<u8>) {
        self.with(|waiting| {
            if waiting.spares.len() < SPARES {
                waiting.spares.push(buffer);
            }
        });
    }

    pub(super) fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Acquire) > 0
    }

    /// Puts a request into the queue if there is a thread for it, or room; `expected` says that a
    /// thread is about to come that does not wait here yet.
    pub(super) fn offer(&self, job: Job, expected: bool) -> Offered {
        self.with(|waiting| {
            if waiting.ended {
                return Offered::Ended;
            }
            let worker = waiting.idle.pop();
            if worker.is_none() && !expected && !self.has_room(waiting, &job) {
                return Offered::TooMany(job);
            }
            waiting.octets = waiting.octets.saturating_add(job.size());
            let behind = |known: &&Job| self.by_priority && known.urgency() < job.urgency();
            let behind = waiting.jobs.iter().rev().take_while(behind).count();
            waiting.jobs.insert(waiting.jobs.len() - behind, job);
            match worker {
                Some(worker) => {
                    waiting.assigned += 1;
                    Offered::Assigned(worker)
                }
                None => {
                    waiting.assigned += usize::from(expected);
                    Offered::Waits
                }
            }
        })
    }

    fn has_room(&self, waiting: &Waiting, job: &Job) -> bool {
        let Some(limit) = self.buffering else { return false };
        let most = if limit.max_requests == 0 { MOST_WAITING } else { limit.max_requests };
        let octets = waiting.octets.saturating_add(job.size());
        waiting.jobs.len() - waiting.assigned.min(waiting.jobs.len()) < most.min(MOST_WAITING)
            && limit.max_octets.is_none_or(|most| octets <= most)
    }

    /// Whether requests of higher priority are served first.
    pub(super) fn orders(&self) -> bool {
        self.by_priority
    }

    /// Whether requests may wait here for a thread.
    pub(super) fn holds_requests(&self) -> bool {
        self.buffering.is_some()
    }

    /// Takes back that a thread is called for a request: it does not come. One that has gone to rest
    /// meanwhile is called instead; else whoever becomes free next takes the request.
    pub(super) fn unassign(&self) {
        let instead = self.with(|waiting| {
            waiting.assigned = waiting.assigned.saturating_sub(1);
            if waiting.jobs.len() <= waiting.assigned {
                return None;
            }
            let worker = waiting.idle.pop()?;
            waiting.assigned += 1;
            Some(worker)
        });
        if let Some(worker) = instead {
            worker.call(Call::Own);
        }
    }

    /// A thread of this lane that waits, for another lane.
    pub(super) fn lend(&self) -> Option<Arc<Worker>> {
        if !self.has_idle() {
            return None;
        }
        self.with(|waiting| waiting.idle.pop())
    }

    /// The next request; `called` says that it is one that this thread was called for.
    pub(super) fn take(&self, called: bool) -> Option<Job> {
        self.with(|waiting| {
            if called {
                waiting.assigned = waiting.assigned.saturating_sub(1);
            } else if waiting.jobs.len() <= waiting.assigned {
                return None;
            }
            let job = waiting.jobs.pop_front()?;
            waiting.octets = waiting.octets.saturating_sub(job.size());
            Some(job)
        })
    }

    /// Whether a request waits that no thread was called for.
    pub(super) fn has_unassigned(&self) -> bool {
        self.with(|waiting| waiting.jobs.len() > waiting.assigned)
    }

    /// Has `worker` be called for the next request.
    pub(super) fn rest(&self, worker: &Arc<Worker>) -> Rest {
        let rest = self.with(|waiting| {
            if waiting.jobs.len() > waiting.assigned {
                return Rest::LookAgain;
            }
            if waiting.ended {
                return Rest::End;
            }
            worker.called.store(0, Ordering::Release);
            waiting.idle.push(Arc::clone(worker));
            Rest::Wait
        });
        if rest == Rest::Wait {
            self.free();
        }
        rest
    }

    /// Has `worker` be called no more; `false` when it has been.
    pub(super) fn leave(&self, worker: &Arc<Worker>) -> bool {
        self.with(|waiting| {
            let before = waiting.idle.len();
            waiting.idle.retain(|idle| !Arc::ptr_eq(idle, worker));
            waiting.idle.len() < before
        })
    }

    /// Tells readers that wait for a thread that one is free.
    pub(super) fn free(&self) {
        self.freed.fetch_add(1, Ordering::SeqCst);
        if self.readers_waiting.load(Ordering::SeqCst) > 0 {
            futex::wake(&self.freed);
        }
    }

    /// Has a reader wait until a thread has become free, unless `found` finds one.
    pub(super) fn wait_for_thread(&self, found: impl Fn() -> bool) {
        let seen = self.freed.load(Ordering::SeqCst);
        self.readers_waiting.fetch_add(1, Ordering::SeqCst);
        if !found() && !self.with(|waiting| waiting.ended) {
            futex::wait(&self.freed, seen, None);
        }
        self.readers_waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Has all threads end when nothing waits any more.
    pub(super) fn end(&self) {
        let idle = self.with(|waiting| {
            waiting.ended = true;
            std::mem::take(&mut waiting.idle)
        });
        for worker in idle {
            worker.call(Call::Look);
        }
        self.free();
    }
}

impl Worker {
    pub(super) fn new() -> Arc<Self> {
        let called = AtomicU32::new(Call::Look.to_word());
        Arc::new(Self { thread: zorb_os::thread::id(), called })
    }

    /// Wakes it.
    pub(super) fn call(&self, call: Call) {
        self.called.store(call.to_word(), Ordering::Release);
        futex::wake(&self.called);
    }

    /// Waits until it is called, for no longer than `limit`.
    pub(super) fn wait(&self, limit: Option<Duration>) -> Option<Call> {
        let end = limit.map(|limit| Instant::now() + limit);
        loop {
            if let Some(call) = Call::from_word(self.called.load(Ordering::Acquire)) {
                return Some(call);
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            futex::wait(&self.called, 0, left);
        }
    }
}

/// How many threads may make upcalls at the same time, where connections have threads of their own.
#[derive(Debug)]
pub(super) struct Permits {
    free: AtomicU32,
    /// How many threads wait for one, so that nobody is woken in vain.
    waiting: AtomicU32,
}

/// A permit, until dropped.
#[derive(Debug)]
pub(crate) struct Permit<'p>(&'p Permits);

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        let free = AtomicU32::new(u32::try_from(count).unwrap_or(u32::MAX));
        Self { free, waiting: AtomicU32::new(0) }
    }

    /// Waits for a permit.
    pub(super) fn take(&self) -> Permit<'_> {
        if !self.try_take() {
            self.wait();
        }
        Permit(self)
    }

    fn try_take(&self) -> bool {
        let less = |free: u32| free.checked_sub(1);
        self.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok()
    }

    #[cold]
    fn wait(&self) {
        // Said before it looks again, as who gives one back looks afterwards: one of the two sees the
        // other.
        self.waiting.fetch_add(1, Ordering::SeqCst);
        while !self.try_take() {
            futex::wait(&self.free, 0, None);
        }
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::SeqCst);
        if self.0.waiting.load(Ordering::SeqCst) > 0 {
            futex::wake(&self.0.free);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_finds_a_thread_leaves_the_others_to_be_woken() {
        let queue = Queue::new(None, false);
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| queue.wait_for_thread(|| false));
            while queue.readers_waiting.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            queue.wait_for_thread(|| true);
            assert_eq!(queue.readers_waiting.load(Ordering::SeqCst), 1, "the sleeper still waits");
            queue.free();
            sleeper.join().unwrap();
        });
        assert_eq!(queue.readers_waiting.load(Ordering::SeqCst), 0);
    }
}
