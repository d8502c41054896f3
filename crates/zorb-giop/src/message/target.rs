//! The target of a request.

use alloc::borrow::Cow;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

use crate::{Ior, ProfileTag, iiop_object_key};

/// The form of a request's target that a server requires (`GIOP::AddressingDisposition`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum AddressingDisposition {
    /// The object key, which Zorb sends.
    KeyAddr = 0,
    /// The profile in use.
    ProfileAddr = 1,
    /// The whole reference.
    ReferenceAddr = 2,
}

impl AddressingDisposition {
    /// The disposition with this number on the wire.
    pub const fn from_short(value: i16) -> Option<Self> {
        Some(match value {
            0 => Self::KeyAddr,
            1 => Self::ProfileAddr,
            2 => Self::ReferenceAddr,
            _ => return None,
        })
    }

    /// Writes it: the discriminator of a [`TargetAddress`], and the whole body of a reply that asks for
    /// another form (CORBA 3.3 part 2, 9.4.3.1).
    pub fn write(self, writer: &mut CdrWriter<'_>) {
        writer.write_i16(self as i16);
    }
}

/// The target of a request (CORBA 3.3 part 2, 9.4.2.1).
///
/// ```text
/// +----------+---------+-----------------------------------------------------------+
/// | short 0  | padding | sequence<octet> object_key                                |
/// | short 1  | padding | ulong tag, sequence<octet> profile_data                   |
/// | short 2  | padding | ulong selected_profile_index, IOR                         |
/// +----------+---------+-----------------------------------------------------------+
/// ```
///
/// GIOP 1.0 and 1.1 have only the object key, without the discriminator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetAddress<'a> {
    /// The object key.
    Key(&'a [u8]),
    /// A profile of the reference.
    Profile {
        /// The profile's kind.
        tag: ProfileTag,
        /// The profile's octets.
        data: &'a [u8],
    },
    /// The whole reference.
    Reference {
        /// Index of the profile in use.
        selected: u32,
        /// The reference.
        ior: Cow<'a, Ior>,
    },
}

impl TargetAddress<'_> {
    /// The form of the target.
    pub fn disposition(&self) -> AddressingDisposition {
        match self {
            Self::Key(_) => AddressingDisposition::KeyAddr,
            Self::Profile { .. } => AddressingDisposition::ProfileAddr,
            Self::Reference { .. } => AddressingDisposition::ReferenceAddr,
        }
    }

    /// The object key, also that in an IIOP profile.
    ///
    /// # Errors
    /// `BadReference` for a profile of another kind (its protocol knows the position of the key), or an
    /// index beyond the profiles of the reference; the errors of decoding the profile.
    #[inline]
    pub fn object_key(&self) -> CdrResult<&[u8]> {
        let (tag, data) = match self {
            Self::Key(key) => return Ok(key),
            Self::Profile { tag, data } => (*tag, *data),
            Self::Reference { selected, ior } => {
                let index = usize::try_from(*selected).unwrap_or(usize::MAX);
                match ior.profiles.get(index) {
                    Some(profile) => (profile.tag, profile.data.as_slice()),
                    None => return Err(bad_reference("selected profile")),
                }
            }
        };
        if tag != ProfileTag::INTERNET_IOP {
            return Err(bad_reference("profile without a known object key"));
        }
        iiop_object_key(data)
    }

    pub(crate) fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.disposition().write(writer);
        match self {
            Self::Key(key) => writer.write_octets(key),
            Self::Profile { tag, data } => {
                writer.write_u32(tag.0);
                writer.write_octets(data)
            }
            Self::Reference { selected, ior } => {
                writer.write_u32(*selected);
                Ior::write(ior, writer)
            }
        }
    }
}

impl<'a> TargetAddress<'a> {
    #[inline]
    pub(crate) fn read(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        let discriminator = reader.read_i16()?;
        match AddressingDisposition::from_short(discriminator) {
            Some(AddressingDisposition::KeyAddr) => Ok(Self::Key(reader.read_octets()?)),
            Some(AddressingDisposition::ProfileAddr) => {
                let tag = ProfileTag(reader.read_u32()?);
                Ok(Self::Profile { tag, data: reader.read_octets()? })
            }
            Some(AddressingDisposition::ReferenceAddr) => {
                let selected = reader.read_u32()?;
                Ok(Self::Reference { selected, ior: Cow::Owned(Ior::read(reader)?) })
            }
            None => Err(reader.error(CdrErrorKind::BadDiscriminator, "target address")),
        }
    }
}

#[cold]
fn bad_reference(what: &'static str) -> zorb_cdr::CdrError {
    zorb_cdr::CdrError::new(CdrErrorKind::BadReference, 0, what)
}
