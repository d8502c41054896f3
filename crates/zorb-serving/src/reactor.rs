//! The reactor of a lane: its threads wait here for events.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use zorb_base::connections::SlotKey;
use zorb_os::event::{EventFd, PeriodicTimer};
use zorb_os::lock::Lock;
use zorb_os::poll::{ReadySet, Trigger};

/// The key of the event that ends the threads.
pub(crate) const STOP: u64 = u64::MAX;
/// The key of the event that makes a thread check for requests without an event of their own.
const WAKE: u64 = u64::MAX - 1;
/// The key of the event that makes a thread check for idle connections.
pub(crate) const TICK: u64 = u64::MAX - 2;
/// The first key that is not of a connection: no slot has so high a number.
pub(crate) const RESERVED: u64 = TICK;

/// The readiness of a lane's connections, and what else wakes its threads.
#[derive(Debug)]
pub(crate) struct Reactor<C> {
    pub(crate) ready: ReadySet,
    stop: EventFd,
    wake: EventFd,
    /// Triggers the checks for idle connections, if there is a limit.
    pub(crate) ticks: Option<PeriodicTimer>,
    /// Connections with received requests that no thread has processed.
    buffered: Lock<VecDeque<Arc<C>>>,
    buffered_count: AtomicUsize,
    /// In the low half the threads that wait; in the high half, how often threads have begun to wait.
    waits: AtomicU64,
}

/// A thread in the low half of `waits`, and its wait in the high half.
const WAIT: u64 = (1 << 32) | 1;

/// The number of threads that wait.
#[expect(clippy::cast_possible_truncation, reason = "the low half")]
fn waiting(waits: u64) -> u32 {
    waits as u32
}

impl<C> Reactor<C> {
    /// A reactor whose threads check for idle connections with this period.
    pub(crate) fn new(look_every: Option<Duration>) -> io::Result<Self> {
        let (ready, stop, wake) = (ReadySet::new()?, EventFd::new()?, EventFd::new()?);
        ready.add(stop.as_fd(), STOP, Trigger::Level)?;
        ready.add(wake.as_fd(), WAKE, Trigger::Edge)?;
        let ticks = look_every.map(PeriodicTimer::every).transpose()?;
        if let Some(ticks) = &ticks {
            ready.add(ticks.as_fd(), TICK, Trigger::Edge)?;
        }
        Ok(Self {
            ready,
            stop,
            wake,
            ticks,
            buffered: Lock::new(VecDeque::with_capacity(64)),
            buffered_count: AtomicUsize::new(0),
            waits: AtomicU64::new(0),
        })
    }

    /// The calling thread begins to wait.
    #[inline]
    pub(crate) fn begin_wait(&self) {
        self.waits.fetch_add(WAIT, Ordering::AcqRel);
    }

    /// The calling thread ends its wait. Returns how many still wait.
    #[inline]
    pub(crate) fn end_wait(&self) -> u32 {
        waiting(self.waits.fetch_sub(1, Ordering::AcqRel)) - 1
    }

    /// Whether a thread waits.
    #[inline]
    pub(crate) fn has_idle(&self) -> bool {
        waiting(self.waits.load(Ordering::Acquire)) > 0
    }

    /// Whether a thread waits, and how often threads have begun to.
    pub(crate) fn progress(&self) -> (bool, u64) {
        let waits = self.waits.load(Ordering::Acquire);
        (waiting(waits) > 0, waits >> 32)
    }

    /// Registers the connection in `slot`. A thread may have taken an event that it handles after the connection has ended,
    /// and another one has its slot: their keys differ in the generation.
    pub(crate) fn add(&self, fd: BorrowedFd<'_>, slot: SlotKey) -> io::Result<()> {
        self.ready.add(fd, slot.to_bits(), Trigger::Edge)
    }

    /// Starts or stops watching whether the connection in `slot` is writable.
    pub(crate) fn watch_writable(
        &self,
        fd: BorrowedFd<'_>,
        slot: SlotKey,
        wanted: bool,
    ) -> io::Result<()> {
        self.ready.watch_writable(fd, slot.to_bits(), wanted)
    }

    pub(crate) fn remove(&self, fd: BorrowedFd<'_>) {
        // Not registered if the connection has threads of its own.
        let _ = self.ready.remove(fd);
    }

    /// Ends the threads.
    pub(crate) fn stop(&self) {
        self.stop.notify();
    }

    /// Makes a thread check for requests without an event of their own.
    pub(crate) fn wake(&self) {
        self.wake.notify();
    }

    pub(crate) fn queue_buffered(&self, connection: &Arc<C>) {
        let mut buffered = self.buffered.lock();
        buffered.push_back(Arc::clone(connection));
        self.buffered_count.store(buffered.len(), Ordering::Release);
        drop(buffered);
        self.wake();
    }

    /// The number of connections with buffered requests.
    #[inline]
    pub(crate) fn buffered(&self) -> usize {
        self.buffered_count.load(Ordering::Acquire)
    }

    /// A connection with buffered requests; wakes another thread if there are more.
    pub(crate) fn take_buffered(&self) -> Option<Arc<C>> {
        if self.buffered() == 0 {
            return None;
        }
        let mut buffered = self.buffered.lock();
        let connection = buffered.pop_front();
        self.buffered_count.store(buffered.len(), Ordering::Release);
        if !buffered.is_empty() {
            self.wake();
        }
        connection
    }

    /// Forgets connections with buffered requests, after all have ended.
    pub(crate) fn clear(&self) {
        let buffered = std::mem::take(&mut *self.buffered.lock());
        drop(buffered);
    }
}
