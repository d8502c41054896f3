//! A connection's buffers, which outlive it.

use alloc::vec::Vec;
use core::time::Duration;

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, MessageHeader};

use crate::endpoint::Encoding;
use crate::head::Head;
use crate::inbound::{Inbound, Unusable};
use crate::time::Moment;
use crate::{Endpoint, Limits, Os, OsError, Socket, room};

/// How long a connection needs no check before it is used again. A one-way call is lost if the server closes the connection
/// in this time; the full ORB has the same one. A check is a system call, of two that a one-way call makes.
const UNCHECKED: Duration = Duration::from_millis(20);

/// A connection, or the place for one.
#[derive(Debug)]
pub(crate) struct Link {
    socket: Option<Socket>,
    /// The server's endpoint.
    endpoint: Option<Endpoint>,
    pub(crate) inbound: Inbound,
    /// The message that is being sent.
    pub(crate) outbound: Vec<u8>,
    /// In a client: the header of the request there, if the next one may have the same.
    pub(crate) head: Option<Head>,
    /// Octets of it that have been sent.
    sent: usize,
    /// When the last message began to be received or sent; in a client, the deadline of the last call. Octets in the middle
    /// of a message do not count: a peer that sends or takes one now and then is as slow as one that stopped.
    active: Moment,
    /// In a client: the beginning of the last call that found the connection open.
    alive: Option<Moment>,
    /// Whether the connection ends as soon as the message has been sent.
    pub(crate) is_ending: bool,
    /// The version of the last message that has been received.
    pub(crate) version: GiopVersion,
    /// Whether there may be something to receive or to answer.
    pub(crate) is_ready: bool,
    /// Whether something has been received that waits for more urgent requests.
    pub(crate) is_waiting: bool,
}

/// How far a message has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flushed {
    All,
    /// The peer does not read fast enough.
    Blocked,
}

impl Link {
    /// Allocates the buffers; `None` without memory for them.
    pub(crate) fn new(limits: &Limits) -> Option<Self> {
        let size = limits.max_message_size;
        let mut outbound = Vec::new();
        outbound.try_reserve_exact(size).ok()?;
        Some(Self {
            socket: None,
            endpoint: None,
            inbound: Inbound::new(size)?,
            outbound,
            head: None,
            sent: 0,
            active: Moment::ZERO,
            alive: None,
            is_ending: false,
            version: GiopVersion::V1_2,
            is_ready: false,
            is_waiting: false,
        })
    }

    /// Allocates several, as far as there is memory.
    pub(crate) fn several(count: usize, limits: &Limits) -> Vec<Self> {
        let mut links = Vec::new();
        if links.try_reserve_exact(count).is_ok() {
            let mut all = (0..count).map_while(|_| Self::new(limits));
            all.all(|link| room::push(&mut links, link));
        }
        links
    }

    /// Begins a connection.
    pub(crate) fn open(&mut self, socket: Socket, endpoint: Endpoint, now: Moment) {
        self.inbound.reset();
        self.outbound.clear();
        (self.sent, self.active, self.is_ending) = (0, now, false);
        (self.alive, self.head) = (None, None);
        (self.is_ready, self.is_waiting) = (false, false);
        (self.socket, self.endpoint) = (Some(socket), Some(endpoint));
        self.version = GiopVersion::V1_2;
    }

    /// The encoding of messages, in the version of the last one that has been received.
    pub(crate) fn encoding(&self) -> Encoding {
        self.endpoint.as_ref().map_or(Encoding::GIOP, |endpoint| endpoint.encoding(self.version))
    }

    /// Whether messages are datagrams.
    pub(crate) fn is_datagram(&self) -> bool {
        self.endpoint.as_ref().is_some_and(|endpoint| endpoint.address.is_datagram())
    }

    /// The priority of its lane.
    pub(crate) fn priority(&self) -> Option<i16> {
        self.endpoint.as_ref().and_then(Endpoint::priority)
    }

    /// Ends the connection.
    pub(crate) fn close(&mut self, os: &mut impl Os) {
        if let Some(socket) = self.socket.take() {
            os.close(socket);
        }
    }

    pub(crate) fn socket(&self) -> Option<Socket> {
        self.socket
    }

    /// Whether it is a connection to this endpoint.
    pub(crate) fn is_to(&self, endpoint: &Endpoint) -> bool {
        let shares = |own: &Endpoint| own.shares_connections_of(endpoint);
        self.socket.is_some() && self.endpoint.as_ref().is_some_and(shares)
    }

