use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::{
    Bounded, ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Octets, ValueHeader, WChar,
    WString, Wire,
};

fn write<T: Wire>(value: &T::View, start: usize) -> CdrResult<Vec<u8>> {
    let mut buffer = vec![0; start];
    T::write(value, &mut CdrWriter::resume(&mut buffer, ByteOrder::Big))?;
    Ok(buffer.split_off(start))
}

fn read<T: Wire>(octets: &[u8], start: usize) -> Result<T::Value, CdrErrorKind> {
    let mut reader = CdrReader::new(octets, ByteOrder::Big).with_origin(start);
    let value = T::read(&mut reader).map_err(|error| error.kind)?;
    assert_eq!(reader.remaining(), 0);
    Ok(value)
}

#[test]
fn an_empty_sequence_has_no_padding_for_its_elements() {
    for start in [0, 4] {
        assert_eq!(write::<Vec<f64>>(&[], start), Ok(vec![0; 4]));
        assert_eq!(read::<Vec<f64>>(&[0; 4], start), Ok(vec![]));
    }
}

#[test]
fn elements_are_aligned_after_the_count() {
    assert_eq!(write::<Vec<i64>>(&[1], 0).map(|octets| octets.len()), Ok(16));
    assert_eq!(write::<Vec<i64>>(&[1], 4).map(|octets| octets.len()), Ok(12));
    assert_eq!(write::<[i32; 2]>(&[1, 2], 1), Ok(vec![0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]));
}

#[test]
fn bounds_hold_in_both_directions() {
    assert!(write::<Bounded<Vec<i16>, 2>>(&[1, 2], 0).is_ok());
    let beyond = |found: CdrResult<Vec<u8>>| found.map_err(|error| error.kind);
    let error = Err(CdrErrorKind::BoundExceeded);
    assert_eq!(beyond(write::<Bounded<Vec<i16>, 2>>(&[1, 2, 3], 0)), error);
    assert_eq!(beyond(write::<Bounded<Octets, 2>>(&[1, 2, 3], 0)), error);
    assert_eq!(beyond(write::<Bounded<String, 2>>("abc", 0)), error);
    let octets = b"\0\0\0\x03abc";
    assert_eq!(read::<Bounded<Octets, 3>>(octets, 0).as_deref(), Ok(&b"abc"[..]));
    assert_eq!(read::<Bounded<Octets, 2>>(octets, 0), Err(CdrErrorKind::BoundExceeded));
    assert_eq!(read::<Bounded<Vec<u8>, 2>>(octets, 0), Err(CdrErrorKind::BoundExceeded));
    assert_eq!(read::<Bounded<Vec<bool>, 2>>(octets, 0), Err(CdrErrorKind::BoundExceeded));
    let pairs = b"\0\0\0\x02\x01a\x02b";
    let map = BTreeMap::from([(1, b'a'), (2, b'b')]);
    assert_eq!(read::<Bounded<BTreeMap<u8, u8>, 2>>(pairs, 0), Ok(map));
    assert_eq!(read::<Bounded<BTreeMap<u8, u8>, 1>>(pairs, 0), Err(CdrErrorKind::BoundExceeded));
    assert_eq!(read::<Bounded<String, 2>>(b"\0\0\0\x04abc\0", 0), Err(CdrErrorKind::BoundExceeded));
}

#[test]
fn octets_are_borrowed() {
    let buffer = b"\0\0\0\x03abc";
    let mut reader = CdrReader::new(buffer, ByteOrder::Big);
    let octets = Octets::read_borrowed(&mut reader).unwrap();
    assert!(core::ptr::eq(octets, &raw const buffer[4..]));
}

#[test]
fn numbers_are_borrowed_where_the_buffer_has_them_as_in_memory() {
    let numbers: Vec<f64> = (0..40).map(f64::from).collect();
    for (order, start) in [ByteOrder::Big, ByteOrder::Little]
        .into_iter()
        .flat_map(|order| (0..8).map(move |start| (order, start)))
    {
        let mut buffer = vec![0; start];
        <Vec<f64>>::write(&numbers, &mut CdrWriter::resume(&mut buffer, order)).unwrap();
        let mut reader = CdrReader::new(&buffer, order);
        reader.take(start, "start").unwrap();
        let found = <Vec<f64>>::read_borrowed(&mut reader).unwrap();
        assert_eq!((&found[..], reader.remaining()), (&numbers[..], 0));
        let elements = (start + 4).next_multiple_of(8);
        let suits = buffer[elements..].as_ptr().addr().is_multiple_of(align_of::<f64>());
        assert_eq!(matches!(found, Cow::Borrowed(_)), suits && order == ByteOrder::NATIVE);
        let mut short = CdrReader::new(&buffer[start..buffer.len() - 1], order).with_origin(start);
        assert!(<Vec<f64>>::read_borrowed(&mut short).is_err());
    }
}

