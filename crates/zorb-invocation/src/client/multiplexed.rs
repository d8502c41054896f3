//! A connection that several calls use at the same time: the driver of the connection's state machine that
//! callers share as leader and followers.
//!
//! Each caller sends its request when nobody else is sending. Then one of the waiting callers, the leader,
//! receives for all: it passes every follower its reply, and once it has its own reply it promotes a follower
//! to leader. No additional thread is involved, and no caller waits past its deadline: the state machine
//! ignores its late reply.

mod begun_pending;
mod call;
mod closing;
mod delivery;
mod detached;
mod gathering;
mod inheritance;
mod joining;
mod leader;
mod list;
mod pending;
mod pending_reply;
mod pending_request;
mod reader;
#[cfg(test)]
mod simulated;
mod sleepers;
mod state;
#[cfg(test)]
pub(super) mod tests;
mod timeouts;
mod unanswered;
mod waiting;
mod waking;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use zorb_base::connection_count::ConnectionCount;
use zorb_base::counters::{CallLock, Count, count};
use zorb_giop::{ClientConnection, ClientSession, Messaging};
use zorb_os::lock::{Condition, Lock, Locked};
use zorb_os::mutex::{PiGuard, PiMutex};
use zorb_os::poll::Arrivals;
use zorb_os::slot::Slot;
use zorb_transport::{BusyWait, Stream};

use super::connection::{Counts, LastReceived, Receiving};
use super::hangups::WatchedConnection;
use super::wait_queue::WaitQueue;
use inheritance::Leader;
use pending_request::{PendingCalls, Reader};
use sleepers::Sleepers;
use state::{CallBuffers, Follower, FollowerReply, State, copied, wait_until};
use timeouts::SharedTimeout;

pub(super) use begun_pending::BegunPending;
pub(crate) use call::MultiplexedCall;
pub(super) use joining::{Joining, NotJoined};
pub(super) use list::{MultiplexedConnections, PendingConnection};
pub(super) use pending_reply::{PendingReply, SmallReply, has_result};
pub(super) use pending_request::{Ended, PendingRequest, Stored};

/// A connection that several calls use at the same time.
#[derive(Debug)]
pub(crate) struct MultiplexedConnection {
    stream: Arc<dyn Stream>,
    wait: BusyWait,
    /// The maximum time that calls without a limit wait for the server.
    longest_wait: Option<Duration>,
    /// The timeouts that are set on the stream: the sending thread sets the first, the receiving thread the second.
    send_timeout: SharedTimeout,
    recv_timeout: SharedTimeout,
    max_calls: usize,
    /// The minimum size in octets of a sequence at the end of a message that is sent without a copy.
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
    /// The buffers of the pending request that was sent last.
    spare: Slot<CallBuffers>,
    /// Whether the stream may have received more than it has passed on.
    reads_ahead: bool,
    /// Held by a caller that starts the reader.
    starting: Lock<()>,
    /// Wakes the reader while it sleeps, and while it waits for octets.
    reader_wake: Condition,
    arrivals: OnceLock<Arrivals>,
    /// Whether somebody who does not receive is to be told when a pending request ends. Changed with the state locked.
    is_watched: AtomicBool,
    /// When it was opened; the state machine's time starts here.
    opened: Instant,
    /// Set when the server has hung up; `None` if that is not watched.
    watched: Option<WatchedConnection>,
    /// Its part of the connections of the process.
    counted: Counts,
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
            reads_ahead: !stream.short_read_means_empty(),
            stream,
            wait: receiving.wait.busy_wait(),
            longest_wait: receiving.longest_wait,
            send_timeout: SharedTimeout::new(receiving.longest_wait),
            recv_timeout: SharedTimeout::new(receiving.longest_wait),
            max_calls: new.max_calls,
            copy_threshold: new.copy_threshold.min(preferred),
            state: CallLock::new(Count::ClientLocks, state),
            has_failed: AtomicBool::new(false),
            sending: PiMutex::new(),
            beyond_limit: new.beyond_limit,
            load: AtomicUsize::new(0),
            is_for_pending: new.is_for_pending,
            spare: Slot::empty(),
            starting: Lock::default(),
            reader_wake: Condition::new(),
            arrivals: OnceLock::new(),
            is_watched: AtomicBool::new(false),
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
    #[inline]
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
    fn leave(&self, mut buffers: Box<CallBuffers>, id: Option<u32>, sends: bool, is_user: bool) {
        buffers.trim();
        if sends {
            self.sending.unlock();
        }
        let mut state = self.state();
        if let Some(Follower::Caller(mut caller)) = id.and_then(|id| state.machine.finish(id)) {
            if caller.reply.take().is_none() && buffers.received.buffer.capacity() == 0 {
                buffers.received = std::mem::take(&mut caller.spare);
            }
            buffers.caller = Some(caller);
        }
        state.users += usize::from(!is_user);
        self.leave_with(state, buffers);
    }

