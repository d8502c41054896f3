//! Moving runs: members of fixed size, one value or many in a row.

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet};

use crate::item::{Item, Number, Shape, turn, turn_each};
use crate::program::Run;

/// Places in each of many values that are found once: numbers to turn round, members to check. Runs
/// of more are gone through member by member.
const MAX_PLACES: usize = 32;

/// Moves `count` values of a run that stand one after the other.
pub(crate) fn copy(
    run: &Run,
    items: &[Item],
    count: usize,
    reader: &mut CdrReader<'_>,
    mut writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    let mut left = count;
    if let [Item { shape: Shape::Number(number), count: each }] = items {
        // Aligned once, also where a stream's parts are aligned anew.
        let numbers = left.saturating_mul(*each as usize);
        return copy_numbers(*number, numbers, reader, writer);
    }
    if !reader.is_evenly_aligned() || reader.is_in_chunks() {
        for _ in 0..left {
            copy_slowly(items, reader, writer.as_deref_mut())?;
        }
        return Ok(());
    }
    while left > 0 {
        let offset = reader.offset();
        let together = if run.is_steady_at(offset) { left } else { 1 };
        let length = run.length_at(offset);
        let in_step = writer
            .as_deref()
            .is_none_or(|to| (to.offset() ^ offset) & usize::from(run.alignment - 1) == 0);
        if !in_step {
            copy_slowly(items, reader, writer.as_deref_mut())?;
            left -= 1;
            continue;
        }
        let octets = reader.take(length.saturating_mul(together), "struct")?;
        let strict = is_strict(reader, writer.as_deref());
        let checked = run.checked || (run.has_text && strict.ascii);
        if checked && !check_all(items, offset, length, octets, strict) {
            return Err(fault(items, offset, length, octets, strict));
        }
        if let Some(writer) = writer.as_deref_mut() {
            if run.turns && writer.order() != reader.order() {
                let room = writer.reserve(octets.len());
                turn_all(items, offset, length, octets, room);
            } else {
                writer.put(octets);
            }
        }
        left -= together;
    }
    Ok(())
}

/// Moves numbers that stand one after the other, or checks that they are there.
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
    let alignment = Shape::Number(number).alignment();
    let length = count.saturating_mul(number.size());
    reader.step(alignment);
    reader.align(alignment);
    if reader.is_in_chunks() && reader.remaining() < length {
        return copy_in_chunks(number, count, reader, writer);
    }
    let octets = reader.take(length, "number")?;
    if let Some(writer) = writer {
        put_numbers(number, octets, reader.order(), writer);
    }
    Ok(())
}

fn put_numbers(number: Number, octets: &[u8], order: ByteOrder, writer: &mut CdrWriter<'_>) {
    writer.align(Shape::Number(number).alignment());
    if writer.order() == order {
        writer.put(octets);
    } else {
        turn_each(number.size(), octets, writer.reserve(octets.len()));
    }
}

