//! One client connection: its stream, buffers and what was agreed on it.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::Duration;

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    CodeSetContext, ConnectionEnd, FailureCause, Form, GiopVersion, Inbound, Limits, Mention,
    MessageHeader, MessageKind, Messaging, ProtocolError, ProtocolErrorKind, RequestBuffer,
    RequestFailure, RequestIds, RequestProgress, negotiate,
};
use zorb_os::clock::MonotonicTime;
use zorb_os::probe;
#[cfg(feature = "buffers")]
use zorb_transport::ReceivedBuffer;
use zorb_transport::{Stream, WaitPolicy, Waits};
use zorb_types::SystemException;

use super::line::Received;
use super::patience::Patience;
use super::route::Route;
use crate::gather::{Tail, WriteBody};
use crate::orb::OrbCore;

/// How long to try to send a few last words to a server that may have stopped to read.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(100);

/// A connection that nothing was heard of for longer than this is looked at before it is used
/// again: the server may have closed it meanwhile.
const FRESH: Duration = Duration::from_millis(500);

/// When something was last heard of a connection, to a few milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alive(MonotonicTime);

impl Alive {
    #[inline]
    pub(super) fn now() -> Self {
        Self(MonotonicTime::coarse())
    }

    /// Whether that was just now.
    #[inline]
    pub(super) fn is_fresh(self) -> bool {
        Self::now().is_soon_after(self)
    }

    /// Whether nothing has to have been heard between `earlier` and this moment.
    #[inline]
    fn is_soon_after(self, earlier: Self) -> bool {
        self.0.nanos_since(earlier.0) < FRESH.as_nanos() as u64
    }
}

/// What ended the wait for a reply without one.
#[derive(Debug)]
pub(super) enum NoReply {
    /// The server said it closes; it has not processed the request.
    Closed,
    /// The stream ended or failed.
    Lost(Option<io::Error>),
    /// The time ran out.
    TimedOut,
    /// The server could not understand the request.
    MessageError,
    /// The server's messages could not be understood.
    Broken(ProtocolError),
}

impl NoReply {
    /// How it ended the connection; a wait that took too long does not.
    pub(super) fn end(&self) -> Option<ConnectionEnd> {
        match self {
            Self::Closed => Some(ConnectionEnd::CloseConnection),
            Self::Lost(_) => Some(ConnectionEnd::Lost),
            Self::MessageError => Some(ConnectionEnd::MessageError),
            Self::Broken(error) => Some(ConnectionEnd::ProtocolError(*error)),
            Self::TimedOut => None,
        }
    }
}

/// What a client lets a server make it hold.
pub(super) fn limits(max_message_size: usize) -> Limits {
    Limits { max_message_size, max_partial_octets: max_message_size, ..Limits::default() }
}

/// Whether a request, whose connection ended so, is to be sent again over another one: the protocol
/// allows it, and it is of use. A connection that broke after it had been good (`used`) is one that
/// its server gave up while it lay idle; a new one that breaks would break again.
#[cold]
pub(super) fn sends_again(end: ConnectionEnd, progress: RequestProgress, used: bool) -> bool {
    let of_use = match end {
        ConnectionEnd::CloseConnection => true,
        ConnectionEnd::Lost => used,
        ConnectionEnd::MessageError
        | ConnectionEnd::ProtocolError(_)
        | ConnectionEnd::ClosedHere => false,
    };
    of_use && RequestFailure { cause: FailureCause::Ended(end), progress }.is_safe_to_resend()
}

/// What a message is that answers no request.
#[cold]
fn no_reply(found: MessageKind) -> NoReply {
    match found {
        MessageKind::CloseConnection => NoReply::Closed,
        MessageKind::MessageError => NoReply::MessageError,
        found => {
            let expected = MessageKind::Reply;
            NoReply::Broken(ProtocolErrorKind::WrongKind { expected, found }.into())
        }
    }
}

