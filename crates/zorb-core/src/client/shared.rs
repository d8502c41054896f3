//! A connection that several calls use at the same time.
//!
//! Each caller sends its request when nobody else is sending. Then one of those who wait reads for all
//! (the *leader*): it hands every other caller its reply, and when its own has come the next caller
//! reads on. No thread of the ORB's own is involved, and no caller waits longer than it wants to: who
//! runs out of time leaves, and its late reply is dropped by whoever reads it.

mod leading;
mod lent;
mod share;

use std::cmp::Reverse;
use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use zorb_cdr::ByteOrder;
use zorb_giop::{
    Detached, Form, GiopVersion, Inbound, MessageHeader, MessageKind, Messaging, ProtocolError,
    RequestBuffer, RequestIds,
};
use zorb_os::lock::{Condition, Locked};
use zorb_os::mutex::PiMutex;
use zorb_transport::{Stream, WaitPolicy, Waits};

use super::connection::{Alive, LAST_WORDS, NoReply, limits};
use crate::buffers::{trim, trim_request};
use crate::counters::{CallLock, Count, count};
use crate::serving::in_upcall;
use lent::Leader;

pub(crate) use share::Share;

/// The end of a reply, where the stream has lent it.
#[cfg(feature = "buffers")]
type LentEnd = Option<zorb_transport::ReceivedBuffer>;
#[cfg(not(feature = "buffers"))]
type LentEnd = Option<std::convert::Infallible>;

/// How many calls' buffers are kept for later calls.
const KEPT_SEATS: usize = 64;

/// A connection that several calls use at the same time.
#[derive(Debug)]
pub(crate) struct SharedConnection {
    stream: Arc<dyn Stream>,
    /// What frames its messages; `None` for GIOP.
    messaging: Option<&'static dyn Messaging>,
    wait: Waits,
    max_calls: usize,
    state: CallLock<State>,
    /// The turn to send: who has it has the priority of the most urgent caller that waits for it.
    turn: PiMutex,
    /// Told when there is room for a call.
    has_room: Condition,
    /// How many calls use it, for those who look for the least busy.
    users: AtomicUsize,
    /// Whether the server has been told which band of priorities it is for.
    band_told: AtomicBool,
}

#[derive(Debug)]
struct State {
    ids: RequestIds,
    /// Code sets, and what else the server knows.
    agreed: zorb_giop::ClientSession,
    /// What was sent last was written in it.
    form: Form<'static>,
    /// Whether a reply has ever come.
    used: bool,
    /// When it was last known to be alive.
    alive: Alive,
    /// Callers that have a share.
    users: usize,
    /// Callers that wait for one.
    comers: usize,
    /// Callers whose replies are due.
    calls: Vec<Call>,
    /// What has been received; with the leader while there is one.
    inbound: Option<Box<Inbound>>,
    /// Who that is.
    leader: Leader,
    /// Buffers of earlier calls.
    // Boxed, because they move in and out with every call.
    #[allow(clippy::vec_box)]
    seats: Vec<Box<Seat>>,
    /// Why the connection is of no more use.
    ended: Option<End>,
    /// Whether it is to be closed when the last call is over.
    closing: bool,
}

/// A call whose reply is due.
#[derive(Debug)]
struct Call {
    id: u32,
    /// `Reply` or `LocateReply`.
    expected: MessageKind,
    /// Whether the caller sleeps and has not been told yet to look.
    sleeps: bool,
    /// The priority of the caller's thread, where it has given itself one.
    urgency: u8,
    wake: Arc<Condition>,
    /// For the reply.
    spare: Vec<u8>,
    reply: Option<(MessageHeader, Detached, LentEnd)>,
}

/// What a caller has to itself.
#[derive(Debug, Default)]
struct Seat {
    wake: Arc<Condition>,
    outgoing: RequestBuffer,
    received: Detached,
    lent: LentEnd,
}

/// How a connection ended; as [`NoReply`], for everybody who waits.
#[derive(Debug)]
enum End {
    Closed,
    Lost(Option<io::Error>),
    MessageError,
    Broken(ProtocolError),
}

impl End {
    /// What it means to one of the callers.
    fn reason(&self) -> NoReply {
        match self {
            Self::Closed => NoReply::Closed,
            Self::Lost(error) => NoReply::Lost(error.as_ref().map(same)),
            Self::MessageError => NoReply::MessageError,
            Self::Broken(error) => NoReply::Broken(*error),
        }
    }
}

/// The same error once more.
fn same(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}

/// Why a caller has no share.
#[derive(Debug)]
pub(super) enum NoShare {
    /// The connection is of no more use.
    Ended,
    /// There was no room until the deadline.
    Busy,
}