/// Moves numbers that stand in several chunks of a value.
#[cold]
fn copy_in_chunks(
    number: Number,
    count: usize,
    reader: &mut CdrReader<'_>,
    mut writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    let alignment = Shape::Number(number).alignment();
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

/// Moves one value member by member.
fn copy_slowly(
    items: &[Item],
    reader: &mut CdrReader<'_>,
    mut writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    for item in items {
        let (size, alignment) = (item.shape.size(), item.shape.alignment());
        // Chunks may split an array, if nobody should.
        let (pieces, each) = match reader.is_in_chunks() {
            true => (item.count, 1),
            false => (1, item.count),
        };
        for _ in 0..pieces {
            reader.step(alignment);
            reader.align(alignment);
            let octets = reader.take(size.saturating_mul(each as usize), item.shape.what())?;
            let strict = is_strict(reader, writer.as_deref());
            if octets.chunks_exact(size).any(|one| !check(item.shape, one, reader.order(), strict))
            {
                return Err(error(item.shape, reader.offset()));
            }
            if let Some(writer) = writer.as_deref_mut() {
                writer.align(alignment);
                if item.shape.turns() && writer.order() != reader.order() {
                    turn_each(size, octets, writer.reserve(octets.len()));
                } else {
                    writer.put(octets);
                }
            }
        }
    }
    Ok(())
}

/// How octets are to be read when they are checked.
#[derive(Clone, Copy)]
struct Strict {
    order: ByteOrder,
    /// Whether a `char` has to be ASCII: in UTF-8 no other is one octet.
    ascii: bool,
}

fn is_strict(reader: &CdrReader<'_>, writer: Option<&CdrWriter<'_>>) -> Strict {
    let utf8 = |char_set| char_set == CharSet::Utf8;
    Strict {
        order: reader.order(),
        ascii: utf8(reader.text().char_set)
            || writer.is_some_and(|writer| utf8(writer.text().char_set)),
    }
}

fn check_all(items: &[Item], offset: usize, length: usize, octets: &[u8], strict: Strict) -> bool {
    let mut places = Places::new();
    each(items, offset, |position, shape| {
        let is_free = match shape {
            Shape::Number(_) => true,
            Shape::Char => !strict.ascii,
            _ => false,
        };
        if !is_free {
            places.add(position, shape);
        }
    });
    let Some(places) = places.all() else {
        return octets
            .chunks_exact(length)
            .all(|value| faulty(items, offset, value, strict).is_none());
    };
    octets.chunks_exact(length).all(|value| {
        places.iter().all(|&(position, shape)| {
            let octets = value.get(position..position + shape.size()).unwrap_or_default();
            check(shape, octets, strict.order, strict)
        })
    })
}

/// Places in a value and what is there, as many as there is room for.
struct Places {
    places: [(usize, Shape); MAX_PLACES],
    count: usize,
}

impl Places {
    fn new() -> Self {
        Self { places: [(0, Shape::Boolean); MAX_PLACES], count: 0 }
    }

    fn add(&mut self, position: usize, shape: Shape) {
        if let Some(place) = self.places.get_mut(self.count) {
            *place = (position, shape);
        }
        self.count = self.count.saturating_add(1);
    }

    /// All places, unless they were too many.
    fn all(&self) -> Option<&[(usize, Shape)]> {
        self.places.get(..self.count)
    }
}

/// The first item that is wrong in a value.
fn faulty(items: &[Item], offset: usize, value: &[u8], strict: Strict) -> Option<Item> {
    let mut position = 0;
    for item in items {
        let size = item.shape.size();
        position += (position + offset).wrapping_neg() & (item.shape.alignment() - 1);
        let length = size * item.count as usize;
        if !matches!(item.shape, Shape::Number(_)) {
            let octets = value.get(position..position + length).unwrap_or_default();
            let good =
                octets.chunks_exact(size).all(|one| check(item.shape, one, strict.order, strict));
            if !good {
                return Some(*item);
            }
        }
        position += length;
    }
    None
}

#[cold]
fn fault(items: &[Item], offset: usize, length: usize, octets: &[u8], strict: Strict) -> CdrError {
    let values = octets.chunks_exact(length).enumerate();
    let mut found = values.filter_map(|(index, value)| {
        faulty(items, offset, value, strict).map(|item| error(item.shape, offset + index * length))
    });
    found.next().unwrap_or_else(|| error(Shape::Boolean, offset))
}

#[cold]
fn error(shape: Shape, offset: usize) -> CdrError {
    let kind = match shape {
        Shape::Boolean => CdrErrorKind::BadBoolean,
        Shape::Char => CdrErrorKind::BadText,
        Shape::Enumeration(_) => CdrErrorKind::BadEnum,
        Shape::Packed(_) => CdrErrorKind::BadFixed,
        Shape::Number(_) => CdrErrorKind::Truncated,
    };
    CdrError::new(kind, offset, shape.what())
}

fn check(shape: Shape, octets: &[u8], order: ByteOrder, strict: Strict) -> bool {
    match (shape, octets) {
        (Shape::Number(_), _) => true,
        (Shape::Boolean, [octet]) => *octet < 2,
        (Shape::Char, [octet]) => !strict.ascii || octet.is_ascii(),
        (Shape::Enumeration(values), octets) => {
            let Some(octets) = octets.first_chunk::<4>() else { return false };
            let value = match order {
                ByteOrder::Little => u32::from_le_bytes(*octets),
                ByteOrder::Big => u32::from_be_bytes(*octets),
            };
            value < values
        }
        (Shape::Packed(digits), octets) => is_packed(digits, octets),
        _ => false,
    }
}

/// Packed decimal: digits, and C or D in the last half-octet; of an even number of digits the
/// first half-octet is 0.
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

/// Copies values with their numbers turned round.
fn turn_all(items: &[Item], offset: usize, length: usize, octets: &[u8], room: &mut [u8]) {
    let mut places = Places::new();
    each(items, offset, |position, shape| {
        if shape.turns() {
            places.add(position, shape);
        }
    });
    room.copy_from_slice(octets);
    for (value, place) in octets.chunks_exact(length).zip(room.chunks_exact_mut(length)) {
        match places.all() {
            Some(places) => {
                for &(position, shape) in places {
                    turn_at(position, shape.size(), value, place);
                }
            }
            None => each(items, offset, |position, shape| {
                if shape.turns() {
                    turn_at(position, shape.size(), value, place);
                }
            }),
        }
    }
}

/// Calls `found` with position and shape of every member, those of arrays one by one.
fn each(items: &[Item], offset: usize, mut found: impl FnMut(usize, Shape)) {
    let mut position = 0;
    for item in items {
        let size = item.shape.size();
        position += (position + offset).wrapping_neg() & (item.shape.alignment() - 1);
        for _ in 0..item.count {
            found(position, item.shape);
            position += size;
        }
    }
}

#[inline]
fn turn_at(position: usize, size: usize, value: &[u8], place: &mut [u8]) {
    /// A number of a constant size is one instruction or two.
    #[inline]
    fn of<const N: usize>(position: usize, value: &[u8], place: &mut [u8]) -> Option<()> {
        let octets = value.get(position..)?.first_chunk::<N>()?;
        let room = place.get_mut(position..)?.first_chunk_mut::<N>()?;
        let mut turned = *octets;
        turned.reverse();
        *room = turned;
        Some(())
    }
    let _ = match size {
        2 => of::<2>(position, value, place),
        4 => of::<4>(position, value, place),
        8 => of::<8>(position, value, place),
        _ => of::<16>(position, value, place),
    };
}

/// Whether a value of a run is the same on both sides.
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
    let (size, alignment) = (item.shape.size(), item.shape.alignment());
    let length = size.saturating_mul(item.count as usize);
    let next = |reader: &mut CdrReader<'_>| {
        reader.step(alignment);
        reader.align(alignment);
    };
    next(left);
    next(right);
    let one = left.take(length, item.shape.what())?;
    let other = right.take(length, item.shape.what())?;
    if left.order() == right.order() || !item.shape.turns() {
        return Ok(one == other);
    }
    Ok(one.chunks_exact(size).zip(other.chunks_exact(size)).all(|(one, other)| {
        let mut turned = [0; 16];
        let turned = turned.get_mut(..size).unwrap_or_default();
        turn(other, turned);
        one == turned
    }))
}
