//! A connection that several calls use at the same time: the driver of the connection's state machine that
//! callers share as leader and followers.
//!
//! Each caller sends its request when nobody else is sending. Then one of the waiting callers, the leader,
//! receives for all: it passes every follower its reply, and once it has its own reply it promotes a follower
//! to leader. No additional thread is involved, and no caller waits past its deadline: the state machine
//! ignores its late reply.

mod call;
mod inheritance;
mod leader;
mod list;
mod pending;
mod pending_request;
mod reader;
#[cfg(test)]
mod simulated;
mod sleepers;
#[cfg(test)]
mod tests;

use std::io;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use zorb_base::buffers::{trim_message, trim_request};
use zorb_base::connection_count::ConnectionCount;
use zorb_base::counters::{CallLock, Count, count};
use zorb_giop::{
    ClientConnection, ClientSession, ConnectionEnd, Detached, Inbound, MessageHeader, Messaging,
    ReplyStart, RequestBuffer,
};
use zorb_os::event::EventFd;
use zorb_os::lock::{Condition, Lock, Locked};
use zorb_os::mutex::PiMutex;
use zorb_transport::{BusyWait, Stream};

use super::connection::{CONTROL_TIMEOUT, Counts, LastReceived, NoReply, Receiving};
use super::hangups::WatchedConnection;
use super::wait_queue::WaitQueue;
use inheritance::Leader;
use pending_request::{PendingCalls, Reader};
use sleepers::Sleepers;

pub(crate) use call::MultiplexedCall;
pub(super) use call::{Joining, NotJoined};
pub(super) use list::{MultiplexedConnections, PendingConnection};
pub(super) use pending_request::{Ended, PendingReply, PendingRequest, ReplyTail};

/// The maximum number of callers' buffers that a connection retains.
const MAX_IDLE_BUFFERS: usize = 64;

/// A connection that several calls use at the same time.
#[derive(Debug)]
pub(crate) struct MultiplexedConnection {
    stream: Arc<dyn Stream>,
    wait: BusyWait,
    max_calls: usize,
    /// The number of octets from which on the end of a message is sent from where it is.
    copy_threshold: usize,
    state: CallLock<State>,
    /// Whether the connection has ended, read without the lock before something is sent. What is sent after that fails,
    /// or nobody reads it.
    has_failed: AtomicBool,
    /// Held while a message is sent. The holder inherits the highest priority of the callers that wait for
    /// it.
    sending: PiMutex,
    /// Whether it was opened in excess of the limit, and closes when no call uses it.
    beyond_limit: bool,
    /// The number of calls that use it or wait to, read without the lock to find the least busy connection.
    load: AtomicUsize,
    /// Whether only pending requests use it; then it closes with its reader.
    is_for_pending: bool,
    /// Held by a caller that starts the reader.
    starting: Lock<()>,
    /// Wakes the reader while it sleeps, and while it waits for octets.
    reader_wake: Condition,
    interrupt: OnceLock<EventFd>,
    /// When it was opened; the state machine's time starts here.
    opened: Instant,
    /// Set when the server has hung up; `None` if that is not watched.
    watched: Option<WatchedConnection>,
    /// Its part of the connections of the process.
    counted: Counts,
}

#[derive(Debug)]
struct State {
    /// Its state: the outstanding requests, code sets, how it ended.
    machine: ClientConnection<Follower>,
    /// Whether a reply has ever been received.
    used: bool,
    last_received: LastReceived,
    /// The number of callers that use it.
    users: usize,
    /// The callers that wait to use it.
    waiting: WaitQueue,
    /// The receive buffer; the leader has it while there is one.
    inbound: Option<Box<Inbound>>,
    leader: Leader,
    /// Buffers of earlier calls.
    // Boxed, because they move in and out with every call.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<CallBuffers>>,
    /// The error of a stream that failed.
    error: Option<io::Error>,
    /// Whether it closes after the last call.
    closing: bool,
    /// The callers that sleep.
    sleepers: Sleepers,
    /// The requests whose callers do not wait.
    pending: PendingCalls,
}