impl State {
    /// The entry of the call `id`, there until the caller leaves.
    fn call(&mut self, id: Option<u32>) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| Some(call.id) == id)
    }

    /// Says whether a caller sleeps.
    fn sleep(&mut self, id: Option<u32>, sleeps: bool) {
        if let Some(call) = self.call(id) {
            call.sleeps = sleeps;
        }
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
        let state = State {
            ids: RequestIds::initiator(),
            agreed: zorb_giop::ClientSession::speaking(messaging, true),
            form: Form::new(messaging, GiopVersion::V1_0),
            used: false,
            alive: Alive::now(),
            users: 0,
            comers: 0,
            calls: Vec::new(),
            inbound: Some(Box::new(Inbound::new(limits(max_message_size)).of(messaging))),
            leader: Leader::default(),
            seats: Vec::new(),
            ended: None,
            closing: false,
        };
        Self {
            stream,
            messaging,
            wait: wait.waits(),
            max_calls,
            state: CallLock::new(Count::ClientLocks, state),
            turn: PiMutex::new(),
            has_room: Condition::new(),
            users: AtomicUsize::new(0),
            band_told: AtomicBool::new(false),
        }
    }

    /// How many calls use it at about this moment.
    pub(super) fn users(&self) -> usize {
        self.users.load(Ordering::Relaxed)
    }

    fn state(&self) -> Locked<'_, State> {
        self.state.lock()
    }

    /// Gives a caller a share, once there is room for it. A caller inside an upcall needs none: the
    /// calls that it would wait for may be waiting for the upcall.
    pub(super) fn join(self: &Arc<Self>, deadline: Option<Instant>) -> Result<Share, NoShare> {
        let mut state = self.state();
        loop {
            if state.ended.is_some() || state.closing {
                return Err(NoShare::Ended);
            }
            if state.users < self.max_calls || in_upcall() {
                break;
            }
            state.comers += 1;
            let in_time;
            (state, in_time) = wait_until(&self.has_room, state, deadline);
            state.comers -= 1;
            if !in_time {
                return Err(NoShare::Busy);
            }
        }
        if state.users == 0 && !state.alive.is_fresh() {
            if self.stream.is_stale() {
                self.end(&mut state, End::Lost(None));
                return Err(NoShare::Ended);
            }
            state.alive = Alive::now();
        }
        state.users += 1;
        self.users.store(state.users, Ordering::Relaxed);
        let seat = state.seats.pop().unwrap_or_default();
        drop(state);
        Ok(Share::new(Arc::clone(self), seat))
    }

    /// Takes back what a caller had.
    fn leave(&self, mut seat: Box<Seat>, id: Option<u32>, sends: bool) {
        trim_request(&mut seat.outgoing);
        trim(&mut seat.received.buffer);
        seat.lent = None;
        if sends {
            self.turn.give_back();
        }
        let mut state = self.state();
        if let Some(place) = state.calls.iter().position(|call| Some(call.id) == id) {
            let call = state.calls.swap_remove(place);
            if call.reply.is_none() && seat.received.buffer.capacity() == 0 {
                seat.received.buffer = call.spare;
            }
        }
        let wanted = state.comers > 0;
        state.users -= 1;
        self.users.store(state.users, Ordering::Relaxed);
        if state.seats.len() < KEPT_SEATS {
            state.seats.push(seat);
        }
        let last = state.closing && state.users == 0 && state.ended.is_none();
        drop(state);
        if wanted {
            self.has_room.tell_one();
        }
        if last {
            self.say_goodbye();
        }
    }

    /// Waits until nobody else sends. From then on nobody does until this thread gives the turn back.
    /// Called without the state: who sends takes it before the turn is over.
    fn claim(&self, deadline: Option<Instant>) -> io::Result<Locked<'_, State>> {
        count(Count::ClientLocks);
        let turn = self.turn.try_lock(Duration::ZERO)?.or_else(|| {
            count(Count::Contended);
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            self.turn.insist(left)
        });
        let Some(turn) = turn else { return Err(io::ErrorKind::TimedOut.into()) };
        let state = self.state();
        if let Some(end) = &state.ended {
            return Err(match end {
                End::Lost(Some(error)) => same(error),
                _ => io::ErrorKind::NotConnected.into(),
            });
        }
        turn.keep();
        Ok(state)
    }

    /// Has one of those who sleep read on, when nobody reads: the most urgent, of those the first.
    fn promote(&self, state: &mut State) {
        if state.inbound.is_none() {
            return;
        }
        let sleepers = state.calls.iter_mut().filter(|call| call.sleeps);
        if let Some(next) = sleepers.min_by_key(|call| Reverse(call.urgency)) {
            count(Count::HandOvers);
            next.sleeps = false;
            next.wake.tell_one();
        }
    }

    /// Takes note that the connection has ended, the first cause counts, and tells everybody.
    #[cold]
    fn end(&self, state: &mut State, end: End) {
        tracing::debug!(peer = self.stream.peer(), ?end, "a shared connection has ended");
        state.ended.get_or_insert(end);
        // Who is sending or reading at the moment is stopped by this.
        let _ = self.stream.shutdown(Shutdown::Both);
        for call in &state.calls {
            call.wake.tell_one();
        }
        self.has_room.tell_all();
    }

    /// Closes the connection once the calls that use it are over.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closing = true;
        let now = state.users == 0 && state.ended.is_none();
        drop(state);
        self.has_room.tell_all();
        if now {
            self.say_goodbye();
        }
    }

    /// Ends the stream, which nobody uses; from GIOP 1.2 on a client says so first.
    fn say_goodbye(&self) {
        let form = self.state().form;
        if form.version() >= GiopVersion::V1_2 {
            let mut octets = Vec::new();
            form.close_connection(&mut octets, ByteOrder::NATIVE);
            // When it does not arrive the server notices the end of the stream all the same.
            let limited = self.stream.set_send_timeout(Some(LAST_WORDS));
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
