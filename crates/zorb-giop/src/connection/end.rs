//! How connections end, and what that means for requests without a reply.

use zorb_types::CompletionStatus;

use crate::{Inbound, ProtocolError};

/// How a connection came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionEnd {
    /// The peer sent CloseConnection: it has not processed the requests without a reply.
    CloseConnection,
    /// The stream ended or failed without a CloseConnection.
    Lost,
    /// The peer sent MessageError: it could not read what this side sent.
    MessageError,
    /// The peer broke the protocol.
    ProtocolError(ProtocolError),
    /// This side closed it.
    ClosedHere,
}

impl ConnectionEnd {
    /// How a server ends a connection that has been idle for too long: with a CloseConnection, unless part of
    /// a message has been received.
    pub fn of_idle(inbound: &Inbound) -> Self {
        if inbound.is_idle() { Self::ClosedHere } else { Self::Lost }
    }
}

impl From<ProtocolError> for ConnectionEnd {
    fn from(error: ProtocolError) -> Self {
        Self::ProtocolError(error)
    }
}

/// How far a request had come when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestProgress {
    /// The transport did not take the whole of it, so the peer cannot have processed it.
    Unsent,
    /// A Request was sent, and no reply came.
    Sent,
    /// A LocateRequest was sent, and no reply came. Asking twice does no harm.
    LocateSent,
    /// The first fragments of its reply came, and not the last: the peer has processed it.
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
    /// The completion status of the exception to raise: `COMPLETED_NO` when the peer is known not
    /// to have processed the request, else `COMPLETED_MAYBE` (CORBA 3.3 part 2, 9.5.1.1).
    pub fn completed(&self) -> CompletionStatus {
        match (self.progress, self.cause) {
            (RequestProgress::PartlyAnswered, _) => CompletionStatus::Maybe,
            (RequestProgress::Unsent, _)
            | (_, FailureCause::Ended(ConnectionEnd::CloseConnection)) => CompletionStatus::No,
            _ => CompletionStatus::Maybe,
        }
    }

    /// Whether the request may be sent again over another connection without being processed
    /// twice: its completion status is `COMPLETED_NO`, or it asked for a location only. A request
    /// that timed out is not sent again.
    pub fn is_safe_to_resend(&self) -> bool {
        matches!(self.cause, FailureCause::Ended(_))
            && (self.progress == RequestProgress::LocateSent
                || self.completed() == CompletionStatus::No)
    }
}
