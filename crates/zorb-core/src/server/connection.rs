//! One served connection and the threads that take turns on it.
//!
//! One thread holds the *reading role*: it reads a request, makes the upcall, writes the reply and
//! reads on; that is all that happens while upcalls return at once, and so requests of one
//! connection run in the order they were sent. While it is in an upcall it leaves the role where
//! others can take it. Three do: the thread itself when the upcall is about to call out and block,
//! the [sentinel](super::sentinel) when it finds that the upcall takes long, and a thread of the same
//! connection that has just ended a long upcall. So a slow request does not hold up the ones behind
//! it for longer than the option `StallTakeover`, and a call back into the client cannot lock both
//! sides up. On a connection that several callers share, whose upcalls turn out to take long, the
//! role is passed on before each upcall.
//!
//! The role is what only its holder touches, in a box: passing it on is one exchange of a pointer,
//! no lock. The one lock of a request is the one under which its reply is sent.

use std::cell::Cell;
use std::io::{self, IoSlice};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use zorb_cdr::TextCoding;
use zorb_giop::{
    Detached, Form, Inbound, Limits, MessageHeader, MessageKind, Messaging, ProfileTag,
    ProtocolError, ProtocolErrorKind, Recalled, RequestHeader,
};
use zorb_os::probe;
use zorb_os::slot::Slot;
use zorb_transport::{Protocol, Stream, Waits};
use zorb_types::SystemException;

use super::crew::{Crew, Upcall};
use super::in_lane::InLane;
use super::request::{Answer, InParts, answer_locate, answer_request};
use super::role::Reading;
use super::sending::Sending;
use crate::buffers::trim;
use crate::gather::SendParts;
use crate::orb::OrbCore;
use crate::poa::KnownAdapters;

/// From how long an upcall takes on it is worth while to have another thread read meanwhile: several
/// times what waking one takes.
const SLOW: Duration = Duration::from_micros(250);

/// A connection that a client opened to this ORB.
///
/// Its threads write to it all the time and those of other connections never do, so it has its cache
/// lines to itself.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct ServerConnection {
    pub(super) stream: Arc<dyn Stream>,
    pub(super) core: Arc<OrbCore>,
    /// The kind of the profiles that it has come by.
    pub(super) profile: ProfileTag,
    /// What frames its messages; `None` for GIOP.
    pub(super) messaging: Option<&'static dyn Messaging>,
    /// Whether its clients are one, to which replies can be sent.
    connected: bool,
    pub(super) wait: Waits,
    /// From how many octets on the end of a reply had better stay where it is.
    #[cfg(feature = "buffers")]
    gathers_from: usize,
    /// The lane whose threads serve it; `None` when it has threads of its own.
    pub(super) lane: Option<InLane>,
    /// The reading role while its holder is in an upcall.
    pub(super) parked: Slot<Reading>,
    pub(super) sending: Sending,
    /// Upcalls begun.
    pub(super) upcalls: AtomicU32,
    /// Whether the sentinel looks after it.
    pub(super) looked_after: AtomicBool,
    /// Upcalls under way whose threads have passed the role on before.
    pub(super) overlapping: AtomicU32,
    /// Whether the last upcall that was timed took long.
    slow: AtomicBool,
    pub(super) crew: Crew,
    pub(super) closing: AtomicBool,
    /// Whether the peer has ended the connection itself and is owed no farewell.
    pub(super) parted: AtomicBool,
    /// Whose policy it was last set up by; 0 for nobody's.
    pub(super) set_up_by: AtomicUsize,
    /// The highest priority of the band that its client says it is for, where no lane serves it; -1
    /// for none.
    pub(super) band: AtomicI16,
    /// Which of [`BufferStrategy::ALL`](crate::BufferStrategy) a servant has chosen for it, counted from
    /// 1; 0 for none.
    pub(super) buffer_strategy: AtomicU8,
}

/// What a thread keeps from request to request.
#[derive(Default)]
pub(crate) struct Kept {
    /// The last request, whose buffer the next one takes over.
    request: Detached,
    pub(super) reply: Vec<u8>,
    pub(super) adapters: KnownAdapters,
    /// What reads the last request that left something out.
    recalled: Option<Arc<dyn Messaging>>,
}

enum Received {
    Message(MessageHeader),
    End { farewell: bool },
}

impl ServerConnection {
    pub(crate) fn new(
        core: &Arc<OrbCore>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
    ) -> Arc<Self> {
        Self::with(core, protocol, stream, None)
    }