/// How a request begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    pub(super) request_id: u32,
    /// How its text is written.
    pub(super) text: TextCoding,
    /// What it has to tell the server.
    pub(super) tells: Tells,
}

/// What a request tells the server beside what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    Nothing,
    CodeSets(CodeSetContext),
    /// How it says which object and operation are meant.
    Mention(Mention),
}

impl Tells {
    /// Whether requests that are sent later rely on it.
    pub(super) fn is_first(self) -> bool {
        matches!(self, Self::CodeSets(_) | Self::Mention(Mention::Introduce(_)))
    }
}

impl Opened {
    /// Agrees with the server on code sets, once a connection, and finds what follows for a request;
    /// its id is chosen after that. `in_turn` is whether the request is the next to be sent.
    #[inline(always)] // on the path of every call
    pub(super) fn agree(
        agreed: &mut zorb_giop::ClientSession,
        core: &OrbCore,
        route: &Route,
        operation: &str,
        expected: Option<MessageKind>,
        in_turn: bool,
    ) -> Result<Self, SystemException> {
        if expected == Some(MessageKind::LocateReply) {
            // It has neither text nor service contexts.
            let text = TextCoding::default();
            return Ok(Self { request_id: 0, text, tells: Tells::Nothing });
        }
        let version = match route.form {
            Form::Giop(version) => version,
            Form::Other(messaging) if !agreed.remembers() => {
                let text = messaging.text();
                return Ok(Self { request_id: 0, text, tells: Tells::Nothing });
            }
            Form::Other(messaging) => {
                return Ok(Self::mention(agreed, messaging, &route.key, operation, in_turn));
            }
        };
        // The code sets go with the first request of the connection whose version has service
        // contexts for them, when the server has named its own.
        if let Some(server) = &route.code_sets
            && agreed.code_sets().is_none()
        {
            agreed.agree_on(negotiate(core.code_sets(), server)?);
        }
        let code_sets = agreed.code_sets_to_send(version);
        let tells = code_sets.map_or(Tells::Nothing, Tells::CodeSets);
        Ok(Self { request_id: 0, text: agreed.text(version)?, tells })
    }

    /// The same where there is another messaging protocol.
    #[inline(never)]
    fn mention(
        agreed: &mut zorb_giop::ClientSession,
        messaging: &dyn Messaging,
        key: &[u8],
        operation: &str,
        in_turn: bool,
    ) -> Self {
        let mention = agreed.mention(key, operation, in_turn);
        let tells = mention.map_or(Tells::Nothing, Tells::Mention);
        Self { request_id: 0, text: messaging.text(), tells }
    }
}

/// A connection to a server, used by one call at a time.
#[derive(Debug)]
pub(crate) struct ClientConnection {
    pub(super) stream: Arc<dyn Stream>,
    pub(super) inbound: Inbound,
    pub(super) outgoing: RequestBuffer,
    pub(super) ids: RequestIds,
    /// What was agreed on with the server.
    pub(super) state: zorb_giop::ClientSession,
    /// Whether an earlier call had it.
    pub(super) used: bool,
    /// Whether the server has been told which band of priorities it is for.
    pub(super) band_told: bool,
    /// When it was last known to be alive: sending a one-way request does not show that.
    pub(super) alive: Alive,
    /// When its present call began.
    begun: Alive,
    /// Whether it was opened although there were as many as there may be.
    pub(super) beyond_limit: bool,
    /// What was sent last was written in it.
    pub(super) form: Form<'static>,
    /// From how many octets on the end of a message is sent from where it lies.
    pub(super) copy_threshold: usize,
    /// The end of the current message, where the stream has lent it.
    #[cfg(feature = "buffers")]
    lent: Option<ReceivedBuffer>,
    wait: Waits,
    /// The stream's time-outs, once they were set.
    limits: Limited,
}

