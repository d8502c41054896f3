//! The end of a connection, and its effect on requests without a reply.

use zorb_types::CompletionStatus;

use crate::{Inbound, ProtocolError, ProtocolErrorKind};

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionEnd {
    /// The peer sent CloseConnection: it has not processed the requests without a reply.
    CloseConnection,
    /// The stream ended or failed without a CloseConnection.
    Lost,
    /// The peer sent MessageError: it could not decode a message.
    MessageError,
    /// The peer violated the protocol.
    ProtocolError(ProtocolError),
    /// This side closed it.
    ClosedLocally,
}

impl ConnectionEnd {
    /// How a server ends a connection that has been idle for too long: with a CloseConnection, unless part of
    /// a message has been received.
    pub fn of_idle(inbound: &Inbound) -> Self {
        if inbound.is_idle() { Self::ClosedLocally } else { Self::Lost }
    }
}

impl From<ProtocolError> for ConnectionEnd {
    /// A peer whose message finds no memory here has done nothing wrong, and may try again.
    fn from(error: ProtocolError) -> Self {
        match error.kind {
            ProtocolErrorKind::OutOfMemory(_) => Self::ClosedLocally,
            _ => Self::ProtocolError(error),
        }
    }
}

/// How far a request had come when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestProgress {
    /// It was not sent as a whole, so the peer cannot have processed it.
    Unsent,
    /// A Request was sent, and no reply arrived.
    Sent,
    /// A LocateRequest was sent, and no reply arrived. It may be repeated.
    LocateSent,
    /// Only the first fragments of its reply arrived: the peer has processed it.
    PartlyAnswered,
}

/// Why a request ended without a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// Its deadline passed.
    TimedOut,
    /// Its connection ended.
    Ended(ConnectionEnd),
}

/// How a request ended without a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestFailure {
    /// Why there is no reply.
    pub cause: FailureCause,
    /// How far the request had come.
    pub progress: RequestProgress,
}

impl RequestFailure {
    /// The completion status of the exception to raise: `COMPLETED_NO` if the peer has certainly not
    /// processed the request, otherwise `COMPLETED_MAYBE` (CORBA 3.3 part 2, 9.5.1.1).
    pub fn completed(&self) -> CompletionStatus {
        match (self.progress, self.cause) {
            (RequestProgress::PartlyAnswered, _) => CompletionStatus::Maybe,
            (RequestProgress::Unsent, _)
            | (_, FailureCause::Ended(ConnectionEnd::CloseConnection)) => CompletionStatus::No,
            _ => CompletionStatus::Maybe,
        }
    }

    /// Whether the request may be sent again over another connection without being processed twice: its
    /// completion status is `COMPLETED_NO`, or it is a LocateRequest. A request that timed out is not sent
    /// again.
    pub fn is_safe_to_resend(&self) -> bool {
        matches!(self.cause, FailureCause::Ended(_))
            && (self.progress == RequestProgress::LocateSent
                || self.completed() == CompletionStatus::No)
    }
}
