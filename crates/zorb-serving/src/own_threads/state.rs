//! The state that the threads of a connection share.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use zorb_os::lock::{Condition, Lock};

use crate::input::Input;

/// The threads of one connection.
#[derive(Debug, Default)]
pub(crate) struct OwnThreads {
    pub(super) members: Lock<Members>,
    pub(super) input_offered: Condition,
    /// The number of upcalls begun.
    pub(super) upcalls: AtomicU32,
    /// Those of probes, among them.
    pub(crate) probes: Probes,
    /// The number of requests that threads of the lane have begun to serve after these were held.
    pub(super) resumed: AtomicU32,
    /// The highest number of [upcalls that have ended](crate::connection::ServerConnection::upcalls_ended) so far.
    pub(super) upcalls_ended: AtomicU32,
    /// Whether the watchdog watches it.
    pub(crate) is_watched: AtomicBool,
    /// Upcalls in progress whose threads handed the input over first.
    pub(super) overlapping: AtomicU32,
    /// Whether the last timed upcall took long.
    pub(super) are_upcalls_long: AtomicBool,
}

/// The upcalls of probes, which ask whether the server is ready or live. They are no sign of that.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    begun: AtomicU32,
    ended: AtomicU32,
}

impl Probes {
    pub(crate) fn begin(&self) {
        self.begun.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn end(&self) {
        self.ended.fetch_add(1, Ordering::Release);
    }

    /// The number of those that have begun.
    pub(super) fn begun(&self) -> u32 {
        self.begun.load(Ordering::Acquire)
    }

    /// The number of those that have ended.
    pub(super) fn ended(&self) -> u32 {
        self.ended.load(Ordering::Acquire)
    }
}

#[derive(Debug, Default)]
pub(super) struct Members {
    pub(super) threads: usize,
    pub(super) idle: usize,
    /// The input on its way to an idle thread, or to one that is being started.
    pub(super) offered: Option<Box<Input>>,
    pub(super) ended: bool,
}

impl OwnThreads {
    /// Notes that a thread of the lane begins to serve a request that was held.
    pub(crate) fn note_resumed(&self) {
        self.resumed.fetch_add(1, Ordering::Release);
    }

    /// Ends the threads that wait for input.
    pub(crate) fn wake_all(&self) {
        let mut members = self.members.lock();
        members.ended = true;
        self.input_offered.notify_all();
    }
}
