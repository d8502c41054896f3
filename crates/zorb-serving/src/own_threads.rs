//! Connections with threads of their own: the strategy thread per connection, and streams without
//! readiness in all lanes.
//!
//! One thread reads a request, makes the upcall, writes the reply and reads on; that is all that happens
//! while upcalls return at once, and so requests of one connection run in the order they were sent. For
//! the length of an upcall it leaves the connection's input in its slot. Another thread of the connection
//! takes it in three cases: the upcall is about to block in a call of its own, the
//! [watchdog](super::watchdog) finds that it takes long, or another thread has just ended a long upcall. So
//! a slow request delays those behind it by no more than the option `StallTakeover`, and a nested call back
//! into the client cannot deadlock. On a connection that several callers share and whose upcalls take long,
//! the input is handed over before each upcall.

pub(super) mod state;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

use zorb_base::counters::{Count, count};
use zorb_base::upcall_thread::{begin_upcall, relieve_upcall};

use self::state::Members;
use crate::connection::ServerConnection;
use crate::input::Input;
use crate::scratch::Scratch;
use crate::watchdog::Watched;

/// How long a thread without input waits for it before it ends.
const FOLLOWER_LINGER: Duration = Duration::from_secs(1);
/// How many requests after the last sign of a second caller a connection counts as shared.
const SHARED_FOR: u8 = 64;
/// Upcalls that take at least so long are worth handing the input over: several times what waking a
/// thread takes.
const LONG: Duration = Duration::from_micros(250);

/// When the input goes to another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandOver {
    Always,
    /// When something has come that no thread reads.
    IfWaiting,
}

/// What is measured of an upcall on a connection that is shared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LongUpcall {
    begun: Option<Instant>,
    overlaps: bool,
}

impl LongUpcall {
    #[inline]
    pub(super) fn end(self, connection: &ServerConnection) {
        if self.begun.is_some() {
            self.note(connection);
        }
    }

    #[inline(never)]
    fn note(self, connection: &ServerConnection) {
        let threads = &connection.own_threads;
        if self.overlaps {
            threads.overlapping.fetch_sub(1, Ordering::Relaxed);
        }
        let is_long = self.begun.is_some_and(|begun| begun.elapsed() >= LONG);
        if threads.are_upcalls_long.load(Ordering::Relaxed) != is_long {
            threads.are_upcalls_long.store(is_long, Ordering::Relaxed);
        }
    }
}

impl ServerConnection {
    /// Starts serving it on a thread of its own.
    pub(super) fn start_own_thread(self: &Arc<Self>) -> io::Result<()> {
        self.takes_own_threads();
        self.spawn(&mut self.own_threads.members.lock())
    }

    /// Starts a thread that takes the input.
    fn spawn(self: &Arc<Self>, members: &mut Members) -> io::Result<()> {
        let connection = Arc::clone(self);
        let started = self.lane.spawn(move |begun| {
            match begun {
                Ok(()) => connection.run(),
                Err(error) => {
                    tracing::error!(%error, "a thread is not fit for its lane");
                    connection.abandon();
                }
            }
            connection.own_threads.members.lock().threads -= 1;
        });
        members.threads += usize::from(started.is_ok());
        started
    }

    /// The body of a thread.
    fn run(self: &Arc<Self>) {
        self.guarded(|| {
            let mut scratch = Scratch::default();
            if let Err(error) = self.stream.establish() {
                tracing::warn!(peer = self.stream.peer(), %error, "connection rejected");
                return self.abandon();
            }
            while let Some(input) = self.take_over() {
                self.rest();
                if let Some(input) = self.receive_requests(input, &mut scratch) {
                    drop(self.input.put(input));
                }
            }
        });
    }

    /// Waits for the input; `None` when this thread is not needed any more.
    fn take_over(&self) -> Option<Box<Input>> {
        if self.requests.has_ended() {
            return None;
        }
        if let Some(input) = self.input.take() {
            return Some(input);
        }
        let mut members = self.own_threads.members.lock();
        if let Some(input) = members.offered.take().or_else(|| self.input.take()) {
            return Some(input);
        }
        count(Count::ThreadSwitches);
        members.idle += 1;
        let waits = |members: &mut Members| members.offered.is_none() && !members.ended;
        let offered = &self.own_threads.input_offered;
        let mut members = offered.wait_while(members, FOLLOWER_LINGER, waits);
        members.idle -= 1;
        members.offered.take()
    }

    /// Has the calling thread rest at the priority of the connection's band, if it has one.
    fn rest(&self) {
        let band = self.band.load(Ordering::Relaxed);
        if band >= 0
            && self.lane.is_default()
            && let Some(threads) = &self.core.extensions().thread_priorities
        {
            threads.set(band);
        }
    }