    pub(super) fn with(
        core: &Arc<OrbCore>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
        lane: Option<InLane>,
    ) -> Arc<Self> {
        let options = core.options();
        // It fails only when the peer is gone by now, which the first read finds as well.
        let _ = stream.set_send_timeout(Some(options.send_timeout));
        let _ = stream.set_recv_timeout(options.idle_timeout);
        #[cfg(feature = "buffers")]
        let gathers_from = stream.gathers_from().unwrap_or(usize::MAX);
        let connection = Arc::new(Self {
            stream,
            core: Arc::clone(core),
            profile: protocol.profile_tag(),
            messaging: protocol.messaging(),
            connected: protocol.carries_replies(),
            wait: options.wait_policy().waits(),
            #[cfg(feature = "buffers")]
            gathers_from,
            sending: Sending::new(),
            lane,
            parked: Slot::empty(),
            upcalls: AtomicU32::new(0),
            looked_after: AtomicBool::new(false),
            overlapping: AtomicU32::new(0),
            slow: AtomicBool::new(false),
            crew: Crew::default(),
            closing: AtomicBool::new(false),
            parted: AtomicBool::new(false),
            set_up_by: AtomicUsize::new(0),
            band: AtomicI16::new(-1),
            buffer_strategy: AtomicU8::new(0),
        });
        connection.set_up_as_accepted();
        connection
    }

    /// From how many octets on the end of a reply is sent from where it lies.
    #[inline]
    pub(super) fn copy_threshold(&self) -> usize {
        let own = self.core.options().copy_threshold;
        #[cfg(feature = "buffers")]
        let own = own.min(self.gathers_from);
        own
    }

    /// Starts serving on a thread of its own.
    pub(crate) fn start(self: &Arc<Self>) -> io::Result<()> {
        self.begin(self.reading())
    }

    /// The reading role of a connection of which nothing has been read.
    pub(super) fn reading(&self) -> Box<Reading> {
        let max_message_size = self.core.options().max_message_size;
        let limits =
            Limits { max_message_size, max_partial_octets: max_message_size, ..Limits::default() };
        let agreed = match self.connected {
            true => zorb_giop::ServerConnection::speaking(self.messaging),
            false => zorb_giop::ServerConnection::connectionless(),
        };
        Reading::new(Inbound::new(limits).of(self.messaging), agreed)
    }

    /// The body of a serving thread.
    pub(super) fn run(self: &Arc<Self>) {
        let served = catch_unwind(AssertUnwindSafe(|| self.serve()));
        if served.is_err() {
            // A servant's drop panicked, say. The connection must not stay behind unserved.
            tracing::error!(peer = self.stream.peer(), "a serving thread panicked");
            self.break_off();
        }
    }

    /// Reads and serves requests until the connection ends or this thread is no longer needed.
    fn serve(self: &Arc<Self>) {
        Upcall::serve(self);
        let mut kept = Kept::default();
        let mut role = self.follow();
        self.rest();
        if let Err(error) = self.stream.establish() {
            tracing::warn!(peer = self.stream.peer(), %error, "connection refused");
            return self.break_off();
        }
        while let Some(mut reading) = role {
            probe!(Begin);
            let header = match self.receive(&mut reading) {
                Received::Message(header) => header,
                Received::End { farewell } => return self.leave(Some(farewell)),
            };
            role = match self.process(reading, &header, &mut kept) {
                Ok(Some(reading)) => Some(reading),
                Ok(None) => self.take_over(),
                Err(error) => {
                    self.refuse(&error);
                    return self.break_off();
                }
            };
            trim(&mut kept.reply);
        }
        self.leave(None);
    }

    /// Has the stream lend the end of the current message, which is whole then.
    #[cfg(feature = "buffers")]
    #[inline]
    pub(super) fn borrow_end(&self, reading: &mut Reading) -> Option<MessageHeader> {
        if self.messaging.is_some() {
            return None;
        }
        let missing = reading.inbound.missing_end()?;
        let end = self.stream.borrow(missing)?;
        let header = reading.inbound.end_is_elsewhere()?;
        reading.lent = Some(end);
        Some(header)
    }

