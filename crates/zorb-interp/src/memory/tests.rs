//! Tables against the `Wire` implementations of the same types: values, byte orders, offsets and hostile octets by seed.

mod allocator;
mod errors;
mod numbers;
mod release;
mod samples;
mod unions;
mod upcalls;
mod wire;
mod without_memory;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use zorb_cdr::{Bounded, ByteOrder, CdrError, CdrReader, CdrWriter, CharSet, TextCoding, Wire};

use super::{List, Operand, Space, Tabled, Values, read_value, receive, write_value};
use errors::Failure;
use samples::{Sample, Seed, enumeration, record};

record! { Numbers { a: i16, b: u8, c: f64, d: i32, e: i8, f: u64, g: f32, h: u16, i: i64, j: u32 } }
record! { Fixed { long: i32, char: char, short: i16, octet: u8, float: f32, boolean: bool, double: f64 } }
record! { Strings { first: String, second: Bounded<String, 9>, list: Vec<String> } }
record! { Nested { strings: Strings, fixed: Fixed, last: bool } }
record! { Lists { a: Vec<Fixed>, b: Vec<Strings>, c: Bounded<Vec<Nested>, 2>, d: Vec<f64>, e: Vec<bool> } }
record! { Arrays { a: [u8; 3], b: [[i16; 2]; 3], c: [Strings; 2], d: [Color; 3], e: [char; 2], f: [f64; 5] } }
record! { Colors { first: Color, all: Vec<Color>, some: Bounded<Vec<Vec<Color>>, 3> } }
record! { Mixed { wide: zorb_cdr::WString, octets: zorb_cdr::Octets, map: Map, last: u8 } }
enumeration! { Color { Red, Green, Blue } }
type Map = alloc::collections::BTreeMap<i16, String>;

/// How many values of each type.
const SEEDS: u32 = if cfg!(miri) { 2 } else { 60 };

/// How a text is encoded.
fn texts() -> [TextCoding; 2] {
    let utf8 = TextCoding::UNICODE;
    [utf8, TextCoding { char_set: CharSet::Latin1, ..utf8 }]
}

/// What a stream is read and written as: its order, its offset from the alignment base, and its text.
type Stream = (ByteOrder, usize, TextCoding);

