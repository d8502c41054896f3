//! How requests end.

use std::borrow::Cow;

use zorb_giop::Ior;
use zorb_types::SystemException;

/// How an attempt to make a request has ended (`reply_status`), with its exception (`received_exception`,
/// `sending_exception`) or the reference to which the client is forwarded (`forward_reference`).
#[derive(Clone, Debug, PartialEq)]
pub enum RequestOutcome {
    /// There are results, or no reply is expected (`SUCCESSFUL`).
    Successful,
    /// A system exception (`SYSTEM_EXCEPTION`).
    SystemException(SystemException),
    /// The user exception of this repository id (`USER_EXCEPTION`).
    UserException(Cow<'static, str>),
    /// The server forwards the client to this reference (`LOCATION_FORWARD`).
    LocationForward(Ior),
    /// The request is sent again (`TRANSPORT_RETRY`).
    TransportRetry,
}

impl RequestOutcome {
    /// The system exception, if it is one.
    pub fn system_exception(&self) -> Option<&SystemException> {
        match self {
            Self::SystemException(exception) => Some(exception),
            _ => None,
        }
    }

    /// The repository id of the exception, if it is one (`received_exception_id`).
    pub fn exception_id(&self) -> Option<&str> {
        match self {
            Self::SystemException(exception) => Some(exception.repository_id()),
            Self::UserException(id) => Some(id),
            _ => None,
        }
    }

    /// The reference to which the server forwards the client, if it does.
    pub fn forward_reference(&self) -> Option<&Ior> {
        match self {
            Self::LocationForward(reference) => Some(reference),
            _ => None,
        }
    }
}
