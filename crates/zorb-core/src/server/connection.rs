//! One served connection and the threads that take turns on it.
//!
//! One thread holds the *reading role*: it reads a request, makes the upcall, writes the reply and
//! reads on; that is all that happens while upcalls return at once, and so requests of one
//! connection run in the order they were sent. The role passes to another thread in two cases: the
//! upcall is about to call out and block, or the [sentinel](super::sentinel) finds that it takes
//! long. So a slow request does not hold up the ones behind it for longer than the option
//! `StallTakeover`, and a call back into the client cannot lock both sides up.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::Shutdown;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use zorb_cdr::ByteOrder;
use zorb_giop::{
    CancelRequest, Inbound, Limits, MessageHeader, MessageKind, MessageWriter, ProtocolError,
    ProtocolErrorKind, RequestHeader,
};
use zorb_os::probe;
use zorb_transport::Stream;
use zorb_types::SystemException;

use super::request::{Answer, answer_locate, answer_request};
use crate::buffers::trim;
use crate::orb::OrbCore;

/// How long a thread without the reading role waits for it before it ends.
const FOLLOWER_LINGER: Duration = Duration::from_secs(1);
/// Bit 0 of the role: its holder is in an upcall. The other bits are the holder's token.
const IN_UPCALL: u64 = 1;

/// A connection that a client opened to this ORB.
#[derive(Debug)]
pub(crate) struct ServerConnection {
    stream: Arc<dyn Stream>,
    core: Arc<OrbCore>,
    reading: Mutex<Inbound>,
    /// What was agreed with the client; locked while a message is sent.
    state: Mutex<zorb_giop::ServerConnection>,
    role: AtomicU64,
    next_token: AtomicU64,
    upcalls: AtomicU32,
    crew: Mutex<Crew>,
    role_offered: Condvar,
    closing: AtomicBool,
    /// Whether the peer has ended the connection itself and is owed no farewell.
    parted: AtomicBool,
}

/// The threads of a connection.
#[derive(Debug, Default)]
struct Crew {
    threads: usize,
    idle: usize,
    offered: Option<u64>,
    ended: bool,
    /// Whether the peer is owed a CloseConnection when the last thread leaves.
    farewell: bool,
}

thread_local! {
    static SERVED: RefCell<Weak<ServerConnection>> = const { RefCell::new(Weak::new()) };
    static UPCALL: Cell<u64> = const { Cell::new(0) };
}

/// Whether this thread is inside an upcall.
pub(crate) fn in_upcall() -> bool {
    UPCALL.get() != 0
}

/// Whether this thread is inside an upcall to a servant of `core`.
pub(crate) fn in_upcall_of(core: &Arc<OrbCore>) -> bool {
    let connection = if in_upcall() { SERVED.with_borrow(Weak::upgrade) } else { None };
    connection.is_some_and(|connection| Arc::ptr_eq(&connection.core, core))
}

/// To be called before a thread may block for long: when it is inside an upcall, another thread
/// reads on from the connection that the upcall came from.
#[inline]
pub(crate) fn about_to_block() {
    if in_upcall() {
        let connection = SERVED.with_borrow(Weak::upgrade);
        if let Some(connection) = connection {
            connection.hand_over(UPCALL.get() | IN_UPCALL);
        }
    }
}

enum Received {
    Message(MessageHeader),
    End { farewell: bool },
}

impl ServerConnection {
    pub(crate) fn new(core: &Arc<OrbCore>, stream: Arc<dyn Stream>) -> Arc<Self> {
        let max_message_size = core.options().max_message_size;
        let limits =
            Limits { max_message_size, max_partial_octets: max_message_size, ..Limits::default() };
        // It fails only when the peer is gone by now, which the first read finds as well.
        let _ = stream.set_send_timeout(Some(core.options().send_timeout));
        let _ = stream.set_recv_timeout(core.options().idle_timeout);
        Arc::new(Self {
            stream,
            core: Arc::clone(core),
            reading: Mutex::new(Inbound::new(limits)),
            state: Mutex::default(),
            role: AtomicU64::new(0),
            next_token: AtomicU64::new(1),
            upcalls: AtomicU32::new(0),
            crew: Mutex::default(),
            role_offered: Condvar::new(),
            closing: AtomicBool::new(false),
            parted: AtomicBool::new(false),
        })
    }

    /// Starts serving on a thread of its own.
    pub(crate) fn start(self: &Arc<Self>) -> io::Result<()> {
        let token = self.new_token();
        self.role.store(token, Ordering::Release);
        self.spawn(&mut self.crew(), token)
    }

    fn new_token(&self) -> u64 {
        self.next_token.fetch_add(1, Ordering::Relaxed) << 1
    }

