//! Straightforward encoding and decoding, as in many ORBs.

use std::fmt;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};
use zorb_giop::{
    GiopVersion, HEADER_SIZE, MessageHeader, MessageKind, MessageWriter, RequestStart,
};

use crate::idl::costs::BinStruct;

/// Reads longs one by one.
#[inline(never)]
pub(super) fn read_longs(reader: &mut CdrReader<'_>) -> CdrResult<Vec<i32>> {
    let count = reader.read_count(4, "sequence<long>")?;
    (0..count).map(|_| reader.read_i32()).collect()
}

/// Reads structs member by member.
#[inline(never)]
pub(super) fn read_structs(reader: &mut CdrReader<'_>) -> CdrResult<Vec<BinStruct>> {
    let count = reader.read_count(16, "sequence<BinStruct>")?;
    (0..count)
        .map(|_| {
            Ok(BinStruct {
                s: reader.read_i16()?,
                c: reader.read_char()?,
                l: reader.read_i32()?,
                o: reader.read_u8()?,
                d: reader.read_f64()?,
            })
        })
        .collect()
}

/// Writes a request whose arguments are encoded first, because the header contains their size.
#[inline(never)]
pub(super) fn write_request(
    (arguments, buffer): (&mut Vec<u8>, &mut Vec<u8>),
    start: &RequestStart<'_>,
    data: &[u8],
) -> CdrResult<()> {
    arguments.clear();
    CdrWriter::new(arguments, ByteOrder::NATIVE).write_octets(data)?;
    MessageWriter::request(buffer, GiopVersion::V1_2, ByteOrder::NATIVE, start)?.finish()?;
    buffer.resize(buffer.len().next_multiple_of(8), 0);
    buffer.extend_from_slice(arguments);
    let header = MessageHeader {
        version: GiopVersion::V1_2,
        order: ByteOrder::NATIVE,
        more_fragments: false,
        kind: MessageKind::Request,
        size: (buffer.len() - HEADER_SIZE) as u32,
    };
    if let Some(place) = buffer.first_chunk_mut() {
        *place = header.to_octets();
    }
    Ok(())
}

/// Octets of one struct that begins at a multiple of eight.
const STRUCT: usize = 24;

/// Reserves memory for all structs, then writes each at its offset; they start at octet 8.
#[inline(never)]
pub(super) fn write_structs(buffer: &mut Vec<u8>, values: &[BinStruct]) {
    let mut head = [0; 8];
    head[4..].copy_from_slice(&(values.len() as u32).to_ne_bytes());
    buffer.clear();
    buffer.extend_from_slice(&head);
    buffer.resize(8 + values.len() * STRUCT, 0);
    let (places, _) = buffer.get_mut(8..).unwrap_or_default().as_chunks_mut::<STRUCT>();
    for (place, value) in places.iter_mut().zip(values) {
        place[..2].copy_from_slice(&value.s.to_ne_bytes());
        place[2] = value.c as u8;
        place[4..8].copy_from_slice(&value.l.to_ne_bytes());
        place[8] = value.o;
        place[16..].copy_from_slice(&value.d.to_ne_bytes());
    }
}

/// Eight numbers of all sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Numbers {
    pub(super) a: u32,
    pub(super) b: u16,
    pub(super) c: u64,
    pub(super) d: u16,
    pub(super) e: f64,
    pub(super) f: u32,
    pub(super) g: f32,
    pub(super) h: u64,
}

/// An error with its message.
#[derive(Debug)]
pub(super) struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// Reads the numbers; builds the error message where the error is detected.
#[inline(never)]
pub(super) fn read_numbers(octets: &[u8], order: ByteOrder) -> Result<Numbers, Failure> {
    let mut reader = CdrReader::new(octets, order);
    macro_rules! take {
        ($read:ident, $member:literal) => {
            match reader.$read() {
                Ok(number) => number,
                Err(error) => {
                    let left = reader.remaining();
                    return Err(Failure(format!(
                        "{error}: member {} of Numbers, {left} octets left",
                        $member
                    )));
                }
            }
        };
    }
    Ok(Numbers {
        a: take!(read_u32, "a"),
        b: take!(read_u16, "b"),
        c: take!(read_u64, "c"),
        d: take!(read_u16, "d"),
        e: take!(read_f64, "e"),
        f: take!(read_u32, "f"),
        g: take!(read_f32, "g"),
        h: take!(read_u64, "h"),
    })
}
