//! The client side of a connection.

mod failures;
mod outstanding;
mod request;
mod session;

use alloc::vec::Vec;

use zorb_cdr::ByteOrder;

use super::{ConnectionEnd, RequestIds};
use crate::{
    GiopVersion, Inbound, MessageFormat, MessageHeader, MessageKind, Messaging, ProtocolError,
    ProtocolErrorKind, ReplyStart,
};
use outstanding::{Answered, Outstanding, Requests, State};
pub use request::{Announcement, BeginError, BegunRequest, NewRequest, RequestKind};
pub use session::ClientSession;

/// The maximum number of outstanding requests of a connection, unless
/// [another limit](ClientConnection::with_max_outstanding) is set.
pub const MAX_OUTSTANDING: usize = 65_536;

/// The state machine of the client side of a connection, without I/O: which requests are outstanding, and how
/// each of them ends.
///
/// A driver does the I/O and reads the clock. It writes each request with the id from
/// [`begin`](Self::begin), reports it [`sent`](Self::sent), receives into an [`Inbound`], and passes every
/// message from it to [`receive`](Self::receive). It calls [`handle_timeout`](Self::handle_timeout) at the
/// time of [`poll_timeout`](Self::poll_timeout) and [`end`](Self::end) at the end of the stream, sends what
/// [`poll_transmit`](Self::poll_transmit) writes, and takes failed requests from
/// [`poll_failed`](Self::poll_failed). Exclusive and multiplexed connections are two drivers; `C` is what a
/// driver stores for each outstanding request.
///
/// ```
/// use zorb_cdr::ByteOrder;
/// use zorb_giop::{
///     ClientConnection, ClientSession, MessageFormat, GiopVersion, Inbound, Limits, MessageWriter,
///     NewRequest, Received, ReplyStatus, RequestKind,
/// };
///
/// let version = GiopVersion::V1_2;
/// let mut connection = ClientConnection::new(ClientSession::default(), None);
/// let request = NewRequest {
///     kind: RequestKind::Twoway,
///     form: MessageFormat::Giop(version),
///     key: b"key",
///     operation: "add",
///     code_sets: None,
///     announced: 0,
///     deadline: None,
/// };
/// let begun = connection.begin(&request, true, "my call")?;
/// // ... write the request and send it ...
/// connection.sent(&begun);
///
/// let (mut octets, order) = (Vec::new(), ByteOrder::Little);
/// let (id, status) = (begun.request_id, ReplyStatus::NoException);
/// MessageWriter::reply(&mut octets, version, order, id, status, &[])?.finish()?;
/// let mut inbound = Inbound::new(Limits::default());
/// inbound.space()[..octets.len()].copy_from_slice(&octets);
/// inbound.advance(octets.len());
/// let header = inbound.poll()?.expect("a whole message");
/// assert!(matches!(connection.receive(&inbound, &header), Received::Reply(reply)
///     if reply.request_id == id));
/// assert_eq!(connection.finish(id), Some("my call"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ClientConnection<C = ()> {
    ids: RequestIds,
    requests: Requests<C>,
    /// The negotiated state.
    session: ClientSession,
    messaging: Option<&'static dyn Messaging>,
    max_outstanding: usize,
    /// The highest version of the requests so far.
    highest: GiopVersion,
    /// Whether new requests are refused.
    closing: bool,
    end: Option<ConnectionEnd>,
    /// CancelRequests that have not been written yet.
    cancels: Vec<(u32, GiopVersion)>,
    /// Whether the last message to the server, if there is one, was written.
    last_message_written: bool,
}

/// The meaning of a message from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// The Reply to an outstanding request, which stays outstanding until the driver
    /// [finishes](ClientConnection::finish) it.
    Reply(ReplyStart),
    /// The LocateReply to the outstanding request with this id, likewise.
    LocateReply(u32),
    /// The reply to a request that was cancelled, timed out or answered before: ignore it.
    Late,
    /// It ended the connection: see [`ended`](ClientConnection::ended). Do not read further messages.
    End,
}

impl<C> ClientConnection<C> {
    /// A new connection that this side has opened, with the messaging protocol `messaging` if it is not GIOP.
    pub const fn new(session: ClientSession, messaging: Option<&'static dyn Messaging>) -> Self {
        Self {
            ids: RequestIds::initiator(),
            requests: Requests::new(),
            session,
            messaging,
            max_outstanding: MAX_OUTSTANDING,
            highest: GiopVersion::V1_0,
            closing: false,
            end: None,
            cancels: Vec::new(),
            last_message_written: false,
        }
    }

