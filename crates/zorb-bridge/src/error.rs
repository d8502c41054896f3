//! Why a bridge cannot be opened.

use std::error::Error;
use std::fmt;
use std::io;

use zorb_transport::{Endpoint, ListenError, ProfileError};

/// Why a [`Bridge`](crate::Bridge) could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum BridgeError {
    /// The target is the nil reference.
    Nil,
    /// No profile of the target is of a protocol that is registered and can be used.
    NoWay(Option<ProfileError>),
    /// There is no URL to listen on.
    NoListener,
    /// A URL to listen on is of no registered protocol.
    NoProtocol(String),
    /// Over the protocol of this URL no replies come back.
    NoReplies(String),
    /// What requests leave out over the protocol of this URL depends on those before, so that none can be
    /// passed on alone.
    Remembers(String),
    /// A URL cannot be listened on.
    Listen(ListenError),
    /// The bridge would lead to itself.
    Loop(Endpoint),
    /// The endpoints have no profile.
    Profile(ProfileError),
    /// A thread cannot be started.
    Thread(io::Error),
}

impl BridgeError {
    /// What to try, if there is something to say.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Listen(error) => error.hint(),
            Self::NoListener | Self::NoProtocol(_) => Some("a URL looks like iiop://host:port"),
            Self::Remembers(_) => Some("listen with the same transport under GIOP"),
            Self::Loop(_) => Some("the target must be another server's object"),
            _ => None,
        }
    }
}

impl fmt::Display for BridgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => f.write_str("the target is the nil reference"),
            Self::NoWay(None) => {
                f.write_str("no profile of the target is of a protocol known here")
            }
            Self::NoWay(Some(error)) => write!(f, "no profile of the target can be used: {error}"),
            Self::NoListener => f.write_str("there is no URL to listen on"),
            Self::NoProtocol(url) => write!(f, "no protocol for {url:?}"),
            Self::NoReplies(url) => write!(f, "no replies come back over the protocol of {url:?}"),
            Self::Remembers(url) => {
                write!(
                    f,
                    "requests over the protocol of {url:?} leave out what those before have said"
                )
            }
            Self::Listen(error) => error.fmt(f),
            Self::Loop(endpoint) => write!(f, "the target is at {endpoint}, which is the bridge"),
            Self::Profile(error) => write!(f, "no reference can be made: {error}"),
            Self::Thread(error) => write!(f, "no thread: {error}"),
        }
    }
}

impl Error for BridgeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoWay(Some(error)) | Self::Profile(error) => Some(error),
            Self::Listen(error) => Some(error),
            Self::Thread(error) => Some(error),
            _ => None,
        }
    }
}

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
