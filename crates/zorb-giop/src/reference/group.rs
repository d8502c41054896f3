//! References to object groups: the profile of UDP multicast, and the component that identifies the group.

use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::component::{read_components, write_components};
use super::{ComponentBody, ComponentTag, ProfileTag, TaggedComponent, TaggedProfile};

/// `TAG_GROUP`: the object group (`PortableGroup::TagGroupTaggedComponent`; MIOP 1.0).
///
/// ```text
/// +------------+-------------+-------------+---------------+--------------------+---------------+
/// | byte order | octet major | octet minor | string domain | ulonglong group id | ulong version |
/// +------------+-------------+-------------+---------------+--------------------+---------------+
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TagGroup {
    /// The domain in which the id is unique.
    pub domain: String,
    /// The id of the group.
    pub id: u64,
    /// The version of the reference, which increases with changes of the group's properties; 0 if it is not
    /// used.
    pub reference_version: u32,
}

impl ComponentBody for TagGroup {
    const TAG: ComponentTag = ComponentTag::GROUP;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.put(&[1, 0]);
        writer.write_latin1(&self.domain)?;
        writer.write_u64(self.id);
        writer.write_u32(self.reference_version);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let major = reader.read_u8()?;
        reader.read_u8()?;
        if major != 1 {
            return Err(reader.error(CdrErrorKind::Unsupported, "version of a group"));
        }
        let domain = reader.read_latin1_owned("group domain")?;
        let id = reader.read_u64()?;
        Ok(Self { domain, id, reference_version: reader.read_u32()? })
    }
}

/// `TAG_UIPMC`: the UDP multicast address of an object group (`MIOP::UIPMC_ProfileBody`; MIOP 1.0).
///
/// ```text
/// +------------+-------------+-------------+----------------+-------------+---------------------------+
/// | byte order | octet major | octet minor | string address | ushort port | sequence<TaggedComponent> |
/// +------------+-------------+-------------+----------------+-------------+---------------------------+
/// ```
///
/// It has no object key: the profile is the target of a request. The version is that of MIOP, 1.0. TAO
/// writes the version of GIOP; every version with major number 1 is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UipmcProfile {
    /// The address of the multicast group, without brackets.
    pub address: String,
    /// UDP port.
    pub port: u16,
    /// The [`TagGroup`] and other components.
    pub components: Vec<TaggedComponent>,
}

impl UipmcProfile {
    /// The tagged profile, with an encapsulation in `order`.
    ///
    /// # Errors
    /// `BadString`, `BadText` for an address with a NUL or a character that ISO 8859-1 does not have;
    /// `TooLong`.
    pub fn encode(&self, order: ByteOrder) -> CdrResult<TaggedProfile> {
        let data = CdrWriter::encapsulation(order, |writer| {
            writer.put(&[1, 0]);
            writer.write_latin1(&self.address)?;
            writer.write_u16(self.port);
            write_components(&self.components, writer)
        })?;
        Ok(TaggedProfile { tag: ProfileTag::UIPMC, data })
    }

    /// Reads the data of a profile of this kind.
    ///
    /// # Errors
    /// `Unsupported` for another major version; the errors of decoding.
    pub fn decode(data: &[u8]) -> CdrResult<Self> {
        let mut reader = CdrReader::for_encapsulation(data)?;
        let major = reader.read_u8()?;
        reader.read_u8()?;
        if major != 1 {
            return Err(reader.error(CdrErrorKind::Unsupported, "MIOP version"));
        }
        let address = reader.read_latin1_owned("multicast address")?;
        let port = reader.read_u16()?;
        Ok(Self { address, port, components: read_components(&mut reader)? })
    }

    /// The object group.
    ///
    /// # Errors
    /// `BadReference` without a group component; the errors of decoding it.
    pub fn group(&self) -> CdrResult<TagGroup> {
        let group = self.components.iter().find(|component| component.tag == TagGroup::TAG);
        let missing = zorb_cdr::CdrError::new(CdrErrorKind::BadReference, 0, "group");
        group.and_then(|group| group.body().transpose()).unwrap_or(Err(missing))
    }
}
