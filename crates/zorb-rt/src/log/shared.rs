//! The shared state of a log: free lines, queued lines, and counters.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_queue::ArrayQueue;
use zorb_os::lock::{Condition, Lock};

/// The state that logging threads share with the writing thread. Logging threads use both queues without a lock.
pub(super) struct Shared {
    /// Free lines, each with a capacity of `octets`.
    free: ArrayQueue<Vec<u8>>,
    /// Queued lines; its capacity is the number of lines.
    full: ArrayQueue<Vec<u8>>,
    /// The maximum length of a line.
    pub(super) octets: usize,
    /// The number of lines that were queued.
    accepted: AtomicU64,
    pub(super) written: AtomicU64,
    pub(super) dropped: AtomicU64,
    pub(super) cut: AtomicU64,
    pub(super) failed: AtomicU64,
    ending: AtomicBool,
    /// The number of accepted lines that have been written or have failed.
    done: Lock<u64>,
    progress: Condition,
}

impl Shared {
    pub(super) fn new(lines: usize, octets: usize) -> Self {
        let free = ArrayQueue::new(lines);
        for _ in 0..lines {
            // Written to, so that its pages are mapped before a thread of a lane uses it.
            let mut line = vec![b' '; octets];
            line.clear();
            // The queue has room for all lines.
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
            progress: Condition::new(),
        }
    }

    /// The number of lines.
    pub(super) fn capacity(&self) -> u64 {
        self.full.capacity() as u64
    }

    /// A free line, if there is one.
    pub(super) fn take(&self) -> Option<Vec<u8>> {
        self.free.pop()
    }

    /// Returns a line to the free ones.
    pub(super) fn recycle(&self, mut line: Vec<u8>) {
        line.clear();
        // The queue has room for all lines.
        let _ = self.free.push(line);
    }

    /// Queues a line.
    pub(super) fn accept(&self, line: Vec<u8>) {
        self.accepted.fetch_add(1, Ordering::Release);
        // The queue has room for all lines.
        let _ = self.full.push(line);
    }

    /// The next queued line.
    pub(super) fn next(&self) -> Option<Vec<u8>> {
        self.full.pop()
    }

    /// Makes the writing thread end when the queue is empty.
    pub(super) fn end(&self) {
        self.ending.store(true, Ordering::Release);
    }

    pub(super) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// Counts lines that have been written or have failed.
    pub(super) fn note_done(&self, lines: u64) {
        let mut done = self.done.lock();
        *done += lines;
        self.progress.notify_all();
    }

    /// Waits for all lines that are queued now.
    pub(super) fn wait_until_written(&self, within: Duration) -> bool {
        let wanted = self.accepted.load(Ordering::Acquire);
        let done = self.progress.wait_while(self.done.lock(), within, |done| *done < wanted);
        *done >= wanted
    }
}
