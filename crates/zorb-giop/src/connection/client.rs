//! The client side of a connection.

mod failures;
mod outstanding;
mod receiving;
mod request;
mod sending;
mod session;

use alloc::vec::Vec;

use zorb_cdr::ByteOrder;

use super::{ConnectionEnd, RequestIds};
use crate::{GiopVersion, MessageFormat, Messaging, ReplyStart};
use outstanding::{Requests, State};
pub use request::{Announcement, BeginError, BegunRequest, NewRequest, RequestKind};
pub use session::ClientSession;

/// The maximum number of outstanding requests of a connection, unless
/// [another limit](ClientConnection::with_max_outstanding) is set.
pub const MAX_OUTSTANDING: usize = 65_536;

/// The state machine of the client side of a connection, without I/O: which requests are outstanding, and how
/// each of them ends.
///
/// A driver does the I/O and reads the clock. It writes each request with the id from
/// [`begin`](Self::begin), reports it [`sent`](Self::sent), receives into an [`Inbound`](crate::Inbound), and passes every
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
