//! The octets of a SCIOP profile.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::{
    GiopVersion, MAX_ENDPOINTS, ProfileTag, TaggedComponent, TaggedProfile, read_components,
    write_components,
};

/// The octets that a host takes at least.
const MIN_HOST_SIZE: usize = 5;

/// TAO's SCIOP profile: where an object is to be reached over SCTP.
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
/// The hosts are addresses of one server, so they have one port. Components stand in every version.
/// Octets after the known members belong to later versions and are not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SciopProfile {
    /// The version of GIOP that the server speaks.
    pub version: GiopVersion,
    /// Names or addresses of the server.
    pub hosts: Vec<String>,
    /// The port at each of them.
    pub port: u16,
    /// How many streams an association may have; this ORB uses one.
    pub max_streams: u16,
    /// What the server knows the object by.
    pub object_key: Vec<u8>,
    /// What else there is to say.
    pub components: Vec<TaggedComponent>,
}

impl SciopProfile {
    /// The profile as a reference holds it.
    ///
    /// # Errors
    /// A host that has octets outside Latin-1, or members that are too long to be counted.
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

    /// Reads the octets of a profile that anybody may have written.
    ///
    /// # Errors
    /// Octets that end too early or are of another version, and more than 1024 hosts.
    pub fn decode(data: &[u8]) -> CdrResult<Self> {
        let mut reader = CdrReader::for_encapsulation(data)?;
        let (major, minor) = (reader.read_u8()?, reader.read_u8()?);
        let version = GiopVersion::of_profile(major, minor)
            .ok_or_else(|| reader.error(CdrErrorKind::Unsupported, "SCIOP version"))?;
        let count = reader.read_count(MIN_HOST_SIZE, "host list")?;
        if count > MAX_ENDPOINTS {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "host list"));
        }
        let mut hosts = Vec::with_capacity(count);
        for _ in 0..count {
            hosts.push(reader.read_latin1("host")?.into_owned());
        }
        let (port, max_streams) = (reader.read_u16()?, reader.read_u16()?);
        let object_key = reader.read_octets()?.to_vec();
        let components = read_components(&mut reader)?;
        Ok(Self { version, hosts, port, max_streams, object_key, components })
    }
}
