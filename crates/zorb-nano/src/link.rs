//! A connection's buffers, which outlive it.

use alloc::vec::Vec;
use core::time::Duration;

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, Inbound};

use crate::endpoint::Encoding;
use crate::{Endpoint, Limits, Os, OsError, Socket};

/// A connection, or the place for one.
#[derive(Debug)]
pub(crate) struct Link {
    socket: Option<Socket>,
    /// The server's endpoint.
    endpoint: Option<Endpoint>,
    pub(crate) inbound: Inbound,
    /// The message that is being sent.
    pub(crate) outbound: Vec<u8>,
    /// Octets of it that have been sent.
    sent: usize,
    /// When the last message began to be received or sent; in a client, the deadline of the last call. Octets in the middle
    /// of a message do not count: a peer that sends or takes one now and then is as slow as one that stopped.
    active: Duration,
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
    /// Allocates the buffers.
    pub(crate) fn new(limits: &Limits) -> Self {
        let size = limits.max_message_size;
        // A buffer of the maximum size never grows, and without fragments there is no other one.
        let limits = zorb_giop::Limits::DEFAULT
            .max_message_size(size)
            .max_partial_messages(0)
            .initial_capacity(size)
            .retained_capacity(size);
        let mut inbound = Inbound::new(limits);
        inbound.space();
        let outbound = Vec::with_capacity(size);
        let active = Duration::ZERO;
        Self {
            socket: None,
            endpoint: None,
            inbound,
            outbound,
            sent: 0,
            active,
            is_ending: false,
            version: GiopVersion::V1_2,
            is_ready: false,
            is_waiting: false,
        }
    }

    /// Begins a connection.
    pub(crate) fn open(&mut self, socket: Socket, endpoint: Endpoint, now: Duration) {
        if cfg!(feature = "lite") && self.inbound.messaging().is_some() != endpoint.is_lite() {
            // The buffer moves along.
            let nothing = Inbound::new(zorb_giop::Limits::DEFAULT);
            let inbound = core::mem::replace(&mut self.inbound, nothing);
            self.inbound =
                inbound.with_messaging(endpoint.encoding(GiopVersion::V1_2).form().other());
        }
        self.inbound.reset();
        self.outbound.clear();
        (self.sent, self.active, self.is_ending) = (0, now, false);
        (self.is_ready, self.is_waiting) = (false, false);
        (self.socket, self.endpoint) = (Some(socket), Some(endpoint));
        self.version = GiopVersion::V1_2;
    }

    /// The encoding of messages, in the version of the last one that has been received.
    pub(crate) fn encoding(&self) -> Encoding {
        self.endpoint.map_or(Encoding::GIOP, |endpoint| endpoint.encoding(self.version))
    }

    /// Whether messages are datagrams.
    pub(crate) fn is_datagram(&self) -> bool {
        self.endpoint.is_some_and(|endpoint| endpoint.address.is_datagram())
    }

    /// The priority of its lane.
    pub(crate) fn priority(&self) -> Option<i16> {
        self.endpoint.and_then(|endpoint| endpoint.priority())
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
        self.socket.is_some() && self.endpoint.is_some_and(|it| it.shares_connections_of(endpoint))
    }

    pub(crate) fn active(&self) -> Duration {
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
    pub(crate) fn begin_output(&mut self, now: Duration) {
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

    /// Whether the peer has sent nothing since the last message, not even the end of the stream.
    pub(crate) fn is_quiet(&mut self, os: &mut impl Os) -> bool {
        let has_nothing = matches!(self.inbound.poll(), Ok(None)) && self.inbound.is_idle();
        has_nothing && self.receive(os, self.active) == Ok(false)
    }

    /// Receives octets. Returns whether there were any.
    ///
    /// # Errors
    /// The connection has failed, or the stream has ended.
    pub(crate) fn receive(&mut self, os: &mut impl Os, now: Duration) -> Result<bool, OsError> {
        let socket = self.socket.ok_or(OsError::NoSocket)?;
        let begins = self.inbound.is_idle();
        match os.read(socket, self.inbound.space()) {
            Ok(0) => Err(OsError::NoSocket),
            Ok(count) => {
                self.inbound.advance(count);
                if begins {
                    self.active = now;
                }
                Ok(true)
            }
            Err(OsError::WouldBlock) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
