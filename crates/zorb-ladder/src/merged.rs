//! The engine after step 2, `interp2`: what does not change is calculated once.
//!
//! - Sizes, alignments and members are [cached](crate::cached) in TypeCodes.
//! - Layers pass on what they know: an encoder of a sequence knows the kind and the size of its elements.
//! - Visits are merged into the traversal: members and elements of basic types need no call.
//! - Freeing skips types that own nothing.
//!
//! The price is code: encoder and decoder are one function each, in which the code of all basic types is expanded twice.

use zorb_types::TcKind;

use crate::cached::Cached;
use crate::memory::{Heap, load, load_sequence, store, store_sequence};
use crate::stream::{Access, Inlined, Reader, Writer};
use crate::{Error, Result};

/// Encodes a value in memory.
#[inline(never)]
pub(crate) fn encode(
    type_code: &Cached,
    memory: &[u8],
    at: usize,
    heap: &Heap,
    writer: &mut Writer<'_>,
) -> Result<()> {
    match type_code.kind {
        TcKind::Struct => {
            for part in &type_code.parts {
                let (member, at) = (&part.type_code, at + part.offset);
                if !put(member.kind, memory, at, writer)? {
                    encode(member, memory, at, heap, writer)?;
                }
            }
            Ok(())
        }
        TcKind::Sequence | TcKind::Array => {
            let element = type_code.element()?;
            let (mut at, mut block, mut length) = (at, memory, type_code.length);
            if type_code.kind == TcKind::Sequence {
                let (elements, pointer) = load_sequence(memory, at)?;
                Inlined::put_long(writer, elements.to_ne_bytes());
                (at, block, length) = (0, heap.block(pointer)?, elements as usize);
            }
            for _ in 0..length {
                if !put(element.kind, block, at, writer)? {
                    encode(element, block, at, heap, writer)?;
                }
                at += element.size;
            }
            Ok(())
        }
        TcKind::String => {
            let text = heap.block(u64::from_ne_bytes(load(memory, at)?))?;
            writer.put_length(text.len() + 1)?;
            writer.put_octets(text);
            Inlined::put_octet(writer, [0]);
            Ok(())
        }
        kind => match put(kind, memory, at, writer)? {
            true => Ok(()),
            false => Err(Error::BadTypeCode),
        },
    }
}

/// Puts a value of a basic type; `false` for others.
#[inline(always)]
fn put(kind: TcKind, memory: &[u8], at: usize, writer: &mut Writer<'_>) -> Result<bool> {
    match kind {
        TcKind::Octet | TcKind::Char | TcKind::Boolean => {
            Inlined::put_octet(writer, load(memory, at)?);
        }
        TcKind::Short | TcKind::UShort => Inlined::put_short(writer, load(memory, at)?),
        TcKind::Long | TcKind::ULong | TcKind::Float | TcKind::Enum => {
            Inlined::put_long(writer, load(memory, at)?);
        }
        TcKind::LongLong | TcKind::ULongLong | TcKind::Double => {
            Inlined::put_long_long(writer, load(memory, at)?);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Decodes a value to memory, which is zero.
#[inline(never)]
pub(crate) fn decode(
    type_code: &Cached,
    memory: &mut [u8],
    at: usize,
    heap: &mut Heap,
    reader: &mut Reader<'_>,
) -> Result<()> {
    match type_code.kind {
        TcKind::Struct => {
            for part in &type_code.parts {
                let (member, at) = (&part.type_code, at + part.offset);
                if !get(member.kind, memory, at, reader)? {
                    decode(member, memory, at, heap, reader)?;
                }
            }
            Ok(())
        }
        TcKind::Sequence => {
            let element = type_code.element()?;
            let length = reader.get_length(element.size)?;
            let mut block = vec![0; length * element.size];
            let mut elements = || -> Result<()> {
                let mut at = 0;
                for _ in 0..length {
                    if !get(element.kind, &mut block, at, reader)? {
                        decode(element, &mut block, at, heap, reader)?;
                    }
                    at += element.size;
                }
                Ok(())
            };
            let decoded = elements();
            // Also after an error: what has been decoded is freed with the value.
            let pointer = heap.insert(block);
            store_sequence(memory, at, length as u32, pointer)?;
            decoded
        }
        TcKind::Array => {
            let element = type_code.element()?;
            let mut at = at;
            for _ in 0..type_code.length {
                if !get(element.kind, memory, at, reader)? {
                    decode(element, memory, at, heap, reader)?;
                }
                at += element.size;
            }
            Ok(())
        }
        TcKind::String => {
            let length = reader.get_length(1)?;
            let (_, text) = reader.get_octets(length)?.split_last().ok_or(Error::Truncated)?;
            let pointer = heap.insert(text.to_vec());
            store(memory, at, pointer.to_ne_bytes())
        }
        kind => match get(kind, memory, at, reader)? {
            true => Ok(()),
            false => Err(Error::BadTypeCode),
        },
    }
}

/// Gets a value of a basic type; `false` for others.
#[inline(always)]
fn get(kind: TcKind, memory: &mut [u8], at: usize, reader: &mut Reader<'_>) -> Result<bool> {
    match kind {
        TcKind::Octet | TcKind::Char | TcKind::Boolean => {
            store(memory, at, Inlined::get_octet(reader)?)?;
        }
        TcKind::Short | TcKind::UShort => store(memory, at, Inlined::get_short(reader)?)?,
        TcKind::Long | TcKind::ULong | TcKind::Float | TcKind::Enum => {
            store(memory, at, Inlined::get_long(reader)?)?;
        }
        TcKind::LongLong | TcKind::ULongLong | TcKind::Double => {
            store(memory, at, Inlined::get_long_long(reader)?)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Frees what a value points to.
#[inline(never)]
pub(crate) fn deep_free(
    type_code: &Cached,
    memory: &[u8],
    at: usize,
    heap: &mut Heap,
) -> Result<()> {
    if !type_code.owns {
        return Ok(());
    }
    match type_code.kind {
        TcKind::Struct => type_code
            .parts
            .iter()
            .filter(|part| part.type_code.owns)
            .try_for_each(|part| deep_free(&part.type_code, memory, at + part.offset, heap)),
        TcKind::Array => {
            let element = type_code.element()?;
            (0..type_code.length)
                .try_for_each(|index| deep_free(element, memory, at + index * element.size, heap))
        }
        TcKind::Sequence => {
            let (length, pointer) = load_sequence(memory, at)?;
            let block = heap.take(pointer)?;
            let element = type_code.element()?;
            if !element.owns {
                return Ok(());
            }
            (0..length as usize)
                .try_for_each(|index| deep_free(element, &block, index * element.size, heap))
        }
        _ => heap.take(u64::from_ne_bytes(load(memory, at)?)).map(drop),
    }
}