/// What was set last, so that setting it again is not even a call.
#[derive(Debug, Default)]
struct Limited {
    sending: Option<Option<Duration>>,
    receiving: Option<Option<Duration>>,
}

impl ClientConnection {
    pub(super) fn new(
        stream: Arc<dyn Stream>,
        messaging: Option<&'static dyn Messaging>,
        (max_message_size, copy_threshold): (usize, usize),
        wait: WaitPolicy,
    ) -> Self {
        let preferred = stream.gathers_from().unwrap_or(usize::MAX);
        Self {
            copy_threshold: copy_threshold.min(preferred),
            stream,
            inbound: Inbound::new(limits(max_message_size)).of(messaging),
            outgoing: RequestBuffer::default(),
            ids: RequestIds::initiator(),
            state: zorb_giop::ClientSession::speaking(messaging, false),
            used: false,
            band_told: false,
            alive: Alive::now(),
            begun: Alive::now(),
            beyond_limit: false,
            form: Form::new(messaging, GiopVersion::V1_0),
            #[cfg(feature = "buffers")]
            lent: None,
            wait: wait.waits(),
            limits: Limited::default(),
        }
    }

    /// Whether it may be used without a look at it.
    #[inline]
    pub(super) fn is_fresh(&self) -> bool {
        self.alive.is_fresh()
    }

    /// The same for a call that begins now.
    #[inline]
    pub(super) fn begin(&mut self) -> bool {
        self.begun = Alive::now();
        self.begun.is_soon_after(self.alive)
    }

    #[inline]
    fn limit_sending(&mut self, limit: Option<Duration>) -> io::Result<()> {
        if self.limits.sending != Some(limit) {
            self.stream.set_send_timeout(limit)?;
            self.limits.sending = Some(limit);
        }
        Ok(())
    }

    #[inline]
    fn limit_receiving(&mut self, limit: Option<Duration>) -> io::Result<()> {
        if self.limits.receiving != Some(limit) {
            self.stream.set_recv_timeout(limit)?;
            self.limits.receiving = Some(limit);
        }
        Ok(())
    }

    /// Sends the request in the outgoing buffer.
    #[inline]
    pub(super) fn send(&mut self, form: Form<'static>, patience: &Patience) -> io::Result<()> {
        self.form = form;
        self.limit_sending(patience.next_wait()?)?;
        probe!(MessagingSend);
        let sent = self.stream.send_all(self.outgoing.octets());
        probe!(TransportSend);
        sent
    }

    /// Sends the request in the outgoing buffer and its tail, which `arguments` wrote.
    pub(super) fn send_with(
        &mut self,
        form: Form<'static>,
        patience: &Patience,
        tail: Tail,
        text: TextCoding,
        arguments: WriteBody<'_>,
    ) -> io::Result<()> {
        self.form = form;
        self.limit_sending(patience.next_wait()?)?;
        probe!(MessagingSend);
        let mut send = |parts: &mut [IoSlice<'_>]| self.stream.send_vectored_all(parts);
        let sent = tail.send(self.outgoing.behind_header(), text, arguments, &mut send);
        probe!(TransportSend);
        sent
    }

    /// Waits for the reply to `request_id`; it is the inbound side's current message then.
    #[inline]
    pub(super) fn receive(
        &mut self,
        request_id: u32,
        patience: &Patience,
    ) -> Result<Received<'_>, NoReply> {
        let (order, start) = loop {
            #[cfg(feature = "buffers")]
            self.let_go();
            let header = self.next_message(patience)?;
            if header.kind == MessageKind::Reply {
                let start = self.form.read_reply_start(self.inbound.current(), &header);
                let start = start.map_err(NoReply::Broken)?;
                if start.request_id == request_id {
                    break (header.order, start);
                }
                // Otherwise the reply to a call that timed out before: nobody waits for it.
            }
        };
        let (message, seams) = (self.inbound.current(), self.inbound.seams());
        Ok(Received {
            message,
            seams,
            #[cfg(feature = "buffers")]
            end: self.lent.as_ref(),
            order,
            start,
        })
    }

