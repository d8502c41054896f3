//! Text in each code set and GIOP version, as tables.

use alloc::string::String;
use alloc::vec::Vec;

use crate::CdrErrorKind::{
    BadString, BadText, BoundExceeded, LengthBeyondEnd, WideNotAllowed, WideNotNegotiated,
};
use crate::{
    ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, TextCoding, WideForm,
    WideSet,
};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

const fn narrow(char_set: CharSet) -> TextCoding {
    TextCoding { char_set, wide_set: None, wide_form: WideForm::Octets }
}

const fn wide(wide_set: WideSet, wide_form: WideForm) -> TextCoding {
    TextCoding { char_set: CharSet::Latin1, wide_set: Some(wide_set), wide_form }
}

const LATIN1: TextCoding = narrow(CharSet::Latin1);
const UTF8: TextCoding = narrow(CharSet::Utf8);
const UNITS: TextCoding = wide(WideSet::Utf16, WideForm::Units);
const OCTETS: TextCoding = wide(WideSet::Utf16, WideForm::Octets);

fn written(
    text: TextCoding,
    order: ByteOrder,
    body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
) -> Result<Vec<u8>, CdrErrorKind> {
    let mut buffer = Vec::new();
    body(&mut CdrWriter::new(&mut buffer, order).with_text(text)).map_err(|error| error.kind)?;
    Ok(buffer)
}

