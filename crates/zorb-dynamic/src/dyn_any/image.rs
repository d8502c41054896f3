//! Encoded values whose parts have known offsets: numbers, and structs, arrays and sequences of them.
//! Parts are read and changed in place.

use std::borrow::Cow;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, CharSet, TextCoding};
use zorb_types::{Any, TcKind};

use super::known::Known;
use super::tree::{Content, Image};
use super::{DynAny, DynAnyError, DynAnyResult, default};

/// The maximum alignment.
const MAX_ALIGNMENT: usize = 8;

/// Octets that a part may need beyond its own while it is changed.
const SPARE: usize = 3 * MAX_ALIGNMENT;

/// The range of a part, including the padding before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    offset: usize,
    size: usize,
}

/// The range of a part in octets whose first one has the offset `start` from a multiple of 8.
pub(super) fn extent_of(known: &Known, index: usize, start: usize) -> Option<Extent> {
    let head = match known.base() {
        TcKind::Struct => {
            let mut offset = 0_usize;
            for before in 0..index {
                let size = known.part(before)?.fixed()?.size_at(start + offset);
                offset = offset.checked_add(size)?;
            }
            let size = known.part(index)?.fixed()?.size_at(start + offset);
            return Some(Extent { offset, size });
        }
        TcKind::Sequence => start.next_multiple_of(4) - start + 4,
        _ => 0,
    };
    let element = known.part(index)?.fixed()?;
    let first = element.size_at(start + head);
    Some(match index.checked_sub(1) {
        None => Extent { offset: head, size: first },
        Some(others) => {
            // All but the first have the same size and padding.
            let size = element.stride();
            let before = others.checked_mul(size)?.checked_add(head + first)?;
            Extent { offset: before, size }
        }
    })
}

/// The number of parts of an encoded value.
pub(super) fn count(known: &Known, reader: &mut CdrReader<'_>) -> DynAnyResult<usize> {
    match known.count() {
        Some(count) => Ok(count),
        None if known.base() == TcKind::Sequence => Ok(reader.read_count(1, "sequence")?),
        None => Ok(0),
    }
}

impl Extent {
    /// Moves `reader` from the beginning of the value to the part.
    pub(super) fn read<'a>(self, mut reader: CdrReader<'a>) -> Option<CdrReader<'a>> {
        reader.take(self.offset, "part").ok()?;
        (self.size <= reader.remaining()).then_some(reader)
    }
}

