//! The format of UIOP profiles and of the component with further endpoints.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::{
    ComponentBody, ComponentTag, GiopVersion, MAX_ENDPOINTS, ProfileTag, TaggedComponent,
    TaggedProfile, read_components, write_components,
};

/// The minimum size of an endpoint in octets.
const MIN_ENDPOINT_SIZE: usize = 7;

/// TAO's UIOP profile: an object at a Unix-domain socket.
///
/// ```text
/// +------------+-------------+-------------+--------------------------+
/// | byte order | octet major | octet minor | string rendezvous_point  |
/// +------------+-------------+-------------+--------------------------+
/// | sequence<octet> object_key             | sequence<TaggedComponent>|
/// +----------------------------------------+--------------------------+
/// ```
///
/// Version 1.0 has no components. Octets after the known members belong to later versions and are
/// ignored; a minor version above 2 is read as 1.2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UiopProfile {
    pub(crate) version: GiopVersion,
    /// The path, as octets of the file system.
    pub(crate) rendezvous_point: Vec<u8>,
    pub(crate) object_key: Vec<u8>,
    pub(crate) components: Vec<TaggedComponent>,
}

impl UiopProfile {
    pub(crate) fn encode(&self, order: ByteOrder) -> CdrResult<TaggedProfile> {
        let data = CdrWriter::encapsulation(order, |writer| {
            writer.put(&[1, self.version.minor()]);
            write_path(&self.rendezvous_point, writer)?;
            writer.write_octets(&self.object_key)?;
            if self.version > GiopVersion::V1_0 {
                write_components(&self.components, writer)?;
            }
            Ok(())
        })?;
        Ok(TaggedProfile { tag: ProfileTag::TAO_UIOP, data })
    }

    pub(crate) fn decode(data: &[u8]) -> CdrResult<Self> {
        let mut reader = CdrReader::for_encapsulation(data)?;
        let (major, minor) = (reader.read_u8()?, reader.read_u8()?);
        let version = GiopVersion::of_profile(major, minor)
            .ok_or_else(|| reader.error(CdrErrorKind::Unsupported, "UIOP version"))?;
        let rendezvous_point = read_path(&mut reader)?;
        let object_key = reader.read_octets()?;
        let object_key = reader.copied(object_key, "object key")?;
        let components = match version {
            GiopVersion::V1_0 => Vec::new(),
            _ => read_components(&mut reader)?,
        };
        Ok(Self { version, rendezvous_point, object_key, components })
    }
}

/// `TAO_TAG_ENDPOINTS` in a UIOP profile: the paths of all endpoints, the profile's own first.
///
/// ```text
/// +------------+---------+-------------+----------------------------------------------+
/// | byte order | padding | ulong count | count * (string rendezvous_point, short prio)|
/// +------------+---------+-------------+----------------------------------------------+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UiopEndpoints(pub(crate) Vec<Vec<u8>>);

impl UiopEndpoints {
    /// The priority of an endpoint for all priorities.
    const ANY_PRIORITY: i16 = -1;
}

impl ComponentBody for UiopEndpoints {
    const TAG: ComponentTag = ComponentTag::TAO_ENDPOINTS;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(self.0.len(), "endpoint list")?;
        for path in &self.0 {
            write_path(path, writer)?;
            writer.write_i16(Self::ANY_PRIORITY);
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let count = reader.read_count(MIN_ENDPOINT_SIZE, "endpoint list")?;
        if count > MAX_ENDPOINTS {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "endpoint list"));
        }
        let mut paths = reader.vector(count, "endpoint list")?;
        for _ in 0..count {
            paths.push(read_path(reader)?);
            let _priority = reader.read_i16()?;
        }
        Ok(Self(paths))
    }
}

/// A `string` whose octets are the file system's, without a code set.
fn read_path(reader: &mut CdrReader<'_>) -> CdrResult<Vec<u8>> {
    const WHAT: &str = "rendezvous point";
    let path = reader.read_string_octets(u32::MAX, WHAT)?;
    reader.copied(path, WHAT)
}

fn write_path(path: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    if path.contains(&0) {
        return Err(writer.error(CdrErrorKind::BadString, "rendezvous point"));
    }
    writer.write_count(path.len() + 1, "rendezvous point")?;
    writer.put(path);
    writer.write_u8(0);
    Ok(())
}