    /// The same with another limit on outstanding requests.
    #[must_use]
    pub fn with_max_outstanding(self, max_outstanding: usize) -> Self {
        Self { max_outstanding, ..self }
    }

    /// The negotiated state.
    pub fn session(&mut self) -> &mut ClientSession {
        &mut self.session
    }

    /// Whether a request would announce something that later requests rely on: then send it before any other
    /// request is [begun](Self::begin).
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn must_be_sent_first(&mut self, request: &NewRequest<'_>) -> Result<bool, BeginError> {
        let announcement = self.session.prepare(request, false)?.1;
        Ok(announcement.must_be_sent_first() || self.session.announced_by(request) != 0)
    }

    /// Begins a request: allocates its id, and determines how to write it. Unless it is one-way, it is
    /// outstanding until the driver [finishes](Self::finish) it, [cancels](Self::cancel) it or takes it from
    /// [`poll_failed`](Self::poll_failed). `is_next` is whether it is the next message on the wire.
    ///
    /// # Errors
    /// The connection has ended, too many requests are outstanding, or the two sides have no code set in
    /// common.
    #[inline(always)] // as `Inbound::poll`
    pub fn begin(
        &mut self,
        request: &NewRequest<'_>,
        is_next: bool,
        call: C,
    ) -> Result<BegunRequest, BeginError> {
        if self.closing {
            return Err(BeginError::Ended);
        }
        let (text, announcement) = self.session.prepare(request, is_next)?;
        let announced = self.session.announced_by(request);
        let request_id = match self.requests.is_empty() {
            true => self.ids.allocate(),
            false => self.allocate_free()?,
        };
        let version = request.form.version();
        self.highest = self.highest.max(version);
        if request.kind != RequestKind::Oneway {
            self.requests.insert(Outstanding {
                id: request_id,
                kind: request.kind,
                state: State::Unsent,
                version,
                partly_answered: false,
                deadline: request.deadline,
                call,
            });
        }
        Ok(BegunRequest { request_id, text, announcement, announced })
    }

    /// [Begins](Self::begin) a two-way request that announces nothing, and reports it [sent ahead](Self::sent_ahead); `None`
    /// if it would announce something, or cannot begin. `call` is called if it begins.
    #[inline]
    pub fn begin_sent(
        &mut self,
        request: &NewRequest<'_>,
        call: impl FnOnce() -> C,
    ) -> Option<BegunRequest> {
        if self.closing {
            return None;
        }
        let (text, announcement) = self.session.prepare(request, false).ok()?;
        if announcement != Announcement::Nothing || self.session.announced_by(request) != 0 {
            return None;
        }
        if self.requests.len() >= self.max_outstanding {
            return None;
        }
        let id = self.requests.free_id(&mut self.ids)?;
        let version = request.form.version();
        self.highest = self.highest.max(version);
        self.requests.insert(Outstanding {
            id,
            kind: RequestKind::Twoway,
            state: State::Sent,
            version,
            partly_answered: false,
            deadline: request.deadline,
            call: call(),
        });
        Some(BegunRequest { request_id: id, text, announcement, announced: 0 })
    }

    #[inline(never)]
    fn allocate_free(&mut self) -> Result<u32, BeginError> {
        let limit = self.max_outstanding;
        if self.requests.len() >= limit {
            return Err(BeginError::TooManyRequests { limit });
        }
        self.requests.free_id(&mut self.ids).ok_or(BeginError::TooManyRequests { limit })
    }

    /// Reports that the whole request was passed to the transport.
    #[inline]
    pub fn sent(&mut self, begun: &BegunRequest) {
        if begun.must_be_sent_first() {
            self.announced(begun);
        }
        match self.requests.get_mut(begun.request_id) {
            Some(request) if request.state == State::Unsent => request.state = State::Sent,
            Some(_) => self.sent_late(begun.request_id),
            // A one-way request is not outstanding.
            None => {}
        }
    }

    /// As [`sent`](Self::sent) for a request that the driver is about to send, without what it announces.
    pub fn sent_ahead(&mut self, request_id: u32) {
        if let Some(request) = self.requests.get_mut(request_id)
            && request.state == State::Unsent
        {
            request.state = State::Sent;
        }
    }

