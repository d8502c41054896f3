//! The requests of a connection that are being served.

use alloc::vec::Vec;

use zorb_cdr::ByteOrder;

use super::{ConnectionEnd, MAX_OUTSTANDING};
use crate::{
    Form, GiopVersion, MessageHeader, MessageKind, Messaging, ProtocolError, ProtocolErrorKind,
};

/// The server's half of a connection, without any I/O: which requests are being served, whether each
/// is still to be answered, and how the connection ends.
///
/// A driver hands every message of its [`Inbound`](crate::Inbound) to [`receive`](Self::receive). It
/// reads the header of a request itself, [`begin`](Self::begin)s the request, and
/// [`finish`](Self::finish)es it when its upcall has returned: that says whether to send the reply.
/// It sends what [`poll_transmit`](Self::poll_transmit) writes, stops reading while
/// [`has_room`](Self::has_room) says no, and reports the end of the stream to [`end`](Self::end).
///
/// What the requests of a connection agree on, code sets say, is in
/// [`ServerConnection`](super::ServerConnection): only who reads needs that, and only who replies
/// needs this.
#[derive(Debug)]
pub struct ServerRequests {
    requests: Vec<Outstanding>,
    /// The number of the next request; the ids of clients may come again.
    next: u32,
    messaging: Option<&'static dyn Messaging>,
    max_outstanding: usize,
    /// The highest version that the client has used.
    highest: GiopVersion,
    closing: bool,
    end: Option<ConnectionEnd>,
    /// Whether the last message to the client, if it is owed one, was written.
    farewell_written: bool,
}

/// A request that is being served. Hand it back to [`ServerRequests::finish`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ServedRequest {
    /// Its id, which the reply has too.
    pub request_id: u32,
    number: u32,
}

#[derive(Debug)]
struct Outstanding {
    request: ServedRequest,
    answer: Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// The client waits for a reply.
    Due,
    /// It does not: the request is one-way, or has been answered.
    None,
    /// It does not wait any more, and may use the id again.
    Cancelled,
}

/// What a message from the client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Serve a Request: read its header and [begin](ServerRequests::begin) it.
    Request,
    /// Serve a LocateRequest, likewise.
    LocateRequest,
    /// Nothing more: it was a CancelRequest.
    Nothing,
    /// It ended the connection; [`ended`](ServerRequests::ended) says how. Whatever follows is not to
    /// be read.
    End,
}

/// Why a request is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotServed {
    /// The connection is being closed. The request is not answered: CloseConnection tells the client
    /// that it was not processed.
    Closing,
    /// As many requests are being served as there may be. Answer with `TRANSIENT`, completed NO, or
    /// do not read while [`has_room`](ServerRequests::has_room) says no.
    TooManyRequests {
        /// The limit.
        limit: usize,
    },
    /// The client broke the protocol, and the connection has ended.
    ProtocolError(ProtocolError),
}

impl ServerRequests {
    /// Those of a connection just accepted, whose messages are those of `messaging`; GIOP if there is
    /// none.
    pub const fn new(messaging: Option<&'static dyn Messaging>) -> Self {
        Self {
            requests: Vec::new(),
            next: 0,
            messaging,
            max_outstanding: MAX_OUTSTANDING,
            highest: GiopVersion::V1_0,
            closing: false,
            end: None,
            farewell_written: false,
        }
    }

    /// The same with another limit on requests that are being served, held ones included.
    #[must_use]
    pub fn with_max_outstanding(self, max_outstanding: usize) -> Self {
        Self { max_outstanding, ..self }
    }

    /// Finds what a whole message asks for.
    pub fn receive(&mut self, header: &MessageHeader, message: &[u8]) -> Asked {
        if self.end.is_some() {
            return Asked::End;
        }
        match header.kind {
            MessageKind::Request => Asked::Request,
            MessageKind::LocateRequest => Asked::LocateRequest,
            MessageKind::CancelRequest => {
                let form = Form::new(self.messaging, header.version);
                match form.read_cancel_request(message, header) {
                    Ok(cancel) => {
                        self.cancel(cancel.request_id);
                        Asked::Nothing
                    }
                    Err(error) => self.end_with(error),
                }
            }
            MessageKind::CloseConnection => {
                self.end(ConnectionEnd::CloseConnection);
                Asked::End
            }
            MessageKind::MessageError => {
                self.end(ConnectionEnd::MessageError);
                Asked::End
            }
            found => {
                let expected = MessageKind::Request;
                self.end_with(ProtocolErrorKind::WrongKind { expected, found }.into())
            }
        }
    }

