//! The IIOP profile.

use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::component::{read_components, write_components};
use super::{ComponentBody, Ior, ProfileTag, TaggedComponent, TaggedProfile};
use crate::GiopVersion;

/// `TAG_INTERNET_IOP`: the address of an object over TCP (CORBA 3.3 part 2, 9.7.2).
///
/// ```text
/// +------------+-------------+-------------+-------------+-------------+
/// | byte order | octet major | octet minor | string host | ushort port |
/// +------------+-------------+-------------+-------------+-------------+
/// | sequence<octet> object_key             |  sequence<TaggedComponent> |
/// +----------------------------------------+----------------------------+
/// ```
///
/// Version 1.0 has no components. Octets after the known members belong to later versions and are ignored;
/// a minor version above 2 is read as 1.2.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IiopProfile {
    /// The highest GIOP version that the endpoint supports.
    pub version: GiopVersion,
    /// Host name or address; an IPv6 address without brackets.
    pub host: String,
    /// TCP port; 0 if the server does not accept plain TCP.
    pub port: u16,
    /// The object key.
    pub object_key: Vec<u8>,
    /// The components; not sent in version 1.0.
    pub components: Vec<TaggedComponent>,
}

impl Ior {
    /// The well-formed IIOP profiles, in order.
    pub fn iiop_profiles(&self) -> impl Iterator<Item = IiopProfile> + use<'_> {
        self.profiles
            .iter()
            .filter(|profile| profile.tag == ProfileTag::INTERNET_IOP)
            .filter_map(|profile| IiopProfile::decode(&profile.data).ok())
    }
}

impl IiopProfile {
    /// The tagged profile, with an encapsulation in `order`.
    ///
    /// # Errors
    /// `BadString`, `BadText` for a host with a NUL or a character that ISO 8859-1 does not have; `TooLong`.
    pub fn encode(&self, order: ByteOrder) -> CdrResult<TaggedProfile> {
        let data = CdrWriter::encapsulation(order, |writer| {
            writer.put(&[1, self.version.minor()]);
            writer.write_latin1(&self.host)?;
            writer.write_u16(self.port);
            writer.write_octets(&self.object_key)?;
            if self.version > GiopVersion::V1_0 {
                write_components(&self.components, writer)?;
            }
            Ok(())
        })?;
        Ok(TaggedProfile { tag: ProfileTag::INTERNET_IOP, data })
    }

    /// Reads the data of a profile of this kind, or of a kind with the same layout.
    ///
    /// # Errors
    /// `Unsupported` for another major version; the errors of decoding.
    pub fn decode(data: &[u8]) -> CdrResult<Self> {
        let (version, mut reader) = open(data)?;
        let host = reader.read_latin1_owned("host")?;
        let port = reader.read_u16()?;
        let object_key = reader.read_octets()?;
        let object_key = reader.copied(object_key, "object key")?;
        let components = match version {
            GiopVersion::V1_0 => Vec::new(),
            _ => read_components(&mut reader)?,
        };
        Ok(Self { version, host, port, object_key, components })
    }

    /// The body of the first component of kind `T`.
    ///
    /// # Errors
    /// When that component is malformed.
    pub fn component<T: ComponentBody>(&self) -> CdrResult<Option<T>> {
        match self.components.iter().find(|component| component.tag == T::TAG) {
            Some(component) => component.body(),
            None => Ok(None),
        }
    }

    /// The bodies of all well-formed components of kind `T`, for example of alternate addresses.
    pub fn components_of<T: ComponentBody>(&self) -> impl Iterator<Item = T> + use<'_, T> {
        self.components.iter().filter_map(|component| component.body().ok().flatten())
    }

    /// Adds a component with this body, encapsulated in `order`.
    ///
    /// # Errors
    /// When the body has no encoding.
    pub fn add<T: ComponentBody>(&mut self, body: &T, order: ByteOrder) -> CdrResult<()> {
        self.components.push(TaggedComponent::with_body(body, order)?);
        Ok(())
    }
}

/// The object key in the data of an IIOP profile.
///
/// # Errors
/// As [`IiopProfile::decode`], without those of components.
pub fn iiop_object_key(data: &[u8]) -> CdrResult<&[u8]> {
    let (_, mut reader) = open(data)?;
    reader.read_string_octets(u32::MAX, "host")?;
    reader.read_u16()?;
    reader.read_octets()
}

fn open(data: &[u8]) -> CdrResult<(GiopVersion, CdrReader<'_>)> {
    let mut reader = CdrReader::for_encapsulation(data)?;
    let major = reader.read_u8()?;
    let minor = reader.read_u8()?;
    let version = GiopVersion::of_profile(major, minor)
        .ok_or_else(|| reader.error(CdrErrorKind::Unsupported, "IIOP version"))?;
    Ok((version, reader))
}