impl Image {
    /// The value of an any, of a type with fixed parts.
    pub(super) fn of(known: &Known, any: &Any) -> CdrResult<Self> {
        let mut reader = any.reader();
        let text = reader.text();
        let as_is = reader.order() == ByteOrder::NATIVE && reader.offset() == 0;
        let octets = if as_is {
            reader.rest().to_vec()
        } else {
            let mut octets = Vec::with_capacity(reader.remaining() + SPARE);
            let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE).with_text(text);
            known.layout().copy(&mut reader, &mut writer)?;
            writer.finish()?;
            octets
        };
        Ok(Self { octets, start: 0, text, parts: Vec::new() })
    }

    /// The value of a new DynAny, of a type with fixed parts.
    pub(super) fn new(known: &Known) -> DynAnyResult<Self> {
        let mut octets = Vec::new();
        let text = TextCoding { char_set: CharSet::Utf8, ..TextCoding::ENCAPSULATION };
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE).with_text(text);
        default::write(known, &mut writer, 0)?;
        writer.finish()?;
        Ok(Self { octets, start: 0, text, parts: Vec::new() })
    }

    /// A reader at the start of the octets, which do not contain separate parts.
    pub(super) fn reader(&self) -> CdrReader<'_> {
        CdrReader::new(&self.octets, ByteOrder::NATIVE).with_origin(self.start).with_text(self.text)
    }

    /// Whether all of the value is in the octets.
    pub(super) fn is_whole(&self) -> bool {
        self.parts.iter().all(Option::is_none)
    }

    /// A reader at a part that is in the octets.
    pub(super) fn reader_at(&self, known: &Known, index: usize) -> Option<CdrReader<'_>> {
        if self.parts.get(index).is_some_and(Option::is_some) {
            return None;
        }
        extent_of(known, index, self.start)?.read(self.reader())
    }

    /// Overwrites a part with what `body` writes. Returns `false` if that has another size, or a character
    /// that the text coding of the octets does not have.
    pub(super) fn change(
        &mut self,
        known: &Known,
        index: usize,
        body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> bool {
        let Some(extent) = extent_of(known, index, self.start) else { return false };
        let changed = self.put(extent, body);
        if changed && let Some(part) = self.parts.get_mut(index) {
            *part = None;
        }
        changed
    }

    /// The same for a value without parts.
    pub(super) fn change_all(
        &mut self,
        body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> bool {
        let extent = Extent { offset: 0, size: self.octets.len() };
        let changed = self.put(extent, body);
        if changed {
            self.parts.clear();
        }
        changed
    }

    fn put(
        &mut self,
        extent: Extent,
        body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> bool {
        let length = self.octets.len();
        let end = extent.offset.saturating_add(extent.size);
        // It is written after the octets, with the alignment that it will have.
        let behind =
            length.next_multiple_of(MAX_ALIGNMENT) + (self.start + extent.offset) % MAX_ALIGNMENT;
        // The writer empties a buffer that it cannot grow.
        if self.octets.try_reserve(behind - length + extent.size).is_err() {
            return false;
        }
        self.octets.resize(behind, 0);
        let mut writer =
            CdrWriter::resume(&mut self.octets, ByteOrder::NATIVE).with_text(self.text);
        let written = body(&mut writer).and_then(|()| writer.finish());
        let fits = written.is_ok() && end <= length && self.octets.len() - behind == extent.size;
        if fits {
            self.octets.copy_within(behind.., extent.offset);
        }
        self.octets.truncate(length);
        fits
    }

    /// A part as a separate value.
    pub(super) fn part(&mut self, known: &Known, index: usize) -> DynAnyResult<&mut DynAny> {
        if index >= count(known, &mut self.reader())? {
            return Err(DynAnyError::InvalidValue);
        }
        if self.parts.len() <= index {
            self.parts.resize_with(index + 1, || None);
        }
        let made = match self.parts.get(index) {
            Some(None) => Some(Box::new(self.lifted(known, index)?)),
            _ => None,
        };
        let part = self.parts.get_mut(index).ok_or(DynAnyError::InvalidValue)?;
        if made.is_some() {
            *part = made;
        }
        part.as_deref_mut().ok_or(DynAnyError::InvalidValue)
    }

    /// A copy of a part that is in the octets.
    fn lifted(&self, known: &Known, index: usize) -> DynAnyResult<DynAny> {
        let part = known.part(index).ok_or(DynAnyError::InvalidValue)?;
        let Extent { offset, size } =
            extent_of(known, index, self.start).ok_or(DynAnyError::InvalidValue)?;
        let mut reader = self.reader();
        reader.take(offset, "part")?;
        let mut octets = Vec::with_capacity(size + SPARE);
        octets.extend_from_slice(reader.take(size, "part")?);
        let start = (self.start + offset) % MAX_ALIGNMENT;
        let image = Self { octets, start, text: self.text, parts: Vec::new() };
        Ok(DynAny::with(part.clone(), Content::Image(image)))
    }

    /// All parts as separate values.
    pub(super) fn taken_apart(mut self, known: &Known) -> DynAnyResult<Vec<DynAny>> {
        let count = count(known, &mut self.reader())?;
        let mut own = std::mem::take(&mut self.parts).into_iter();
        let mut parts = Vec::new();
        for index in 0..count {
            parts.push(match own.next().flatten() {
                Some(part) => *part,
                None => self.lifted(known, index)?,
            });
        }
        Ok(parts)
    }

    /// The same value with all parts in the octets; `None` if a separate part has another size.
    fn whole(&self, known: &Known) -> Option<Cow<'_, Self>> {
        if self.is_whole() {
            return Some(Cow::Borrowed(self));
        }
        let mut whole = Self { octets: self.octets.clone(), parts: Vec::new(), ..*self };
        for (index, part) in self.parts.iter().enumerate() {
            let Some(part) = part else { continue };
            let extent = extent_of(known, index, self.start)?;
            let changed = match &part.content {
                Content::Image(part) if part.is_whole() && part.octets.len() == extent.size => {
                    let room = whole.octets.get_mut(extent.offset..)?.get_mut(..extent.size)?;
                    room.copy_from_slice(&part.octets);
                    part.text == self.text
                }
                _ => whole.put(extent, |writer| part.write_value(writer)),
            };
            if !changed {
                return None;
            }
        }
        Some(Cow::Owned(whole))
    }

    /// Appends the value to a stream.
    pub(super) fn write(&self, known: &Known, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let Some(whole) = self.whole(known) else {
            let parts = self.clone().taken_apart(known).unwrap_or_default();
            return DynAny::with(known.clone(), Content::Parts(parts)).write_value(writer);
        };
        let in_step = writer.offset() % MAX_ALIGNMENT == whole.start;
        if in_step && writer.order() == ByteOrder::NATIVE && writer.text() == whole.text {
            writer.put(&whole.octets);
            return Ok(());
        }
        known.layout().copy(&mut whole.reader(), writer)
    }

    /// Sets the length of a sequence. New elements are as in a new DynAny.
    pub(super) fn set_length(&mut self, known: &Known, length: usize) -> DynAnyResult<()> {
        let element = known.part(0).ok_or(DynAnyError::TypeMismatch)?;
        let fixed = element.fixed().ok_or(DynAnyError::TypeMismatch)?;
        let before = count(known, &mut self.reader())?;
        let number = u32::try_from(length).map_err(|_| DynAnyError::TooLarge)?;
        self.parts.truncate(length);
        if length < before {
            let end = match length.checked_sub(1) {
                None => Some(4),
                Some(last) => {
                    extent_of(known, last, self.start).map(|last| last.offset + last.size)
                }
            };
            self.octets.truncate(end.ok_or(DynAnyError::InvalidValue)?);
        } else {
            let stride = fixed.stride();
            let room = (length - before).checked_mul(stride);
            let room = room.filter(|room| *room <= default::MAX_OCTETS);
            let room = room.ok_or(DynAnyError::TooLarge)?;
            // The padding of the first element differs from that of the others: copy the second one.
            let begin = self.octets.len() % MAX_ALIGNMENT;
            let some = (length - before).min(2);
            let mut new = Vec::with_capacity(begin + some * stride + SPARE);
            new.resize(begin, 0);
            let mut from = begin;
            for _ in 0..some {
                from = new.len();
                let mut writer =
                    CdrWriter::resume(&mut new, ByteOrder::NATIVE).with_text(self.text);
                default::write(element, &mut writer, 0)?;
                writer.finish()?;
            }
            self.octets.reserve(room + SPARE);
            self.octets.extend_from_slice(new.get(begin..).unwrap_or_default());
            let from = self.octets.len() - (new.len() - from);
            let mut left = (length - before).saturating_sub(2) * stride;
            while left > 0 {
                let some = left.min(self.octets.len() - from);
                self.octets.extend_from_within(from..from + some);
                left -= some;
            }
        }
        if let Some(head) = self.octets.first_chunk_mut::<4>() {
            *head = number.to_ne_bytes();
        }
        Ok(())
    }
}
