//! Structs of numbers that are moved as a whole, against their tables.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, Gathered, Outlet, Wire};

use super::compare;
use super::samples::{Sample, Seed, record};
use crate::Tabled;

record! { numbers Point { x: f64, y: f64, z: f64 } }
record! { numbers Pixel { red: u8, green: u8, blue: u8 } }
record! { numbers Sides { a: i16, b: u16, c: [i16; 4] } }
record! { numbers Quote { id: u64, price: f64, size: u32, venue: u16, flags: [u8; 2] } }
record! { numbers Span { from: u32, until: u32, at: u64 } }
record! { numbers Path { ends: [Point; 2], weight: f64 } }
record! { numbers Padded { tag: u8, value: u32 } }
record! { Others { point: Point, is_set: bool } }
record! { numbers Mixed { number: u64, others: [char; 2] } }

#[test]
fn the_octets_and_values_are_those_of_tables() {
    compare::<Vec<Point>>();
    compare::<Vec<Pixel>>();
    compare::<Vec<Sides>>();
    compare::<Vec<Quote>>();
    compare::<Vec<Span>>();
    compare::<Vec<Path>>();
    compare::<Vec<Padded>>();
    compare::<Vec<Mixed>>();
    compare::<[Span; 3]>();
    compare::<Vec<[Quote; 2]>>();
}

fn is_in_memory<T: Wire>() -> bool {
    T::IN_MEMORY.is_some()
}

#[test]
fn only_numbers_without_padding_are_moved_as_a_whole() {
    assert!(is_in_memory::<Point>() && is_in_memory::<Pixel>() && is_in_memory::<Sides>());
    assert!(is_in_memory::<Quote>() && is_in_memory::<Span>() && is_in_memory::<Path>());
    assert!(!is_in_memory::<Padded>() && !is_in_memory::<Others>() && !is_in_memory::<Mixed>());
}

/// Whether a servant gets a sequence where it is in a message that begins `start` octets behind an aligned one.
fn is_borrowed<T: Tabled + Sample<Value: Clone>>(order: ByteOrder, start: usize) -> bool {
    is_borrowed_at::<T>(order, start, 0)
}

/// The same of a message that is not aligned in memory, but `shift` octets behind that.
fn is_borrowed_at<T: Tabled + Sample<Value: Clone>>(
    order: ByteOrder,
    start: usize,
    shift: usize,
) -> bool {
    let values: Vec<T::Value> = (0..3).map(|seed| T::sample(&mut Seed::new(seed))).collect();
    let mut words = [0_u64; 64];
    let mut octets = alloc::vec![0; start];
    <Vec<T>>::write(&values, &mut CdrWriter::resume(&mut octets, order)).unwrap();
    let shifted = [&alloc::vec![0; shift], &octets[..]].concat();
    for (word, octets) in words.iter_mut().zip(shifted.chunks(8)) {
        let mut whole = [0; 8];
        whole[..octets.len()].copy_from_slice(octets);
        *word = u64::from_ne_bytes(whole);
    }
    // SAFETY: any octets are octets.
    let (_, aligned, _) = unsafe { words.align_to::<u8>() };
    let message = &aligned[shift..shift + octets.len()];
    let mut reader = CdrReader::new(&message[start..], order).with_origin(start);
    let found = <Vec<T>>::read_borrowed(&mut reader).unwrap();
    assert_eq!(reader.remaining(), 0);
    // As octets, since numbers that are none do not equal themselves.
    let mut again = alloc::vec![0; start];
    <Vec<T>>::write(&found, &mut CdrWriter::resume(&mut again, order)).unwrap();
    assert_eq!(again, octets);
    matches!(found, Cow::Borrowed(_))
}

#[test]
fn servants_get_them_where_they_are_in_the_message() {
    let (native, swapped) = (ByteOrder::NATIVE, ByteOrder::NATIVE.swapped());
    for start in 0..8 {
        assert!(is_borrowed::<Point>(native, start));
        assert!(is_borrowed::<Pixel>(native, start));
        assert!(is_borrowed::<Quote>(native, start));
        assert!(!is_borrowed::<Point>(swapped, start) && !is_borrowed::<Others>(native, start));
        // Between the first `until` and `at` there may be padding.
        let first = start.next_multiple_of(4) + 4;
        assert_eq!(is_borrowed::<Span>(native, start), first.is_multiple_of(8), "{start}");
        assert!(is_borrowed_at::<Pixel>(native, start, 1));
        assert!(!is_borrowed_at::<Point>(native, start, 4));
        // Aligned in memory where the first one has padding.
        assert!(!is_borrowed_at::<Span>(native, start, 4));
    }
}

/// Takes whatever it is offered.
struct Taking;

impl Outlet for Taking {
    fn offer(&mut self, _: &[u8], _: &[u8], _: Gathered) -> bool {
        true
    }
}

#[test]
fn a_sequence_is_not_sent_from_where_it_is() {
    // What is taken would begin with the second value, and a reader expects the first one there.
    let values: Vec<Point> = (0..5).map(|seed| Point::sample(&mut Seed::new(seed))).collect();
    let (mut octets, mut taking) = (Vec::new(), Taking);
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE);
    writer.offer_to(&mut taking);
    <Vec<Point> as Wire>::write(&values, &mut writer).unwrap();
    assert_eq!(octets.len(), 8 + 5 * 24);
}
