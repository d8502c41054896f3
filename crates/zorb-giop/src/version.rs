//! GIOP and IIOP protocol versions.

use core::fmt;

/// A version of GIOP that Zorb supports; also the version of an IIOP profile.
///
/// The major version is always 1. A client never sends a minor version above the one in the
/// profile it uses, and a server answers with the minor version of the request
/// (CORBA 3.3 part 2, 9.4.1 and 9.7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GiopVersion {
    /// GIOP 1.0: no fragments, no wide characters, no tagged components in IIOP profiles.
    V1_0,
    /// GIOP 1.1: fragments of requests and replies, wide characters, tagged components.
    V1_1,
    /// GIOP 1.2: target addresses, interleaved fragments, bodies at multiples of 8.
    V1_2,
}

impl GiopVersion {
    /// The highest version that this crate supports.
    pub const HIGHEST: Self = Self::V1_2;

    /// The minor version number.
    #[inline]
    pub const fn minor(self) -> u8 {
        match self {
            Self::V1_0 => 0,
            Self::V1_1 => 1,
            Self::V1_2 => 2,
        }
    }

    /// The version of a message header; `None` if it is not supported.
    #[inline]
    pub const fn of_message(major: u8, minor: u8) -> Option<Self> {
        match (major, minor) {
            (1, 0) => Some(Self::V1_0),
            (1, 1) => Some(Self::V1_1),
            (1, 2) => Some(Self::V1_2),
            _ => None,
        }
    }

    /// The version to use with an endpoint whose profile or URL has the version `major.minor`: 1.2 for a minor version
    /// above 2, `None` for another major version.
    #[inline]
    pub const fn of_profile(major: u8, minor: u8) -> Option<Self> {
        match (major, minor) {
            (1, 0) => Some(Self::V1_0),
            (1, 1) => Some(Self::V1_1),
            (1, _) => Some(Self::V1_2),
            _ => None,
        }
    }
}

impl fmt::Display for GiopVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor())
    }
}