    pub(crate) fn active(&self) -> Moment {
        self.active
    }

    /// Whether a message has not been sent completely.
    pub(crate) fn has_output(&self) -> bool {
        self.sent < self.outbound.len()
    }

    /// Whether a part of a message has been received or is left to be sent.
    pub(crate) fn is_busy(&self) -> bool {
        self.has_output() || !self.inbound.is_idle()
    }

    /// Whether a part of the message has been sent.
    pub(crate) fn has_sent(&self) -> bool {
        self.sent > 0
    }

    /// Begins to send the message in the buffer.
    pub(crate) fn begin_output(&mut self, now: Moment) {
        (self.sent, self.active) = (0, now);
    }

    /// Sends a MessageError, then ends.
    #[cold]
    pub(crate) fn refuse(&mut self) {
        self.encoding().form().message_error(&mut self.outbound, ByteOrder::NATIVE);
        (self.sent, self.is_ending) = (0, true);
    }

    /// Sends CloseConnection unless another message is incomplete, and closes the connection.
    #[cold]
    pub(crate) fn send_close_connection(&mut self, os: &mut impl Os) {
        if let Some(socket) = self.socket
            && !self.has_output()
            && !self.is_datagram()
        {
            self.encoding().form().close_connection(&mut self.outbound, ByteOrder::NATIVE);
            // If there is no room for it, the client sees the end of the stream.
            let _ = os.write(socket, &self.outbound);
        }
        self.close(os);
    }

    /// Sends what is left of the message.
    ///
    /// # Errors
    /// The connection has failed.
    pub(crate) fn flush(&mut self, os: &mut impl Os) -> Result<Flushed, OsError> {
        let socket = self.socket.ok_or(OsError::NoSocket)?;
        while let Some(rest @ [_, ..]) = self.outbound.get(self.sent..) {
            match os.write(socket, rest) {
                Ok(count) => self.sent = self.sent.saturating_add(count),
                Err(OsError::WouldBlock) => return Ok(Flushed::Blocked),
                Err(error) => return Err(error),
            }
        }
        Ok(Flushed::All)
    }

    /// Notes that a call that began at `begun` found the connection open.
    pub(crate) fn note_alive(&mut self, begun: Moment) {
        self.alive = Some(begun);
    }

    /// Whether the peer has sent nothing since the last message, not even the end of the stream. The system is not asked
    /// again within [`UNCHECKED`].
    pub(crate) fn is_quiet(&mut self, os: &mut impl Os, now: Moment) -> bool {
        if self.next_message() != Ok(None) || !self.inbound.is_idle() {
            return false;
        }
        if self.alive.is_some_and(|alive| alive.is_within(UNCHECKED, now)) {
            return true;
        }
        self.alive = Some(now);
        self.receive(os, self.active) == Ok(false)
    }

    /// The header of the next message that has been received, which becomes the current one.
    ///
    /// # Errors
    /// What has been received cannot be used.
    pub(crate) fn next_message(&mut self) -> Result<Option<MessageHeader>, Unusable> {
        let form = self.encoding().form();
        self.inbound.poll(form)
    }

    /// Receives octets. Returns whether there were any.
    ///
    /// # Errors
    /// The connection has failed, or the stream has ended.
    pub(crate) fn receive(&mut self, os: &mut impl Os, now: Moment) -> Result<bool, OsError> {
        let begins = self.inbound.is_idle();
        let has_received = self.receive_by(|socket, space| os.read(socket, space))?;
        if has_received && begins {
            self.active = now;
        }
        Ok(has_received)
    }

    /// Notes that a message has begun to be received.
    pub(crate) fn note_input(&mut self, now: Moment) {
        self.active = now;
    }

    /// Receives octets, for which it waits at most for `timeout`. Returns whether there were any.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub(crate) fn receive_within(
        &mut self,
        os: &mut impl Os,
        timeout: Duration,
    ) -> Result<bool, OsError> {
        self.receive_by(|socket, space| os.read_within(socket, space, timeout))
    }

    fn receive_by(
        &mut self,
        read: impl FnOnce(Socket, &mut [u8]) -> Result<usize, OsError>,
    ) -> Result<bool, OsError> {
        let socket = self.socket.ok_or(OsError::NoSocket)?;
        match read(socket, self.inbound.space()) {
            Ok(0) => Err(OsError::NoSocket),
            Ok(count) => {
                self.inbound.advance(count);
                Ok(true)
            }
            Err(OsError::WouldBlock) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
