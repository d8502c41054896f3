//! Connections with threads of their own: with the strategy thread per connection, and streams without
//! readiness in all lanes.
//!
//! One thread reads a request, makes the upcall, writes the reply and reads on. As long as upcalls return at
//! once, no other thread is needed, and requests of one connection run in order. During an upcall the thread
//! leaves the connection's input in its slot. Another thread of the connection takes it in three cases: the
//! upcall is about to block in a call of its own, the [watchdog](super::watchdog) finds that it takes long,
//! or another thread has just ended a long upcall. So a slow request delays those behind it by no more than
//! the option `StallTakeover`, and a nested call back to the client cannot deadlock. If several callers share
//! a connection and its upcalls take long, the thread hands the input over before each upcall.

pub(super) mod before_upcall;
pub(super) mod ordered;
pub(super) mod state;
mod upcalls;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

use zorb_base::counters::{Count, count};
use zorb_base::peer_threads::PeerThread;
use zorb_base::upcall_thread::{begin_upcall, relieve_upcall};
use zorb_os::process::is_out_of_descriptors;
use zorb_transport::log_limited;

use self::before_upcall::Seen;
use self::state::Members;
use crate::connection::ServerConnection;
use crate::input::Input;
use crate::scratch::Scratch;
use crate::watchdog::Watched;

/// The idle timeout of a thread without input.
const FOLLOWER_LINGER: Duration = Duration::from_secs(1);
/// The number of requests after the last sign of a second caller for which a connection counts as shared.
const SHARED_FOR: u8 = 64;
/// The minimum duration of an upcall that is worth handing the input over: several times the cost of waking a
/// thread.
const LONG: Duration = Duration::from_micros(250);

/// When to hand the input over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandOver {
    Always,
    /// If input waits that no thread reads.
    IfWaiting,
}

