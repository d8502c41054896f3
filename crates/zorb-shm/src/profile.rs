//! The component that contains the server's machine and its other names.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::{ComponentBody, ComponentTag, MAX_ENDPOINTS};

/// The minimum size of a name in octets.
const MIN_NAME_SIZE: usize = 5;

/// Zorb's component of SHMIOP profiles.
///
/// ```text
/// +------------+---------+----------------+-------------+-----------------------+
/// | byte order | padding | string machine | ulong count | count * (string name) |
/// +------------+---------+----------------+-------------+-----------------------+
/// ```
///
/// The machine is the kernel's boot id. The names are those of all Unix-domain sockets, the
/// profile's own first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShmEndpoints {
    pub(crate) machine: String,
    pub(crate) names: Vec<String>,
}

impl ComponentBody for ShmEndpoints {
    const TAG: ComponentTag = ComponentTag::ZORB_SHM_ENDPOINTS;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_latin1(&self.machine)?;
        writer.write_count(self.names.len(), "endpoint list")?;
        for name in &self.names {
            write_name(name, writer)?;
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let machine = reader.read_latin1_owned("machine")?;
        let count = reader.read_count(MIN_NAME_SIZE, "endpoint list")?;
        if count > MAX_ENDPOINTS {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "endpoint list"));
        }
        let mut names = reader.vector(count, "endpoint list")?;
        for _ in 0..count {
            let octets = reader.read_string_octets(u32::MAX, "endpoint")?;
            // A name that is not text was not made by Zorb, and is not usable.
            let name = std::str::from_utf8(octets).unwrap_or("\u{fffd}");
            names.push(reader.own_text(name.into())?);
        }
        Ok(Self { machine, names })
    }
}

/// A `string` in UTF-8, like names in the file system.
fn write_name(name: &str, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    if name.contains('\0') {
        return Err(writer.error(CdrErrorKind::BadString, "endpoint"));
    }
    writer.write_count(name.len() + 1, "endpoint")?;
    writer.put(name.as_bytes());
    writer.write_u8(0);
    Ok(())
}