    /// Reports that a request was not passed to the transport, which was reported [ahead](Self::sent_ahead).
    #[cold]
    pub fn unsent(&mut self, request_id: u32) {
        if let Some(request) = self.requests.get_mut(request_id)
            && request.state == State::Sent
        {
            request.state = State::Unsent;
        }
    }

    #[cold]
    fn announced(&mut self, begun: &BegunRequest) {
        if begun.announcement.must_be_sent_first() {
            self.session.announced();
        }
        self.session.sent_number(begun.announced);
    }

    /// Cancels a request that was passed to the transport after its time limit.
    #[cold]
    fn sent_late(&mut self, request_id: u32) {
        if let Some(request) = self.requests.get_mut(request_id)
            && request.state == (State::TimedOut { sent: false })
        {
            request.state = State::TimedOut { sent: true };
            let version = request.version;
            self.queue_cancel(request_id, version);
        }
    }

    /// Processes the current message of `inbound`, whose header `poll` returned.
    #[inline]
    pub fn receive(&mut self, inbound: &Inbound, header: &MessageHeader) -> Received {
        if header.kind == MessageKind::Reply && self.end.is_none() {
            let form = MessageFormat::new(self.messaging, header.version);
            if let Ok(start) = form.read_reply_start(inbound.current(), header)
                && let Some(request) = self.requests.get_mut(start.request_id)
                && request.kind == RequestKind::Twoway
                && matches!(request.state, State::Sent | State::Unsent)
            {
                request.state = State::Answered;
                return Received::Reply(start);
            }
        }
        self.receive_other(inbound, *header)
    }

    #[cold]
    fn receive_other(&mut self, inbound: &Inbound, header: MessageHeader) -> Received {
        if self.end.is_some() {
            return Received::End;
        }
        let form = MessageFormat::new(self.messaging, header.version);
        let message = inbound.current();
        let (id, kind) = match header.kind {
            MessageKind::Reply => match form.read_reply_start(message, &header) {
                Ok(start) => (start.request_id, RequestKind::Twoway),
                Err(error) => return self.end_with(error),
            },
            MessageKind::LocateReply => match form.read_locate_reply(message, &header) {
                Ok((reply, _)) => (reply.request_id, RequestKind::Locate),
                Err(error) => return self.end_with(error),
            },
            MessageKind::CloseConnection => {
                for request in self.requests.iter_mut() {
                    request.partly_answered = inbound.has_fragments_of(request.id);
                }
                self.end(ConnectionEnd::CloseConnection);
                return Received::End;
            }
            MessageKind::MessageError => {
                self.end(ConnectionEnd::MessageError);
                return Received::End;
            }
            found => {
                let expected = MessageKind::Reply;
                return self.end_with(ProtocolErrorKind::WrongKind { expected, found }.into());
            }
        };
        if !self.ids.has_issued(id) {
            return self.end_with(ProtocolErrorKind::UnknownRequestId(id).into());
        }
        match self.requests.get_mut(id) {
            Some(request) if matches!(request.state, State::Sent | State::Unsent) => {
                if request.kind != kind {
                    return self.end_with(ProtocolErrorKind::WrongReply(id).into());
                }
                request.state = State::Answered;
                Received::LocateReply(id)
            }
            _ => Received::Late,
        }
    }

    fn end_with(&mut self, error: ProtocolError) -> Received {
        self.end(ConnectionEnd::ProtocolError(error));
        Received::End
    }

    /// What the driver has stored for an outstanding request.
    #[inline]
    pub fn call_mut(&mut self, request_id: u32) -> Option<&mut C> {
        self.requests.get_mut(request_id).map(|request| &mut request.call)
    }

    /// What the driver has stored for each outstanding request.
    pub fn calls_mut(&mut self) -> impl Iterator<Item = &mut C> {
        self.requests.iter_mut().map(|request| &mut request.call)
    }

    /// The number of outstanding requests.
    pub fn outstanding(&self) -> usize {
        self.requests.len()
    }

    /// Removes a request whose reply has been read, or that has failed.
    #[inline]
    pub fn finish(&mut self, request_id: u32) -> Option<C> {
        self.requests.remove(request_id).map(|request| request.call)
    }

