//! Names as the server handles them: the components one after the other in one buffer.

use smallvec::SmallVec;
use zorb::cdr::ByteOrder;
use zorb::giop::StringName;
use zorb::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

use crate::cos_naming::{BindingType, Name, NameComponent};

/// A name. Each component is a *key*: the octets of its id, a NUL, and those of its kind. Strings of CORBA contain no
/// NUL, so keys are equal if and only if id and kind are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// The keys, each behind its length.
    octets: SmallVec<[u8; 96]>,
    len: usize,
    /// Where the last key starts.
    last: usize,
}

/// The octets of the length of a key.
const LENGTH: usize = size_of::<u32>();

impl Path {
    /// The number of components.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The keys of the components.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &*self.octets;
        std::iter::from_fn(move || {
            let (length, keys) = rest.split_first_chunk::<LENGTH>()?;
            let (key, behind) = keys.split_at_checked(u32::from_ne_bytes(*length) as usize)?;
            rest = behind;
            Some(key)
        })
    }

    /// The key of the last component.
    pub(crate) fn last(&self) -> &[u8] {
        self.octets.get(self.last..).unwrap_or_default()
    }

    /// The components from `index` on, as a value of the stubs.
    pub(crate) fn name_from(&self, index: usize) -> Name {
        self.keys().skip(index).map(component).collect()
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
        self.push_octets(id.as_bytes(), kind.as_bytes());
    }

    fn push_octets(&mut self, id: &[u8], kind: &[u8]) {
        // A message has less than 4 GiB.
        let length = u32::try_from(id.len() + 1 + kind.len()).unwrap_or(u32::MAX);
        self.octets.extend_from_slice(&length.to_ne_bytes());
        self.last = self.octets.len();
        self.octets.extend_from_slice(id);
        self.octets.push(0);
        self.octets.extend_from_slice(kind);
        self.len += 1;
    }
}

impl<'a> FromIterator<&'a NameComponent> for Path {
    fn from_iter<I: IntoIterator<Item = &'a NameComponent>>(components: I) -> Self {
        let mut path = Self::default();
        components.into_iter().for_each(|component| path.push(&component.id, &component.kind));
        path
    }
}

/// The octets of id and kind of a key.
fn octets_of(key: &[u8]) -> (&[u8], &[u8]) {
    let nul = key.iter().position(|octet| *octet == 0).unwrap_or(key.len());
    let (id, kind) = key.split_at_checked(nul).unwrap_or((key, &[]));
    (id, kind.get(1..).unwrap_or_default())
}

