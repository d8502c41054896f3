//! Flags that threads of a lane share about a connection at its reactor.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use zorb_os::futex;

/// The number of checks of a connection that is not at a reactor.
pub(super) const UNCOUNTED: u32 = u32::MAX;

/// The state of a connection at a reactor.
#[derive(Debug)]
pub(super) struct Events {
    /// Whether an event has occurred that the thread with the input may have missed.
    pub(super) ready: AtomicBool,
    /// Whether an event has said that the stream has ended or failed, since octets were last received.
    pub(super) at_end: AtomicBool,
    /// Whether it is in the lane's queue of connections with buffered requests.
    pub(super) is_queued: AtomicBool,
    /// The number of idle checks since the last event.
    pub(super) idle_checks: AtomicU32,
    /// 1 while a request waits for a thread and nothing more is read: its lane buffers no requests.
    request_waits: AtomicU32,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            ready: AtomicBool::new(false),
            at_end: AtomicBool::new(false),
            is_queued: AtomicBool::new(false),
            idle_checks: AtomicU32::new(UNCOUNTED),
            request_waits: AtomicU32::new(0),
        }
    }
}

impl Events {
    #[inline]
    pub(super) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::SeqCst)
    }

    /// Whether a request waits for a thread, so that nothing more is read.
    #[inline]
    pub(super) fn request_waits(&self) -> bool {
        self.request_waits.load(Ordering::SeqCst) != 0
    }

    /// Sets whether a request waits for a thread; wakes a thread that waits for the change.
    #[cold]
    pub(super) fn set_request_waits(&self, waits: bool) {
        self.request_waits.store(waits.into(), Ordering::SeqCst);
        if !waits {
            futex::wake(&self.request_waits);
        }
    }

    /// Waits until no request waits for a thread.
    #[cold]
    pub(super) fn wait_for_request(&self) {
        while self.request_waits() {
            futex::wait(&self.request_waits, 1, None);
        }
    }

    /// Clears the flags before receiving. Returns whether an event has said that the stream has ended.
    #[inline]
    pub(super) fn before_receiving(&self) -> bool {
        // First: octets that arrive from now on cause another event.
        self.ready.store(false, Ordering::SeqCst);
        // One that is set meanwhile was set before the stream is read.
        self.at_end.load(Ordering::SeqCst) && self.at_end.swap(false, Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_stream_is_reported_once() {
        let events = Events::default();
        assert!(!events.before_receiving());
        events.at_end.store(true, Ordering::SeqCst);
        assert!(events.before_receiving());
        // If that event was for an error that a sending thread has got, receiving has shown it.
        assert!(!events.before_receiving());
    }
}
