//! A connection that several calls use at the same time: the driver of the connection machine that
//! callers share, as leader and followers.
//!
//! Each caller sends its request when nobody else is sending. Then one of the callers that wait, the
//! leader, receives for all: it hands every follower its reply, and when its own has come it promotes
//! the next caller to leader. No thread of the ORB's own is involved, and no caller waits past its
//! deadline: the machine ignores its late reply.

mod call;
mod inheritance;
mod leader;

use std::cmp::Reverse;
use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use zorb_base::buffers::{trim, trim_request};
use zorb_base::counters::{CallLock, Count, count};
use zorb_base::upcall_thread::in_upcall;
use zorb_giop::{
    ClientConnection, ClientSession, ConnectionEnd, Detached, Inbound, MessageHeader, Messaging,
    ReplyStart, RequestBuffer,
};
use zorb_os::lock::{Condition, Locked};
use zorb_os::mutex::PiMutex;
use zorb_transport::{Stream, WaitPolicy, Waits};

use super::connection::{Alive, FAREWELL_TIMEOUT, NoReply, limits};
use inheritance::Leader;

pub(crate) use call::SharedCall;

/// The end of a reply, where the stream has lent it.
#[cfg(feature = "buffers")]
type LentEnd = Option<zorb_transport::ReceivedBuffer>;
#[cfg(not(feature = "buffers"))]
type LentEnd = Option<std::convert::Infallible>;

/// The most callers' buffers that a connection keeps for later calls.
const MAX_IDLE_BUFFERS: usize = 64;

/// A connection that several calls use at the same time.
#[derive(Debug)]
pub(crate) struct SharedConnection {
    stream: Arc<dyn Stream>,
    wait: Waits,
    max_calls: usize,
    state: CallLock<State>,
    /// Held while a message is sent: its holder has the priority of the most urgent caller that waits
    /// for it.
    sending: PiMutex,
    /// Signalled when there is room for a call.
    has_room: Condition,
    /// How many calls use it, for those who look for the least busy.
    users: AtomicUsize,
    /// Whether the server has been told which band of priorities it is for.
    band_told: AtomicBool,
    /// When it was opened: deadlines count from here.
    opened: Instant,
}

#[derive(Debug)]
struct State {
    /// Which requests are outstanding, what was agreed on, and how it ended.
    machine: ClientConnection<Follower>,
    /// Whether a reply has ever come.
    used: bool,
    /// When it was last known to be alive.
    alive: Alive,
    /// Callers that use it.
    users: usize,
    /// Callers that wait until they may.
    waiting: usize,
    /// What has been received; with the leader while there is one.
    inbound: Option<Box<Inbound>>,
    /// Who that is.
    leader: Leader,
    /// Buffers of earlier calls.
    // Boxed, because they move in and out with every call.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<CallBuffers>>,
    /// The error of the stream, where it failed.
    error: Option<io::Error>,
    /// Whether it is to be closed when the last call is over.
    closing: bool,
}

/// A caller whose reply is due.
#[derive(Debug)]
struct Follower {
    /// Whether the caller sleeps and has not been woken yet.
    sleeps: bool,
    /// The priority of the caller's thread, where it has given itself one.
    urgency: u8,
    wake: Arc<Condition>,
    /// For the reply.
    spare: Vec<u8>,
    reply: Option<FollowerReply>,
}

/// A reply that the leader has received for a follower.
#[derive(Debug)]
struct FollowerReply {
    header: MessageHeader,
    /// Of a Reply; not of a LocateReply.
    start: Option<ReplyStart>,
    octets: Detached,
    lent: LentEnd,
}

/// What each caller has to itself.
#[derive(Debug, Default)]
struct CallBuffers {
    wake: Arc<Condition>,
    outgoing: RequestBuffer,
    received: Detached,
    lent: LentEnd,
}

/// The same error once more.
fn same(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}

/// Why a caller may not use a connection.
#[derive(Debug)]
pub(super) enum NotJoined {
    /// The connection is of no more use.
    Ended,
    /// There was no room until the deadline.
    Busy,
}

impl State {
    /// Says whether a caller sleeps.
    fn sleep(&mut self, id: Option<u32>, sleeps: bool) {
        if let Some(call) = id.and_then(|id| self.machine.call_mut(id)) {
            call.sleeps = sleeps;
        }
    }

    /// What the end of the connection is to a caller.
    #[cold]
    fn no_reply(&self) -> NoReply {
        NoReply::ended(self.machine.ended(), self.error.as_ref().map(same))
    }
}

impl SharedConnection {
    pub(super) fn new(
        stream: Arc<dyn Stream>,
        messaging: Option<&'static dyn Messaging>,
        max_message_size: usize,
        wait: WaitPolicy,
        max_calls: usize,
    ) -> Self {
        let session = ClientSession::speaking(messaging, true);
        let state = State {
            machine: ClientConnection::new(session, messaging),
            used: false,
            alive: Alive::now(),
            users: 0,
            waiting: 0,
            inbound: Some(Box::new(Inbound::new(limits(max_message_size)).of(messaging))),
            leader: Leader::default(),
            idle: Vec::new(),
            error: None,
            closing: false,
        };
        Self {
            stream,
            wait: wait.waits(),
            max_calls,
            state: CallLock::new(Count::ClientLocks, state),
            sending: PiMutex::new(),
            has_room: Condition::new(),
            users: AtomicUsize::new(0),
            band_told: AtomicBool::new(false),
            opened: Instant::now(),
        }
    }

    /// How many calls use it at about this moment.
    pub(super) fn users(&self) -> usize {
        self.users.load(Ordering::Relaxed)
    }

