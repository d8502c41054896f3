//! Errors of profiles and registrations.

use std::collections::TryReserveError;
use std::fmt;

use zorb_cdr::{CdrError, CdrErrorKind};
use zorb_giop::{ProfileTag, TaggedProfile};

use crate::EndpointError;

/// Why a profile could not be decoded or encoded.
///
/// The ORB reports a reference without a usable profile as `TRANSIENT` with minor code 2 (no usable
/// profile).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ProfileError {
    /// The profile is of another kind.
    WrongTag {
        /// The kind of the protocol.
        expected: ProfileTag,
        /// The kind of the profile.
        found: ProfileTag,
    },
    /// The profile is malformed, or its values cannot be encoded.
    Codec(CdrError),
    /// An endpoint of it is invalid or belongs to another protocol.
    Endpoint(EndpointError),
    /// It contains no usable endpoint, for example an IIOP profile with port 0, whose object is
    /// available over SSL only.
    NoEndpoint,
    /// The object is on another machine, which the protocol cannot reach.
    Elsewhere,
}

impl ProfileError {
    /// Checks that `profile` is of the kind `expected`, for authors of protocols.
    ///
    /// # Errors
    /// [`WrongTag`](Self::WrongTag) if it is not.
    pub fn check_tag(expected: ProfileTag, profile: &TaggedProfile) -> Result<(), Self> {
        if profile.tag == expected {
            Ok(())
        } else {
            Err(Self::WrongTag { expected, found: profile.tag })
        }
    }

    /// Whether there was no memory to decode the profile, which says nothing about the profile itself.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::Codec(error) if error.kind == CdrErrorKind::OutOfMemory)
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongTag { expected, found } => {
                write!(f, "the profile is of kind {found}, expected {expected}")
            }
            Self::Codec(error) => write!(f, "bad profile: {error}"),
            Self::Endpoint(error) => write!(f, "bad profile: {error}"),
            Self::NoEndpoint => f.write_str("the profile contains no usable endpoint"),
            Self::Elsewhere => f.write_str("the object is on another machine"),
        }
    }
}

impl std::error::Error for ProfileError {}

impl From<CdrError> for ProfileError {
    fn from(error: CdrError) -> Self {
        Self::Codec(error)
    }
}

impl From<TryReserveError> for ProfileError {
    fn from(_: TryReserveError) -> Self {
        Self::Codec(CdrError::new(CdrErrorKind::OutOfMemory, 0, "profile"))
    }
}

impl From<EndpointError> for ProfileError {
    fn from(error: EndpointError) -> Self {
        Self::Endpoint(error)
    }
}

/// Why a protocol was not registered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryError {
    /// The URL scheme is already registered.
    Scheme(String),
    /// The kind of profile is already registered.
    ProfileTag(ProfileTag),
    /// The `corbaloc` prefix is already registered.
    CorbalocPrefix(String),
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another protocol is already registered ")?;
        match self {
            Self::Scheme(scheme) => write!(f, "for the scheme {scheme}"),
            Self::ProfileTag(tag) => write!(f, "for profiles of kind {tag}"),
            Self::CorbalocPrefix(prefix) => write!(f, "for the corbaloc prefix {prefix}"),
        }
    }
}

impl std::error::Error for RegistryError {}
