//! The common part of both ends of a ring.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[cfg(feature = "buffers")]
use super::platform::Count;
use super::platform::{AtomicU64, SharedMemory, fence, futex};
use super::region::Region;

/// The peer has published an invalid position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Corrupt;

/// The common part of both ends: the memory, the own position, and the last known position of the
/// peer.
#[derive(Debug)]
pub(super) struct End {
    pub(super) memory: Arc<SharedMemory>,
    pub(super) region: Region,
    pub(super) own: AtomicU64,
    pub(super) seen: AtomicU64,
    /// The number of pieces named or taken at this end.
    #[cfg(feature = "buffers")]
    pub(super) pieces: Count,
}

impl End {
    pub(super) fn new(memory: &Arc<SharedMemory>, region: Region) -> Self {
        Self {
            memory: Arc::clone(memory),
            region,
            own: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            #[cfg(feature = "buffers")]
            pieces: Count::new(0),
        }
    }

    /// The offset of a position in the memory, and the number of octets up to the ring's end.
    pub(super) fn at(&self, position: u64) -> (usize, usize) {
        let size = self.region.size;
        let offset = position as usize & (size - 1);
        (self.region.body + offset, size - offset)
    }

    /// Sets the word `closed` and wakes the thread that sleeps on `sleeping`.
    pub(super) fn close(&self, closed: usize, sleeping: usize) {
        self.memory.u32_at(closed).store(1, Ordering::Release);
        fence(Ordering::SeqCst);
        self.wake(sleeping);
    }

    /// Wakes the thread that sleeps on `sleeping`, if any. Call it after a fence.
    pub(super) fn wake(&self, sleeping: usize) {
        let word = self.memory.u32_at(sleeping);
        if word.load(Ordering::Relaxed) != 0 {
            word.store(0, Ordering::Relaxed);
            futex::wake(word);
        }
    }

    /// Sleeps on the word `sleeping` unless `ready` returns true after it is set.
    pub(super) fn wait_unless(
        &self,
        sleeping: usize,
        ready: impl FnOnce() -> bool,
        limit: Option<Duration>,
    ) {
        let word = self.memory.u32_at(sleeping);
        word.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !ready() {
            futex::wait(word, 1, limit);
        }
        word.store(0, Ordering::Relaxed);
    }
}