    /// Whether several callers seem to share this connection: one has sent a request while that of
    /// another was waiting or running.
    #[inline]
    fn is_shared(&self, input: &mut Input) -> bool {
        if input.inbound.has_buffered() || self.own_threads.overlapping.load(Ordering::Relaxed) > 0
        {
            input.shared_for = SHARED_FOR;
        } else if input.shared_for > 0 {
            input.shared_for -= 1;
        }
        input.shared_for > 0
    }

    /// Leaves the input where other threads can take it, for the length of an upcall, whose reply
    /// `is_awaited` or not.
    #[inline]
    pub(super) fn leave_input(
        self: &Arc<Self>,
        mut input: Box<Input>,
        is_awaited: bool,
    ) -> LongUpcall {
        let threads = &self.own_threads;
        let mut upcall = LongUpcall::default();
        // A request behind one that its caller waits for can only be another caller's.
        if is_awaited && self.is_shared(&mut input) {
            upcall.begun = Some(Instant::now());
            upcall.overlaps = threads.are_upcalls_long.load(Ordering::Relaxed);
        }
        // Counted first, so that the watchdog does not take this upcall for the one before. Only the
        // thread that has the input counts.
        let upcalls = threads.upcalls.load(Ordering::Relaxed).wrapping_add(1);
        threads.upcalls.store(upcalls, Ordering::Relaxed);
        begin_upcall();
        // There is one input, so nothing comes back.
        drop(self.input.put(input));
        // In one order with the slot: see `stop_watching`.
        if !threads.is_watched.load(Ordering::SeqCst) {
            self.core.watchdog().watch(self, upcalls.wrapping_sub(1));
        }
        if upcall.overlaps {
            threads.overlapping.fetch_add(1, Ordering::Relaxed);
            if self.offer_input(HandOver::Always) {
                relieve_upcall();
            }
        }
        upcall
    }

    /// Has another thread take the input before the calling thread blocks in an upcall. In a lane of a pool,
    /// whose steady state starts no threads, only when a request waits already; the watchdog finds those
    /// that come later.
    pub(super) fn hand_over_to_block(self: &Arc<Self>) -> bool {
        let when = if self.lane.is_default() { HandOver::Always } else { HandOver::IfWaiting };
        self.offer_input(when)
    }

    /// Has another thread take the input, if it lies in its slot. Whether it is not to be had any more, for
    /// this or another reason.
    fn offer_input(self: &Arc<Self>, when: HandOver) -> bool {
        let threads = &self.own_threads;
        let mut members = threads.members.lock();
        let full = members.threads >= self.core.options().max_threads_per_connection;
        if members.ended || (members.idle == 0 && full) {
            return members.ended;
        }
        let Some(input) = self.input.take() else { return true };
        if when == HandOver::IfWaiting && !self.has_request_waiting(&input) {
            drop(self.input.put(input));
            return false;
        }
        count(Count::ThreadSwitches);
        members.offered = Some(input);
        if members.idle > 0 {
            threads.input_offered.notify_one();
        } else if self.spawn(&mut members).is_err()
            && let Some(input) = members.offered.take()
        {
            // No thread to be had: reading goes on after the upcall. Should that have ended meanwhile,
            // its thread waits for the members and then finds the input.
            drop(self.input.put(input));
            return false;
        }
        true
    }

    fn has_request_waiting(&self, input: &Input) -> bool {
        input.inbound.has_buffered() || self.stream.is_stale()
    }
}

impl Watched for ServerConnection {
    fn begin_watch(&self) -> bool {
        !self.requests.is_over() && !self.own_threads.is_watched.swap(true, Ordering::SeqCst)
    }

    fn relieve(self: Arc<Self>, seen: u32) -> u32 {
        let upcalls = self.own_threads.upcalls.load(Ordering::Relaxed);
        if upcalls == seen && !self.input.is_empty() {
            self.offer_input(HandOver::IfWaiting);
        }
        upcalls
    }

    fn expire_output(self: Arc<Self>, now: Instant) -> Option<Instant> {
        Self::expire_output(&self, now)
    }

    fn is_being_read(&self) -> bool {
        self.input.is_empty()
    }

    fn stop_watching(&self, seen: u32) -> bool {
        let threads = &self.own_threads;
        threads.is_watched.store(false, Ordering::SeqCst);
        // Between this and the look at what an upcall leaves behind first; the upcall then looks at
        // the flag. So one of the two sees the other.
        fence(Ordering::SeqCst);
        let is_idle = self.input.is_empty() && threads.upcalls.load(Ordering::Relaxed) == seen;
        if !is_idle {
            threads.is_watched.store(true, Ordering::SeqCst);
        }
        is_idle
    }
}
