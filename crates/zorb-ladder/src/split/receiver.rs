//! Step 3: the receiver.

use zorb_types::TcKind;

use crate::cached::Cached;
use crate::memory::{Heap, load_sequence, store, store_sequence};
use crate::stream::Reader;
use crate::type_code::basic_size;
use crate::{Error, Result, merged};

/// Decodes a value to memory, which is zero.
pub(crate) fn decode(
    type_code: &Cached,
    memory: &mut [u8],
    at: usize,
    heap: &mut Heap,
    reader: &mut Reader<'_>,
) -> Result<()> {
    match type_code.kind {
        TcKind::Sequence => decode_sequence(type_code, memory, at, heap, reader),
        TcKind::Struct => decode_structs(type_code, memory, (at, 1), heap, reader),
        TcKind::String => decode_string(memory, at, heap, reader),
        TcKind::Array => {
            let element = type_code.element()?;
            decode_elements(element, memory, (at, type_code.length), heap, reader)
        }
        _ => decode_numbers(type_code.size, memory, (at, 1), reader),
    }
}

fn decode_sequence(
    type_code: &Cached,
    memory: &mut [u8],
    at: usize,
    heap: &mut Heap,
    reader: &mut Reader<'_>,
) -> Result<()> {
    let element = type_code.element()?;
    match basic_size(element.kind) {
        Some(size) => decode_sequence_of_numbers(size, memory, at, heap, reader),
        None => decode_sequence_of_others(element, memory, at, heap, reader),
    }
}

#[inline(never)]
fn decode_sequence_of_numbers(
    size: usize,
    memory: &mut [u8],
    at: usize,
    heap: &mut Heap,
    reader: &mut Reader<'_>,
) -> Result<()> {
    let length = reader.get_length(size)?;
    if length > 0 {
        reader.align(size)?;
    }
    let mut numbers = reader.get_octets(length * size)?.to_vec();
    if reader.swap && size > 1 {
        swap(&mut numbers, size);
    }
    store_sequence(memory, at, length as u32, heap.insert(numbers))
}

#[inline(never)]
fn decode_sequence_of_others(
    element: &Cached,
    memory: &mut [u8],
    at: usize,
    heap: &mut Heap,
    reader: &mut Reader<'_>,
) -> Result<()> {
    let length = reader.get_length(element.size)?;
    let mut block = vec![0; length * element.size];
    let decoded = decode_elements(element, &mut block, (0, length), heap, reader);
    // Also after an error: what has been decoded is freed with the value.
    store_sequence(memory, at, length as u32, heap.insert(block))?;
    decoded
}

#[cold]
#[inline(never)]
fn swap(numbers: &mut [u8], size: usize) {
    numbers.chunks_exact_mut(size).for_each(<[u8]>::reverse);
}

/// Decodes elements from an offset on.
fn decode_elements(
    element: &Cached,
    memory: &mut [u8],
    (at, count): (usize, usize),
    heap: &mut Heap,
    reader: &mut Reader<'_>,
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    match element.kind {
        TcKind::Struct => decode_structs(element, memory, (at, count), heap, reader),
        kind if basic_size(kind).is_some() => {
            decode_numbers(element.size, memory, (at, count), reader)
        }
        _ => (0..count)
            .try_for_each(|index| decode(element, memory, at + index * element.size, heap, reader)),
    }
}

/// Decodes a run of numbers inside a value.
#[inline(never)]
fn decode_numbers(
    size: usize,
    memory: &mut [u8],
    (at, count): (usize, usize),
    reader: &mut Reader<'_>,
) -> Result<()> {
    reader.align(size)?;
    let octets = reader.get_octets(count * size)?;
    let place = memory.get_mut(at..).and_then(|memory| memory.get_mut(..octets.len()));
    let place = place.ok_or(Error::BadPointer)?;
    place.copy_from_slice(octets);
    if reader.swap && size > 1 {
        swap(place, size);
    }
    Ok(())
}

/// Decodes structs, one behind the other.
#[inline(never)]
fn decode_structs(
    type_code: &Cached,
    memory: &mut [u8],
    (at, count): (usize, usize),
    heap: &mut Heap,
    reader: &mut Reader<'_>,
) -> Result<()> {
    for index in 0..count {
        let start = at + index * type_code.size;
        for part in &type_code.parts {
            let (member, at) = (&part.type_code, start + part.offset);
            match basic_size(member.kind) {
                Some(1) => store(memory, at, reader.get_number::<1>()?)?,
                Some(2) => store(memory, at, reader.get_number::<2>()?)?,
                Some(4) => store(memory, at, reader.get_number::<4>()?)?,
                Some(_) => store(memory, at, reader.get_number::<8>()?)?,
                None => decode(member, memory, at, heap, reader)?,
            }
        }
    }
    Ok(())
}

#[inline(never)]
fn decode_string(
    memory: &mut [u8],
    at: usize,
    heap: &mut Heap,
    reader: &mut Reader<'_>,
) -> Result<()> {
    let length = reader.get_length(1)?;
    let (_, text) = reader.get_octets(length)?.split_last().ok_or(Error::Truncated)?;
    let pointer = heap.insert(text.to_vec());
    store(memory, at, pointer.to_ne_bytes())
}

/// Frees what a value points to. A sequence whose elements point to nothing is one block.
#[inline(never)]
pub(crate) fn free(type_code: &Cached, memory: &[u8], heap: &mut Heap) -> Result<()> {
    if type_code.kind == TcKind::Sequence && !type_code.element()?.owns {
        let (_, pointer) = load_sequence(memory, 0)?;
        return heap.take(pointer).map(drop);
    }
    merged::deep_free(type_code, memory, 0, heap)
}
