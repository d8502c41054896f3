//! The format of SCIOP profiles.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::{
    GiopVersion, MAX_ENDPOINTS, ProfileTag, TaggedComponent, TaggedProfile, read_components,
    write_components,
};

/// The minimum size of a host in octets.
const MIN_HOST_SIZE: usize = 5;

/// TAO's SCIOP profile: an object at an SCTP endpoint.
///
/// ```text
/// +------------+-------------+-------------+---------+------------------------+
/// | byte order | octet major | octet minor | padding | sequence<string> hosts |
/// +------------+-------------+-------------+---------+------------------------+
/// | ushort port | ushort max_streams | sequence<octet> object_key             |
/// +-------------+--------------------+----------------------------------------+
/// | sequence<TaggedComponent> components                                      |
/// +---------------------------------------------------------------------------+
/// ```
///
/// The hosts are addresses of one server and share its port. All versions have components. Octets
/// after the known members belong to later versions and are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SciopProfile {
    /// The GIOP version of the server.
    pub version: GiopVersion,
    /// Names or addresses of the server.
    pub hosts: Vec<String>,
    /// The port of all of them.
    pub port: u16,
    /// The maximum number of streams of an association; this ORB uses one.
    pub max_streams: u16,
    /// The object key.
    pub object_key: Vec<u8>,
    /// The tagged components.
    pub components: Vec<TaggedComponent>,
}

impl SciopProfile {
    /// The profile for references.
    ///
    /// # Errors
    /// A host contains characters outside Latin-1, or a member is too long.
    pub fn encode(&self, order: ByteOrder) -> CdrResult<TaggedProfile> {
        let data = CdrWriter::encapsulation(order, |writer| {
            writer.put(&[1, self.version.minor()]);
            writer.write_count(self.hosts.len(), "host list")?;
            for host in &self.hosts {
                writer.write_latin1(host)?;
            }
            writer.write_u16(self.port);
            writer.write_u16(self.max_streams);
            writer.write_octets(&self.object_key)?;
            write_components(&self.components, writer)
        })?;
        Ok(TaggedProfile { tag: ProfileTag::TAO_SCIOP, data })
    }

    /// Decodes a profile.
    ///
    /// # Errors
    /// The octets are truncated or of another version, or there are more than 1024 hosts.
    pub fn decode(data: &[u8]) -> CdrResult<Self> {
        let mut reader = CdrReader::for_encapsulation(data)?;
        let (major, minor) = (reader.read_u8()?, reader.read_u8()?);
        let version = GiopVersion::of_profile(major, minor)
            .ok_or_else(|| reader.error(CdrErrorKind::Unsupported, "SCIOP version"))?;
        let count = reader.read_count(MIN_HOST_SIZE, "host list")?;
        if count > MAX_ENDPOINTS {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "host list"));
        }
        let mut hosts = reader.vector(count, "host list")?;
        for _ in 0..count {
            hosts.push(reader.read_latin1_owned("host")?);
        }
        let (port, max_streams) = (reader.read_u16()?, reader.read_u16()?);
        let object_key = reader.read_octets()?;
        let object_key = reader.copied(object_key, "object key")?;
        let components = read_components(&mut reader)?;
        Ok(Self { version, hosts, port, max_streams, object_key, components })
    }
}
