//! Interoperable object references.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

use super::ProfileTag;

/// The maximum number of profiles of a reference.
pub const MAX_PROFILES: usize = 256;
/// The maximum length of a stringified reference, in characters.
pub const MAX_STRINGIFIED: usize = 1024 * 1024;

const PREFIX: &str = "IOR:";

/// One profile of a reference (`IOP::TaggedProfile`): the address of the object in one protocol.
///
/// ```text
/// +----------------+----------------+----------------------------------------+
/// | ulong tag      | ulong length   | profile_data, usually an encapsulation |
/// +----------------+----------------+----------------------------------------+
/// ```
///
/// All profiles, known or unknown, survive a round trip octet for octet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaggedProfile {
    /// The kind of profile.
    pub tag: ProfileTag,
    /// The octets as received.
    pub data: Vec<u8>,
}

/// An object reference (`IOP::IOR`; CORBA 3.3 part 2, 7.6.2).
///
/// ```text
/// +----------------+-------------+------------------------------------------------+
/// | string type_id | ulong count | count * (ulong tag, sequence<octet> data)      |
/// +----------------+-------------+------------------------------------------------+
/// ```
///
/// Parameters, `LOCATION_FORWARD` bodies and target addresses have this encoding. A stringified reference
/// is an encapsulation of it in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ior {
    /// Repository id of the object's interface; empty if it is unknown.
    pub type_id: String,
    /// The profiles. A nil reference has none.
    pub profiles: Vec<TaggedProfile>,
}

impl Ior {
    /// The nil reference.
    pub const NIL: Self = Self { type_id: String::new(), profiles: Vec::new() };

    /// Whether this is a nil reference, which has no profiles.
    pub fn is_nil(&self) -> bool {
        self.profiles.is_empty()
    }

    /// The stringified reference: `IOR:` and lower-case hexadecimal, in the machine's byte order.
    ///
    /// # Errors
    /// `BadString`, `BadText` for a type id with a NUL or a character that ISO 8859-1 does not have;
    /// `TooLong`.
    pub fn to_stringified(&self) -> CdrResult<String> {
        let octets = self.to_encapsulation(ByteOrder::NATIVE)?;
        let mut text = String::with_capacity(PREFIX.len() + octets.len() * 2);
        text.push_str(PREFIX);
        for octet in octets {
            text.extend([octet >> 4, octet & 15].map(hex_digit));
        }
        Ok(text)
    }

    /// Parses a stringified reference. Case and surrounding white space are ignored.
    ///
    /// # Errors
    /// See [`IorTextError`].
    pub fn from_stringified(text: &str) -> Result<Self, IorTextError> {
        let leading = text.len() - text.trim_start().len();
        let text = text.trim();
        if text.len() > MAX_STRINGIFIED {
            return Err(IorTextError::TooLong { length: text.len() });
        }
        let digits = match text.split_at_checked(PREFIX.len()) {
            Some((prefix, digits)) if prefix.eq_ignore_ascii_case(PREFIX) => digits.as_bytes(),
            _ => return Err(IorTextError::NoPrefix),
        };
        let (pairs, odd) = digits.as_chunks::<2>();
        let mut octets = Vec::with_capacity(pairs.len());
        for (index, &[high, low]) in pairs.iter().enumerate() {
            let at = |digit: usize| IorTextError::NotHex {
                position: leading + PREFIX.len() + index * 2 + digit,
            };
            let high = hex_value(high).ok_or_else(|| at(0))?;
            let low = hex_value(low).ok_or_else(|| at(1))?;
            octets.push(high << 4 | low);
        }
        if !odd.is_empty() {
            return Err(IorTextError::OddLength);
        }
        Self::from_encapsulation(&octets).map_err(IorTextError::Malformed)
    }

    /// The reference as an encapsulation.
    ///
    /// # Errors
    /// As [`to_stringified`](Self::to_stringified).
    pub fn to_encapsulation(&self, order: ByteOrder) -> CdrResult<Vec<u8>> {
        CdrWriter::encapsulation(order, |writer| Self::write(self, writer))
    }

    /// Reads a reference from an encapsulation.
    ///
    /// # Errors
    /// The errors of decoding.
    pub fn from_encapsulation(octets: &[u8]) -> CdrResult<Self> {
        Self::read(&mut CdrReader::for_encapsulation(octets)?)
    }
}

/// The octets of memory that count for a reference in a message, in addition to its profiles.
const DECODED: usize = 256;

impl Wire for Ior {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 9;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_latin1(&value.type_id)?;
        writer.write_count(value.profiles.len(), "profile list")?;
        for profile in &value.profiles {
            writer.write_u32(profile.tag.0);
            writer.write_octets(&profile.data)?;
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.step(4);
        let type_id = reader.read_latin1_owned("type_id")?;
        reader.step(4);
        let count = reader.read_count(8, "profile list")?;
        if count > MAX_PROFILES {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "profile list"));
        }
        if count > 0 {
            reader.allow(DECODED + count * size_of::<TaggedProfile>(), "reference")?;
        }
        let mut profiles = reader.vector_of_allowed(count, "profile list")?;
        for _ in 0..count {
            reader.step(4);
            let tag = ProfileTag(reader.read_u32()?);
            let octets = reader.read_octets()?;
            profiles.push(TaggedProfile { tag, data: reader.copied(octets, "profile")? });
        }
        Ok(Self { type_id, profiles })
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

/// The reason why text is not a stringified reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IorTextError {
    /// It does not begin with `IOR:`.
    NoPrefix,
    /// It has more than [`MAX_STRINGIFIED`] characters.
    TooLong {
        /// Its length in characters.
        length: usize,
    },
    /// A character that is not a hexadecimal digit.
    NotHex {
        /// Index of the octet in the text.
        position: usize,
    },
    /// An odd number of digits; in most cases the text is truncated.
    OddLength,
    /// The octets are not a reference.
    Malformed(CdrError),
}

impl fmt::Display for IorTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPrefix => f.write_str("a stringified reference begins with `IOR:`"),
            Self::TooLong { length } => {
                write!(f, "{length} characters; the limit is {MAX_STRINGIFIED}")
            }
            Self::NotHex { position } => {
                write!(f, "not a hexadecimal digit at position {position}")
            }
            Self::OddLength => f.write_str("an odd number of hexadecimal digits; is it truncated?"),
            Self::Malformed(cause) => write!(f, "not a valid object reference: {cause}"),
        }
    }
}

impl core::error::Error for IorTextError {}

fn hex_digit(value: u8) -> char {
    char::from_digit(u32::from(value), 16).unwrap_or('0')
}

pub(crate) fn hex_value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
