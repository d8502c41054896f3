//! The state that the threads of a connection share.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use zorb_os::lock::{Condition, Lock};

use crate::input::Input;
use crate::upcall_count::UpcallCount;

/// The threads of one connection.
#[derive(Debug, Default)]
pub(crate) struct OwnThreads {
    pub(super) members: Lock<Members>,
    pub(super) input_offered: Condition,
    /// The number of upcalls begun.
    pub(super) upcalls: AtomicU32,
    /// Those of probes, among them.
    pub(crate) probes: UpcallCount,
    /// Those of requests that threads of the lane serve after these were held.
    pub(crate) resumed: UpcallCount,
    /// The number of threads that wait for the client to read, without the input.
    sending: AtomicU32,
    /// The highest number of [upcalls that have ended](crate::connection::ServerConnection::upcalls_ended) so far.
    pub(super) upcalls_ended: AtomicU32,
    /// Whether the watchdog watches it.
    pub(crate) is_watched: AtomicBool,
    /// Upcalls in progress whose threads handed the input over first.
    pub(super) overlapping: AtomicU32,
    /// Whether the last timed upcall took long.
    pub(super) are_upcalls_long: AtomicBool,
}

/// A thread that waits for the client to read, until dropped.
#[derive(Debug)]
pub(crate) struct Sending<'c>(&'c AtomicU32);

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
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
    /// The calling thread, one of these and without the input, is about to wait for the client to read.
    pub(crate) fn begin_sending(&self) -> Sending<'_> {
        self.sending.fetch_add(1, Ordering::Release);
        Sending(&self.sending)
    }

    /// The number of these threads that wait for the client to read.
    pub(crate) fn sending(&self) -> u32 {
        self.sending.load(Ordering::Acquire)
    }

    /// Ends the threads that wait for input.
    pub(crate) fn wake_all(&self) {
        let mut members = self.members.lock();
        members.ended = true;
        self.input_offered.notify_all();
    }
}
