//! Step 4: the sender.

use zorb_types::TcKind;

use crate::cached::Cached;
use crate::memory::{Heap, load, load_sequence};
use crate::stream::Writer;
use crate::type_code::basic_size;
use crate::{Error, Result};

/// Encodes a value in memory.
pub(crate) fn encode(
    type_code: &Cached,
    memory: &[u8],
    at: usize,
    heap: &Heap,
    writer: &mut Writer<'_>,
) -> Result<()> {
    match type_code.kind {
        TcKind::Sequence => encode_sequence(type_code, memory, at, heap, writer),
        TcKind::Struct => encode_structs(type_code, memory, (at, 1), heap, writer),
        TcKind::String => encode_string(memory, at, heap, writer),
        TcKind::Array => {
            encode_elements(type_code.element()?, memory, (at, type_code.length), heap, writer)
        }
        _ => encode_numbers(type_code.size, memory, (at, 1), writer),
    }
}

fn encode_sequence(
    type_code: &Cached,
    memory: &[u8],
    at: usize,
    heap: &Heap,
    writer: &mut Writer<'_>,
) -> Result<()> {
    let (length, pointer) = load_sequence(memory, at)?;
    writer.put_number(length.to_ne_bytes());
    let block = heap.block(pointer)?;
    encode_elements(type_code.element()?, block, (0, length as usize), heap, writer)
}

/// Encodes elements from an offset on.
fn encode_elements(
    element: &Cached,
    memory: &[u8],
    (at, count): (usize, usize),
    heap: &Heap,
    writer: &mut Writer<'_>,
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    match element.kind {
        TcKind::Struct => encode_structs(element, memory, (at, count), heap, writer),
        kind if basic_size(kind).is_some() => {
            encode_numbers(element.size, memory, (at, count), writer)
        }
        _ => (0..count)
            .try_for_each(|index| encode(element, memory, at + index * element.size, heap, writer)),
    }
}

/// Encodes a run of numbers.
#[inline(never)]
fn encode_numbers(
    size: usize,
    memory: &[u8],
    (at, count): (usize, usize),
    writer: &mut Writer<'_>,
) -> Result<()> {
    let octets = memory.get(at..).and_then(|memory| memory.get(..count * size));
    let octets = octets.ok_or(Error::BadPointer)?;
    writer.align(size);
    match writer.swap && size > 1 {
        false => writer.put_octets(octets),
        true => put_swapped(octets, size, writer),
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn put_swapped(octets: &[u8], size: usize, writer: &mut Writer<'_>) {
    for number in octets.chunks_exact(size) {
        for octet in number.iter().rev() {
            writer.put_octets(&[*octet]);
        }
    }
}

/// Encodes structs, one behind the other.
#[inline(never)]
fn encode_structs(
    type_code: &Cached,
    memory: &[u8],
    (at, count): (usize, usize),
    heap: &Heap,
    writer: &mut Writer<'_>,
) -> Result<()> {
    for index in 0..count {
        let start = at + index * type_code.size;
        for part in &type_code.parts {
            let (member, at) = (&part.type_code, start + part.offset);
            match basic_size(member.kind) {
                Some(1) => writer.put_number::<1>(load(memory, at)?),
                Some(2) => writer.put_number::<2>(load(memory, at)?),
                Some(4) => writer.put_number::<4>(load(memory, at)?),
                Some(_) => writer.put_number::<8>(load(memory, at)?),
                None => encode(member, memory, at, heap, writer)?,
            }
        }
    }
    Ok(())
}

#[inline(never)]
fn encode_string(memory: &[u8], at: usize, heap: &Heap, writer: &mut Writer<'_>) -> Result<()> {
    let text = heap.block(u64::from_ne_bytes(load(memory, at)?))?;
    writer.put_length(text.len() + 1)?;
    writer.put_octets(text);
    writer.put_octets(&[0]);
    Ok(())
}
