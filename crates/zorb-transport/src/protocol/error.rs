//! Profiles that cannot be used, registrations that cannot be made.

use std::fmt;

use zorb_cdr::CdrError;
use zorb_giop::{ProfileTag, TaggedProfile};

use crate::EndpointError;

/// Why a profile could not be read or made.
///
/// At the ORB's surface a reference none of whose profiles can be used is `TRANSIENT` with minor
/// code 2 (no usable profile).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ProfileError {
    /// The profile is of another kind than the protocol's.
    WrongTag {
        /// The protocol's kind.
        expected: ProfileTag,
        /// The profile's.
        found: ProfileTag,
    },
    /// Its octets are no such profile, or its values have no encoding.
    Codec(CdrError),
    /// An endpoint in it makes no sense, or is another protocol's.
    Endpoint(EndpointError),
    /// It names no endpoint that can be connected to: an IIOP profile with port 0, say, whose
    /// object is offered over SSL only.
    NoEndpoint,
    /// Its object is on another machine, and the protocol does not leave this one.
    Elsewhere,
}

impl ProfileError {
    /// Sees to it that `profile` is of the kind `expected`, for authors of protocols.
    ///
    /// # Errors
    /// [`WrongTag`](Self::WrongTag) when it is not.
    pub fn check_tag(expected: ProfileTag, profile: &TaggedProfile) -> Result<(), Self> {
        if profile.tag == expected {
            Ok(())
        } else {
            Err(Self::WrongTag { expected, found: profile.tag })
        }
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongTag { expected, found } => {
                write!(f, "a profile of kind {found} where {expected} is needed")
            }
            Self::Codec(error) => write!(f, "bad profile: {error}"),
            Self::Endpoint(error) => write!(f, "bad profile: {error}"),
            Self::NoEndpoint => f.write_str("the profile names nothing to connect to"),
            Self::Elsewhere => f.write_str("the profile is of another machine"),
        }
    }
}

impl std::error::Error for ProfileError {}

impl From<CdrError> for ProfileError {
    fn from(error: CdrError) -> Self {
        Self::Codec(error)
    }
}

impl From<EndpointError> for ProfileError {
    fn from(error: EndpointError) -> Self {
        Self::Endpoint(error)
    }
}

/// Why a protocol was not registered: another one answers to one of its names already.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryError {
    /// The URL scheme is taken.
    Scheme(String),
    /// The kind of profile is taken.
    ProfileTag(ProfileTag),
    /// The `corbaloc` prefix is taken.
    CorbalocPrefix(String),
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another protocol is registered already ")?;
        match self {
            Self::Scheme(scheme) => write!(f, "for the scheme {scheme}"),
            Self::ProfileTag(tag) => write!(f, "for profiles of kind {tag}"),
            Self::CorbalocPrefix(prefix) => write!(f, "for the corbaloc prefix {prefix}"),
        }
    }
}

impl std::error::Error for RegistryError {}
