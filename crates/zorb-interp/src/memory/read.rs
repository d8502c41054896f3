//! Reading values by their tables.

use alloc::borrow::Cow;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CharSet, Number as _};

use super::elements::Elements;
use super::release::{ReadElements, ReadMembers};
use super::steps::Steps;
use super::table::{
    Array, Enumeration, Kind, LabelSpace, Member, Number, Payload, Sequence, Structure, Union,
};
use super::text::{read_string, read_text};
use crate::item::swap_in_place;

/// Octets of memory that a sequence may allocate before its elements are read.
const READ_AHEAD: usize = 64 * 1024;

/// Reads a value to `to`. If it fails, there is none.
///
/// # Safety
/// A value of this kind may be written to `to`. If the kind is one of borrowed values, they borrow from the octets of the
/// reader.
pub(super) unsafe fn read(
    kind: &Kind,
    to: *mut u8,
    reader: &mut CdrReader<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    steps.count();
    match *kind {
        // SAFETY: as the caller guarantees.
        Kind::Numbers(number, count) => unsafe { read_numbers(number, count as usize, to, reader) },
        Kind::Boolean => {
            let value = read_bool(reader)?;
            // SAFETY: as the caller guarantees.
            unsafe { to.cast::<bool>().write(value) };
            Ok(())
        }
        Kind::Char => {
            let value = read_char(reader)?;
            // SAFETY: as the caller guarantees.
            unsafe { to.cast::<char>().write(value) };
            Ok(())
        }
        Kind::Enumeration(enumeration) => {
            let value = read_enumerator(enumeration, reader)?;
            // SAFETY: as the caller guarantees; the enumeration has a value with this discriminant.
            unsafe { to.cast::<u32>().write(value) };
            Ok(())
        }
        // SAFETY: as the caller guarantees.
        Kind::Text(bound) => unsafe { read_string(bound, to.cast(), reader) },
        Kind::BorrowedText(bound) => {
            let text = read_text(bound, reader)?;
            // SAFETY: as the caller guarantees.
            unsafe { to.cast::<Cow<'_, str>>().write(text) };
            Ok(())
        }
        // SAFETY: as the caller guarantees.
        Kind::Structure(structure) => unsafe { read_structure(structure, to, reader, steps) },
        // SAFETY: as the caller guarantees.
        Kind::Union(union) => unsafe { read_union(union, to, reader, steps) },
        // SAFETY: as the caller guarantees.
        Kind::Sequence(sequence) => unsafe { read_sequence(sequence, to, reader, steps) },
        // SAFETY: as the caller guarantees.
        Kind::Array(array) => unsafe { read_array(array, to, reader, steps) },
        // SAFETY: as the caller guarantees.
        Kind::Deferred(kind) => unsafe { read(kind(), to, reader, steps) },
        // SAFETY: the codec is the one of the value's type.
        Kind::Codec(codec) => unsafe { (codec.read)(to, reader) },
        // SAFETY: the codec is the one of the value's type.
        Kind::Named(codec) => unsafe { (codec.read)(to, reader, codec.name) },
    }
}

/// Reads one of several values to `to`, as [`read`] does, with a shorter way for strings.
///
/// # Safety
/// As [`read`].
#[inline(always)] // 30 instructions fewer for each string: `read` saves the registers that other kinds need
unsafe fn read_one(
    kind: &Kind,
    to: *mut u8,
    reader: &mut CdrReader<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    match *kind {
        Kind::Text(bound) => {
            steps.count();
            // SAFETY: as the caller guarantees.
            unsafe { read_string(bound, to.cast(), reader) }
        }
        // SAFETY: as the caller guarantees.
        _ => unsafe { read(kind, to, reader, steps) },
    }
}

/// Reads a struct to `to`. If it fails, there is none.
///
/// # Safety
/// A struct of this kind may be written to `to`; as [`read`].
unsafe fn read_structure(
    structure: &Structure,
    to: *mut u8,
    reader: &mut CdrReader<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    if let Some(name) = structure.recursive {
        reader.descend(name)?;
    }
    // SAFETY: as the caller guarantees; a struct of this kind has these members.
    unsafe { read_members(structure.members, to, reader, steps) }?;
    if structure.recursive.is_some() {
        reader.ascend();
    }
    Ok(())
}

/// Reads a union to `to`. If it fails, there is none.
///
/// # Safety
/// A value of the union may be written to `to`; as [`read`].
unsafe fn read_union(
    union: &Union,
    to: *mut u8,
    reader: &mut CdrReader<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    let mut space = LabelSpace::uninit();
    let label = space.as_mut_ptr().cast::<u8>();
    // SAFETY: every discriminator fits into `space`.
    unsafe { read(&union.discriminator, label, reader, steps) }?;
    if union.is_recursive {
        reader.descend(union.name)?;
    }
    // SAFETY: the label has been read.
    let position = unsafe { (union.select)(label) };
    let Some(Payload(kind)) = union.members.get(position) else {
        return Err(reader.error(CdrErrorKind::BadDiscriminator, union.name));
    };
    // SAFETY: a payload is not larger than the union, and needs no other alignment.
    unsafe { read(kind, to, reader, steps) }?;
    // SAFETY: the payload has the type at this position, and label and payload have been read.
    if !unsafe { (union.build)(to, label, position) } {
        return Err(reader.error(CdrErrorKind::BadDiscriminator, union.name));
    }
    if union.is_recursive {
        reader.ascend();
    }
    Ok(())
}

/// Reads the members of a value to `to`. If it fails, there are none.
///
/// # Safety
/// A value with these members may be written to `to`; as [`read`].
pub(super) unsafe fn read_members(
    members: &[Member],
    to: *mut u8,
    reader: &mut CdrReader<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    let mut done = ReadMembers::none(members, to);
    for member in members {
        // SAFETY: the member is inside the value.
        let at = unsafe { to.add(member.offset as usize) };
        // SAFETY: a value of the member's type may be written there.
        unsafe { read_one(&member.kind, at, reader, steps) }?;
        done.count += 1;
    }
    done.keep();
    Ok(())
}

fn read_enumerator(enumeration: &Enumeration, reader: &mut CdrReader<'_>) -> CdrResult<u32> {
    reader.step(4);
    let octets = take_numbers(Number::U32, 1, reader)?;
    let value =
        octets.first_chunk().map_or(u32::MAX, |octets| u32::from_octets(*octets, reader.order()));
    if value >= enumeration.count {
        return Err(reader.error(CdrErrorKind::BadEnum, enumeration.name));
    }
    Ok(value)
}

fn read_octet(reader: &mut CdrReader<'_>) -> CdrResult<u8> {
    reader.step(1);
    let octets = take_numbers(Number::U8, 1, reader)?;
    Ok(octets.first().copied().unwrap_or_default())
}

fn read_bool(reader: &mut CdrReader<'_>) -> CdrResult<bool> {
    let octet = read_octet(reader)?;
    if octet > 1 {
        return Err(reader.error(CdrErrorKind::BadBoolean, "boolean"));
    }
    Ok(octet == 1)
}

fn read_char(reader: &mut CdrReader<'_>) -> CdrResult<char> {
    let octet = read_octet(reader)?;
    if reader.text().char_set == CharSet::Utf8 && !octet.is_ascii() {
        return Err(reader.error(CdrErrorKind::BadText, "char"));
    }
    Ok(char::from(octet))
}

/// Reads a sequence to `to`. If it fails, there is none.
///
/// # Safety
/// A value of this sequence may be written to `to`.
unsafe fn read_sequence(
    sequence: &Sequence,
    to: *mut u8,
    reader: &mut CdrReader<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    reader.step(4);
    let count = reader.read_count_by_call(sequence.min_size as usize, "sequence")?;
    if sequence.bound != u32::MAX && count > sequence.bound as usize {
        return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence"));
    }
    // Counts of nested sequences multiply, so what is allocated ahead is limited; the rest grows with the elements read.
    reader.allow(count.saturating_mul(sequence.stride), "sequence")?;
    let mut elements = Elements::none(sequence);
    read_elements(&mut elements, count, reader, steps)?;
    // SAFETY: as the caller guarantees; the elements do not exist any more.
    unsafe { (sequence.build)(to, elements.into_parts()) };
    Ok(())
}

/// Reads `count` elements.
fn read_elements(
    elements: &mut Elements<'_>,
    count: usize,
    reader: &mut CdrReader<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    let Sequence { element, stride, .. } = elements.sequence;
    let ahead = READ_AHEAD / stride;
    while elements.parts.length < count {
        if elements.parts.length == elements.parts.capacity {
            let more = if elements.parts.capacity == 0 { ahead } else { elements.parts.capacity };
            let capacity = count.min(elements.parts.capacity + more.max(1));
            if !elements.grow(capacity) {
                return Err(reader.error(CdrErrorKind::OutOfMemory, "sequence"));
            }
        }
        // SAFETY: the length is below the capacity.
        let at = unsafe { elements.parts.data.add(elements.parts.length * stride) };
        // SAFETY: an element may be written there.
        unsafe { read_one(element, at, reader, steps) }?;
        elements.parts.length += 1;
    }
    Ok(())
}

/// # Safety
/// An array of this kind may be written to `to`; as [`read`].
unsafe fn read_array(
    array: &Array,
    to: *mut u8,
    reader: &mut CdrReader<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    if array.min_size == 0 {
        reader.allow_empty(array.count, "array")?;
    }
    if !reader.is_in_one_piece() {
        reader.enter_tail(array.min_size);
    }
    let mut done = ReadElements::none(array, to);
    let mut at = to;
    for _ in 0..array.count {
        // SAFETY: an element may be written there.
        unsafe { read(&array.element, at, reader, steps) }?;
        done.count += 1;
        // SAFETY: the end of the element is at most that of the array.
        at = unsafe { at.add(array.stride) };
    }
    done.keep();
    Ok(())
}

/// # Safety
/// `count` numbers may be written to `to`.
unsafe fn read_numbers(
    number: Number,
    count: usize,
    to: *mut u8,
    reader: &mut CdrReader<'_>,
) -> CdrResult<()> {
    let size = number.size();
    reader.step(size);
    // Parts and chunks may end between two numbers.
    if count == 1 || !(reader.is_aligned_per_part() || reader.is_in_chunks()) {
        let mut octets = take_numbers(number, count, reader);
        if octets.is_err() && count > 1 && reader.enter_tail(size * count) {
            octets = take_numbers(number, count, reader);
        }
        match octets {
            Ok(octets) => {
                // SAFETY: as the caller guarantees; these are all octets of the numbers.
                unsafe { put_numbers(size, octets, to, reader.order()) };
                return Ok(());
            }
            Err(error) if count == 1 => return Err(error),
            Err(_) => {}
        }
    }
    // One by one, also to find the one that is missing.
    for index in 0..count {
        reader.step(size);
        let octets = take_numbers(number, 1, reader)?;
        // SAFETY: the number is inside the array.
        let at = unsafe { to.add(index * size) };
        // SAFETY: as the caller guarantees; these are all octets of the number.
        unsafe { put_numbers(size, octets, at, reader.order()) };
    }
    Ok(())
}

#[inline(never)] // it reads everything but text
fn take_numbers<'a>(
    number: Number,
    count: usize,
    reader: &mut CdrReader<'a>,
) -> CdrResult<&'a [u8]> {
    let is_float = matches!(number, Number::F32 | Number::F64);
    reader.read_numbers(number.size(), count, is_float, number.what())
}

/// # Safety
/// As many octets may be written to `to`.
unsafe fn put_numbers(size: usize, octets: &[u8], to: *mut u8, order: ByteOrder) {
    // SAFETY: as the caller guarantees; the reader's octets are elsewhere.
    unsafe { to.copy_from_nonoverlapping(octets.as_ptr(), octets.len()) };
    if size > 1 && order != ByteOrder::NATIVE {
        // SAFETY: the octets have been written.
        swap_in_place(size, unsafe { core::slice::from_raw_parts_mut(to, octets.len()) });
    }
}
