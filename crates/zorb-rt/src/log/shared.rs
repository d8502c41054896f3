//! The memory of a log: lines that are free, lines to be written, and what became of the others.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_queue::ArrayQueue;
use zorb_os::lock::{Condition, Lock};

/// What threads that log and the one that writes have in common. Those that log pass both queues
/// without a lock.
pub(super) struct Shared {
    /// Memory for lines, each with room for `octets`.
    free: ArrayQueue<Vec<u8>>,
    /// Lines to be written, with room for all that there are.
    full: ArrayQueue<Vec<u8>>,
    /// How many a line may have.
    pub(super) octets: usize,
    /// Lines that went into the queue.
    accepted: AtomicU64,
    pub(super) written: AtomicU64,
    pub(super) dropped: AtomicU64,
    pub(super) cut: AtomicU64,
    pub(super) failed: AtomicU64,
    ending: AtomicBool,
    /// How many of those accepted are done with: where the writing thread and those that wait for it meet.
    done: Lock<u64>,
    more_is_done: Condition,
}

impl Shared {
    pub(super) fn new(lines: usize, octets: usize) -> Self {
        let free = ArrayQueue::new(lines);
        for _ in 0..lines {
            // Written to, so that the memory is there when a lane's thread comes.
            let mut line = vec![b' '; octets];
            line.clear();
            // It has room for all.
            let _ = free.push(line);
        }
        Self {
            free,
            full: ArrayQueue::new(lines),
            octets,
            accepted: AtomicU64::new(0),
            written: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            cut: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            ending: AtomicBool::new(false),
            done: Lock::new(0),
            more_is_done: Condition::new(),
        }
    }

    /// How many lines it has room for.
    pub(super) fn capacity(&self) -> u64 {
        self.full.capacity() as u64
    }

    /// Memory for a line, if there is any.
    pub(super) fn take(&self) -> Option<Vec<u8>> {
        self.free.pop()
    }

    pub(super) fn give_back(&self, mut line: Vec<u8>) {
        line.clear();
        // It came from there.
        let _ = self.free.push(line);
    }

    /// Puts a line into the queue.
    pub(super) fn accept(&self, line: Vec<u8>) {
        self.accepted.fetch_add(1, Ordering::Release);
        // There are no more lines than it has room for.
        let _ = self.full.push(line);
    }

    /// The next line to be written.
    pub(super) fn next(&self) -> Option<Vec<u8>> {
        self.full.pop()
    }

    /// Nobody will log any more.
    pub(super) fn end(&self) {
        self.ending.store(true, Ordering::Release);
    }

    pub(super) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// So many lines more have been written, or could not be.
    pub(super) fn note_done(&self, lines: u64) {
        let mut done = self.done.lock();
        *done += lines;
        self.more_is_done.notify_all();
    }

    /// Waits for all that are in the queue now.
    pub(super) fn wait_until_written(&self, within: Duration) -> bool {
        let wanted = self.accepted.load(Ordering::Acquire);
        let done = self.more_is_done.wait_while(self.done.lock(), within, |done| *done < wanted);
        *done >= wanted
    }
}