#[test]
fn lengths_that_the_stream_cannot_hold_are_refused() {
    let octets = b"\xff\xff\xff\xff\0\0\0\0";
    let beyond = CdrErrorKind::LengthBeyondEnd;
    assert_eq!(read::<Vec<u8>>(octets, 0), Err(beyond));
    assert_eq!(read::<Octets>(octets, 0), Err(beyond));
    assert_eq!(read::<Vec<f64>>(octets, 0), Err(beyond));
    assert_eq!(read::<Vec<[i64; 1000]>>(octets, 0), Err(beyond));
    assert_eq!(read::<Vec<Vec<String>>>(octets, 0), Err(beyond));
    assert_eq!(read::<Vec<WChar>>(octets, 0), Err(beyond));
    assert_eq!(read::<Vec<WString>>(octets, 0), Err(beyond));
    // There would be enough octets without padding.
    assert_eq!(read::<Vec<i64>>(b"\0\0\0\x01\0\0\0\0\0\0\0\0", 0), Err(CdrErrorKind::Truncated));
}

#[test]
fn sequences_nest() {
    let value = vec![vec![String::from("a")], vec![], vec![String::new(), String::from("bcd")]];
    for start in 0..8 {
        let octets = write::<Vec<Vec<String>>>(&value, start).unwrap();
        assert_eq!(read::<Vec<Vec<String>>>(&octets, start).as_ref(), Ok(&value));
    }
    assert_eq!(write::<[[u16; 2]; 2]>(&[[1, 2], [3, 4]], 0), Ok(vec![0, 1, 0, 2, 0, 3, 0, 4]));
}

/// A value in these chunks, big-endian.
fn in_chunks(chunks: &[&[u8]]) -> Vec<u8> {
    let mut octets = 0x7fff_ff08_u32.to_be_bytes().to_vec();
    for chunk in chunks {
        octets.resize(octets.len().next_multiple_of(4), 0);
        octets.extend(u32::try_from(chunk.len()).unwrap().to_be_bytes());
        octets.extend_from_slice(chunk);
    }
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets.extend([0xff; 4]);
    octets
}

fn read_in_chunks<T: Wire>(chunks: &[&[u8]]) -> Result<T::Value, CdrErrorKind> {
    let octets = in_chunks(chunks);
    let mut reader = CdrReader::new(&octets, ByteOrder::Big);
    let Ok(ValueHeader::New(tag)) = reader.read_value_header() else { panic!("no value") };
    reader.begin_value(&tag).unwrap();
    let value = T::read(&mut reader).map_err(|error| error.kind)?;
    reader.end_value(&tag).unwrap();
    assert_eq!(reader.remaining(), 0);
    Ok(value)
}

#[test]
fn elements_may_span_chunks_of_a_value() {
    let three: &[u8] = b"\0\0\0\x03";
    let longs = [three, b"\0\0\0\x01\0\0\0\x02", b"\0\0\0\x03"];
    assert_eq!(read_in_chunks::<Vec<i32>>(&longs), Ok(vec![1, 2, 3]));
    let octets = [three, b"ab", b"c"];
    assert_eq!(read_in_chunks::<Octets>(&octets).as_deref(), Ok(&b"abc"[..]));
    assert_eq!(read_in_chunks::<Bounded<Octets, 3>>(&octets).as_deref(), Ok(&b"abc"[..]));
    let bound = CdrErrorKind::BoundExceeded;
    assert_eq!(read_in_chunks::<Bounded<Octets, 2>>(&octets), Err(bound));
    assert_eq!(read_in_chunks::<Vec<u8>>(&octets).as_deref(), Ok(&b"abc"[..]));
    assert_eq!(read_in_chunks::<Vec<char>>(&octets), Ok(vec!['a', 'b', 'c']));
    assert_eq!(read_in_chunks::<Vec<bool>>(&[three, &[1], &[0, 1]]), Ok(vec![true, false, true]));
    assert_eq!(read_in_chunks::<[u8; 3]>(&[b"ab", b"c"]).as_ref(), Ok(b"abc"));
    assert_eq!(read_in_chunks::<[u16; 2]>(&[&[0, 1], &[0, 2]]), Ok([1, 2]));
    // The element itself is whole.
    assert_eq!(read_in_chunks::<Vec<u16>>(&[three, &[0], &[1]]), Err(CdrErrorKind::Truncated));
}

