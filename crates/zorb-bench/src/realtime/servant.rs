//! The servant of the experiments, which records its upcalls.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicI16, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use zorb_os::clock::MonotonicTime;
use zorb_os::priority::{self, Schedule};
use zorb_rt::{PiMutex, Priority, RtCurrent};

use super::oracle::Upcall;
use super::work;
use crate::error::{Error, Result};
use crate::processor::thread_cpu_ns;
use crate::stubs::real_time::{Level, Levels, Octets, Worker, WorkerServant};

/// Timeout of all waiting.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time that a processor is kept busy for an upcall that does not start.
const HOG_TIMEOUT: Duration = Duration::from_secs(2);

/// The record of one request; times are 0 until they are known.
#[derive(Debug, Default)]
struct Slot {
    priority: AtomicI16,
    readable: AtomicU64,
    start: AtomicU64,
    end: AtomicU64,
    corba: AtomicI16,
    native: AtomicI16,
    /// CPU time of the upcall while it held a lock, in nanoseconds.
    used: AtomicU64,
}

/// Records upcalls in preallocated slots, without locks.
#[derive(Debug)]
pub(super) struct Log(Box<[Slot]>);

impl Log {
    fn slot(&self, id: i32) -> Option<&Slot> {
        self.0.get(usize::try_from(id).ok()?)
    }

    /// A client of that priority has sent the request.
    pub(super) fn sent(&self, id: i32, priority: i16) {
        if let Some(slot) = self.slot(id) {
            slot.priority.store(priority, Ordering::Relaxed);
            slot.readable.store(MonotonicTime::now().as_nanos(), Ordering::Release);
        }
    }

    pub(super) fn has_begun(&self, id: i32) -> bool {
        self.slot(id).is_some_and(|slot| slot.start.load(Ordering::Acquire) > 0)
    }

    pub(super) fn has_ended(&self, id: i32) -> bool {
        self.slot(id).is_some_and(|slot| slot.end.load(Ordering::Acquire) > 0)
    }

    /// The CORBA and native priorities that the upcall ran at.
    pub(super) fn level(&self, id: i32) -> Option<(i16, i16)> {
        let slot = self.slot(id)?;
        Some((slot.corba.load(Ordering::Relaxed), slot.native.load(Ordering::Relaxed)))
    }

    /// CPU time of the upcall while it held a lock, in nanoseconds.
    pub(super) fn used(&self, id: i32) -> u64 {
        self.slot(id).map_or(0, |slot| slot.used.load(Ordering::Relaxed))
    }

    /// The requests of these ids, all of which have ended.
    pub(super) fn upcalls(&self, ids: impl Iterator<Item = i32>) -> Vec<Upcall> {
        let upcall = |id| {
            let slot = self.slot(id)?;
            Some(Upcall {
                id,
                priority: slot.priority.load(Ordering::Relaxed),
                readable: slot.readable.load(Ordering::Acquire),
                start: slot.start.load(Ordering::Acquire),
                end: slot.end.load(Ordering::Acquire),
            })
        };
        ids.filter_map(upcall).collect()
    }
}

thread_local! {
    /// Number of this thread's upcalls that make calls.
    static CALLING_HERE: Cell<usize> = const { Cell::new(0) };
}

/// Serves `RealTime::Worker`.
#[derive(Debug)]
pub(super) struct Servant {
    current: RtCurrent,
    pub(super) log: Log,
    /// Requests whose upcalls are blocked.
    blocked: Mutex<HashSet<i32>>,
    /// Whether any upcall was ever blocked.
    gated: AtomicBool,
    changed: Condvar,
    plain: Mutex<()>,
    inheriting: PiMutex,
    /// The request that holds a lock; -1 for none.
    pub(super) holder: AtomicI32,
    /// This request and the one before it start their work only when the upcall of the next one has started; until then
    /// they busy-wait. -1 for none.
    pub(super) hog: AtomicI32,
    /// Upcalls that make calls themselves: current number, and maximum number in total and per thread.
    calling: AtomicUsize,
    pub(super) most_calling: AtomicUsize,
    pub(super) most_on_a_thread: AtomicUsize,
}

impl Servant {
    pub(super) fn new(current: RtCurrent, requests: usize) -> Self {
        Self {
            current,
            log: Log((0..requests).map(|_| Slot::default()).collect()),
            blocked: Mutex::default(),
            gated: AtomicBool::new(false),
            changed: Condvar::new(),
            plain: Mutex::default(),
            inheriting: PiMutex::new(),
            holder: AtomicI32::new(-1),
            hog: AtomicI32::new(-1),
            calling: AtomicUsize::new(0),
            most_calling: AtomicUsize::new(0),
            most_on_a_thread: AtomicUsize::new(0),
        }
    }

    /// Blocks the upcalls of these requests until they are opened.
    pub(super) fn shut(&self, ids: impl IntoIterator<Item = i32>) {
        self.blocked.lock().unwrap_or_else(PoisonError::into_inner).extend(ids);
        self.gated.store(true, Ordering::Release);
    }

    pub(super) fn open(&self, ids: impl IntoIterator<Item = i32>) {
        let mut blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
        ids.into_iter().for_each(|id| {
            blocked.remove(&id);
        });
        drop(blocked);
        self.changed.notify_all();
    }

