//! Views read valid octets in place, and see no others.

use allocation_counter::measure;
use zorb_cdr::{
    ByteOrder, CdrErrorKind, CdrReader, CdrResult, CharSet, Tail, TextCoding, Viewed, Views, Wire,
};

use crate::fixed_runs::types::{Bin, Flags};

/// A `Bin` at the offset 4, as the first one of a sequence, and another one behind it.
const BINS: [u8; 48] = [
    0, 0, 0, 2, // count
    0x12, 0x34, b'x', 0, 0xff, 0xff, 0xff, 0xfe, 7, 0, 0, 0, // s, c, l, o
    0x3f, 0xf8, 0, 0, 0, 0, 0, 0, // d
    0, 1, b'y', 0xaa, 0, 0, 0, 2, 8, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, // padding
    0xc0, 0, 0, 0, 0, 0, 0, 0,
];

fn received<'a, W: Viewed>(
    octets: &'a [u8],
    order: ByteOrder,
) -> CdrResult<<Views<W> as Wire>::Borrowed<'a>> {
    <Views<W>>::read_borrowed(&mut CdrReader::new(octets, order))
}

fn refused<W: Viewed>(octets: &[u8]) -> Option<CdrErrorKind> {
    received::<W>(octets, ByteOrder::Big).err().map(|error| error.kind)
}

#[test]
fn structs_are_read_from_the_octets_of_the_message() {
    let bins = received::<Vec<Bin>>(&BINS, ByteOrder::Big).unwrap();
    assert_eq!(
        bins.view().to_vec(),
        [Bin { s: 0x1234, c: 'x', l: -2, o: 7, d: 1.5 }, Bin { s: 1, c: 'y', l: 2, o: 8, d: -2.0 },]
    );
    let little = [1, 0, 0, 0, 0x34, 0x12, b'x', 0, 0xfe, 0xff, 0xff, 0xff, 7, 0, 0, 0];
    let little = [&little[..], &[0, 0, 0, 0, 0, 0, 0xf8, 0x3f]].concat();
    let bins = received::<Vec<Bin>>(&little, ByteOrder::Little).unwrap();
    assert_eq!(bins.view().to_vec(), [Bin { s: 0x1234, c: 'x', l: -2, o: 7, d: 1.5 }]);
}

#[test]
fn iteration_continues_where_it_was() {
    let octets = [0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7];
    let numbers = received::<Vec<u32>>(&octets, ByteOrder::Big).unwrap();
    let mut left = numbers.view().iter();
    assert_eq!((left.next(), left.len()), (Some(5), 2));
    assert_eq!(left.fold(Vec::new(), |all, number| [&all[..], &[number]].concat()), [6, 7]);
}

#[test]
fn views_allocate_nothing() {
    let measured = measure(|| {
        let bins = received::<Vec<Bin>>(&BINS, ByteOrder::Big).unwrap();
        let view = bins.view();
        assert_eq!((view.len(), view.iter().len(), view.is_empty()), (2, 2, false));
        assert!(view.get(1).is_some() && view.get(2).is_none());
    });
    assert_eq!(measured.count_total, 0);
}

#[test]
fn what_is_not_there_or_not_valid_is_refused_before_there_is_a_view() {
    for end in 0..BINS.len() {
        assert!(refused::<Vec<Bin>>(&BINS[..end]).is_some(), "{end}");
    }
    assert_eq!(refused::<Vec<Bin>>(&[0xff; 64]), Some(CdrErrorKind::LengthBeyondEnd));
    assert_eq!(refused::<Vec<u8>>(&[0xff; 64]), Some(CdrErrorKind::LengthBeyondEnd));
    // a, colour, b, c
    let flags = [1, 0, 0, 0, 0, 0, 0, 2, 0, b'c'];
    assert_eq!(refused::<Flags>(&flags), None);
    for (index, octet, error) in [
        (0, 2, CdrErrorKind::BadBoolean),
        (4, 1, CdrErrorKind::BadEnum),
        (7, 3, CdrErrorKind::BadEnum),
        (8, 0xff, CdrErrorKind::BadBoolean),
    ] {
        let mut flags = flags;
        flags[index] = octet;
        assert_eq!(refused::<Flags>(&flags), Some(error), "{index}");
    }
    let octets = [0, 0, 0, 2, b'a', 0xe9];
    assert_eq!(refused::<Vec<char>>(&octets), None);
    let text = TextCoding { char_set: CharSet::Utf8, ..TextCoding::default() };
    let mut reader = CdrReader::new(&octets, ByteOrder::Big).with_text(text);
    let error = <Views<Vec<char>>>::read_borrowed(&mut reader).map(|_| ()).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::BadText);
}

#[test]
fn what_may_change_after_the_validation_is_copied_before() {
    let (head, flags) = ([0, 0, 0, 8], [0, 1, 0, 1, 1, 1, 0, 0]);
    let tail = Tail::new(&flags);
    let mut reader = CdrReader::new(&head, ByteOrder::Big);
    reader.set_tail(&tail);
    let measured = |reader: &CdrReader<'_>| {
        let mut reader = reader.clone();
        measure(|| assert!(<Views<Vec<bool>>>::read_borrowed(&mut reader).is_ok()))
    };
    assert!(measured(&reader).count_total > 0);
    let flags = <Views<Vec<bool>>>::read_borrowed(&mut reader.clone()).unwrap();
    assert_eq!(flags.view().iter().filter(|flag| *flag).count(), 4);
    // All octets are numbers, whatever they change to.
    let measured =
        measure(|| assert!(<Views<Vec<u8>>>::read_borrowed(&mut reader.clone()).is_ok()));
    assert_eq!(measured.count_total, 0);
}
