//! Copying runs of fixed-size members, one or many in a row.

mod checks;
mod members;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};

use self::checks::{Rules, check, check_all, error, first_error};
use self::members::swap_all;
use crate::item::{Item, ItemKind, Number, swap, swap_each};
use crate::program::Run;

/// Copies `count` runs in a row.
pub(crate) fn copy(
    run: &Run,
    items: &[Item],
    count: usize,
    reader: &mut CdrReader<'_>,
    mut writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    let mut left = count;
    if let [Item { kind: ItemKind::Number(number), count: each }] = items {
        let numbers = left.saturating_mul(*each as usize);
        return copy_numbers(*number, numbers, reader, writer);
    }
    if !reader.is_evenly_aligned() || reader.is_in_chunks() {
        for _ in 0..left {
            copy_members(items, reader, writer.as_deref_mut())?;
        }
        return Ok(());
    }
    while left > 0 {
        let offset = reader.offset();
        let together = if run.is_uniform_at(offset) { left } else { 1 };
        let length = run.length_at(offset);
        let same_padding = writer
            .as_deref()
            .is_none_or(|to| (to.offset() ^ offset) & usize::from(run.alignment - 1) == 0);
        if !same_padding {
            copy_members(items, reader, writer.as_deref_mut())?;
            left -= 1;
            continue;
        }
        let octets = reader.take(length.saturating_mul(together), "struct")?;
        let rules = Rules::of(reader, writer.as_deref());
        let checked = run.checked || (run.has_text && rules.ascii);
        if checked && !check_all(items, offset, length, octets, rules) {
            return Err(first_error(items, offset, length, octets, rules));
        }
        if let Some(writer) = writer.as_deref_mut() {
            if run.is_swapped && writer.order() != reader.order() {
                writer.reserve_capacity(octets.len(), "struct")?;
                let to = writer.reserve(octets.len());
                swap_all(items, offset, length, octets, to);
            } else {
                writer.put(octets);
            }
        }
        left -= together;
    }
    Ok(())
}

/// Copies an array of numbers. Without a writer, skips them.
///
/// # Errors
/// `Truncated`.
pub fn copy_numbers(
    number: Number,
    count: usize,
    reader: &mut CdrReader<'_>,
    writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    if count == 0 {
        return Ok(());
    }
    let alignment = ItemKind::Number(number).alignment();
    let length = count.saturating_mul(number.size());
    reader.step(alignment);
    reader.align(alignment);
    if reader.is_in_chunks() && reader.remaining() < length || reader.is_aligned_per_part() {
        return copy_each(number, count, reader, writer);
    }
    let octets = reader.take(length, "number")?;
    if let Some(writer) = writer {
        put_numbers(number, octets, reader.order(), writer);
    }
    Ok(())
}

fn put_numbers(number: Number, octets: &[u8], order: ByteOrder, writer: &mut CdrWriter<'_>) {
    writer.align(ItemKind::Number(number).alignment());
    if writer.order() == order || number == Number::One {
        writer.put(octets);
    } else {
        swap_each(number.size(), octets, writer.reserve(octets.len()));
    }
}

/// Copies numbers that span several chunks of a value or parts of a message.
#[cold]
fn copy_each(
    number: Number,
    count: usize,
    reader: &mut CdrReader<'_>,
    mut writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    let alignment = ItemKind::Number(number).alignment();
    for _ in 0..count {
        reader.step(alignment);
        reader.align(alignment);
        let octets = reader.take(number.size(), "number")?;
        if let Some(writer) = writer.as_deref_mut() {
            put_numbers(number, octets, reader.order(), writer);
        }
    }
    Ok(())
}

/// Copies one run member by member.
fn copy_members(
    items: &[Item],
    reader: &mut CdrReader<'_>,
    mut writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    for item in items {
        let (size, alignment) = (item.kind.size(), item.kind.alignment());
        // A sender may split an array into several chunks, or align its elements in each part.
        let (pieces, each) = match reader.is_in_chunks() || reader.is_aligned_per_part() {
            true => (item.count, 1),
            false => (1, item.count),
        };
        for _ in 0..pieces {
            reader.step(alignment);
            reader.align(alignment);
            let octets = reader.take(size.saturating_mul(each as usize), item.kind.what())?;
            let rules = Rules::of(reader, writer.as_deref());
            if octets.chunks_exact(size).any(|one| !check(item.kind, one, rules)) {
                return Err(error(item.kind, reader.offset()));
            }
            if let Some(writer) = writer.as_deref_mut() {
                writer.align(alignment);
                if item.kind.is_swapped() && writer.order() != reader.order() {
                    swap_each(size, octets, writer.reserve(octets.len()));
                } else {
                    writer.put(octets);
                }
            }
        }
    }
    Ok(())
}

/// Whether both streams have the same run.
pub(crate) fn equal(
    items: &[Item],
    left: &mut CdrReader<'_>,
    right: &mut CdrReader<'_>,
) -> CdrResult<bool> {
    for item in items {
        let (pieces, each) = match left.is_in_chunks() || right.is_in_chunks() {
            true => (item.count, 1),
            false => (1, item.count),
        };
        for _ in 0..pieces {
            if !same(Item { count: each, ..*item }, left, right)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn same(item: Item, left: &mut CdrReader<'_>, right: &mut CdrReader<'_>) -> CdrResult<bool> {
    let (size, alignment) = (item.kind.size(), item.kind.alignment());
    let length = size.saturating_mul(item.count as usize);
    let next = |reader: &mut CdrReader<'_>| {
        reader.step(alignment);
        reader.align(alignment);
    };
    next(left);
    next(right);
    let one = left.take(length, item.kind.what())?;
    let other = right.take(length, item.kind.what())?;
    if left.order() == right.order() || !item.kind.is_swapped() {
        return Ok(one == other);
    }
    Ok(one.chunks_exact(size).zip(other.chunks_exact(size)).all(|(one, other)| {
        let mut swapped = [0; 16];
        let swapped = swapped.get_mut(..size).unwrap_or_default();
        swap(other, swapped);
        one == swapped
    }))
}