    fn end_with(&mut self, error: ProtocolError) -> Asked {
        self.end(ConnectionEnd::ProtocolError(error));
        Asked::End
    }

    /// Begins to serve a Request or LocateRequest. It counts as outstanding until it is
    /// [finished](Self::finish).
    ///
    /// # Errors
    /// The request is not to be served.
    pub fn begin(
        &mut self,
        request_id: u32,
        version: GiopVersion,
        expects_reply: bool,
    ) -> Result<ServedRequest, NotServed> {
        if self.closing {
            return Err(NotServed::Closing);
        }
        let is_same = |other: &Outstanding| {
            other.request.request_id == request_id && other.answer == Answer::Due
        };
        if expects_reply && self.requests.iter().any(is_same) {
            let error = ProtocolErrorKind::DuplicateRequestId(request_id).into();
            self.end(ConnectionEnd::ProtocolError(error));
            return Err(NotServed::ProtocolError(error));
        }
        self.highest = self.highest.max(version);
        if self.requests.len() >= self.max_outstanding {
            return Err(NotServed::TooManyRequests { limit: self.max_outstanding });
        }
        let request = ServedRequest { request_id, number: self.next };
        self.next = self.next.wrapping_add(1);
        let answer = if expects_reply { Answer::Due } else { Answer::None };
        self.requests.push(Outstanding { request, answer });
        Ok(request)
    }

    /// Takes note of a CancelRequest: the request is not answered. It goes on to count as outstanding,
    /// so that requests which are cancelled at once do not pass the limit.
    pub fn cancel(&mut self, request_id: u32) {
        let wanted = self
            .requests
            .iter_mut()
            .find(|other| other.request.request_id == request_id && other.answer == Answer::Due);
        if let Some(wanted) = wanted {
            wanted.answer = Answer::Cancelled;
        }
    }

    /// Whether the reply to a request is to be sent now, before its upcall: the first call says so, if
    /// the client still waits.
    pub fn answer(&mut self, request: ServedRequest) -> bool {
        let is_good = self.end.is_none();
        let known = self.requests.iter_mut().find(|other| other.request == request);
        known.is_some_and(|known| {
            let due = known.answer == Answer::Due;
            if due {
                known.answer = Answer::None;
            }
            due && is_good
        })
    }

    /// Ends the serving of a request; whether its reply is to be sent.
    pub fn finish(&mut self, request: ServedRequest) -> bool {
        let is_due = self.answer(request);
        self.requests.retain(|other| other.request != request);
        is_due
    }

    /// How many requests are being served.
    pub fn outstanding(&self) -> usize {
        self.requests.len()
    }

    /// Whether another request may be received.
    pub fn has_room(&self) -> bool {
        !self.closing && self.requests.len() < self.max_outstanding
    }

    /// The highest version that the client has used: CloseConnection is sent in it.
    pub fn highest_version(&self) -> GiopVersion {
        self.highest
    }

    /// Begins no more requests. When the last one is finished,
    /// [`poll_transmit`](Self::poll_transmit) writes the CloseConnection.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// Says that the connection has ended; the first cause counts. No more replies are sent.
    pub fn end(&mut self, end: ConnectionEnd) {
        self.end.get_or_insert(end);
        self.closing = true;
    }

    /// How the connection ended, once it has.
    pub fn ended(&self) -> Option<ConnectionEnd> {
        self.end
    }

    /// Whether no request is begun any more.
    pub fn is_closing(&self) -> bool {
        self.closing
    }

    /// Writes the next message that the connection itself has to send into `buffer`, which is cleared:
    /// the CloseConnection, or the MessageError that answers what could not be read. `false` when
    /// there is none. The connection has [ended](Self::ended) with either: send what was written, and
    /// end the stream.
    pub fn poll_transmit(&mut self, buffer: &mut Vec<u8>) -> bool {
        let (form, order) = (Form::new(self.messaging, self.highest), ByteOrder::NATIVE);
        match self.end {
            None if self.closing && self.requests.is_empty() => {
                self.end = Some(ConnectionEnd::ClosedHere);
                form.close_connection(buffer, order);
                true
            }
            Some(ConnectionEnd::ProtocolError(error))
                if error.answer_message_error && !self.farewell_written =>
            {
                self.farewell_written = true;
                form.message_error(buffer, order);
                true
            }
            _ => false,
        }
    }
}