/// Four doubles in two parts, each behind a header of twelve octets, aligned once and aligned per part, with
/// `before` and `after` around them.
fn doubles_in_parts(before: &[u8], numbers: &[f64; 4], after: &[u8]) -> [(Vec<u8>, [u32; 1]); 2] {
    let octets = |numbers: &[f64]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
    };
    let first = [before, &octets(&numbers[..2])].concat();
    let part = [u32::try_from(first.len()).unwrap()];
    [&[][..], &[0xaa; 4]]
        .map(|padding| ([&first, padding, &octets(&numbers[2..]), after].concat(), part))
}

fn in_parts<'a>((message, parts): &'a (Vec<u8>, [u32; 1]), order: ByteOrder) -> CdrReader<'a> {
    CdrReader::new(message, order).with_origin(12).with_parts(parts, 12)
}

/// What `read` reads, if this is the last attempt.
fn whole<T>(
    reader: &mut CdrReader<'_>,
    read: impl Fn(&mut CdrReader<'_>) -> CdrResult<T>,
) -> CdrResult<T> {
    let value = read(reader)?;
    reader.end_attempt("message")?;
    Ok(value)
}

#[test]
fn runs_are_aligned_as_the_sender_did() {
    let numbers = [1.5_f64, 2.5, 3.5, 4.5];
    let count = 4_u32.to_ne_bytes();
    // At the end of the message, and before another value.
    for message in doubles_in_parts(&count, &numbers, &[]) {
        let mut reader = in_parts(&message, ByteOrder::NATIVE);
        let read = reader.read_in_parts(|reader| whole(reader, <Vec<f64>>::read));
        assert_eq!((read.as_deref(), reader.remaining()), (Ok(&numbers[..]), 0));
        let mut reader = in_parts(&message, ByteOrder::NATIVE);
        let read = reader.read_in_parts(|reader| {
            whole(reader, |reader| Ok(<Vec<f64>>::read_borrowed(reader)?.to_vec()))
        });
        assert_eq!(read.as_deref(), Ok(&numbers[..]));
        let mut swapped = in_parts(&message, ByteOrder::NATIVE.swapped());
        swapped.take(4, "count").unwrap();
        let swapped = swapped
            .read_in_parts(|reader| whole(reader, |reader| f64::read_vec(reader, 4)))
            .unwrap();
        assert!(swapped.iter().zip(numbers).all(|(a, b)| a.to_bits() == b.to_bits().swap_bytes()));
    }
    for message in doubles_in_parts(&count, &numbers, &7_u32.to_ne_bytes()) {
        let mut reader = in_parts(&message, ByteOrder::NATIVE);
        let read = reader
            .read_in_parts(|reader| {
                whole(reader, |reader| Ok((<Vec<f64>>::read(reader)?, u32::read(reader)?)))
            })
            .unwrap();
        assert_eq!((&*read.0, read.1, reader.remaining()), (&numbers[..], 7, 0));
    }
}

#[test]
fn arrays_are_aligned_as_the_sender_did() {
    let numbers = [1.5_f64, 2.5, 3.5, 4.5];
    let before = 9_u32.to_ne_bytes();
    for message in doubles_in_parts(&before, &numbers, &7_u32.to_ne_bytes()) {
        let mut reader = in_parts(&message, ByteOrder::NATIVE);
        let read = reader.read_in_parts(|reader| {
            whole(reader, |reader| {
                Ok((u32::read(reader)?, <[f64; 4]>::read(reader)?, u32::read(reader)?))
            })
        });
        assert_eq!(read, Ok((9, numbers, 7)));
    }
}

#[test]
fn extra_octets_in_parts_are_left() {
    let numbers = [1.5_f64, 2.5, 3.5, 4.5];
    let [once, _] = doubles_in_parts(&4_u32.to_ne_bytes(), &numbers, &[0; 16]);
    let mut reader = in_parts(&once, ByteOrder::NATIVE);
    let read = reader.read_in_parts(|reader| whole(reader, <Vec<f64>>::read));
    assert_eq!(read.as_deref(), Ok(&numbers[..]));
    assert_eq!(reader.remaining(), 16);
    assert_eq!(reader.expect_end("results").unwrap_err().kind, CdrErrorKind::ExtraOctets);
    // An error of both ways is that of the first.
    let mut reader = in_parts(&once, ByteOrder::NATIVE);
    let error = reader.read_in_parts(|reader| <[f64; 9]>::read(reader)).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::Truncated);
}