    /// [Processes](Self::receive) the current message of `inbound`. If it is a reply, and `wanted` accepts what the driver
    /// has stored for the request, [finishes](Self::finish) the request and returns that.
    #[inline]
    pub fn receive_and_finish(
        &mut self,
        inbound: &Inbound,
        header: &MessageHeader,
        wanted: impl FnOnce(&C) -> bool,
    ) -> (Received, Option<C>) {
        if header.kind == MessageKind::Reply && self.end.is_none() {
            let form = MessageFormat::new(self.messaging, header.version);
            if let Ok(start) = form.read_reply_start(inbound.current(), header) {
                match self.requests.answer(start.request_id, wanted) {
                    Answered::Kept => return (Received::Reply(start), None),
                    Answered::Finished(call) => return (Received::Reply(start), Some(call)),
                    Answered::Nothing => {}
                }
            }
        }
        (self.receive_other(inbound, *header), None)
    }

    /// Removes all outstanding requests, for the next call. Requests without a reply are
    /// [cancelled](Self::cancel).
    #[inline]
    pub fn finish_all(&mut self) {
        if !self.requests.finish_answered() {
            self.cancel_all();
        }
    }

    #[cold]
    fn cancel_all(&mut self) {
        let ids: Vec<_> = self.requests.iter().map(|request| request.id).collect();
        for id in ids {
            self.cancel(id);
        }
    }

    /// Removes a request for which nobody waits any more. If a reply may still arrive, a CancelRequest is
    /// queued.
    pub fn cancel(&mut self, request_id: u32) -> Option<C> {
        let request = self.requests.remove(request_id)?;
        if request.state == State::Sent {
            self.queue_cancel(request_id, request.version);
        }
        Some(request.call)
    }

    fn queue_cancel(&mut self, request_id: u32, version: GiopVersion) {
        let Self { cancels, end, max_outstanding, .. } = self;
        queue_cancel(cancels, *end, *max_outstanding, (request_id, version));
    }

    /// Refuses new requests. When none is outstanding, [`poll_transmit`](Self::poll_transmit) writes the
    /// CloseConnection.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// Ends the connection, or reports that it has ended; the first cause counts. Every outstanding request
    /// without a reply has then failed.
    pub fn end(&mut self, end: ConnectionEnd) {
        self.end.get_or_insert(end);
        self.closing = true;
        self.cancels.clear();
    }

    /// How the connection ended, if it has.
    pub fn ended(&self) -> Option<ConnectionEnd> {
        self.end
    }

    /// Whether it has ended, or refuses new requests.
    pub fn is_closing(&self) -> bool {
        self.closing
    }

    /// Clears `buffer` and writes the next message of the connection itself into it: a CancelRequest, the
    /// CloseConnection, or the MessageError after a protocol violation. Returns `false` if there is none. The
    /// latter two [end](Self::ended) the connection: send them, then close the stream.
    pub fn poll_transmit(&mut self, buffer: &mut Vec<u8>) -> bool {
        let order = ByteOrder::NATIVE;
        if !self.cancels.is_empty() {
            let (id, version) = self.cancels.remove(0);
            MessageFormat::new(self.messaging, version).cancel_request(buffer, order, id);
            return true;
        }
        let form = MessageFormat::new(self.messaging, self.highest);
        match self.end {
            None if self.closing && self.requests.is_empty() => {
                self.end = Some(ConnectionEnd::ClosedLocally);
                self.last_message_written = true;
                // Before GIOP 1.2 only a server sends it.
                let sends = self.highest >= GiopVersion::V1_2 && !self.session.is_connectionless();
                if sends {
                    form.close_connection(buffer, order);
                }
                sends
            }
            Some(ConnectionEnd::ProtocolError(error))
                if error.answer_message_error && !self.last_message_written =>
            {
                self.last_message_written = true;
                form.message_error(buffer, order);
                true
            }
            _ => false,
        }
    }
}

/// CancelRequests are only hints: beyond the limit, the oldest one is dropped.
#[cold]
fn queue_cancel(
    cancels: &mut Vec<(u32, GiopVersion)>,
    end: Option<ConnectionEnd>,
    limit: usize,
    cancel: (u32, GiopVersion),
) {
    if end.is_some() {
        return;
    }
    if cancels.len() >= limit.max(1) {
        cancels.remove(0);
    }
    cancels.push(cancel);
}

impl<C> Default for ClientConnection<C> {
    fn default() -> Self {
        Self::new(ClientSession::default(), None)
    }
}
