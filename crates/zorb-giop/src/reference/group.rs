//! References to groups of objects: the profile of UDP multicast, and the component that names the
//! group.

use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::component::{read_components, write_components};
use super::{ComponentBody, ComponentTag, ProfileTag, TaggedComponent, TaggedProfile};

/// `TAG_GROUP`: which group a reference is for (`PortableGroup::TagGroupTaggedComponent`; MIOP 1.0).
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
    /// The group.
    pub id: u64,
    /// The version of the reference: it grows as the group's properties change. 0 where nobody counts.
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
        let domain = reader.read_latin1("group domain")?.into_owned();
        let id = reader.read_u64()?;
        Ok(Self { domain, id, reference_version: reader.read_u32()? })
    }
}

/// `TAG_UIPMC`: where a group is to be reached by UDP multicast (`MIOP::UIPMC_ProfileBody`; MIOP 1.0).
///
/// ```text
/// +------------+-------------+-------------+----------------+-------------+---------------------------+
/// | byte order | octet major | octet minor | string address | ushort port | sequence<TaggedComponent> |
/// +------------+-------------+-------------+----------------+-------------+---------------------------+
/// ```
///
/// It has no object key: the profile itself names the target of a request. The version is that of MIOP,
/// 1.0; TAO writes that of GIOP, and any with major number 1 is taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UipmcProfile {
    /// The address of the multicast group, without brackets.
    pub address: String,
    /// UDP port.
    pub port: u16,
    /// The [`TagGroup`], and what else there is.
    pub components: Vec<TaggedComponent>,
}

impl UipmcProfile {
    /// The profile as a reference holds it, encapsulated in `order`.
    ///
    /// # Errors
    /// `BadString`, `BadText` for an address with a NUL or beyond ISO 8859-1; `TooLong`.
    pub fn encode(&self, order: ByteOrder) -> CdrResult<TaggedProfile> {
        let data = CdrWriter::encapsulation(order, |writer| {
            writer.put(&[1, 0]);
            writer.write_latin1(&self.address)?;
            writer.write_u16(self.port);
            write_components(&self.components, writer)
        })?;
        Ok(TaggedProfile { tag: ProfileTag::UIPMC, data })
    }

    /// Reads the octets of a profile of this kind.
    ///
    /// # Errors
    /// `Unsupported` for another major version; what the octets break otherwise.
    pub fn decode(data: &[u8]) -> CdrResult<Self> {
        let mut reader = CdrReader::for_encapsulation(data)?;
        let major = reader.read_u8()?;
        reader.read_u8()?;
        if major != 1 {
            return Err(reader.error(CdrErrorKind::Unsupported, "MIOP version"));
        }
        let address = reader.read_latin1("multicast address")?.into_owned();
        let port = reader.read_u16()?;
        Ok(Self { address, port, components: read_components(&mut reader)? })
    }

    /// The group that it is for.
    ///
    /// # Errors
    /// `BadReference` when it does not say; what the component's octets break otherwise.
    pub fn group(&self) -> CdrResult<TagGroup> {
        let group = self.components.iter().find(|component| component.tag == TagGroup::TAG);
        let missing = zorb_cdr::CdrError::new(CdrErrorKind::BadReference, 0, "group");
        group.and_then(|group| group.body().transpose()).unwrap_or(Err(missing))
    }
}