    /// Lets go of the end of a message that has been read.
    #[cfg(feature = "buffers")]
    #[inline]
    pub(super) fn let_go(&mut self) {
        if self.lent.is_some() {
            self.lent = None;
        }
    }

    /// Has the stream lend the end of the next message, which is whole then.
    #[cfg(feature = "buffers")]
    fn borrow_end(&mut self) -> Option<MessageHeader> {
        if self.form.other().is_some() {
            return None;
        }
        let missing = self.inbound.missing_end()?;
        let end = self.stream.borrow(missing)?;
        let header = self.inbound.end_is_elsewhere()?;
        self.lent = Some(end);
        Some(header)
    }

    /// Waits for the next Reply or LocateReply.
    #[inline(always)] // on the path of every call, and in a second place
    pub(super) fn next_message(&mut self, patience: &Patience) -> Result<MessageHeader, NoReply> {
        // Mostly nothing is there before it is waited for.
        if !self.inbound.has_buffered() {
            self.receive_more(patience)?;
        }
        loop {
            let polled = self.inbound.poll();
            #[cfg(feature = "buffers")]
            let polled = match polled {
                Ok(None) => Ok(self.borrow_end()),
                polled => polled,
            };
            match polled {
                Ok(Some(header)) => match header.kind {
                    MessageKind::Reply | MessageKind::LocateReply => {
                        // In truth later than that; it saves a look at the clock.
                        self.alive = self.begun;
                        return Ok(header);
                    }
                    found => return Err(no_reply(found)),
                },
                Ok(None) => self.receive_more(patience)?,
                Err(error) => return Err(NoReply::Broken(error)),
            }
        }
    }

    /// Receives what comes next of the stream.
    #[inline]
    fn receive_more(&mut self, patience: &Patience) -> Result<(), NoReply> {
        // Anew for every wait: the server may send its reply octet by octet, or the replies to
        // other requests without end.
        let received = patience.next_wait().and_then(|limit| {
            self.limit_receiving(limit)?;
            let space = self.inbound.space();
            probe!(MessagingReceive);
            self.wait.recv(&*self.stream, space, limit)
        });
        probe!(TransportReceive);
        match received {
            Ok(count) if count > 0 => {
                self.inbound.advance(count);
                Ok(())
            }
            Ok(_) => Err(NoReply::Lost(None)),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(NoReply::TimedOut),
            Err(error) => Err(NoReply::Lost(Some(error))),
        }
    }

    /// Whether a request is to be sent again: see [`sends_again`].
    #[cold]
    pub(super) fn sends_again(&self, end: ConnectionEnd, progress: RequestProgress) -> bool {
        sends_again(end, progress, self.used)
    }

    /// Tells the server that the reply to `request_id` is no longer waited for.
    #[cold]
    pub(super) fn cancel(&mut self, request_id: u32) -> io::Result<()> {
        let (form, order) = (self.form, ByteOrder::NATIVE);
        form.cancel_request(self.outgoing.any_octets(), order, request_id);
        self.limit_sending(Some(LAST_WORDS))?;
        self.stream.send_all(self.outgoing.octets())
    }

    /// Closes the connection; from GIOP 1.2 on a client says so first.
    #[cold]
    pub(super) fn say_goodbye(&mut self) {
        if self.form.version() >= GiopVersion::V1_2 && !self.state.is_connectionless() {
            let (form, order) = (self.form, ByteOrder::NATIVE);
            form.close_connection(self.outgoing.any_octets(), order);
            // When it does not arrive the server notices the end of the stream all the same.
            let limited = self.limit_sending(Some(LAST_WORDS));
            let _ = limited.and_then(|()| self.stream.send_all(self.outgoing.octets()));
        }
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