    fn state(&self) -> Locked<'_, State> {
        self.state.lock()
    }

    /// Lets a caller use it, once there is room. A caller inside an upcall needs no room: the calls that
    /// it would wait for may be waiting for the upcall.
    pub(super) fn join(
        self: &Arc<Self>,
        deadline: Option<Instant>,
    ) -> Result<SharedCall, NotJoined> {
        let mut state = self.state();
        loop {
            if state.machine.ended().is_some() || state.closing {
                return Err(NotJoined::Ended);
            }
            if state.users < self.max_calls || in_upcall() {
                break;
            }
            state.waiting += 1;
            let in_time;
            (state, in_time) = wait_until(&self.has_room, state, deadline);
            state.waiting -= 1;
            if !in_time {
                return Err(NotJoined::Busy);
            }
        }
        if state.users == 0 && !state.alive.is_fresh() {
            if self.stream.is_stale() {
                self.end(&mut state, NoReply::Lost(None));
                return Err(NotJoined::Ended);
            }
            state.alive = Alive::now();
        }
        state.users += 1;
        self.users.store(state.users, Ordering::Relaxed);
        let buffers = state.idle.pop().unwrap_or_default();
        drop(state);
        Ok(SharedCall::new(Arc::clone(self), buffers))
    }

    /// Takes back what a caller had.
    fn leave(&self, mut buffers: Box<CallBuffers>, id: Option<u32>, sends: bool) {
        trim_request(&mut buffers.outgoing);
        trim(&mut buffers.received.buffer);
        buffers.lent = None;
        if sends {
            self.sending.unlock();
        }
        let mut state = self.state();
        if let Some(call) = id.and_then(|id| state.machine.finish(id))
            && call.reply.is_none()
            && buffers.received.buffer.capacity() == 0
        {
            buffers.received.buffer = call.spare;
        }
        let wanted = state.waiting > 0;
        state.users -= 1;
        self.users.store(state.users, Ordering::Relaxed);
        if state.idle.len() < MAX_IDLE_BUFFERS {
            state.idle.push(buffers);
        }
        let last = state.closing && state.users == 0 && state.machine.ended().is_none();
        drop(state);
        if wanted {
            self.has_room.notify_one();
        }
        if last {
            self.send_close();
        }
    }

    /// Waits until nobody else sends. From then on nobody does until this thread gives the lock back.
    /// Called without the state, which whoever sends locks meanwhile.
    fn lock_sending(&self, deadline: Option<Instant>) -> io::Result<Locked<'_, State>> {
        count(Count::ClientLocks);
        let lock = self.sending.try_lock(Duration::ZERO)?.or_else(|| {
            count(Count::Contended);
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            self.sending.lock_or_poll(left)
        });
        let Some(lock) = lock else { return Err(io::ErrorKind::TimedOut.into()) };
        let state = self.state();
        if state.machine.ended().is_some() {
            return Err(match &state.error {
                Some(error) => same(error),
                None => io::ErrorKind::NotConnected.into(),
            });
        }
        lock.leak();
        Ok(state)
    }

    /// Promotes one of those who sleep to leader, when there is none: the most urgent, of those the
    /// first.
    fn promote(&self, state: &mut State) {
        if state.inbound.is_none() {
            return;
        }
        let sleepers = state.machine.calls_mut().filter(|call| call.sleeps);
        if let Some(next) = sleepers.min_by_key(|call| Reverse(call.urgency)) {
            count(Count::HandOvers);
            next.sleeps = false;
            next.wake.notify_one();
        }
    }

    /// Tells the machine how the connection has ended, and wakes everybody.
    #[cold]
    fn end(&self, state: &mut State, reason: NoReply) {
        tracing::debug!(peer = self.stream.peer(), ?reason, "a shared connection has ended");
        // A caller's time is no end of the connection; it does not come here.
        let end = reason.end().unwrap_or(ConnectionEnd::Lost);
        if state.machine.ended().is_none()
            && let NoReply::Lost(error) = reason
        {
            state.error = error;
        }
        state.machine.end(end);
        // Who is sending or reading at the moment is stopped by this.
        let _ = self.stream.shutdown(Shutdown::Both);
        for call in state.machine.calls_mut() {
            call.wake.notify_one();
        }
        self.has_room.notify_all();
    }

    /// Closes the connection once the calls that use it are over.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closing = true;
        let now = state.users == 0 && state.machine.ended().is_none();
        drop(state);
        self.has_room.notify_all();
        if now {
            self.send_close();
        }
    }

    /// Ends the stream, which nobody uses; from GIOP 1.2 on a client says so first.
    fn send_close(&self) {
        let mut octets = Vec::new();
        let mut state = self.state();
        state.machine.close();
        let says_so = state.machine.poll_transmit(&mut octets);
        drop(state);
        if says_so {
            // When it does not arrive the server notices the end of the stream all the same.
            let limited = self.stream.set_send_timeout(Some(FAREWELL_TIMEOUT));
            let _ = limited.and_then(|()| self.stream.send_all(&octets));
        }
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Waits to be told, for no longer than until the deadline; whether there was time left.
fn wait_until<'s>(
    told: &Condition,
    state: Locked<'s, State>,
    deadline: Option<Instant>,
) -> (Locked<'s, State>, bool) {
    let Some(deadline) = deadline else { return (told.wait(state), true) };
    let left = deadline.saturating_duration_since(Instant::now());
    if left == Duration::ZERO {
        return (state, false);
    }
    (told.wait_for(state, left), true)
}
