//! Copying runs of fixed-size members, one or many in a row.

use zorb_cdr::{
    ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, Number as _,
};

use crate::item::{Item, ItemKind, Number, swap, swap_each};
use crate::program::Run;

/// Members of a value whose positions are computed once for many values: numbers to swap, members to
/// check. A run with more members computes positions for each value.
const MAX_MEMBERS: usize = 32;

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

/// What the validity of octets depends on.
#[derive(Clone, Copy)]
struct Rules {
    order: ByteOrder,
    /// Whether a `char` has to be ASCII: in UTF-8 no other character is one octet.
    ascii: bool,
}

impl Rules {
    fn of(reader: &CdrReader<'_>, writer: Option<&CdrWriter<'_>>) -> Self {
        let utf8 = |char_set| char_set == CharSet::Utf8;
        Self {
            order: reader.order(),
            ascii: utf8(reader.text().char_set)
                || writer.is_some_and(|writer| utf8(writer.text().char_set)),
        }
    }
}

fn check_all(items: &[Item], offset: usize, length: usize, octets: &[u8], rules: Rules) -> bool {
    let mut members = Members::new();
    each(items, offset, |position, kind| {
        let is_checked = match kind {
            ItemKind::Number(_) => false,
            ItemKind::Char => rules.ascii,
            _ => true,
        };
        if is_checked {
            members.add(position, kind);
        }
    });
    let Some(members) = members.all() else {
        return octets
            .chunks_exact(length)
            .all(|value| invalid_item(items, offset, value, rules).is_none());
    };
    octets.chunks_exact(length).all(|value| {
        members.iter().all(|&(position, kind)| {
            let octets = value.get(position..position + kind.size()).unwrap_or_default();
            check(kind, octets, rules)
        })
    })
}

/// The positions and types of members in a value, up to [`MAX_MEMBERS`].
struct Members {
    members: [(usize, ItemKind); MAX_MEMBERS],
    count: usize,
}

impl Members {
    fn new() -> Self {
        Self { members: [(0, ItemKind::Boolean); MAX_MEMBERS], count: 0 }
    }

    fn add(&mut self, position: usize, kind: ItemKind) {
        if let Some(member) = self.members.get_mut(self.count) {
            *member = (position, kind);
        }
        self.count = self.count.saturating_add(1);
    }

    /// All members, unless there are too many.
    fn all(&self) -> Option<&[(usize, ItemKind)]> {
        self.members.get(..self.count)
    }
}

/// The first invalid item of a value.
fn invalid_item(items: &[Item], offset: usize, value: &[u8], rules: Rules) -> Option<Item> {
    let mut position = 0;
    for item in items {
        let size = item.kind.size();
        position += (position + offset).wrapping_neg() & (item.kind.alignment() - 1);
        let length = size * item.count as usize;
        if !matches!(item.kind, ItemKind::Number(_)) {
            let octets = value.get(position..position + length).unwrap_or_default();
            if !octets.chunks_exact(size).all(|one| check(item.kind, one, rules)) {
                return Some(*item);
            }
        }
        position += length;
    }
    None
}

#[cold]
fn first_error(
    items: &[Item],
    offset: usize,
    length: usize,
    octets: &[u8],
    rules: Rules,
) -> CdrError {
    let values = octets.chunks_exact(length).enumerate();
    let mut found = values.filter_map(|(index, value)| {
        let item = invalid_item(items, offset, value, rules)?;
        Some(error(item.kind, offset + index * length))
    });
    found.next().unwrap_or_else(|| error(ItemKind::Boolean, offset))
}

#[cold]
fn error(kind: ItemKind, offset: usize) -> CdrError {
    let error = match kind {
        ItemKind::Boolean => CdrErrorKind::BadBoolean,
        ItemKind::Char => CdrErrorKind::BadText,
        ItemKind::Enumeration(_) => CdrErrorKind::BadEnum,
        ItemKind::Packed(_) => CdrErrorKind::BadFixed,
        ItemKind::Number(_) => CdrErrorKind::Truncated,
    };
    CdrError::new(error, offset, kind.what())
}

fn check(kind: ItemKind, octets: &[u8], rules: Rules) -> bool {
    match (kind, octets) {
        (ItemKind::Number(_), _) => true,
        (ItemKind::Boolean, [octet]) => *octet < 2,
        (ItemKind::Char, [octet]) => !rules.ascii || octet.is_ascii(),
        (ItemKind::Enumeration(values), octets) => {
            let Some(octets) = octets.first_chunk::<4>() else { return false };
            let value = u32::from_octets(*octets, rules.order);
            value < values
        }
        (ItemKind::Packed(digits), octets) => is_packed(digits, octets),
        _ => false,
    }
}

/// Whether octets are a packed decimal number: digits, and C or D in the last half-octet. With an even
/// number of digits, the first half-octet is 0.
fn is_packed(digits: u8, octets: &[u8]) -> bool {
    let halves = |octet: u8| (octet >> 4, octet & 0xf);
    let Some((&last, others)) = octets.split_last() else { return false };
    let (last_digit, sign) = halves(last);
    let filler = octets.first().map_or(0, |&first| halves(first).0);
    matches!(sign, 0xc | 0xd)
        && last_digit <= 9
        && (digits % 2 == 1 || filler == 0)
        && others.iter().map(|&octet| halves(octet)).all(|(high, low)| high <= 9 && low <= 9)
}

/// Copies values with byte-swapped numbers.
fn swap_all(items: &[Item], offset: usize, length: usize, octets: &[u8], to: &mut [u8]) {
    let mut numbers = Members::new();
    each(items, offset, |position, kind| {
        if kind.is_swapped() {
            numbers.add(position, kind);
        }
    });
    to.copy_from_slice(octets);
    for (value, to) in octets.chunks_exact(length).zip(to.chunks_exact_mut(length)) {
        match numbers.all() {
            Some(numbers) => {
                for &(position, kind) in numbers {
                    swap_at(position, kind.size(), value, to);
                }
            }
            None => each(items, offset, |position, kind| {
                if kind.is_swapped() {
                    swap_at(position, kind.size(), value, to);
                }
            }),
        }
    }
}

/// Calls `found` with the position and type of every member and array element.
fn each(items: &[Item], offset: usize, mut found: impl FnMut(usize, ItemKind)) {
    let mut position = 0;
    for item in items {
        let size = item.kind.size();
        position += (position + offset).wrapping_neg() & (item.kind.alignment() - 1);
        for _ in 0..item.count {
            found(position, item.kind);
            position += size;
        }
    }
}

fn swap_at(position: usize, size: usize, value: &[u8], to: &mut [u8]) {
    /// With a constant size, this is one or two instructions.
    fn of<const N: usize>(position: usize, value: &[u8], to: &mut [u8]) -> Option<()> {
        let octets = value.get(position..)?.first_chunk::<N>()?;
        let to = to.get_mut(position..)?.first_chunk_mut::<N>()?;
        let mut swapped = *octets;
        swapped.reverse();
        *to = swapped;
        Some(())
    }
    let _ = match size {
        2 => of::<2>(position, value, to),
        4 => of::<4>(position, value, to),
        8 => of::<8>(position, value, to),
        _ => of::<16>(position, value, to),
    };
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