fn written(
    (order, offset, text): Stream,
    write: impl FnOnce(&mut CdrWriter<'_>) -> Result<(), CdrError>,
) -> Result<Vec<u8>, CdrError> {
    let mut octets = vec![0; offset];
    write(&mut CdrWriter::resume(&mut octets, order).with_text(text))?;
    Ok(octets.split_off(offset))
}

/// What is read, encoded again, and where the reader is.
fn read<T: Wire>(
    octets: &[u8],
    (order, offset, text): Stream,
    read: impl FnOnce(&mut CdrReader<'_>) -> Result<T::Value, CdrError>,
) -> Result<(Vec<u8>, usize), CdrError> {
    let mut reader = CdrReader::new(octets, order).with_origin(offset).with_text(text);
    let value = read(&mut reader)?;
    let again = written((ByteOrder::Little, 0, text), |writer| T::write(T::view(&value), writer));
    Ok((again.unwrap(), reader.offset()))
}

/// Reads and writes values of a type by its table and by its code.
fn compare<T: Tabled + Sample>() {
    for seed in 0..SEEDS {
        let mut seed = Seed::new(seed);
        let value = T::sample(&mut seed);
        let order = [ByteOrder::Little, ByteOrder::Big][seed.below(2)];
        let text = texts()[seed.below(2)];
        let stream = (order, seed.below(8), text);
        let expected = written(stream, |writer| T::write(T::view(&value), writer));
        assert_eq!(written(stream, |writer| write_value::<T>(&value, writer)), expected);
        let view = T::view(&value);
        assert_eq!(written(stream, |writer| T::operand(&view).write(writer)), expected);
        let Ok(octets) = expected else { continue };
        let compiled = read::<T>(&octets, stream, T::read);
        assert!(compiled.is_ok());
        assert_eq!(read::<T>(&octets, stream, read_value::<T>), compiled);
        for _ in 0..if cfg!(miri) { 3 } else { 60 } {
            let mut hostile = octets.clone();
            hostile.truncate(octets.len() - seed.below(octets.len() + 1) * seed.below(2));
            for _ in 0..seed.below(3) {
                let at = seed.below(hostile.len().max(1));
                let octet = [0, 1, 2, 0xff, seed.below(256) as u8][seed.below(5)];
                if let Some(place) = hostile.get_mut(at) {
                    *place = octet;
                }
            }
            let compiled = read::<T>(&hostile, stream, T::read);
            assert_eq!(read::<T>(&hostile, stream, read_value::<T>), compiled, "{hostile:?}");
        }
    }
}

#[test]
fn numbers_and_structs_of_them() {
    compare::<Numbers>();
    compare::<Fixed>();
    compare::<i16>();
    compare::<f64>();
    compare::<bool>();
    compare::<char>();
}

#[test]
fn text() {
    compare::<String>();
    compare::<Bounded<String, 4>>();
    compare::<Strings>();
}

#[test]
fn nested_structs() {
    compare::<Nested>();
}

#[test]
fn sequences() {
    compare::<Lists>();
    compare::<Vec<Nested>>();
    compare::<Vec<i32>>();
    compare::<Vec<Vec<Vec<String>>>>();
    compare::<Bounded<Vec<Fixed>, 2>>();
}

#[test]
fn arrays() {
    compare::<Arrays>();
    compare::<[i64; 4]>();
    compare::<Vec<[u16; 3]>>();
}

#[test]
fn enumerations() {
    compare::<Color>();
    compare::<Colors>();
}

#[test]
fn types_without_a_layout() {
    compare::<Mixed>();
}

#[test]
fn text_and_sequences_have_a_length_and_others_none() {
    let number = 7;
    let mut argument = Operand::value::<i32>(&number);
    argument.length = 0;
    let stream = (ByteOrder::NATIVE, 0, TextCoding::UNICODE);
    let error = written(stream, |writer| argument.write(writer)).unwrap_err();
    assert_eq!(error.kind, zorb_cdr::CdrErrorKind::Unsupported);
}

#[test]
fn long_sequences_grow_while_they_are_read() {
    let strings: Vec<String> = (0..if cfg!(miri) { 3000 } else { 20_000 })
        .map(|number| alloc::format!("{number}"))
        .collect();
    let stream = (ByteOrder::NATIVE, 0, TextCoding::UNICODE);
    let octets = written(stream, |writer| write_value::<Vec<String>>(&strings, writer)).unwrap();
    let mut reader = CdrReader::new(&octets, ByteOrder::NATIVE);
    assert_eq!(read_value::<Vec<String>>(&mut reader), Ok(strings));
}

#[test]
fn arguments_borrow_text_from_the_message() {
    type Arguments = (String, Vec<Strings>, Color, Bounded<String, 9>, zorb_cdr::Octets);
    fn octets(seed: &mut Seed) -> Result<Vec<u8>, CdrError> {
        let values = (
            String::sample(seed),
            <Vec<Strings>>::sample(seed),
            Color::sample(seed),
            String::from("nine"),
            zorb_cdr::Octets::sample(seed),
        );
        let values = Values::<Arguments>::new(values);
        written((ByteOrder::Big, 0, TextCoding::UNICODE), |writer| values.source().write(writer))
    }
    fn reader(octets: &[u8]) -> CdrReader<'_> {
        CdrReader::new(octets, ByteOrder::Big).with_text(TextCoding::UNICODE)
    }
    for seed in 0..SEEDS {
        // Some samples exceed a bound.
        let Ok(octets) = octets(&mut Seed::new(seed)) else { continue };
        let mut space = Space::<Arguments>::new();
        let (text, _, _, _, data) = space.read(&mut reader(&octets)).unwrap();
        let range = octets.as_ptr_range();
        assert!(text.is_empty() || range.contains(&text.as_ptr()));
        assert!(data.is_empty() || range.contains(&data.as_ptr()));
        let longer = [&octets[..], &[0]].concat();
        let mut space = Space::<Arguments>::new();
        let error = space.read(&mut reader(&longer)).unwrap_err();
        assert_eq!(error.kind, zorb_cdr::CdrErrorKind::ExtraOctets);
        for length in 0..octets.len() {
            let mut space = Space::<Arguments>::new();
            assert!(space.read(&mut reader(&octets[..length])).is_err());
        }
    }
}

#[test]
fn results_may_be_read_again_and_may_be_missing() {
    type Both = (String, Vec<Strings>);
    let mut seed = Seed::new(1);
    let values = (String::from("result"), <Vec<Strings>>::sample(&mut seed));
    let stream = (ByteOrder::NATIVE, 0, TextCoding::UNICODE);
    let values = Values::<Both>::new(values);
    let octets = written(stream, |writer| values.source().write(writer)).unwrap();
    let reader = || CdrReader::new(&octets, ByteOrder::NATIVE).with_text(TextCoding::UNICODE);
    let again = receive::<Both, Failure>(|expected| {
        let results = expected.results();
        results.read(&mut reader()).unwrap();
        results.read(&mut reader()).unwrap();
        results.end(Ok(()), Failure("missing"))
    });
    assert_eq!(again.unwrap().0, "result");
    let failed = receive::<Both, Failure>(|expected| {
        let results = expected.results();
        results.read(&mut reader()).unwrap();
        results.end(Err(Failure("failed")), Failure("missing"))
    });
    assert_eq!(failed.err(), Some(Failure("failed")));
    let missing =
        receive::<Both, Failure>(|expected| expected.results().end(Ok(()), Failure("missing")));
    assert_eq!(missing.err(), Some(Failure("missing")));
    let unread = receive::<(u8,), Failure>(|expected| {
        let results = expected.results();
        assert!(results.read(&mut CdrReader::new(&[], ByteOrder::Big)).is_err());
        results.end(Ok(()), Failure("unread"))
    });
    assert_eq!(unread.err(), Some(Failure("unread")));
    fn is_unit<L: List<Values = ()>>() {}
    is_unit::<()>();
}