/// A run of four numbers followed by `after`. The second part of the message begins after two of them. Returns the
/// message aligned once, and aligned in each part.
fn in_two_parts<T: Wire<Value = T, View = T>>(
    order: ByteOrder,
    run: &[T; 4],
    after: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
) -> [(Vec<u8>, [u32; 1]); 2] {
    [false, true].map(|aligned_per_part| {
        let mut first = vec![0; 12];
        let mut writer = CdrWriter::resume(&mut first, order);
        writer.write_u32(4);
        writer.align(8);
        run[..2].iter().for_each(|number| T::write(number, &mut writer).unwrap());
        let mut second = vec![0; 12];
        if aligned_per_part {
            let mut writer = CdrWriter::resume(&mut second, order);
            run[2..].iter().for_each(|number| T::write(number, &mut writer).unwrap());
        } else {
            let mut numbers = Vec::new();
            let mut writer = CdrWriter::new(&mut numbers, order);
            run[2..].iter().for_each(|number| T::write(number, &mut writer).unwrap());
            second.extend(numbers);
        }
        after(&mut CdrWriter::resume(&mut second, order)).unwrap();
        let parts = [u32::try_from(first.len() - 12).unwrap()];
        ([&first[12..], &second[12..]].concat(), parts)
    })
}

/// Reads the run and what is behind it, in both forms and both orders.
fn reads_behind<T, After>(runs: &[[T; 4]], after: &After::Value)
where
    T: Wire<Value = T, View = T> + Copy + PartialEq + core::fmt::Debug,
    After: Wire<Value: PartialEq + core::fmt::Debug>,
{
    for order in [ByteOrder::Big, ByteOrder::Little] {
        for run in runs {
            let messages =
                in_two_parts(order, run, |writer| After::write(After::view(after), writer));
            for (message, form) in messages.iter().zip(["once", "per part"]) {
                let read = in_parts(message, order).read_in_parts(|reader| {
                    whole(reader, |reader| Ok((<Vec<T>>::read(reader)?, After::read(reader)?)))
                });
                let (values, behind) = read.unwrap();
                assert_eq!((&values[..], &behind), (&run[..], after), "{order:?}, aligned {form}");
            }
        }
    }
}

const DOUBLES: [[f64; 4]; 4] = [
    [1.5, -2.25, 3.5, 4.75],
    [0.1, 0.2, 0.3, 0.7],
    [1e300, -1e-300, 1.0 / 3.0, -7.0],
    [0.0, 1.0, 0.0, 2.0],
];
const INTEGERS: [[i64; 4]; 3] =
    [[1, 2, 3, 4], [-1, -2, -3, -4], [i64::MAX, i64::MIN + 7, 0x1234_5678_9abc_def0, 5]];

#[test]
fn what_follows_a_run_in_parts_is_read_as_it_was_sent() {
    reads_behind::<f64, f64>(&DOUBLES, &9.5);
    reads_behind::<f64, i64>(&DOUBLES, &-3);
    reads_behind::<f64, Vec<f64>>(&DOUBLES, &vec![0.25, 8.5]);
    reads_behind::<f64, Vec<String>>(&DOUBLES, &vec!["name".into(), "value".into()]);
    reads_behind::<f64, [f64; 3]>(&DOUBLES, &[6.5, 7.5, 0.1]);
    reads_behind::<i64, f64>(&INTEGERS, &9.5);
    reads_behind::<i64, i64>(&INTEGERS, &i64::MAX);
    reads_behind::<i64, Vec<i64>>(&INTEGERS, &vec![7, -8]);
    reads_behind::<i64, [i64; 2]>(&INTEGERS, &[10, 11]);
}

#[test]
fn attempts_have_no_effect_but_the_last() {
    let [once, per_part] = in_two_parts(ByteOrder::NATIVE, &DOUBLES[0], |writer| {
        writer.write_f64(9.5);
        Ok(())
    });
    for message in [once, per_part] {
        let mut served = 0;
        let mut reader = in_parts(&message, ByteOrder::NATIVE);
        let read = reader.read_in_parts(|reader| {
            let values = (<Vec<f64>>::read(reader)?, f64::read(reader)?);
            reader.expect_end("arguments")?;
            served += 1;
            CdrResult::Ok(values)
        });
        assert_eq!((read, served), (Ok((DOUBLES[0].to_vec(), 9.5)), 1));
    }
}
