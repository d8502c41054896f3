//! Errors of opening a bridge.

use std::error::Error;
use std::fmt;
use std::io;

use zorb_transport::{Endpoint, ListenError, ProfileError};

/// Why a [`Bridge`](crate::Bridge) could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum BridgeError {
    /// The target is a nil reference.
    Nil,
    /// No profile of the target has a registered and usable protocol.
    NoUsableProfile(Option<ProfileError>),
    /// No URL to listen on was given.
    NoListener,
    /// The URL of a listener has no registered protocol.
    NoProtocol(String),
    /// The protocol of this URL has no replies.
    NoReplies(String),
    /// The protocol of this URL is stateful: a request may depend on earlier ones, so it cannot be
    /// forwarded alone.
    Stateful(String),
    /// The bridge cannot listen on a URL.
    Listen(ListenError),
    /// The target is the bridge itself.
    Loop(Endpoint),
    /// No profile can be encoded for the endpoints.
    Profile(ProfileError),
    /// A thread cannot be started.
    Thread(io::Error),
}

impl BridgeError {
    /// How to fix the error, if known.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Listen(error) => error.hint(),
            Self::NoListener | Self::NoProtocol(_) => Some("use a URL such as iiop://host:port"),
            Self::Stateful(_) => Some("listen with GIOP over the same transport"),
            Self::Loop(_) => Some("use an object of another server as the target"),
            _ => None,
        }
    }
}

impl fmt::Display for BridgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => f.write_str("the target is a nil reference"),
            Self::NoUsableProfile(None) => {
                f.write_str("no profile of the target has a registered protocol")
            }
            Self::NoUsableProfile(Some(error)) => {
                write!(f, "no profile of the target can be used: {error}")
            }
            Self::NoListener => f.write_str("no URL to listen on"),
            Self::NoProtocol(url) => write!(f, "no protocol for {url:?}"),
            Self::NoReplies(url) => write!(f, "the protocol of {url:?} has no replies"),
            Self::Stateful(url) => {
                write!(f, "the protocol of {url:?} is stateful: requests depend on earlier ones")
            }
            Self::Listen(error) => error.fmt(f),
            Self::Loop(endpoint) => {
                write!(f, "the target's endpoint {endpoint} is the bridge itself")
            }
            Self::Profile(error) => write!(f, "cannot create a reference: {error}"),
            Self::Thread(error) => write!(f, "cannot start a thread: {error}"),
        }
    }
}

impl Error for BridgeError {}

impl From<ListenError> for BridgeError {
    fn from(error: ListenError) -> Self {
        Self::Listen(error)
    }
}

impl From<ProfileError> for BridgeError {
    fn from(error: ProfileError) -> Self {
        Self::Profile(error)
    }
}