    /// The same with the state locked.
    #[inline]
    fn leave_with(&self, mut state: Locked<'_, State>, buffers: Box<CallBuffers>) {
        state.users -= 1;
        let next = state.waiting.next_caller();
        self.publish_load(&state);
        state.keep(buffers);
        state.closing |= self.beyond_limit && state.is_unused();
        let last = state.closing && state.is_unused() && state.machine.ended().is_none();
        drop(state);
        next.wake();
        if last {
            self.send_close();
        }
    }

    /// Locks sending, which the calling thread has to unlock. Returns whether it has waited for that.
    fn lock_sending(&self, deadline: Option<Instant>) -> io::Result<bool> {
        let mut has_waited = false;
        let lock = self.begin_sending(|| {
            has_waited = true;
            deadline
        })?;
        PiGuard::leak(lock);
        Ok(has_waited)
    }

    /// Locks sending; if it is locked, until the `deadline`. Called without the lock of the state, which the sending thread
    /// needs.
    #[inline]
    fn begin_sending(&self, deadline: impl FnOnce() -> Option<Instant>) -> io::Result<PiGuard<'_>> {
        count(Count::ClientLocks);
        let lock = match self.sending.try_lock(Duration::ZERO)? {
            Some(lock) => lock,
            None => self.wait_for_sending(deadline())?,
        };
        if self.has_failed.load(Ordering::Relaxed) {
            return Err(self.failed_before());
        }
        Ok(lock)
    }

    /// Limits the sending of the calling thread, which has locked it; `None` is the longest wait.
    #[inline]
    fn limit_sending(&self, limit: Option<Duration>) -> io::Result<()> {
        self.send_timeout.change(limit, |timeout| self.stream.set_send_timeout(timeout))
    }

    /// Limits the receiving of the calling thread, which has the receive buffer; `None` is the longest wait.
    #[inline]
    fn limit_receiving(&self, limit: Option<Duration>) -> io::Result<()> {
        self.recv_timeout.change(limit, |timeout| self.stream.set_recv_timeout(timeout))
    }

    #[cold]
    fn wait_for_sending(&self, deadline: Option<Instant>) -> io::Result<PiGuard<'_>> {
        count(Count::Contended);
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let left = left.or(self.longest_wait);
        self.sending.lock_or_poll(left).ok_or_else(|| io::ErrorKind::TimedOut.into())
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
    /// the first. It is to be notified once the state is unlocked, because it locks it at once.
    #[must_use]
    fn promote(&self, state: &mut State) -> Option<Arc<Condition>> {
        state.inbound.as_ref()?;
        if state.pending.count == 0 {
            // The reader may not look before the next requests begin, whose replies may gather.
            self.end_watching();
        }
        let promoted = promote_caller(state);
        if promoted.is_none() && (state.pending.count > 0 || state.pending.reader == Reader::Sleeps)
        {
            self.resume_reader(state);
        }
        promoted
    }
}

/// Promotes a sleeping follower to leader, which is to be notified once the state is unlocked; `None` if none sleeps.
#[must_use]
fn promote_caller(state: &mut State) -> Option<Arc<Condition>> {
    while let Some(next) = state.sleepers.take_first() {
        if let Some(caller) = state.caller(next) {
            count(Count::ThreadSwitches);
            caller.sleeps = false;
            return Some(Arc::clone(&caller.wake));
        }
    }
    None
}

/// Notifies the follower that has been promoted.
fn notify(promoted: Option<Arc<Condition>>) {
    if let Some(wake) = promoted {
        wake.notify_one();
    }
}