/// The parameters of a new connection.
pub(super) struct NewMultiplexedConnection<'a> {
    pub(super) stream: Arc<dyn Stream>,
    pub(super) messaging: Option<&'static dyn Messaging>,
    pub(super) receiving: &'a Receiving,
    pub(super) copy_threshold: usize,
    /// The maximum number of calls that use it at the same time.
    pub(super) max_calls: usize,
    /// Whether it is opened in excess of the limit.
    pub(super) beyond_limit: bool,
    /// Whether only pending requests use it.
    pub(super) is_for_pending: bool,
    /// Set when the server has hung up; `None` if that is not watched.
    pub(super) watched: Option<WatchedConnection>,
    /// Its part of the connections of the process.
    pub(super) counted: Counts,
}

/// A caller that waits for its reply, or a request whose caller does not wait.
#[derive(Debug)]
struct Follower {
    /// Whether the caller sleeps and has not been woken yet; then it is one of the [`Sleepers`].
    sleeps: bool,
    /// The priority of the caller's thread, if it has set one.
    priority: u8,
    wake: Arc<Condition>,
    /// A buffer for the reply.
    spare: Detached,
    reply: Option<FollowerReply>,
    /// What gets the reply if the caller does not wait.
    pending: Option<Arc<dyn PendingRequest>>,
    /// Whether the thread that sends the request answers for it if it fails.
    is_being_sent: bool,
}

/// A reply that the leader has received for a follower.
#[derive(Debug)]
struct FollowerReply {
    header: MessageHeader,
    /// `None` for a LocateReply.
    start: Option<ReplyStart>,
    octets: Detached,
    tail: ReplyTail,
}

/// The buffers of one caller.
#[derive(Debug, Default)]
struct CallBuffers {
    wake: Arc<Condition>,
    outgoing: RequestBuffer,
    received: Detached,
    tail: ReplyTail,
}

impl CallBuffers {
    /// Prepares them for the next call.
    #[inline]
    fn trim(&mut self) {
        trim_request(&mut self.outgoing);
        trim_message(&mut self.received);
        self.tail = None;
    }
}

/// A copy of the error.
fn copied(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}

impl State {
    /// Whether no call uses it.
    fn is_unused(&self) -> bool {
        self.users == 0 && self.pending.count == 0
    }

    /// Notes that a caller sleeps.
    fn sleep(&mut self, id: u32) {
        if let Some(call) = self.machine.call_mut(id)
            && !std::mem::replace(&mut call.sleeps, true)
        {
            self.sleepers.add(id, call.priority);
        }
    }

    /// Notes that a caller does not sleep any more.
    fn wake(&mut self, id: u32) {
        if let Some(call) = self.machine.call_mut(id)
            && std::mem::take(&mut call.sleeps)
        {
            self.sleepers.remove(id);
        }
    }

    /// Why a caller gets no reply after the end of the connection.
    #[cold]
    fn no_reply(&self) -> NoReply {
        NoReply::of_end(self.machine.ended(), self.error.as_ref().map(copied))
    }
}

impl MultiplexedConnection {
    pub(super) fn new(new: NewMultiplexedConnection<'_>) -> Self {
        let NewMultiplexedConnection { stream, messaging, receiving, .. } = new;
        let preferred = stream.gather_threshold().unwrap_or(usize::MAX);
        let session = ClientSession::with_messaging(messaging, true);
        let state = State {
            machine: ClientConnection::new(session, messaging),
            used: false,
            last_received: LastReceived::now(),
            users: 0,
            waiting: WaitQueue::default(),
            inbound: Some(Box::new(receiving.inbound(messaging, &*stream))),
            leader: Leader::default(),
            idle: Vec::new(),
            error: None,
            closing: false,
            sleepers: Sleepers::default(),
            pending: PendingCalls::default(),
        };
        Self {
            stream,
            wait: receiving.wait.busy_wait(),
            max_calls: new.max_calls,
            copy_threshold: new.copy_threshold.min(preferred),
            state: CallLock::new(Count::ClientLocks, state),
            has_failed: AtomicBool::new(false),
            sending: PiMutex::new(),
            beyond_limit: new.beyond_limit,
            load: AtomicUsize::new(0),
            is_for_pending: new.is_for_pending,
            starting: Lock::default(),
            reader_wake: Condition::new(),
            interrupt: OnceLock::new(),
            opened: Instant::now(),
            watched: new.watched,
            counted: new.counted,
        }
    }