    pub(super) fn open_all(&self) {
        self.blocked.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.changed.notify_all();
    }

    fn upcall<T>(&self, id: i32, run: impl FnOnce() -> T) -> T {
        let Some(slot) = self.log.slot(id) else { return run() };
        slot.start.store(MonotonicTime::now().as_nanos(), Ordering::Release);
        let done = run();
        // Takes no lock unless upcalls are ever blocked: the lock does not inherit priorities.
        if self.gated.load(Ordering::Acquire) {
            let blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
            let waits = |blocked: &mut HashSet<i32>| blocked.contains(&id);
            let _ = self.changed.wait_timeout_while(blocked, TIMEOUT, waits);
        }
        slot.end.store(MonotonicTime::now().as_nanos(), Ordering::Release);
        done
    }

    /// Keeps the processor busy until another upcall has started.
    fn busy_until_begun(&self, id: i32) {
        let end = MonotonicTime::now() + HOG_TIMEOUT;
        while !self.log.has_begun(id) && MonotonicTime::now() < end {
            work::busy(10);
        }
    }

    fn here(&self) -> Level {
        let native = match priority::current() {
            Ok(Schedule::Fifo(level) | Schedule::RoundRobin(level)) => i16::from(level),
            _ => 0,
        };
        Level { corba: self.current.priority().map_or(-1, Priority::value), real: native }
    }
}

/// Waits for a condition.
pub(super) fn until(what: &str, holds: impl Fn() -> bool) -> Result<()> {
    let end = MonotonicTime::now() + TIMEOUT;
    while !holds() {
        if MonotonicTime::now() > end {
            return Err(Error::new(format!("timeout; expected that {what}")));
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    Ok(())
}

impl WorkerServant for Servant {
    fn work(&self, id: i32, micros: u32) -> zorb::Result<()> {
        self.upcall(id, || {
            if id >= 0 && id == self.hog.load(Ordering::Acquire) {
                self.busy_until_begun(id + 1);
            }
            work::busy(micros);
        });
        Ok(())
    }

    fn push(&self, id: i32, micros: u32) {
        if let Some(slot) = self.log.slot(id).filter(|_| micros == 0) {
            let level = self.here();
            slot.corba.store(level.corba, Ordering::Relaxed);
            slot.native.store(level.real, Ordering::Relaxed);
        }
        self.upcall(id, || work::busy(micros));
    }

    fn rest(&self, id: i32, micros: u32) -> zorb::Result<()> {
        self.upcall(id, || std::thread::sleep(Duration::from_micros(micros.into())));
        Ok(())
    }

    fn locked(&self, id: i32, micros: u32, inherits: bool) -> zorb::Result<u64> {
        self.upcall(id, || {
            let begun = MonotonicTime::now();
            let work = || {
                let waited = MonotonicTime::now().nanos_since(begun);
                self.holder.store(id, Ordering::Release);
                if id >= 0 && id + 1 == self.hog.load(Ordering::Acquire) {
                    self.busy_until_begun(id + 1);
                }
                let used = thread_cpu_ns();
                work::busy(micros);
                if let Some(slot) = self.log.slot(id) {
                    slot.used.store(thread_cpu_ns() - used, Ordering::Relaxed);
                }
                self.holder.store(-1, Ordering::Release);
                waited
            };
            if inherits {
                let _held = self.inheriting.lock().map_err(|_| refused())?;
                Ok(work())
            } else {
                let _held = self.plain.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(work())
            }
        })
    }

    fn flood(&self, data: &[u8], micros: u32) {
        std::hint::black_box(data);
        work::busy(micros);
    }

    fn echo(&self, data: &[u8], micros: u32) -> zorb::Result<Octets> {
        work::busy(micros);
        Ok(data.to_vec())
    }

    fn ran_at(&self) -> zorb::Result<Level> {
        Ok(self.here())
    }

    fn ran_through(&self, next: Option<&Worker>) -> zorb::Result<Levels> {
        let mut levels = vec![self.here()];
        if let Some(next) = next {
            levels.push(next.ran_at()?);
        }
        Ok(levels)
    }

    fn through(&self, next: Option<&Worker>, id: i32) -> zorb::Result<()> {
        self.upcall(id, || next.map_or(Ok(()), |next| next.work(id, 0)))
    }

    fn bounce(
        &self,
        here: Option<&Worker>,
        there: Option<&Worker>,
        times: i32,
    ) -> zorb::Result<i32> {
        let here_too = CALLING_HERE.get() + 1;
        CALLING_HERE.set(here_too);
        self.most_on_a_thread.fetch_max(here_too, Ordering::Relaxed);
        let calling = self.calling.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_calling.fetch_max(calling, Ordering::Relaxed);
        let came = match there {
            Some(other) if times > 0 => other.bounce(there, here, times - 1).map(|came| came + 1),
            _ => Ok(0),
        };
        self.calling.fetch_sub(1, Ordering::Relaxed);
        CALLING_HERE.set(here_too - 1);
        came
    }
}

/// The exception for a lock that cannot be acquired.
fn refused() -> zorb::SystemException {
    zorb::SystemException::internal(zorb::MinorCode(0), zorb::CompletionStatus::No)
}
