//! How long values of a type known at run time take: 64 KiB of a struct of five members, encoded and
//! decoded in several ways.
//!
//! ```sh
//! cargo run --release -p zorb-dynamic --example dynamic_speed
//! ```
#![allow(clippy::print_stdout, reason = "a program that shows numbers")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, Wire};
use zorb_dynamic::DynAny;
use zorb_types::{Any, Layout, TcKind, TypeCode};

/// Octets of the sequence's elements, about.
const OCTETS: usize = 64 << 10;

/// Octets of one element: short, char, long, octet, double.
const ELEMENT: usize = 24;

/// How long one way is repeated.
const TIME: Duration = Duration::from_millis(300);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let members = [
        ("s", TypeCode::plain(TcKind::Short)),
        ("c", TypeCode::plain(TcKind::Char)),
        ("l", TypeCode::plain(TcKind::Long)),
        ("o", TypeCode::plain(TcKind::Octet)),
        ("d", TypeCode::plain(TcKind::Double)),
    ];
    let element = TypeCode::structure("IDL:BinStruct:1.0", "BinStruct", &members)?;
    let type_code = TypeCode::sequence(&element, 0)?;
    let count = OCTETS / ELEMENT;
    let any = Any::build(type_code.clone(), |writer| elements(count, writer))?;
    let layout = Layout::of(&type_code);
    // As in a message: the value does not begin where the any's own octets do.
    let (mut same, mut turned) = (vec![0; 4], vec![0; 4]);
    any.write_value(&mut CdrWriter::resume(&mut same, ByteOrder::NATIVE))?;
    let other = match ByteOrder::NATIVE {
        ByteOrder::Big => ByteOrder::Little,
        ByteOrder::Little => ByteOrder::Big,
    };
    any.write_value(&mut CdrWriter::resume(&mut turned, other))?;
    let (same, turned) = (&same[4..], &turned[4..]);

    println!("{count} structs of {ELEMENT} octets, microseconds a time, least of many:");
    let mut buffer = Vec::with_capacity(2 * OCTETS);
    for (name, octets, order) in [("same", same, ByteOrder::NATIVE), ("other", turned, other)] {
        let reader = CdrReader::new(octets, order).with_origin(4);
        show(&format!("check, {name} byte order"), || layout.skip(&mut reader.clone()))?;
        show(&format!("read an any and write it, {name} byte order"), || {
            let any = Any::read_with(&layout, &mut reader.clone())?;
            buffer.clear();
            buffer.resize(4, 0);
            any.write_with(&layout, &mut CdrWriter::resume(&mut buffer, ByteOrder::NATIVE))?;
            black_box(&buffer);
            Ok(())
        })?;
    }
    show("any with its TypeCode, written and read", || {
        buffer.clear();
        Any::write(&any, &mut CdrWriter::new(&mut buffer, ByteOrder::NATIVE))?;
        black_box(Any::read(&mut CdrReader::new(&buffer, ByteOrder::NATIVE))?);
        Ok(())
    })?;
    show("DynAny: every member taken out and put together again", || {
        let mut value = DynAny::of(any.clone()).map_err(|_| failure())?;
        for index in 0..value.component_count().map_err(|_| failure())? {
            let element = value.component(index).map_err(|_| failure())?;
            for member in 0..element.component_count().map_err(|_| failure())? {
                black_box(element.component(member).map_err(|_| failure())?);
            }
        }
        black_box(value.to_any().map_err(|_| failure())?);
        Ok(())
    })?;
    Ok(())
}

/// The elements of the sequence.
fn elements(count: usize, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_count(count, "sequence")?;
    for index in 0..count as u32 {
        writer.write_i16((index % 1000) as i16);
        writer.write_char('z')?;
        writer.write_u32(index);
        writer.write_u8(7);
        writer.write_f64(f64::from(index));
    }
    Ok(())
}

fn failure() -> zorb_cdr::CdrError {
    zorb_cdr::CdrError::new(zorb_cdr::CdrErrorKind::Unsupported, 0, "DynAny")
}

fn show(name: &str, mut once: impl FnMut() -> CdrResult<()>) -> CdrResult<()> {
    let end = Instant::now() + TIME;
    let mut least = Duration::MAX;
    while Instant::now() < end {
        let start = Instant::now();
        once()?;
        least = least.min(start.elapsed());
    }
    println!("{:9.1}  {name}", least.as_secs_f64() * 1e6);
    Ok(())
}
