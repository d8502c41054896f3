//! Tagged components.

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::ComponentTag;

/// The maximum number of components of a profile.
pub const MAX_COMPONENTS: usize = 1024;

/// The size of an empty component in octets.
const MIN_COMPONENT_SIZE: usize = 8;

/// One tagged component of a profile (`IOP::TaggedComponent`; CORBA 3.3 part 2, 7.6.3).
///
/// ```text
/// +----------------+----------------+------------------------------------------+
/// | ulong tag      | ulong length   | component_data, usually an encapsulation |
/// +----------------+----------------+------------------------------------------+
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaggedComponent {
    /// The kind of component.
    pub tag: ComponentTag,
    /// The octets as received.
    pub data: Vec<u8>,
}

/// The body of a kind of component.
pub trait ComponentBody: Sized {
    /// The tag of components of this kind.
    const TAG: ComponentTag;

    /// Writes the body into the component's encapsulation.
    ///
    /// # Errors
    /// When the value has no encoding.
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Reads the body from the component's encapsulation.
    ///
    /// # Errors
    /// When the octets are not a valid body.
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self>;
}

impl TaggedComponent {
    /// A component with this body, encapsulated in `order`.
    ///
    /// # Errors
    /// When the body has no encoding.
    pub fn with_body<T: ComponentBody>(body: &T, order: ByteOrder) -> CdrResult<Self> {
        let data = CdrWriter::encapsulation(order, |writer| body.write(writer))?;
        Ok(Self { tag: T::TAG, data })
    }

    /// The body, if the component is of kind `T`. Octets after the body are ignored.
    ///
    /// # Errors
    /// When the component is of kind `T` and malformed.
    pub fn body<T: ComponentBody>(&self) -> CdrResult<Option<T>> {
        if self.tag != T::TAG {
            return Ok(None);
        }
        let mut reader = CdrReader::for_encapsulation(&self.data)?;
        T::read(&mut reader).map(Some)
    }
}

/// Writes the list of components at the end of many kinds of profile, for implementations of protocols.
///
/// # Errors
/// `TooLong` for more octets than a list can have.
pub fn write_components(
    components: &[TaggedComponent],
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    writer.write_count(components.len(), "component list")?;
    for component in components {
        writer.write_u32(component.tag.0);
        writer.write_octets(&component.data)?;
    }
    Ok(())
}

/// Reads a list of components.
///
/// # Errors
/// `BoundExceeded` for more than [`MAX_COMPONENTS`]; `LengthBeyondEnd`, `Truncated`.
pub fn read_components(reader: &mut CdrReader<'_>) -> CdrResult<Vec<TaggedComponent>> {
    let count = reader.read_count(MIN_COMPONENT_SIZE, "component list")?;
    if count > MAX_COMPONENTS {
        return Err(reader.error(CdrErrorKind::BoundExceeded, "component list"));
    }
    let mut components = reader.vector(count, "component list")?;
    for _ in 0..count {
        let tag = ComponentTag(reader.read_u32()?);
        let data = reader.read_octets()?;
        components.push(TaggedComponent { tag, data: reader.copied(data, "component")? });
    }
    Ok(components)
}