    /// Whether its server is known to have hung up.
    pub(super) fn has_hung_up(&self) -> bool {
        self.watched.as_ref().is_some_and(WatchedConnection::has_hung_up)
    }

    /// Whether it is one of those that `count` counts.
    pub(super) fn is_of(&self, count: &'static ConnectionCount) -> bool {
        self.counted.are_of(count)
    }

    /// The approximate number of calls that use it now, wait to, or wait for their replies without a caller.
    pub(super) fn load(&self) -> usize {
        self.load.load(Ordering::Relaxed)
    }

    /// Makes the number of calls known to those that look for the least busy connection.
    fn publish_load(&self, state: &State) {
        let load = state.users + state.waiting.len() + state.pending.count;
        self.load.store(load, Ordering::Relaxed);
    }

    /// The number of callers that wait to use it.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.state().waiting.len()
    }

    /// Whether no call can use it any more.
    pub(super) fn has_ended(&self) -> bool {
        let state = self.state();
        state.closing || state.machine.ended().is_some()
    }

    fn state(&self) -> Locked<'_, State> {
        self.state.lock()
    }

    /// Ends the use by a call.
    fn leave(&self, mut buffers: Box<CallBuffers>, id: Option<u32>, sends: bool) {
        buffers.trim();
        if sends {
            self.sending.unlock();
        }
        let mut state = self.state();
        if let Some(call) = id.and_then(|id| state.machine.finish(id))
            && call.reply.is_none()
            && buffers.received.buffer.capacity() == 0
        {
            buffers.received = call.spare;
        }
        self.leave_with(state, buffers);
    }

    /// The same with the state locked.
    #[inline]
    fn leave_with(&self, mut state: Locked<'_, State>, buffers: Box<CallBuffers>) {
        state.users -= 1;
        state.waiting.wake_next();
        self.publish_load(&state);
        if state.idle.len() < MAX_IDLE_BUFFERS {
            state.idle.push(buffers);
        }
        state.closing |= self.beyond_limit && state.is_unused();
        let last = state.closing && state.is_unused() && state.machine.ended().is_none();
        drop(state);
        if last {
            self.send_close();
        }
    }

    /// Locks sending, which the calling thread has to unlock. Called without the lock of the state, which the sending
    /// thread needs.
    fn lock_sending(&self, deadline: Option<Instant>) -> io::Result<()> {
        count(Count::ClientLocks);
        let lock = self.sending.try_lock(Duration::ZERO)?.or_else(|| {
            count(Count::Contended);
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            self.sending.lock_or_poll(left)
        });
        let Some(lock) = lock else { return Err(io::ErrorKind::TimedOut.into()) };
        if self.has_failed.load(Ordering::Relaxed) {
            return Err(self.failed_before());
        }
        lock.leak();
        Ok(())
    }

    /// The error for a call that is about to be sent over a connection that has ended.
    #[cold]
    fn failed_before(&self) -> io::Error {
        match &self.state().error {
            // The time of another call.
            Some(error) if error.kind() == io::ErrorKind::TimedOut => {
                io::ErrorKind::NotConnected.into()
            }
            Some(error) => copied(error),
            None => io::ErrorKind::NotConnected.into(),
        }
    }

    /// Promotes a sleeping follower to leader if there is none: the one with the highest priority, among equals
    /// the first.
    fn promote(&self, state: &mut State) {
        if state.inbound.is_none() {
            return;
        }
        if self.promote_caller(state) {
            return;
        }
        if state.pending.count > 0 || state.pending.reader == Reader::Sleeps {
            self.resume_reader(state);
        }
    }

    /// Promotes a sleeping follower to leader; `false` if none sleeps.
    fn promote_caller(&self, state: &mut State) -> bool {
        while let Some(next) = state.sleepers.take_first() {
            if let Some(call) = state.machine.call_mut(next) {
                count(Count::ThreadSwitches);
                call.sleeps = false;
                call.wake.notify_one();
                return true;
            }
        }
        false
    }

    /// Ends the connection for the state machine, and wakes all callers.
    #[cold]
    fn end(&self, state: &mut State, reason: NoReply) {
        tracing::debug!(peer = self.stream.peer(), ?reason, "a multiplexed connection has ended");
        // A caller's deadline is no such reason.
        let end = reason.end().unwrap_or(ConnectionEnd::Lost);
        if state.machine.ended().is_none()
            && let NoReply::Lost(error) = reason
        {
            state.error = error;
        }
        state.machine.end(end);
        self.has_failed.store(true, Ordering::Relaxed);
        let mut farewell = Vec::new();
        if state.machine.poll_transmit(&mut farewell)
            && let Ok(Some(_sending)) = self.sending.try_lock(Duration::ZERO)
        {
            // The MessageError that answers a malformed reply, unless another call sends just now.
            let _ = self.stream.try_send(&farewell);
        }
        // Stops threads that are sending or receiving.
        let _ = self.stream.shutdown(Shutdown::Both);
        for call in state.machine.calls_mut() {
            call.wake.notify_one();
        }
        state.waiting.wake_all();
        self.wake_reader(state);
    }

    /// Lets no call use it any more if none does now, and its server has closed it or it has been idle for `limit`.
    fn end_unused(&self, limit: Option<Duration>) -> bool {
        let mut state = self.state();
        let is_unused = state.is_unused()
            && !state.closing
            && (limit.is_some_and(|limit| state.last_received.is_older_than(limit))
                || self.stream.is_readable());
        state.closing |= is_unused;
        is_unused
    }

    /// When something was last received; `None` if a call uses it or it has ended.
    fn idle_since(&self) -> Option<LastReceived> {
        let state = self.state();
        let is_idle = state.is_unused() && !state.closing && state.machine.ended().is_none();
        is_idle.then_some(state.last_received)
    }

    /// Lets no call use it any more if none has since then.
    fn end_idle(&self, since: LastReceived) -> bool {
        let mut state = self.state();
        let is_idle = state.is_unused() && !state.closing && state.last_received <= since;
        state.closing |= is_idle;
        is_idle
    }

    /// Closes the connection after the calls that use it.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closing = true;
        state.waiting.wake_all();
        self.wake_reader(&mut state);
        let now = state.is_unused() && state.machine.ended().is_none();
        drop(state);
        if now {
            self.send_close();
        }
    }

    /// Ends its reader: nobody can use it any more.
    pub(super) fn end_reader(&self) {
        let mut state = self.state();
        state.closing = true;
        self.wake_reader(&mut state);
    }

    /// Closes the connection, whose server has hung up, after the calls that use it: they may still receive their
    /// replies. Does not wait.
    pub(super) fn close_hung_up(&self) {
        let mut state = self.state();
        state.closing = true;
        state.waiting.wake_all();
        self.wake_reader(&mut state);
        if state.is_unused() {
            state.machine.close();
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }

    /// Closes the stream, which nobody uses; since GIOP 1.2, a client sends CloseConnection first.
    fn send_close(&self) {
        let mut octets = Vec::new();
        self.state().machine.close();
        let _ = self.stream.set_send_timeout(Some(CONTROL_TIMEOUT));
        // CancelRequests may wait before the CloseConnection.
        while self.state().machine.poll_transmit(&mut octets) {
            // If this fails, the server still notices the end of the stream.
            if self.stream.send_all(&octets).is_err() {
                break;
            }
        }
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Waits for a notification until the deadline; `false` if the deadline had passed before.
fn wait_until<'s>(
    notified: &Condition,
    state: Locked<'s, State>,
    deadline: Option<Instant>,
) -> (Locked<'s, State>, bool) {
    let Some(deadline) = deadline else { return (notified.wait(state), true) };
    let left = deadline.saturating_duration_since(Instant::now());
    if left == Duration::ZERO {
        return (state, false);
    }
    (notified.wait_for(state, left), true)
}
