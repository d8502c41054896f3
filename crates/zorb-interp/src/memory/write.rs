//! Writing values by their tables.

use alloc::borrow::Cow;
use alloc::string::String;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrResult, CdrWriter, Gathered};

use super::steps::Steps;
use super::table::{Kind, LabelSpace, Member, Number, Operand, Payload, Sequence, Union};
use crate::item::swap_in_place;

/// Writes an argument of a call.
pub(super) fn write_operand(
    operand: &Operand<'_>,
    writer: &mut CdrWriter<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    let Operand { data, length, kind, .. } = *operand;
    match *kind {
        // SAFETY: the value is there, or the reference to the view.
        _ if length == Operand::VALUE => unsafe { write(kind, data, writer, steps) },
        Kind::Text(bound) => {
            steps.count();
            // SAFETY: the octets are those of the text.
            let octets = unsafe { core::slice::from_raw_parts(data, length) };
            // SAFETY: they were a `str`.
            writer.write_str(unsafe { core::str::from_utf8_unchecked(octets) }, bound)
        }
        Kind::Sequence(sequence) => {
            steps.count();
            // SAFETY: as many elements of the sequence are there.
            unsafe { write_sequence(sequence, data, length, writer, steps) }
        }
        // Only text and sequences have a length.
        _ => Err(writer.error(CdrErrorKind::Unsupported, "argument")),
    }
}

/// Writes the value at `from`.
///
/// # Safety
/// A value of this kind is at `from`.
pub(super) unsafe fn write(
    kind: &Kind,
    from: *const u8,
    writer: &mut CdrWriter<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    steps.count();
    match *kind {
        // SAFETY: as the caller guarantees.
        Kind::Numbers(number, count) => unsafe { write_numbers(number, count, from, writer) },
        Kind::Boolean => {
            // SAFETY: as the caller guarantees.
            writer.write_bool(unsafe { *from.cast() });
            Ok(())
        }
        // SAFETY: as the caller guarantees.
        Kind::Char => writer.write_char(unsafe { *from.cast() }),
        Kind::Enumeration(_) => {
            // SAFETY: as the caller guarantees; its discriminant is in memory as this number.
            writer.write_u32(unsafe { *from.cast() });
            Ok(())
        }
        // SAFETY: as the caller guarantees.
        Kind::Text(bound) => writer.write_str(unsafe { &*from.cast::<String>() }, bound),
        Kind::BorrowedText(bound) => {
            // SAFETY: as the caller guarantees.
            writer.write_str(unsafe { &*from.cast::<Cow<'_, str>>() }, bound)
        }
        // SAFETY: a struct of this kind has these members.
        Kind::Structure(structure) => unsafe {
            write_members(structure.members, from, writer, steps)
        },
        // SAFETY: as the caller guarantees.
        Kind::Union(union) => unsafe { write_union(union, from, writer, steps) },
        Kind::Sequence(sequence) => {
            // SAFETY: as the caller guarantees.
            let parts = unsafe { (sequence.parts)(from) };
            // SAFETY: these are its elements.
            unsafe { write_sequence(sequence, parts.data, parts.length, writer, steps) }
        }
        Kind::Array(array) => {
            // SAFETY: an array of this kind has these elements.
            unsafe { write_each(&array.element, array.stride, from, array.count, writer, steps) }
        }
        // SAFETY: as the caller guarantees.
        Kind::Deferred(kind) => unsafe { write(kind(), from, writer, steps) },
        // SAFETY: the codec is the one of the value's type.
        Kind::Codec(codec) => unsafe { (codec.write)(from, writer) },
        // SAFETY: the codec is the one of the value's type.
        Kind::Named(codec) => unsafe { (codec.write)(from, writer) },
    }
}

/// Writes one of several values, as [`write`] does, with a shorter way for strings.
///
/// # Safety
/// As [`write`].
#[inline(always)] // 29 instructions fewer for each string, as when it is read
unsafe fn write_one(
    kind: &Kind,
    from: *const u8,
    writer: &mut CdrWriter<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    match *kind {
        Kind::Text(bound) => {
            steps.count();
            // SAFETY: as the caller guarantees.
            writer.write_str(unsafe { &*from.cast::<String>() }, bound)
        }
        // SAFETY: as the caller guarantees.
        _ => unsafe { write(kind, from, writer, steps) },
    }
}

/// Writes the union at `from`.
///
/// # Safety
/// A value of the union is there.
unsafe fn write_union(
    union: &Union,
    from: *const u8,
    writer: &mut CdrWriter<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    let mut space = LabelSpace::uninit();
    let label = space.as_mut_ptr().cast::<u8>();
    // SAFETY: the caller guarantees the value; every discriminator fits into `space`.
    let (position, payload) = unsafe { (union.inspect)(from, label) };
    // SAFETY: the label has been written.
    let selected = unsafe { (union.select)(label) };
    match union.members.get(position) {
        Some(Payload(kind)) if selected == position => {
            // SAFETY: the label has been written.
            unsafe { write(&union.discriminator, label, writer, steps) }?;
            // SAFETY: the payload has the type at its position.
            unsafe { write(kind, payload, writer, steps) }
        }
        _ => Err(writer.error(CdrErrorKind::BadDiscriminator, union.name)),
    }
}

/// Writes the members of the value at `from`.
///
/// # Safety
/// A value with these members is at `from`.
pub(super) unsafe fn write_members(
    members: &[Member],
    from: *const u8,
    writer: &mut CdrWriter<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    for member in members {
        // SAFETY: the member is inside the value.
        let from = unsafe { from.add(member.offset as usize) };
        // SAFETY: a value of the member's type is there.
        unsafe { write_one(&member.kind, from, writer, steps) }?;
    }
    Ok(())
}

/// Writes a sequence of `count` elements at `from`.
///
/// # Safety
/// As many elements of this sequence are there.
unsafe fn write_sequence(
    sequence: &Sequence,
    from: *const u8,
    count: usize,
    writer: &mut CdrWriter<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    if sequence.bound != u32::MAX && count > sequence.bound as usize {
        return Err(writer.error(CdrErrorKind::BoundExceeded, "sequence"));
    }
    writer.write_count(count, "sequence")?;
    // SAFETY: as the caller guarantees.
    unsafe { write_each(&sequence.element, sequence.stride, from, count, writer, steps) }
}

/// # Safety
/// `count` values of this kind are at `from`, each `stride` octets behind the one before.
unsafe fn write_each(
    kind: &Kind,
    stride: usize,
    mut from: *const u8,
    count: usize,
    writer: &mut CdrWriter<'_>,
    steps: Steps<'_>,
) -> CdrResult<()> {
    for _ in 0..count {
        // SAFETY: as the caller guarantees.
        unsafe { write_one(kind, from, writer, steps) }?;
        // SAFETY: the end of the value is at most that of the last one.
        from = unsafe { from.add(stride) };
    }
    Ok(())
}

/// # Safety
/// `count` numbers are at `from`.
unsafe fn write_numbers(
    number: Number,
    count: u32,
    from: *const u8,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let size = number.size();
    // SAFETY: as the caller guarantees; every octet of a number is initialized.
    let octets = unsafe { core::slice::from_raw_parts(from, size * count as usize) };
    writer.align(size);
    if size > 1 && writer.order() != ByteOrder::NATIVE {
        writer.reserve_capacity(octets.len(), number.what())?;
        let to = writer.reserve(octets.len());
        to.copy_from_slice(octets);
        swap_in_place(size, to);
        return Ok(());
    }
    writer.put_many(octets, Gathered::Run, number.what())
}
