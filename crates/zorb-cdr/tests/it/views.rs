//! Views read valid octets in place, and see no others.

use allocation_counter::measure;
use zorb_cdr::{
    Bounded, ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, Octets, Tail,
    TextCoding, Viewed, ViewedArray, Views, WString, WideForm, WideSet, Wire,
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
    let words = [0, 0, 0, 2, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0, 0, 2, 8, 9];
    let (head, rest) = words.split_at(4);
    let tail = Tail::new(rest);
    let mut reader = CdrReader::new(head, ByteOrder::Big);
    reader.set_tail(&tail);
    let measured =
        measure(|| assert!(<Views<Vec<Octets>>>::read_borrowed(&mut reader.clone()).is_ok()));
    assert!(measured.count_total > 0);
    let rows = <Views<Vec<Octets>>>::read_borrowed(&mut reader.clone()).unwrap();
    assert_eq!(rows.view().to_vec(), [vec![7], vec![8, 9]]);
    // Whatever octets a value of fixed size changes to, it is one.
    let (head, flags) = ([0, 0, 0, 8], [0, 1, 0, 1, 1, 1, 0, 0]);
    let tail = Tail::new(&flags);
    let mut reader = CdrReader::new(&head, ByteOrder::Big);
    reader.set_tail(&tail);
    let measured =
        measure(|| assert!(<Views<Vec<bool>>>::read_borrowed(&mut reader.clone()).is_ok()));
    assert_eq!(measured.count_total, 0);
    let flags = <Views<Vec<bool>>>::read_borrowed(&mut reader).unwrap();
    assert_eq!(flags.view().iter().filter(|flag| *flag).count(), 4);
}

/// Three words, and octets behind them.
const WORDS: [u8; 32] = [
    0, 0, 0, 3, 0, 0, 0, 3, b'o', b'n', 0, 0xaa, 0, 0, 0, 1, 0, 0xaa, 0xaa, 0xaa, // on, ""
    0, 0, 0, 5, b'a', 0xc3, 0xa9, b'b', 0, 0xff, 0xff, 0xff, // aéb
];

fn in_utf8(octets: &[u8]) -> CdrReader<'_> {
    CdrReader::new(octets, ByteOrder::Big).with_text(TextCoding::UNICODE)
}

#[test]
fn strings_are_read_in_place() {
    let mut reader = in_utf8(&WORDS);
    let measured = measure(|| {
        let words = <Views<Vec<String>>>::read_borrowed(&mut reader).unwrap();
        assert!(words.view().iter().eq(["on", "", "a\u{e9}b"]));
        assert_eq!((words.view().get(2), words.view().get(3)), (Some("a\u{e9}b"), None));
        assert_eq!(words.view().iter().map(str::len).sum::<usize>(), 6);
    });
    assert_eq!((measured.count_total, reader.rest()), (0, &[0xff; 3][..]));
    for end in 0..29 {
        let words = <Views<Vec<String>>>::read_borrowed(&mut in_utf8(&WORDS[..end]));
        assert!(words.is_err(), "{end}");
    }
    for (index, octet, error) in [
        (7, 0, CdrErrorKind::BadString),
        (8, 0, CdrErrorKind::BadString),
        (10, 1, CdrErrorKind::BadString),
        (25, 0xff, CdrErrorKind::BadText),
        (20, 0xff, CdrErrorKind::LengthBeyondEnd),
    ] {
        let mut words = WORDS;
        words[index] = octet;
        let refused = <Views<Vec<String>>>::read_borrowed(&mut in_utf8(&words)).map(|_| ());
        assert_eq!(refused.unwrap_err().kind, error, "{index}");
    }
    let refused = <Views<Vec<Bounded<String, 3>>>>::read_borrowed(&mut in_utf8(&WORDS));
    assert_eq!(refused.map(|_| ()).unwrap_err().kind, CdrErrorKind::BoundExceeded);
}

#[test]
fn text_that_is_not_utf8_is_copied() {
    let octets = [0, 0, 0, 1, 0, 0, 0, 3, 0xe9, b'x', 0];
    let words = received::<Vec<String>>(&octets, ByteOrder::Big).unwrap();
    assert!(words.view().iter().eq(["\u{e9}x"]));
    let plain = [0, 0, 0, 1, 0, 0, 0, 3, b'a', b'x', 0];
    let measured = measure(|| assert!(received::<Vec<String>>(&plain, ByteOrder::Big).is_ok()));
    assert_eq!(measured.count_total, 0);
}

#[test]
fn what_follows_a_sequence_is_aligned() {
    // Rows of a number each: the padding before a number differs.
    let rows = [0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 1, 1, 1, 1];
    let rows = [&rows[..], &[0, 0, 0, 0, 0, 0, 0, 6]].concat();
    let rows = received::<Vec<Vec<u64>>>(&rows, ByteOrder::Big).unwrap();
    let numbers: Vec<u64> = rows.view().iter().flatten().collect();
    assert_eq!((numbers, rows.view().to_vec()), (vec![5, 6], vec![vec![5], vec![6]]));
}

