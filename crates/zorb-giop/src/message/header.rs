//! The twelve octets that begin every message.

use zorb_cdr::{ByteOrder, Number};

use super::kind::MessageKind;
use crate::{GiopVersion, ProtocolError, ProtocolErrorKind};

/// Octets of a message header.
pub const HEADER_SIZE: usize = 12;

const MAGIC: [u8; 4] = *b"GIOP";
const LITTLE_ENDIAN: u8 = 1;
const MORE_FRAGMENTS: u8 = 2;

/// The header of a message (CORBA 3.3 part 2, 9.4.1).
///
/// ```text
///  0   1   2   3   4     5     6     7     8   9  10  11
/// +---+---+---+---+-----+-----+-----+-----+---+---+---+---+
/// | G | I | O | P |major|minor|flags|type | message_size  |
/// +---+---+---+---+-----+-----+-----+-----+---+---+---+---+
/// ```
///
/// Flags bit 0: 1 for little-endian (in 1.0 the octet is a boolean with the same meaning).
/// Flags bit 1, since 1.1: more fragments follow. The other bits are sent as 0 and ignored.
/// `message_size` is the number of octets after these twelve, in the byte order of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageHeader {
    /// The version of the message.
    pub version: GiopVersion,
    /// The byte order of the message.
    pub order: ByteOrder,
    /// Whether Fragment messages continue this one.
    pub more_fragments: bool,
    /// The message type.
    pub kind: MessageKind,
    /// Octets after the header.
    pub size: u32,
}

impl MessageHeader {
    /// Reads a header.
    ///
    /// # Errors
    /// `BadMagic`, `UnsupportedVersion`, `UnknownMessageType` (also for a Fragment in 1.0).
    #[inline]
    pub fn parse(octets: &[u8; HEADER_SIZE]) -> Result<Self, ProtocolError> {
        let [m0, m1, m2, m3, major, minor, flags, kind, s0, s1, s2, s3] = *octets;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(ProtocolErrorKind::BadMagic([m0, m1, m2, m3]).into());
        }
        let Some(version) = GiopVersion::of_message(major, minor) else {
            return Err(ProtocolErrorKind::UnsupportedVersion { major, minor }.into());
        };
        let kind = match MessageKind::from_octet(kind) {
            Some(MessageKind::Fragment) if version == GiopVersion::V1_0 => None,
            known => known,
        }
        .ok_or(ProtocolErrorKind::UnknownMessageType(kind))?;
        let order = ByteOrder::from_flag(flags);
        let size = u32::from_octets([s0, s1, s2, s3], order);
        let more_fragments = version > GiopVersion::V1_0 && flags & MORE_FRAGMENTS != 0;
        Ok(Self { version, order, more_fragments, kind, size })
    }

    /// Reads the header at the start of `octets`; `None` if there are fewer than twelve.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    #[inline]
    pub fn parse_prefix(octets: &[u8]) -> Result<Option<Self>, ProtocolError> {
        octets.first_chunk().map(Self::parse).transpose()
    }

    /// The header as it is sent.
    pub fn to_octets(&self) -> [u8; HEADER_SIZE] {
        let more = if self.more_fragments { MORE_FRAGMENTS } else { 0 };
        let flags = if self.order == ByteOrder::Little { LITTLE_ENDIAN } else { 0 } | more;
        let [m0, m1, m2, m3] = MAGIC;
        let [s0, s1, s2, s3] = self.size.to_octets(self.order);
        [m0, m1, m2, m3, 1, self.version.minor(), flags, self.kind as u8, s0, s1, s2, s3]
    }

    /// The size of the whole message in octets, this header included.
    #[inline]
    pub const fn total_size(&self) -> usize {
        (self.size as usize).saturating_add(HEADER_SIZE)
    }
}