    /// Waits for the next whole message, which is the inbound side's current one then.
    fn receive(&self, reading: &mut Reading) -> Received {
        // Mostly nothing is there before it is waited for.
        let mut some = reading.inbound.has_buffered();
        loop {
            if self.closing.load(Ordering::Acquire) {
                return Received::End { farewell: true };
            }
            if std::mem::replace(&mut some, true) {
                match reading.inbound.poll() {
                    Ok(Some(header)) => return Received::Message(header),
                    Ok(None) => {}
                    Err(error) => {
                        self.refuse(&error);
                        return Received::End { farewell: false };
                    }
                }
            }
            #[cfg(feature = "buffers")]
            if let Some(header) = self.borrow_end(reading) {
                return Received::Message(header);
            }
            let inbound = &mut reading.inbound;
            let space = inbound.space();
            probe!(MessagingReceive);
            let received = self.wait.recv(&*self.stream, space, self.core.options().idle_timeout);
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

    /// Does what the current message asks. The reading role comes back unless it was left for others
    /// to take.
    pub(super) fn process(
        self: &Arc<Self>,
        mut reading: Box<Reading>,
        header: &MessageHeader,
        kept: &mut Kept,
    ) -> Result<Option<Box<Reading>>, ProtocolError> {
        let Kept { request, reply, adapters, recalled } = kept;
        reading.inbound.take_into(request);
        let message = request.message();
        let parts = InParts::new(&request.seams);
        #[cfg(feature = "buffers")]
        let lent = reading.lent.take();
        #[cfg(feature = "buffers")]
        let parts = parts.with_end(lent.as_ref());
        match header.kind {
            MessageKind::Request => {
                let form = match self.messaging {
                    Some(messaging) if reading.agreed.remembers() => {
                        match self.recall(messaging, &mut reading, (message, header), recalled)? {
                            Some(form) => form,
                            None => return Ok(Some(reading)),
                        }
                    }
                    messaging => Form::new(messaging, header.version),
                };
                self.serve_in(form, reading, (message, &parts), header, (reply, adapters))
            }
            MessageKind::LocateRequest => {
                let form = Form::new(self.messaging, header.version);
                answer_locate(&self.core, message, (form, header), reply)?;
                self.send(reply);
                Ok(Some(reading))
            }
            MessageKind::CancelRequest => {
                let form = Form::new(self.messaging, header.version);
                let cancel = form.read_cancel_request(message, header)?;
                self.sending.cancel(cancel.request_id);
                Ok(Some(reading))
            }
            MessageKind::CloseConnection | MessageKind::MessageError => {
                self.parted.store(true, Ordering::Release);
                self.closing.store(true, Ordering::Release);
                Ok(Some(reading))
            }
            found => {
                Err(ProtocolErrorKind::WrongKind { expected: MessageKind::Request, found }.into())
            }
        }
    }

    /// Serves the Request in `message`, and sends its reply.
    #[inline(always)] // on the path of every call
    fn serve_in(
        self: &Arc<Self>,
        form: Form<'_>,
        reading: Box<Reading>,
        (message, parts): (&[u8], &InParts<'_>),
        header: &MessageHeader,
        (reply, adapters): (&mut Vec<u8>, &mut KnownAdapters),
    ) -> Result<Option<Box<Reading>>, ProtocolError> {
        let role = Cell::new(Some(reading));
        let (request_id, begun, overlaps) = (Cell::new(0), Cell::new(None), Cell::new(false));
        // Called once, when the header has been read: from here on others may read.
        let text = |request: &RequestHeader<'_>, form: Form<'_>| {
            request_id.set(request.request_id);
            let mut reading = role.take();
            let text = self.begin_request(reading.as_deref_mut(), request, form);
            match reading {
                Some(reading) if text.is_ok() && self.lane.is_some() => self.park_in_lane(reading),
                Some(mut reading) if text.is_ok() => {
                    // Behind a request that somebody waits for can only be another caller's.
                    if request.response.expects_reply() && self.is_shared(&mut reading) {
                        begun.set(Some(Instant::now()));
                        overlaps.set(self.slow.load(Ordering::Relaxed));
                    }
                    self.park(reading, overlaps.get());
                }
                reading => role.set(reading),
            }
            text
        };
        let mut send = |parts: &mut [IoSlice<'_>]| self.send_parts(request_id.get(), parts);
        let form = (form, header);
        let (by, into) = ((&self.core, Some(adapters)), (&mut *reply, self.copy_threshold()));
        let answer = answer_request(
            by,
            message,
            parts,
            form,
            &text,
            into,
            &mut (&mut send as SendParts<'_>),
        );
        Upcall::end();
        if overlaps.get() {
            self.overlapping.fetch_sub(1, Ordering::Relaxed);
        }
        if let Some(begun) = begun.get() {
            let slow = begun.elapsed() >= SLOW;
            if self.slow.load(Ordering::Relaxed) != slow {
                self.slow.store(slow, Ordering::Relaxed);
            }
        }
        if answer? == Answer::Reply {
            self.send_reply(request_id.get(), reply);
        }
        Ok(role.take())
    }

    /// Finds what a request of another messaging protocol leaves out, and puts what reads it into
    /// `recalled`. `None` when that is not known: the client has been asked for the whole request.
    #[inline(never)]
    pub(super) fn recall<'r>(
        &self,
        messaging: &'static dyn Messaging,
        reading: &mut Reading,
        (message, header): (&[u8], &MessageHeader),
        recalled: &'r mut Option<Arc<dyn Messaging>>,
    ) -> Result<Option<Form<'r>>, ProtocolError> {
        *recalled = match reading.agreed.recall(message, header)? {
            Recalled::Nothing => None,
            Recalled::By(reads) => Some(reads),
            Recalled::Unknown { request_id } => {
                self.ask_for_all(messaging, request_id);
                return Ok(None);
            }
        };
        Ok(Some(Form::Other(recalled.as_deref().unwrap_or(messaging))))
    }

    /// Takes note of a request in its turn on the wire; how its text is written.
    #[inline(always)] // on the path of every call
    pub(super) fn begin_request(
        &self,
        reading: Option<&mut Reading>,
        request: &RequestHeader<'_>,
        form: Form<'_>,
    ) -> Result<TextCoding, SystemException> {
        // There always is one: a request begins once.
        let Some(reading) = reading else { return Ok(TextCoding::default()) };
        let text = match form {
            Form::Giop(version) => {
                reading.agreed.begin_request(version, &request.service_contexts)?
            }
            Form::Other(messaging) => messaging.text(),
        };
        self.sending.begin_request(request.request_id, reading.agreed.highest_version());
        Ok(text)
    }
}

#[cfg(test)]
mod tests;
