//! Names as the server handles them: the components one after the other in one buffer.

use zorb::giop::StringName;
use zorb::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

use crate::cos_naming::{BindingType, Name, NameComponent};

/// A name. Each component is a *key*: the octets of its id, a NUL, and those of its kind. Strings of CORBA contain no
/// NUL, so keys are equal if and only if id and kind are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    octets: Vec<u8>,
    /// Where each component ends.
    ends: Vec<u32>,
}

impl Path {
    /// The number of components.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The key of a component; empty beyond the last.
    pub(crate) fn key(&self, index: usize) -> &[u8] {
        let at = |index: usize| self.ends.get(index).map_or(self.octets.len(), |end| *end as usize);
        let start = if index == 0 { 0 } else { at(index - 1) };
        self.octets.get(start..at(index)).unwrap_or_default()
    }

    /// The key of the last component.
    pub(crate) fn last(&self) -> &[u8] {
        self.key(self.len().saturating_sub(1))
    }

    /// The components from `index` on, as a value of the stubs.
    pub(crate) fn name_from(&self, index: usize) -> Name {
        (index..self.len()).map(|index| component(self.key(index))).collect()
    }

    /// Parses a stringified name; `None` if it is malformed.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let name: StringName = text.parse().ok()?;
        let mut path = Self::default();
        for component in &name.components {
            path.push(&component.id, &component.kind);
        }
        Some(path)
    }

    pub(crate) fn push(&mut self, id: &str, kind: &str) {
        self.octets.extend_from_slice(id.as_bytes());
        self.octets.push(0);
        self.octets.extend_from_slice(kind.as_bytes());
        // A message has less than 4 GiB.
        self.ends.push(u32::try_from(self.octets.len()).unwrap_or(u32::MAX));
    }
}

impl<'a> FromIterator<&'a NameComponent> for Path {
    fn from_iter<I: IntoIterator<Item = &'a NameComponent>>(components: I) -> Self {
        let mut path = Self::default();
        components.into_iter().for_each(|component| path.push(&component.id, &component.kind));
        path
    }
}

/// Id and kind of a key.
pub(crate) fn parts(key: &[u8]) -> (&str, &str) {
    let nul = key.iter().position(|octet| *octet == 0).unwrap_or(key.len());
    let (id, kind) = key.split_at_checked(nul).unwrap_or((key, &[]));
    let text = |octets| std::str::from_utf8(octets).unwrap_or_default();
    (text(id), text(kind.get(1..).unwrap_or_default()))
}

/// A key as a value of the stubs.
fn component(key: &[u8]) -> NameComponent {
    let (id, kind) = parts(key);
    NameComponent { id: id.to_owned(), kind: kind.to_owned() }
}

/// Writes a component.
fn write_component(key: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    let (id, kind) = parts(key);
    String::write(id, writer)?;
    String::write(kind, writer)
}

/// Writes a `CosNaming::Binding`.
pub(crate) fn write_binding(
    key: &[u8],
    is_context: bool,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let kind = if is_context { BindingType::Ncontext } else { BindingType::Nobject };
    writer.write_count(1, "Name")?;
    write_component(key, writer)?;
    writer.write_u32(kind as u32);
    Ok(())
}

/// The smallest component: two empty strings, with padding between them.
const SMALLEST: usize = 13;

/// `CosNaming::Name`.
impl Wire for Path {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 4;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(value.len(), "Name")?;
        (0..value.len()).try_for_each(|index| write_component(value.key(index), writer))
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let count = reader.read_count(SMALLEST, "Name")?;
        // Text takes at most twice as many octets as before, in UTF-8.
        reader.allow(count.saturating_mul(4).saturating_add(2 * reader.remaining()), "Name")?;
        let octets = reader.vector_of_allowed(reader.remaining(), "Name")?;
        let mut path = Self { octets, ends: reader.vector_of_allowed(count, "Name")? };
        for _ in 0..count {
            let id = String::read_borrowed(reader)?;
            let kind = String::read_borrowed(reader)?;
            if id.contains('\0') || kind.contains('\0') {
                return Err(reader.error(CdrErrorKind::BadString, "Name"));
            }
            path.push(&id, &kind);
        }
        Ok(path)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}