#[test]
fn arrays_of_elements_of_different_sizes_are_read_in_place() {
    type Rows = ViewedArray<ViewedArray<Bounded<String, 3>, 2>, 2>;
    let rows = [["a", ""], ["bc", "def"]].map(|row| row.map(str::to_owned));
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, order);
        <[[Bounded<String, 3>; 2]; 2]>::write(&rows, &mut writer).unwrap();
        writer.write_u16(7);
        let mut reader = CdrReader::new(&octets, order);
        let received = <Views<Rows>>::read_borrowed(&mut reader).unwrap();
        assert_eq!(reader.read_u16(), Ok(7), "what follows is found");
        let view = received.view();
        assert_eq!(
            (view.len(), view.get(1).unwrap().get(1), view.get(2).is_none()),
            (2, Some("def"), true)
        );
        let texts: Vec<_> = view.iter().flatten().collect();
        assert_eq!(texts, ["a", "", "bc", "def"]);
        assert_eq!(Rows::value(view), rows);
        // As elements of a sequence, they are found one after the other.
        let mut octets = Vec::new();
        let all = vec![rows.clone(), rows.clone()];
        <Vec<Rows>>::write(&all, &mut CdrWriter::new(&mut octets, order)).unwrap();
        let received = received_in::<Vec<Rows>>(&octets, order);
        assert_eq!(received.unwrap().view().to_vec(), all);
    }
    let too_long = [0, 0, 0, 5, b'a', b'b', b'c', b'd', 0];
    assert_eq!(
        refused::<ViewedArray<Bounded<String, 3>, 1>>(&too_long),
        Some(CdrErrorKind::BoundExceeded)
    );
    assert_eq!(refused::<Rows>(&too_long[..4]), Some(CdrErrorKind::LengthBeyondEnd));
}

fn received_in<'a, W: Viewed>(
    octets: &'a [u8],
    order: ByteOrder,
) -> CdrResult<<Views<W> as Wire>::Borrowed<'a>> {
    let mut reader = CdrReader::new(octets, order).with_text(TextCoding::UNICODE);
    <Views<W>>::read_borrowed(&mut reader)
}

#[test]
fn wide_strings_are_read_in_place_in_the_form_of_giop_1_2_and_copied_in_others() {
    let texts = ["", "aé", "\u{feff}x", "\u{1f980} crab"].map(str::to_owned);
    for form in [WideForm::Octets, WideForm::Units] {
        let text = TextCoding { wide_form: form, ..TextCoding::UNICODE };
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let mut octets = Vec::new();
            let mut writer = CdrWriter::new(&mut octets, order).with_text(text);
            <Vec<WString>>::write(&texts, &mut writer).unwrap();
            let read = || {
                let mut reader = CdrReader::new(&octets, order).with_text(text);
                let received = <Views<Vec<WString>>>::read_borrowed(&mut reader).unwrap();
                assert_eq!(reader.remaining(), 0);
                let views = received.view();
                assert!(views.iter().zip(&texts).all(|(view, text)| view == text.as_str()));
                views.iter().fold(0, |sum, view| sum + view.chars().count())
            };
            let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
            assert_eq!(read(), characters);
            let copies = measure(|| assert_eq!(read(), characters)).count_total > 0;
            assert_eq!(copies, form == WideForm::Units, "{form:?} {order:?}");
            let mut reader = CdrReader::new(&octets, order).with_text(text);
            let received = <Views<Vec<WString>>>::read_borrowed(&mut reader).unwrap();
            assert_eq!(received.view().to_vec(), texts);
            assert_eq!(format!("{:?}", received.view().get(1)), "Some(\"aé\")");
        }
    }
}

#[test]
fn invalid_wide_strings_have_no_view() {
    let refused = |octets: &[u8], wide_set| {
        let text = TextCoding { wide_set, ..TextCoding::UNICODE };
        let mut reader = CdrReader::new(octets, ByteOrder::Big).with_text(text);
        <Views<Bounded<WString, 2>>>::read_borrowed(&mut reader).err().map(|error| error.kind)
    };
    let (utf16, ucs2) = (Some(WideSet::Utf16), Some(WideSet::Ucs2));
    let pair = [0, 0, 0, 4, 0xd8, 0x3e, 0xdd, 0x80];
    assert_eq!(refused(&pair, utf16), None);
    assert_eq!(refused(&pair, ucs2), Some(CdrErrorKind::BadText));
    assert_eq!(refused(&pair, None), Some(CdrErrorKind::WideNotNegotiated));
    assert_eq!(refused(&[0, 0, 0, 2, 0xd8, 0x3e], utf16), Some(CdrErrorKind::BadText));
    assert_eq!(refused(&[0, 0, 0, 3, 0, b'a', 0], utf16), Some(CdrErrorKind::BadText));
    assert_eq!(refused(&[0, 0, 0, 2, 0, 0], utf16), Some(CdrErrorKind::BadString));
    let marked = [0, 0, 0, 6, 0xff, 0xfe, b'a', 0, b'b', 0];
    assert_eq!(refused(&marked, utf16), None);
    let three = [0, 0, 0, 6, 0, b'a', 0, b'b', 0, b'c'];
    assert_eq!(refused(&three, utf16), Some(CdrErrorKind::BoundExceeded));
}
