//! Patterns of encoding and decoding.

use std::hint::black_box;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, Octets, TextCoding, Wire};
use zorb_giop::{
    GiopVersion, MessageHeader, MessageWriter, RequestHeader, RequestStart, ResponseFlags,
    TargetAddress,
};

use super::plain::{self, Numbers};
use super::{Pair, Wrong, same, spend};
use crate::idl::costs::BinStruct;

const ORDER: ByteOrder = ByteOrder::NATIVE;

const VALUE: BinStruct = BinStruct { s: 1, c: 'c', l: 2, o: 3, d: 4.5 };

fn encoded<T: Wire>(value: &T::View) -> CdrResult<Vec<u8>> {
    let mut octets = Vec::new();
    T::write(value, &mut CdrWriter::new(&mut octets, ORDER))?;
    Ok(octets)
}

/// 1,024 longs are read.
pub(super) fn common_case() -> Result<Pair, Wrong> {
    let longs: Vec<i32> = (0..1024).collect();
    let octets = encoded::<Vec<i32>>(&longs)?;
    let before = |octets: &[u8]| plain::read_longs(&mut CdrReader::new(octets, ORDER));
    let after = |octets: &[u8]| Vec::<i32>::read(&mut CdrReader::new(octets, ORDER));
    same(&before(&octets)?, &longs)?;
    same(&after(&octets)?, &longs)?;
    let again = octets.clone();
    Ok(Pair {
        before: Box::new(move || spend(before(black_box(&octets)))),
        after: Box::new(move || spend(after(black_box(&again)))),
    })
}

const REQUEST: RequestStart<'static> = RequestStart {
    request_id: 7,
    response: ResponseFlags::SyncWithTarget,
    target: TargetAddress::Key(b"Z\x01\0\0\0\0\x1bX\xa6/\0\0\0\0\0\0\0\0"),
    operation: "take_octets",
    service_contexts: &[],
};

#[inline(never)]
fn write_request(buffer: &mut Vec<u8>, data: &[u8]) -> CdrResult<()> {
    let mut message = MessageWriter::request(buffer, GiopVersion::V1_2, ORDER, &REQUEST)?;
    message.body(TextCoding::default()).write_octets(data)?;
    message.finish()
}

/// A request with 4 KiB of octets is written.
pub(super) fn waste() -> Result<Pair, Wrong> {
    let data = vec![7; crate::operation::OCTETS];
    let (mut arguments, mut joined, mut at_once) = (Vec::new(), Vec::new(), Vec::new());
    plain::write_request((&mut arguments, &mut joined), &REQUEST, &data)?;
    write_request(&mut at_once, &data)?;
    same(&joined, &at_once)?;
    let again = data.clone();
    Ok(Pair {
        before: Box::new(move || {
            let buffers = (&mut arguments, &mut joined);
            spend(plain::write_request(buffers, &REQUEST, black_box(&data)));
        }),
        after: Box::new(move || {
            spend(write_request(&mut at_once, black_box(&again)));
        }),
    })
}

/// 64 structs are read.
pub(super) fn specialize() -> Result<Pair, Wrong> {
    let structs = vec![VALUE; 64];
    let octets = encoded::<Vec<BinStruct>>(&structs)?;
    let before = |octets: &[u8]| plain::read_structs(&mut CdrReader::new(octets, ORDER));
    let after = |octets: &[u8]| Vec::<BinStruct>::read(&mut CdrReader::new(octets, ORDER));
    same(&before(&octets)?, &structs)?;
    same(&after(&octets)?, &structs)?;
    let again = octets.clone();
    Ok(Pair {
        before: Box::new(move || spend(before(black_box(&octets)))),
        after: Box::new(move || spend(after(black_box(&again)))),
    })
}

#[inline(never)]
fn write_structs(buffer: &mut Vec<u8>, values: &[BinStruct]) -> CdrResult<()> {
    buffer.clear();
    let mut writer = CdrWriter::new(buffer, ORDER);
    writer.write_u32(0);
    Vec::<BinStruct>::write(values, &mut writer)
}

/// 4,096 structs, 96 KiB, are written into a buffer that has the room.
pub(super) fn processor_cache() -> Result<Pair, Wrong> {
    let structs = vec![VALUE; 4096];
    let (mut cleared, mut blocks) = (Vec::new(), Vec::new());
    plain::write_structs(&mut cleared, &structs);
    write_structs(&mut blocks, &structs)?;
    same(&cleared, &blocks)?;
    let again = structs.clone();
    Ok(Pair {
        before: Box::new(move || plain::write_structs(&mut cleared, black_box(&structs))),
        after: Box::new(move || spend(write_structs(&mut blocks, black_box(&again)))),
    })
}

#[inline(never)]
fn read_numbers(octets: &[u8], order: ByteOrder) -> CdrResult<Numbers> {
    let mut reader = CdrReader::new(octets, order);
    Ok(Numbers {
        a: reader.read_u32()?,
        b: reader.read_u16()?,
        c: reader.read_u64()?,
        d: reader.read_u16()?,
        e: reader.read_f64()?,
        f: reader.read_u32()?,
        g: reader.read_f32()?,
        h: reader.read_u64()?,
    })
}

/// Eight numbers are read.
pub(super) fn factor_out() -> Result<Pair, Wrong> {
    let octets: Vec<u8> = (0..64).collect();
    same(&plain::read_numbers(&octets, ORDER)?, &read_numbers(&octets, ORDER)?)?;
    let again = octets.clone();
    Ok(Pair {
        before: Box::new(move || {
            spend(plain::read_numbers(black_box(&octets), black_box(ORDER)));
        }),
        after: Box::new(move || {
            spend(read_numbers(black_box(&again), black_box(ORDER)));
        }),
    })
}

/// Decodes a request as a server does.
fn arguments(message: &[u8]) -> Result<CdrReader<'_>, Wrong> {
    let header = MessageHeader::parse_prefix(message)?.ok_or("no header")?;
    let (_, arguments) = RequestHeader::read(message, &header)?;
    Ok(arguments)
}

/// A request with 4 KiB of octets is written, and read for the servant.
pub(super) fn heap() -> Result<Pair, Wrong> {
    let data = vec![7; crate::operation::OCTETS];
    let before = |data: &[u8]| -> Result<usize, Wrong> {
        let mut buffer = Vec::new();
        write_request(&mut buffer, data)?;
        let octets: Vec<u8> = Octets::read(&mut arguments(&buffer)?)?;
        Ok(black_box(&octets).len())
    };
    let after = |buffer: &mut Vec<u8>, data: &[u8]| -> Result<usize, Wrong> {
        write_request(buffer, data)?;
        let octets = Octets::read_borrowed(&mut arguments(buffer)?)?;
        Ok(black_box(&octets).len())
    };
    let mut buffer = Vec::new();
    same(&before(&data)?, &after(&mut buffer, &data)?)?;
    let again = data.clone();
    Ok(Pair {
        before: Box::new(move || spend(before(black_box(&data)))),
        after: Box::new(move || spend(after(&mut buffer, black_box(&again)))),
    })
}
