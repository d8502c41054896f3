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
            let octet = read_octet(1, CdrErrorKind::BadBoolean, "boolean", reader)?;
            // SAFETY: as the caller guarantees.
            unsafe { to.cast::<bool>().write(octet == 1) };
            Ok(())
        }
        Kind::Char => {
            let is_utf8 = reader.text().char_set == CharSet::Utf8;
            let most = if is_utf8 { 0x7F } else { 0xFF };
            let octet = read_octet(most, CdrErrorKind::BadText, "char", reader)?;
            // SAFETY: as the caller guarantees.
            unsafe { to.cast::<char>().write(char::from(octet)) };
            Ok(())
        }
        // SAFETY: as the caller guarantees.
        Kind::Enumeration(enumeration) => unsafe { read_enumerator(enumeration, to, reader) },
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

/// Reads an enumerator to `to`. If it fails, there is none.
///
/// # Safety
/// A value of the enumeration may be written to `to`.
unsafe fn read_enumerator(
    enumeration: &Enumeration,
    to: *mut u8,
    reader: &mut CdrReader<'_>,
) -> CdrResult<()> {
    reader.step(4);
    let octets = take_numbers(Number::U32, 1, reader)?;
    let value =
        octets.first_chunk().map_or(u32::MAX, |octets| u32::from_octets(*octets, reader.order()));
    if value >= enumeration.count {
        return Err(reader.error(CdrErrorKind::BadEnum, enumeration.name));
    }
    // SAFETY: as the caller guarantees; the enumeration has a value with this discriminant.
    unsafe { to.cast::<u32>().write(value) };
    Ok(())
}

/// Reads an octet that is at most `most`.
fn read_octet(
    most: u8,
    fault: CdrErrorKind,
    what: &'static str,
    reader: &mut CdrReader<'_>,
) -> CdrResult<u8> {
    reader.step(1);
    match take_numbers(Number::U8, 1, reader)?.first() {
        Some(octet) if *octet <= most => Ok(*octet),
        _ => Err(reader.error(fault, what)),
    }
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
    let Sequence { element, stride, ahead, .. } = sequence;
    while elements.parts.length < count {
        if elements.parts.length == elements.parts.capacity {
            let capacity = elements.parts.capacity.saturating_mul(2).max(*ahead as usize);
            if !elements.grow(count.min(capacity)) {
                return Err(reader.error(CdrErrorKind::OutOfMemory, "sequence"));
            }
        }
        // SAFETY: the length is below the capacity.
        let at = unsafe { elements.parts.data.add(elements.parts.length * stride) };
        // SAFETY: an element may be written there.
        unsafe { read_one(element, at, reader, steps) }?;
        elements.parts.length += 1;
    }
    // SAFETY: as the caller guarantees; the elements do not exist any more.
    unsafe { (sequence.build)(to, elements.into_parts()) };
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
    if count == 1 {
        reader.step(size);
        let octets = take_numbers(number, 1, reader)?;
        // SAFETY: as the caller guarantees; these are all octets of the number.
        unsafe { put_numbers(size, octets, to, reader.order()) };
        return Ok(());
    }
    // Parts and chunks may end between two numbers.
    let is_run = !(reader.is_aligned_per_part() || reader.is_in_chunks());
    let (mut done, mut run) = (0, if is_run { count } else { 1 });
    while done < count {
        reader.step(size);
        match take_numbers(number, run, reader) {
            Ok(octets) => {
                // SAFETY: the numbers are inside the array.
                let at = unsafe { to.add(done * size) };
                // SAFETY: as the caller guarantees; these are all octets of the numbers.
                unsafe { put_numbers(size, octets, at, reader.order()) };
                done += run;
            }
            Err(error) if run == 1 => return Err(error),
            // Reads one number at a time, so that the error names the position of the missing one.
            Err(_) if !reader.enter_tail(size * count) => run = 1,
            Err(_) => {}
        }
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