/// The measurement of an upcall on a shared connection.
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
        self.own_threads.members.lock().threads += 1;
        let started = self.spawn();
        if started.is_err() {
            self.own_threads.members.lock().threads -= 1;
            self.has_no_own_threads();
        }
        started
    }

    /// Starts a thread that takes the input. It is one of the members already: their lock is not held meanwhile.
    fn spawn(self: &Arc<Self>) -> io::Result<()> {
        let counted = self.count_thread()?;
        let connection = Arc::clone(self);
        self.lane.spawn(move |begun| {
            let _counted = counted;
            match begun {
                Ok(()) => connection.run(),
                Err(error) => {
                    log_limited!(error, %error, "cannot prepare a thread of the lane");
                    connection.abandon();
                }
            }
            connection.own_threads.members.lock().threads -= 1;
        })
    }

    /// Counts a thread for its peer; `None` for datagrams, which come from all peers.
    fn count_thread(&self) -> io::Result<Option<PeerThread>> {
        let most = self.core.options().thread_limit_per_peer();
        self.has_peer().then(|| PeerThread::one_of(self.thread_peer(), most)).transpose()
    }

    /// The body of a thread.
    fn run(self: &Arc<Self>) {
        self.guarded(|| {
            let mut scratch = Scratch::default();
            if let Err(error) = self.stream.establish() {
                log_limited!(warn, peer = self.stream.peer(), %error, "connection rejected");
                if is_out_of_descriptors(&error) {
                    // It needs more than its socket.
                    self.serving_lane.make_room_after(self);
                }
                return self.abandon();
            }
            while let Some(input) = self.take_over() {
                self.follow_band(&mut scratch.set_up_for);
                if let Some(input) = self.receive_requests(input, &mut scratch) {
                    drop(self.input.put(input));
                }
            }
        });
    }

    /// Waits for the input; `None` if this thread is no longer needed.
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

    /// Prepares the calling thread for an upcall, unless it is: `of_thread` is what it was set up for last. The request
    /// that declares a band may be served by any thread of the connection, and so may one that is held.
    #[inline]
    pub(super) fn prepare_upcall(&self, of_thread: &mut Seen) {
        if self.before_upcall.see() != *of_thread {
            self.prepare_otherwise(of_thread);
        }
    }

    #[cold]
    fn prepare_otherwise(&self, of_thread: &mut Seen) {
        self.follow_band(of_thread);
        if let Some(resumed) = self.resumed.get()
            && resumed.is_running()
        {
            // It was sent before the current message.
            resumed.wait();
        }
    }

    /// Gives the calling thread the priority of the connection's band, unless it has it.
    fn follow_band(&self, of_thread: &mut Seen) {
        let seen = self.before_upcall.see().to_compare();
        if std::mem::replace(of_thread, seen) != seen
            && self.lane.is_default()
            && let Some(threads) = &self.core.extensions().thread_priorities
        {
            threads.set(seen.band());
        }
    }

    /// Whether several callers seem to share this connection: one has sent a request while another's was
    /// waiting or running.
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

    /// Leaves the input to other threads during an upcall. `is_awaited`: the client waits for the reply.
    #[inline]
    pub(super) fn leave_input(
        self: &Arc<Self>,
        mut input: Box<Input>,
        is_awaited: bool,
    ) -> LongUpcall {
        let threads = &self.own_threads;
        let mut upcall = LongUpcall::default();
        // A request behind one whose caller waits can only come from another caller.
        if is_awaited && self.is_shared(&mut input) {
            upcall.begun = Some(Instant::now());
            upcall.overlaps = threads.are_upcalls_long.load(Ordering::Relaxed);
        }
        // Counted first, so that the watchdog does not mistake this upcall for the previous one. Only the
        // thread with the input counts.
        let upcalls = threads.upcalls.load(Ordering::Relaxed).wrapping_add(1);
        threads.upcalls.store(upcalls, Ordering::Release);
        begin_upcall();
        // The slot is empty: there is one input.
        drop(self.input.put(input));
        // Sequentially consistent with the slot: see `stop_watching`.
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

    /// Hands the input to another thread before the calling thread blocks in an upcall. A lane of a pool must
    /// not start threads in steady state, so it does that only if a request waits already; the watchdog finds
    /// later ones.
    pub(super) fn hand_over_to_block(self: &Arc<Self>) -> bool {
        if let Some(resumed) = self.resumed.get() {
            let (was_resumed, next) = resumed.hand_over_from(zorb_os::thread::id());
            if let Some(lane) = next {
                lane.resume_next(Arc::clone(resumed));
            }
            if was_resumed {
                return true;
            }
        }
        let when = if self.lane.is_default() { HandOver::Always } else { HandOver::IfWaiting };
        self.offer_input(when)
    }

    /// Hands the input to another thread, if it is in its slot. Returns whether the input is no longer in the
    /// slot.
    fn offer_input(self: &Arc<Self>, when: HandOver) -> bool {
        // The thread that sends reads on; others would only wait behind it. Not where streams share a connection, which
        // stands still, with what the client waits for, until each of them is read.
        if self.output_waits() && !self.stream.shares_connection() {
            return false;
        }
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
            return true;
        }
        members.threads += 1;
        drop(members);
        if self.spawn().is_ok() {
            return true;
        }
        let mut members = threads.members.lock();
        members.threads -= 1;
        // A thread whose upcall has ended meanwhile has taken it.
        let Some(input) = members.offered.take() else { return true };
        // No thread can be started: reading continues after the upcall. If that ends now, its thread waits for the lock
        // and then finds the input.
        drop(self.input.put(input));
        false
    }

    fn has_request_waiting(&self, input: &Input) -> bool {
        input.inbound.has_buffered() || self.stream.is_readable()
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
        // An upcall stores its effects and then reads the flag; this clears the flag and then reads the
        // effects. So one of the two sees the other.
        fence(Ordering::SeqCst);
        let is_idle = self.input.is_empty() && threads.upcalls.load(Ordering::Relaxed) == seen;
        if !is_idle {
            threads.is_watched.store(true, Ordering::SeqCst);
        }
        is_idle
    }
}