/// Id and kind of a key.
pub(crate) fn parts(key: &[u8]) -> (&str, &str) {
    let (id, kind) = octets_of(key);
    let text = |octets| std::str::from_utf8(octets).unwrap_or_default();
    (text(id), text(kind))
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

/// The most that a `CosNaming::Binding` has beside its key: counts, lengths, padding and the type.
pub(crate) const BINDING_OCTETS: usize = 32;

/// Writes a `CosNaming::Binding`.
pub(crate) fn write_binding(
    key: &[u8],
    is_context: bool,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let kind = if is_context { BindingType::Ncontext } else { BindingType::Nobject } as u32;
    writer.align(size_of::<u32>());
    // ASCII is the same in all code sets, and most names are.
    if key.is_ascii() && write_ascii_binding(octets_of(key), kind, writer).is_some() {
        return Ok(());
    }
    writer.write_count(1, "Name")?;
    write_component(key, writer)?;
    writer.write_u32(kind);
    Ok(())
}

/// Writes a binding in one piece, which takes a third of the instructions; `None` if it is too long.
fn write_ascii_binding(
    (id, kind): (&[u8], &[u8]),
    binding_type: u32,
    writer: &mut CdrWriter<'_>,
) -> Option<()> {
    let order = writer.order();
    let number = |number: u32| match order {
        ByteOrder::Big => number.to_be_bytes(),
        ByteOrder::Little => number.to_le_bytes(),
    };
    let length = |text: &[u8]| u32::try_from(text.len() + 1).ok().map(number);
    // The NUL, and padding up to the next number.
    let padded = |text: &[u8]| (text.len() + 1).next_multiple_of(size_of::<u32>());
    let (id_length, kind_length) = (length(id)?, length(kind)?);
    let total = 4 * size_of::<u32>() + padded(id) + padded(kind);
    // All zeros.
    let place = writer.reserve(total);
    let (count, place) = place.split_first_chunk_mut()?;
    *count = number(1);
    let (id_place, place) = place.split_first_chunk_mut()?;
    *id_place = id_length;
    let (text, place) = place.split_at_mut_checked(padded(id))?;
    text.get_mut(..id.len())?.copy_from_slice(id);
    let (kind_place, place) = place.split_first_chunk_mut()?;
    *kind_place = kind_length;
    let (text, place) = place.split_at_mut_checked(padded(kind))?;
    text.get_mut(..kind.len())?.copy_from_slice(kind);
    *place.first_chunk_mut()? = number(binding_type);
    Some(())
}

/// The octets of the next string.
fn read_octets<'a>(reader: &mut CdrReader<'a>) -> CdrResult<&'a [u8]> {
    reader.step(size_of::<u32>());
    reader.read_string_octets(u32::MAX, "string")
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
        value.keys().try_for_each(|key| write_component(key, writer))
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let count = reader.read_count(SMALLEST, "Name")?;
        // In UTF-8, text takes at most twice as many octets as in the message. Lengths and NULs take no more.
        let most = reader.remaining();
        reader.allow(most.saturating_mul(2), "Name")?;
        let mut path = Self::default();
        let reserved = path.octets.try_reserve_exact(most);
        reserved.map_err(|_| reader.error(CdrErrorKind::OutOfMemory, "Name"))?;
        // Then the octets of all strings, which usually are short, are their text in any code set.
        let is_ascii = reader.rest().is_ascii();
        for _ in 0..count {
            if is_ascii {
                let (id, kind) = (read_octets(reader)?, read_octets(reader)?);
                path.push_octets(id, kind);
            } else {
                let (id, kind) = (String::read_borrowed(reader)?, String::read_borrowed(reader)?);
                path.push(&id, &kind);
            }
        }
        Ok(path)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cos_naming::Binding;
    use zorb::cdr::{CharSet, TextCoding};

    #[test]
    fn bindings_are_written_as_the_stubs_write_them() {
        let texts = ["", "a", "ab", "abc", "abcd", "a longer name", "n\u{e4}mlich"];
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for (id, kind) in texts.iter().flat_map(|id| texts.map(|kind| (*id, kind))) {
                for start in 0..4 {
                    let written = |write: &dyn Fn(&mut CdrWriter<'_>) -> CdrResult<()>| {
                        let mut octets = Vec::new();
                        let text =
                            TextCoding { char_set: CharSet::Latin1, ..TextCoding::default() };
                        let mut writer = CdrWriter::new(&mut octets, order).with_text(text);
                        (0..start).for_each(|_| writer.write_u8(1));
                        write(&mut writer).unwrap();
                        octets
                    };
                    let key = [id, "\0", kind].concat().into_bytes();
                    let ours = written(&|writer| write_binding(&key, true, writer));
                    let binding = Binding {
                        binding_name: vec![NameComponent { id: id.into(), kind: kind.into() }],
                        binding_type: BindingType::Ncontext,
                    };
                    assert_eq!(ours, written(&|writer| Binding::write(&binding, writer)), "{id:?}");
                    assert!(ours.len() <= start + key.len() + BINDING_OCTETS);
                }
            }
        }
    }

    #[test]
    fn names_are_read_as_the_stubs_write_them() {
        let long = "x".repeat(200);
        let texts = ["", "a", "n\u{e4}mlich", &*long];
        let char_sets = [CharSet::Latin1, CharSet::Utf8];
        let coding = char_sets.map(|char_set| TextCoding { char_set, ..TextCoding::default() });
        for (order, text) in [ByteOrder::Big, ByteOrder::Little].into_iter().zip(coding) {
            for (id, kind) in texts.iter().flat_map(|id| texts.map(|kind| (*id, kind))) {
                let component =
                    |id: &str, kind: &str| NameComponent { id: id.into(), kind: kind.into() };
                let name = vec![component(id, kind), component("last", "")];
                let mut octets = Vec::new();
                let mut writer = CdrWriter::new(&mut octets, order).with_text(text);
                Name::write(&name, &mut writer).unwrap();
                let mut reader = CdrReader::new(&octets, order).with_text(text);
                let path = Path::read(&mut reader).unwrap();
                assert_eq!((path.name_from(0), reader.remaining()), (name, 0));
            }
        }
    }

    #[test]
    fn keys_are_those_that_were_pushed() {
        let mut path = Path::default();
        assert_eq!((path.len(), path.last(), path.keys().next()), (0, &b""[..], None));
        for (id, kind) in [("a", "b"), ("", ""), ("longer", "")] {
            path.push(id, kind);
        }
        assert_eq!(path.keys().collect::<Vec<_>>(), [&b"a\0b"[..], b"\0", b"longer\0"]);
        assert_eq!((path.len(), path.last()), (3, &b"longer\0"[..]));
        assert_eq!(path.name_from(2), crate::name("longer").unwrap());
    }
}
