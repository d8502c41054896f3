//! Reading and writing without memory are errors.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::any::Any;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, ReadContext};

use super::allocator::without_memory;
use crate::{Assembler, Number, Plain, copy_numbers, read_value, write_value};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Little, ByteOrder::Big];

#[test]
fn values_are_not_written() {
    let numbers = [1.5; 64];
    for order in ORDERS {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, order);
        let written = without_memory(|| write_value::<[f64; 64]>(&numbers, &mut writer));
        assert_eq!(written.unwrap_err().kind, CdrErrorKind::OutOfMemory);
    }
}

/// A string of so many octets in a message.
fn text(count: usize) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE);
    write_value::<String>(&"a".repeat(count), &mut writer).unwrap();
    octets
}

#[test]
fn text_is_not_read() {
    for count in [1, 40, 5000] {
        let octets = text(count);
        let mut reader = CdrReader::new(&octets, ByteOrder::NATIVE);
        let read = without_memory(|| read_value::<String>(&mut reader));
        assert_eq!(read.unwrap_err().kind, CdrErrorKind::OutOfMemory, "{count}");
    }
    let octets = text(0);
    let mut reader = CdrReader::new(&octets, ByteOrder::NATIVE);
    assert_eq!(without_memory(|| read_value::<String>(&mut reader)), Ok(String::new()));
}

/// A budget that is used up.
struct Nothing;

impl ReadContext for Nothing {
    fn charge(&self, _: usize) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }
}

#[test]
fn the_memory_of_long_text_is_charged() {
    let read = |count| {
        let octets = text(count);
        let mut reader = CdrReader::new(&octets, ByteOrder::NATIVE).with_context(&Nothing);
        read_value::<String>(&mut reader).map(|text| text.len()).map_err(|error| error.kind)
    };
    // What is not charged of any message.
    assert_eq!(read(200 << 10), Ok(200 << 10));
    assert_eq!(read(300 << 10), Err(CdrErrorKind::OutOfMemory));
}

/// Copies zeros in all byte orders, to a stream with the same alignment and to another one.
fn fails(copy: impl Fn(&mut CdrReader<'_>, &mut CdrWriter<'_>) -> CdrResult<()>) {
    let zeros = vec![0; 400];
    for from in ORDERS {
        for to in ORDERS {
            for before in [&[][..], &[0]] {
                let mut octets = Vec::new();
                let mut writer = CdrWriter::new(&mut octets, to);
                writer.put(before);
                let mut reader = CdrReader::new(&zeros, from);
                let copied = without_memory(|| copy(&mut reader, &mut writer));
                let error = copied.and_then(|()| writer.finish()).unwrap_err();
                assert_eq!(error.kind, CdrErrorKind::OutOfMemory);
            }
        }
    }
}

#[test]
fn numbers_are_not_copied() {
    let numbers = [Number::One, Number::Two, Number::Four, Number::Eight, Number::Sixteen];
    for number in numbers {
        fails(|reader, writer| copy_numbers(number, 300 / number.size(), reader, Some(writer)));
    }
}

#[test]
fn runs_are_not_copied() {
    let mut assembler = Assembler::new();
    let run = assembler.label();
    assembler.begin(run);
    assembler.boolean(1);
    assembler.number(Number::Eight, 30);
    assembler.number(Number::One, 30);
    let program = assembler.finish().unwrap();
    fails(|reader, writer| program.copy(run, reader, writer, &mut Plain));
}