    fn crew(&self) -> MutexGuard<'_, Crew> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread that has the reading role.
    fn spawn(self: &Arc<Self>, crew: &mut Crew, token: u64) -> io::Result<()> {
        let connection = Arc::clone(self);
        self.core.threads().spawn("zorb-serve", move || {
            let served = catch_unwind(AssertUnwindSafe(|| connection.serve(token)));
            if served.is_err() {
                // A servant's drop panicked, say. The connection must not stay behind unserved.
                tracing::error!(peer = connection.stream.peer(), "a serving thread panicked");
                connection.break_off();
            }
        })?;
        crew.threads += 1;
        Ok(())
    }

    /// Reads and serves requests until the connection ends or this thread is no longer needed.
    fn serve(self: &Arc<Self>, mut token: u64) {
        SERVED.with_borrow_mut(|served| *served = Arc::downgrade(self));
        let mut request = Vec::new();
        let mut reply = Vec::new();
        loop {
            probe!(Begin);
            let (mut span, mut seams) = (0..0, Vec::new());
            let received = self.receive(|inbound| {
                let detached = inbound.take(std::mem::take(&mut request));
                span = detached.start..detached.end;
                request = detached.buffer;
                seams = detached.seams;
            });
            let header = match received {
                Received::Message(header) => header,
                Received::End { farewell } => return self.leave(Some(farewell)),
            };
            // Counted first, so that the sentinel does not take this upcall for the one before.
            self.upcalls.fetch_add(1, Ordering::Relaxed);
            self.role.store(token | IN_UPCALL, Ordering::Release);
            UPCALL.set(token);
            let message = request.get(span).unwrap_or_default();
            let outcome = self.process((message, &seams), &header, &mut reply);
            UPCALL.set(0);
            trim(&mut reply);
            if let Err(error) = outcome {
                return self.fail(&error);
            }
            let kept = self.role.compare_exchange(
                token | IN_UPCALL,
                token,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            if kept.is_err() {
                match self.follow(token) {
                    Some(offered) => token = offered,
                    None => return self.leave(None),
                }
            }
        }
    }

    /// Waits for the next whole message; `taken` gets the buffer while it is the current one.
    fn receive(&self, taken: impl FnOnce(&mut Inbound)) -> Received {
        let mut inbound = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.closing.load(Ordering::Acquire) {
                return Received::End { farewell: true };
            }
            match inbound.poll() {
                Ok(Some(header)) => {
                    taken(&mut inbound);
                    return Received::Message(header);
                }
                Ok(None) => {}
                Err(error) => {
                    self.refuse(&error);
                    return Received::End { farewell: false };
                }
            }
            let options = self.core.options();
            let space = inbound.space();
            probe!(MessagingReceive);
            let received = options.wait_policy().recv(&*self.stream, space, options.idle_timeout);
            probe!(TransportReceive);
            match received {
                Ok(0) => {
                    let farewell = self.closing.load(Ordering::Acquire);
                    return Received::End { farewell };
                }
                Ok(count) => inbound.advance(count),
                // Nothing for long: not the client's fault while a request of its is running.
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    if !self.is_busy() {
                        return Received::End { farewell: inbound.is_idle() };
                    }
                }
                Err(error) => {
                    tracing::debug!(peer = self.stream.peer(), %error, "connection lost");
                    return Received::End { farewell: false };
                }
            }
        }
    }

    /// Whether another thread of the connection is in an upcall.
    fn is_busy(&self) -> bool {
        let crew = self.crew();
        crew.threads - crew.idle > 1
    }

    fn process(
        self: &Arc<Self>,
        (message, seams): (&[u8], &[u32]),
        header: &MessageHeader,
        reply: &mut Vec<u8>,
    ) -> Result<(), ProtocolError> {
        match header.kind {
            MessageKind::Request => {
                let mut request_id = Cell::new(0);
                let text = |request: &RequestHeader<'_>, version| {
                    request_id.set(request.request_id);
                    let contexts = &request.service_contexts;
                    let begun = self.state().begin_request(request.request_id, version, contexts);
                    begun.map_err(SystemException::from)
                };
                let mut early = |octets: &[u8]| self.send(octets);
                let answer =
                    answer_request(&self.core, (message, seams), header, &text, reply, &mut early)?;
                if answer == Answer::Reply {
                    self.send_reply(*request_id.get_mut(), reply);
                }
                Ok(())
            }
            MessageKind::LocateRequest => {
                answer_locate(&self.core, message, header, reply)?;
                self.send(reply);
                Ok(())
            }
            MessageKind::CancelRequest => {
                let cancel = CancelRequest::read(message, header)?;
                self.state().cancel(cancel.request_id);
                Ok(())
            }
            MessageKind::CloseConnection | MessageKind::MessageError => {
                self.parted.store(true, Ordering::Release);
                self.closing.store(true, Ordering::Release);
                Ok(())
            }
            found => {
                Err(ProtocolErrorKind::WrongKind { expected: MessageKind::Request, found }.into())
            }
        }
    }

    /// Sends a whole message, or ends the connection.
    fn send(&self, message: &[u8]) {
        self.send_locked(&self.state(), message);
    }

    /// Sends the reply to a request, unless the client has cancelled it meanwhile.
    fn send_reply(&self, request_id: u32, reply: &[u8]) {
        let state = self.state();
        if !state.is_cancelled(request_id) {
            self.send_locked(&state, reply);
        }
    }

    /// Sends while the state is locked, so that messages of several threads do not mix.
    fn send_locked(&self, _: &MutexGuard<'_, zorb_giop::ServerConnection>, message: &[u8]) {
        probe!(MessagingSend);
        let sent = self.stream.send_all(message);
        probe!(TransportSend);
        if let Err(error) = sent {
            tracing::debug!(peer = self.stream.peer(), %error, "a reply could not be sent");
            // Part of it may be on its way, so nothing that follows would be understood. This also
            // frees the threads that wait to send after this one.
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }

    fn state(&self) -> MutexGuard<'_, zorb_giop::ServerConnection> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a broken message as the standard says; the connection ends after it.
    fn refuse(&self, error: &ProtocolError) {
        tracing::warn!(peer = self.stream.peer(), %error, "protocol error");
        if error.answer_message_error {
            let mut octets = Vec::new();
            MessageWriter::message_error(&mut octets, ByteOrder::NATIVE);
            self.send(&octets);
        }
    }

    fn fail(&self, error: &ProtocolError) {
        self.refuse(error);
        self.break_off();
    }

    /// Ends the connection without a farewell, and this thread's part in it.
    fn break_off(&self) {
        self.parted.store(true, Ordering::Release);
        self.closing.store(true, Ordering::Release);
        let _ = self.stream.shutdown(Shutdown::Both);
        self.leave(Some(false));
    }

    /// Passes the reading role on, if `role` still is the present one.
    fn hand_over(self: &Arc<Self>, role: u64) {
        let mut crew = self.crew();
        let full = crew.threads >= self.core.options().max_threads_per_connection;
        if crew.ended || (crew.idle == 0 && full) {
            return;
        }
        let token = self.new_token();
        if self.role.compare_exchange(role, token, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return;
        }
        if crew.idle > 0 {
            crew.offered = Some(token);
            self.role_offered.notify_one();
            return;
        }
        if self.spawn(&mut crew, token).is_err() {
            // No thread to be had: take the role back; reading goes on after the upcall. Should
            // that have ended meanwhile, its thread waits for the crew and then finds the role.
            let _ = self.role.compare_exchange(token, role, Ordering::AcqRel, Ordering::Acquire);
        }
    }

    /// Waits for the reading role, which was passed on while `token` had it; `None` when this
    /// thread is no longer needed.
    fn follow(&self, token: u64) -> Option<u64> {
        let mut crew = self.crew();
        let given_back = self.role.compare_exchange(
            token | IN_UPCALL,
            token,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if given_back.is_ok() {
            return Some(token);
        }
        crew.idle += 1;
        let (mut crew, _) = self
            .role_offered
            .wait_timeout_while(crew, FOLLOWER_LINGER, |crew| crew.offered.is_none() && !crew.ended)
            .unwrap_or_else(PoisonError::into_inner);
        crew.idle -= 1;
        crew.offered.take()
    }

    /// Ends this thread's part; the last one out closes the connection. `ended` is given by the
    /// thread that found the connection's end, with whether the peer is owed a farewell.
    fn leave(&self, ended: Option<bool>) {
        let mut crew = self.crew();
        if let Some(farewell) = ended {
            crew.ended = true;
            crew.farewell |= farewell;
            self.role_offered.notify_all();
        }
        crew.threads -= 1;
        if crew.threads > 0 || !crew.ended {
            return;
        }
        let farewell = crew.farewell && !self.parted.load(Ordering::Acquire);
        drop(crew);
        if farewell {
            self.say_goodbye();
        }
        let _ = self.stream.shutdown(Shutdown::Both);
        self.core.forget_connection(self);
    }

    /// Ends a connection that is not going to be served; its client may try elsewhere.
    pub(super) fn turn_away(&self) {
        self.say_goodbye();
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    fn say_goodbye(&self) {
        let mut octets = Vec::new();
        let version = self.state().highest_version();
        MessageWriter::close_connection(&mut octets, version, ByteOrder::NATIVE);
        self.send(&octets);
    }

    /// Ends the connection in an orderly way: running requests finish, the peer is told.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        let _ = self.stream.shutdown(Shutdown::Read);
    }

    /// Passes the reading role on when the same upcall has been running since `seen` was taken;
    /// returns what to compare with next time.
    pub(super) fn relieve(self: &Arc<Self>, seen: u32) -> u32 {
        let role = self.role.load(Ordering::Acquire);
        let upcalls = self.upcalls.load(Ordering::Relaxed);
        if upcalls == seen && role & IN_UPCALL != 0 {
            self.hand_over(role);
        }
        upcalls
    }
}