/// What `body` reads from `octets`, if it reads all of them.
fn read<T>(
    octets: &[u8],
    text: TextCoding,
    order: ByteOrder,
    body: impl FnOnce(&mut CdrReader<'_>) -> CdrResult<T>,
) -> Result<T, CdrErrorKind> {
    let mut reader = CdrReader::new(octets, order).with_text(text);
    let value = body(&mut reader).map_err(|error| error.kind)?;
    assert_eq!(reader.remaining(), 0);
    Ok(value)
}

/// A string by either method, which agree. As ASCII, it is the same one, or the reader has not moved.
fn read_string(
    octets: &[u8],
    coding: TextCoding,
    order: ByteOrder,
    bound: u32,
) -> Result<String, CdrErrorKind> {
    let found = read(octets, coding, order, |r| r.read_str(bound).map(String::from));
    let again = read(octets, coding, order, |r| r.read_other_str(bound).map(String::from));
    assert_eq!(found, again, "{octets:?}");
    let mut reader = CdrReader::new(octets, order).with_text(coding);
    let is_ascii = found.as_ref().is_ok_and(|text| text.is_ascii());
    let expected = found.clone().ok().filter(|_| is_ascii).map(String::into_bytes);
    assert_eq!(reader.ascii_string(bound).map(<[u8]>::to_vec), expected, "{octets:?}");
    assert_eq!(reader.remaining(), if is_ascii { 0 } else { octets.len() }, "{octets:?}");
    found
}

#[test]
fn strings_of_each_code_set() {
    for (coding, value, octets) in [
        (LATIN1, "", &b"\0\0\0\x01\0"[..]),
        (LATIN1, "abc", b"\0\0\0\x04abc\0"),
        (LATIN1, "grün", b"\0\0\0\x05gr\xfcn\0"),
        (UTF8, "grün", b"\0\0\0\x06gr\xc3\xbcn\0"),
        (UTF8, "東", b"\0\0\0\x04\xe6\x9d\xb1\0"),
        (UTF8, "\u{1f600}", b"\0\0\0\x05\xf0\x9f\x98\x80\0"),
    ] {
        let big = ByteOrder::Big;
        assert_eq!(written(coding, big, |w| w.write_str(value, u32::MAX)).as_deref(), Ok(octets));
        assert_eq!(read_string(octets, coding, big, u32::MAX), Ok(value.into()));
    }
    for value in ["東", "a\u{100}"] {
        assert_eq!(written(LATIN1, ByteOrder::Big, |w| w.write_str(value, 9)), Err(BadText));
    }
    for (coding, value) in [(LATIN1, "a\0b"), (LATIN1, "ü\0"), (UTF8, "\0")] {
        assert_eq!(written(coding, ByteOrder::Big, |w| w.write_str(value, 9)), Err(BadString));
    }
}

#[test]
fn malformed_strings() {
    for (coding, octets, error) in [
        (LATIN1, &b"\0\0\0\0"[..], BadString),
        (LATIN1, b"\0\0\0\x02ab", BadString),
        (LATIN1, b"\0\0\0\x03a\0\0", BadString),
        (LATIN1, b"\0\0\0\x03a\0", LengthBeyondEnd),
        (LATIN1, b"\xff\xff\xff\xffa\0", LengthBeyondEnd),
        (UTF8, b"\0\0\0\x02\xfc\0", BadText),
        (UTF8, b"\0\0\0\x03\xc3\x28\0", BadText),
        (UTF8, b"\0\0\0\x04\xed\xa0\x80\0", BadText),
        (LATIN1, b"\0\0\0\x05abcd\0", BoundExceeded),
    ] {
        let found = read_string(octets, coding, ByteOrder::Big, 3);
        assert_eq!(found, Err(error), "{octets:?}");
    }
    let five = b"\0\0\0\x04abc\0";
    assert!(read_string(five, LATIN1, ByteOrder::Big, 3).is_ok());
}

#[test]
fn a_nul_is_found_wherever_it_is() {
    for length in 1..20 {
        for at in 0..length {
            for other in ["a", "é"] {
                let text = |at: usize| -> String {
                    (0..length).map(|index| if index == at { "\0" } else { other }).collect()
                };
                for coding in [LATIN1, UTF8] {
                    let order = ByteOrder::Big;
                    let good = written(coding, order, |w| w.write_str(&text(length), 99)).unwrap();
                    assert_eq!(read_string(&good, coding, order, 99), Ok(text(length)));
                    let bad = written(coding, order, |w| w.write_str(&text(at), 99));
                    assert_eq!(bad, Err(BadString));
                    let mut bad = good;
                    bad[4 + at] = 0;
                    assert_eq!(read_string(&bad, coding, order, 99), Err(BadString));
                }
            }
        }
    }
}

#[test]
fn bounds_of_strings_count_octets() {
    for (coding, value, bound, fits) in [
        (LATIN1, "abc", 3, true),
        (LATIN1, "abcd", 3, false),
        (LATIN1, "grün", 4, true),
        (UTF8, "grün", 4, false),
        (UTF8, "grün", 5, true),
    ] {
        let found = written(coding, ByteOrder::Big, |w| w.write_str(value, bound));
        assert_eq!(found.is_ok(), fits, "{value} {bound}");
        assert!(fits || found == Err(BoundExceeded));
    }
}

#[test]
fn ascii_is_borrowed_from_the_buffer() {
    use alloc::borrow::Cow;
    let octets = b"\0\0\0\x04abc\0";
    for coding in [LATIN1, UTF8] {
        let text = CdrReader::new(octets, ByteOrder::Big).with_text(coding).read_str(9);
        assert!(matches!(text, Ok(Cow::Borrowed("abc"))));
    }
}

#[test]
fn names_outside_the_code_set_are_latin1_whatever_was_agreed() {
    let octets = b"\0\0\0\x03n\xfc\0";
    assert_eq!(written(UTF8, ByteOrder::Big, |w| w.write_latin1("nü")).as_deref(), Ok(&octets[..]));
    let name = read(octets, UTF8, ByteOrder::Big, |r| r.read_latin1("name").map(String::from));
    assert_eq!(name.as_deref(), Ok("nü"));
    assert_eq!(written(UTF8, ByteOrder::Big, |w| w.write_latin1("東")), Err(BadText));
    assert_eq!(written(UTF8, ByteOrder::Big, |w| w.write_latin1("\0")), Err(BadString));
}

#[test]
fn chars_are_one_octet() {
    for (coding, value, octet) in [
        (LATIN1, 'x', Ok(0x78)),
        (LATIN1, 'é', Ok(0xe9)),
        (LATIN1, '東', Err(BadText)),
        (UTF8, 'x', Ok(0x78)),
        (UTF8, 'é', Err(BadText)),
    ] {
        let found = written(coding, ByteOrder::Big, |w| w.write_char(value));
        assert_eq!(found, octet.map(|octet| alloc::vec![octet]));
        if let Ok(octet) = octet {
            assert_eq!(read(&[octet], coding, ByteOrder::Big, |r| r.read_char()), Ok(value));
        }
    }
    assert_eq!(read(&[0xe9], UTF8, ByteOrder::Big, |r| r.read_char()), Err(BadText));
}

#[test]
fn wide_characters_of_each_form() {
    for (coding, order, value, octets) in [
        (UNITS, ByteOrder::Big, 'é', &b"\0\xe9"[..]),
        (UNITS, ByteOrder::Little, 'é', b"\xe9\0"),
        (OCTETS, ByteOrder::Big, 'é', b"\x02\0\xe9"),
        (OCTETS, ByteOrder::Little, '東', b"\x02\x67\x71"),
        (OCTETS, ByteOrder::Little, '\u{1f600}', b"\x04\xd8\x3d\xde\0"),
        (OCTETS, ByteOrder::Big, '\u{feff}', b"\x02\xfe\xff"),
        (OCTETS, ByteOrder::Big, '\u{fffe}', b"\x02\xff\xfe"),
    ] {
        assert_eq!(written(coding, order, |w| w.write_wchar(value)).as_deref(), Ok(octets));
        assert_eq!(read(octets, coding, order, |r| r.read_wchar()), Ok(value));
    }
    // With a mark, in either order.
    for octets in [b"\x04\xfe\xff\0\xe9", b"\x04\xff\xfe\xe9\0"] {
        assert_eq!(read(octets, OCTETS, ByteOrder::Big, |r| r.read_wchar()), Ok('é'));
    }
    for octets in [&b"\0"[..], b"\x01a", b"\x02\xd8\x3d", b"\x04\0a\0b", b"\x03\0a\0"] {
        assert_eq!(read(octets, OCTETS, ByteOrder::Big, |r| r.read_wchar()), Err(BadText));
    }
    assert_eq!(written(UNITS, ByteOrder::Big, |w| w.write_wchar('\u{1f600}')), Err(BadText));
    let ucs2 = wide(WideSet::Ucs2, WideForm::Octets);
    assert_eq!(written(ucs2, ByteOrder::Big, |w| w.write_wchar('\u{1f600}')), Err(BadText));
    let pair = b"\x04\xd8\x3d\xde\0";
    assert_eq!(read(pair, ucs2, ByteOrder::Big, |r| r.read_wchar()), Err(BadText));
}

#[test]
fn wide_strings_of_each_form() {
    for (coding, order, value, octets) in [
        (UNITS, ByteOrder::Big, "", &b"\0\0\0\x01\0\0"[..]),
        (UNITS, ByteOrder::Big, "ws", b"\0\0\0\x03\0w\0s\0\0"),
        (UNITS, ByteOrder::Little, "ws", b"\x03\0\0\0w\0s\0\0\0"),
        (OCTETS, ByteOrder::Big, "", b"\0\0\0\0"),
        (OCTETS, ByteOrder::Big, "ws", b"\0\0\0\x04\0w\0s"),
        (OCTETS, ByteOrder::Little, "", b"\0\0\0\0"),
        (OCTETS, ByteOrder::Little, "ws", b"\x06\0\0\0\xff\xfew\0s\0"),
        (OCTETS, ByteOrder::Little, "\u{feff}", b"\x04\0\0\0\xff\xfe\xff\xfe"),
        (OCTETS, ByteOrder::Big, "\u{1f600}", b"\0\0\0\x04\xd8\x3d\xde\0"),
        (OCTETS, ByteOrder::Big, "\u{feff}a", b"\0\0\0\x06\xfe\xff\xfe\xff\0a"),
    ] {
        assert_eq!(
            written(coding, order, |w| w.write_wstring(value, u32::MAX)).as_deref(),
            Ok(octets)
        );
        assert_eq!(read(octets, coding, order, |r| r.read_wstring(u32::MAX)).as_deref(), Ok(value));
    }
    for order in ORDERS {
        let count = if order == ByteOrder::Big { [0, 0, 0, 6] } else { [6, 0, 0, 0] };
        for marked in [b"\xfe\xff\0w\0s", b"\xff\xfew\0s\0"] {
            let octets = [&count[..], marked].concat();
            let text = read(&octets, OCTETS, order, |r| r.read_wstring(2));
            assert_eq!(text.as_deref(), Ok("ws"), "a mark is no part of the value");
        }
    }
}

#[test]
fn malformed_wide_strings() {
    for (coding, octets, error) in [
        (UNITS, &b"\0\0\0\0"[..], BadString),
        (UNITS, b"\0\0\0\x01\0a", BadString),
        (UNITS, b"\0\0\0\x02\0\0\0\0", BadString),
        (UNITS, b"\0\0\0\x02\xd8\0\0\0", BadText),
        (UNITS, b"\x7f\xff\xff\xff\0a\0\0", LengthBeyondEnd),
        (OCTETS, b"\0\0\0\x03\0a\0", BadText),
        (OCTETS, b"\0\0\0\x04\0a\0\0", BadString),
        (OCTETS, b"\0\0\0\x02\xdc\0", BadText),
        (OCTETS, b"\0\0\0\x04\0a", LengthBeyondEnd),
        (OCTETS, b"\0\0\0\x06\0a\0b\0c", BoundExceeded),
        (UNITS, b"\0\0\0\x04\0a\0b\0c\0\0", BoundExceeded),
    ] {
        let found = read(octets, coding, ByteOrder::Big, |r| r.read_wstring(2));
        assert_eq!(found, Err(error), "{octets:?}");
    }
    assert_eq!(written(OCTETS, ByteOrder::Big, |w| w.write_wstring("abc", 2)), Err(BoundExceeded));
    assert_eq!(written(OCTETS, ByteOrder::Big, |w| w.write_wstring("\0", 2)), Err(BadString));
    let ucs2 = wide(WideSet::Ucs2, WideForm::Units);
    assert_eq!(written(ucs2, ByteOrder::Big, |w| w.write_wstring("\u{1f600}", 9)), Err(BadText));
}

#[test]
fn wide_text_needs_giop_1_1_and_a_negotiated_code_set() {
    for (coding, error) in [
        (wide(WideSet::Utf16, WideForm::Absent), WideNotAllowed),
        (TextCoding { wide_form: WideForm::Absent, ..LATIN1 }, WideNotAllowed),
        (LATIN1, WideNotNegotiated),
        (TextCoding { wide_form: WideForm::Units, ..LATIN1 }, WideNotNegotiated),
    ] {
        let octets = [0; 8];
        let big = ByteOrder::Big;
        assert_eq!(written(coding, big, |w| w.write_wchar('a')), Err(error));
        assert_eq!(written(coding, big, |w| w.write_wstring("a", 9)), Err(error));
        assert_eq!(read(&octets, coding, big, |r| r.read_wchar()), Err(error));
        assert_eq!(read(&octets, coding, big, |r| r.read_wstring(9)), Err(error));
    }
}
