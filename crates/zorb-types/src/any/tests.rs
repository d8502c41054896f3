mod values;

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use zorb_cdr::{
    ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, Gathered, Outlet,
    TextCoding, WChar, WString, WideForm, WideSet, Wire,
};

use super::LONG;
use crate::{Any, TcKind, TypeCode, TypeDesc, Typed, ValueModifier, Visibility, transcode};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

fn text(char_set: CharSet, wide_form: WideForm) -> TextCoding {
    TextCoding { char_set, wide_set: Some(WideSet::Utf16), wide_form }
}

fn send(any: &Any, order: ByteOrder, start: usize, text: TextCoding) -> CdrResult<Vec<u8>> {
    let mut buffer = vec![0; start];
    Any::write(any, &mut CdrWriter::resume(&mut buffer, order).with_text(text))?;
    Ok(buffer.split_off(start))
}

fn receive(octets: &[u8], order: ByteOrder, start: usize, text: TextCoding) -> CdrResult<Any> {
    let mut reader = CdrReader::new(octets, order).with_origin(start).with_text(text);
    let any = Any::read(&mut reader)?;
    assert_eq!(reader.remaining(), 0);
    Ok(any)
}

/// Octet, short, double, wide and narrow text: members of every alignment.
macro_rules! mixed {
    ($value:ident) => {
        [
            Any::new::<u8>(&7),
            Any::new::<i16>(&-2),
            Any::new::<f64>(&1.5),
            Any::new::<bool>(&true),
            Any::new::<Vec<u64>>(&[1, u64::MAX]),
            Any::new::<Vec<u64>>(&[]),
            Any::new::<[u16; 3]>(&[1, 2, 3]),
            Any::new::<String>($value),
            Any::new::<WString>($value),
            Any::new::<WChar>(&'é'),
            Any::new::<Vec<WString>>(&[String::from($value), String::new()]),
            Any::new::<TypeCode>(&<Vec<String>>::type_code()),
            Any::new::<Vec<Any>>(&[
                Any::new::<u8>(&1).unwrap(),
                Any::new::<f64>(&2.0).unwrap(),
                Any::new::<Any>(&Any::new::<String>($value).unwrap()).unwrap(),
            ]),
        ]
        .map(Result::unwrap)
    };
}

#[test]
fn anys_survive_both_orders_every_offset_and_every_text_form() {
    for (value, char_set) in
        [("plain", CharSet::Latin1), ("grün", CharSet::Latin1), ("grün 東", CharSet::Utf8)]
    {
        for any in mixed!(value) {
            for order in ORDERS {
                for form in [WideForm::Units, WideForm::Octets] {
                    for start in 0..8 {
                        let text = text(char_set, form);
                        let octets = send(&any, order, start, text).unwrap();
                        let again = receive(&octets, order, start, text).unwrap();
                        assert_eq!(again, any);
                        assert_eq!(send(&again, order, start, text).unwrap(), octets);
                    }
                }
            }
        }
    }
}

#[test]
fn an_any_from_one_code_set_is_sent_in_another() {
    let latin = text(CharSet::Latin1, WideForm::Units);
    let utf8 = text(CharSet::Utf8, WideForm::Octets);
    let any = Any::new::<Vec<String>>(&[String::from("grün")]).unwrap();
    let octets = send(&any, ByteOrder::Big, 0, latin).unwrap();
    let received = receive(&octets, ByteOrder::Big, 0, latin).unwrap();
    let octets = send(&received, ByteOrder::Little, 3, utf8).unwrap();
    assert!(octets.windows(5).any(|window| window == "grün".as_bytes()));
    assert_eq!(receive(&octets, ByteOrder::Little, 3, utf8), Ok(any));
    // A single `char` has an octet in ISO 8859-1 only.
    let any = Any::new::<char>(&'é').unwrap();
    assert_eq!(any.get::<char>(), Some('é'));
    let octets = send(&any, ByteOrder::Big, 0, latin).unwrap();
    assert_eq!(octets, [0, 0, 0, 9, 0xe9]);
    assert_eq!(receive(&octets, ByteOrder::Big, 0, latin), Ok(any.clone()));
    assert_eq!(send(&any, ByteOrder::Big, 0, utf8).unwrap_err().kind, CdrErrorKind::BadText);
    let wide = Any::new::<WString>("x").unwrap();
    let none = TextCoding::default();
    assert_eq!(
        send(&wide, ByteOrder::Big, 0, none).unwrap_err().kind,
        CdrErrorKind::WideNotNegotiated
    );
}

#[test]
fn a_value_is_decoded_as_its_own_type_only() {
    let any = Any::new::<i32>(&5).unwrap();
    assert!(any.is::<i32>());
    assert_eq!(any.get::<i32>(), Some(5));
    assert_eq!(any.get::<u32>(), None);
    assert_eq!(Any::default().get::<i32>(), None);
    assert_eq!(Any::default().type_code().kind(), TcKind::Null);
    assert_ne!(any, Any::new::<i32>(&6).unwrap());
    assert_ne!(any, Any::new::<u32>(&5).unwrap());
    assert_eq!(format!("{:?}", Any::new::<[u8; 2]>(&[1, 2]).unwrap()), "Any(octet[2]: 01 02)");
}

/// `exception Lost { long where_; };`
#[derive(Clone, Debug, PartialEq)]
struct Lost(i32);

impl Wire for Lost {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 4;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        i32::write(&value.0, writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        i32::read(reader).map(Self)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

impl Typed for Lost {
    fn type_desc() -> &'static TypeDesc {
        static DESC: TypeDesc =
            TypeDesc::exception("IDL:Lost:1.0", "Lost", &[("where", i32::type_desc)]);
        &DESC
    }
}

#[test]
fn an_exception_is_read_with_and_without_its_id_and_written_with_it() {
    let any = Any::new::<Lost>(&Lost(9)).unwrap();
    assert_eq!(any.get::<Lost>(), Some(Lost(9)));
    let with = send(&any, ByteOrder::Big, 0, TextCoding::default()).unwrap();
    let mut without = Vec::new();
    let mut writer = CdrWriter::new(&mut without, ByteOrder::Big);
    TypeCode::write(&Lost::type_code(), &mut writer).unwrap();
    writer.write_i32(9);
    assert!(without.len() < with.len());
    for octets in [&with, &without] {
        let received = receive(octets, ByteOrder::Big, 0, TextCoding::default()).unwrap();
        assert_eq!(received, any);
        assert_eq!(received.get::<Lost>(), Some(Lost(9)));
    }
}

/// Copies `octets` of a described type.
fn copy(desc: &'static TypeDesc, octets: &[u8]) -> Result<Vec<u8>, CdrErrorKind> {
    let mut out = Vec::new();
    let mut reader = CdrReader::new(octets, ByteOrder::Big);
    transcode(&TypeCode::from(desc), &mut reader, &mut CdrWriter::new(&mut out, ByteOrder::Big))
        .map_err(|error| error.kind)?;
    assert_eq!(reader.remaining(), 0);
    Ok(out)
}

#[test]
fn packed_decimals_are_checked() {
    static MONEY: TypeDesc = TypeDesc::fixed(5, 2);
    static EVEN: TypeDesc = TypeDesc::fixed(6, 3);
    let good: [(&'static TypeDesc, &[u8]); 3] =
        [(&MONEY, b"\x12\x34\x5c"), (&EVEN, b"\x01\x23\x45\x6d"), (&MONEY, b"\0\0\x0c")];
    for (desc, octets) in good {
        assert_eq!(copy(desc, octets).as_deref(), Ok(octets));
    }
    for octets in [b"\x12\x34\x5f", b"\x1a\x34\x5c", b"\x12\x34\xac", b"\x12\xf4\x5c"] {
        assert_eq!(copy(&MONEY, octets), Err(CdrErrorKind::BadFixed));
    }
    assert_eq!(copy(&MONEY, b"\x12\x34"), Err(CdrErrorKind::Truncated));
}

#[test]
fn a_long_double_is_aligned_to_eight_and_byte_swapped_as_one_number() {
    let octets: Vec<u8> = (0..20).collect();
    let type_code = TypeCode::plain(TcKind::LongDouble);
    let mut reader = CdrReader::new(&octets, ByteOrder::Big).with_origin(4);
    let mut out = Vec::new();
    transcode(&type_code, &mut reader, &mut CdrWriter::new(&mut out, ByteOrder::Little)).unwrap();
    assert_eq!(reader.remaining(), 0);
    assert!(out.iter().copied().eq((4..20).rev()));
}

#[test]
fn unions_select_by_label_or_default_or_nothing() {
    fn color() -> &'static TypeDesc {
        static DESC: TypeDesc = TypeDesc::enumeration("IDL:C:1.0", "C", &["r", "g", "b"]);
        &DESC
    }
    static IMPLICIT: TypeDesc = TypeDesc::union(
        "IDL:I:1.0",
        "I",
        color,
        -1,
        &[(0, "o", u8::type_desc), (1, "s", i16::type_desc)],
    );
    assert_eq!(copy(&IMPLICIT, &[0, 0, 0, 0, 7]).as_deref(), Ok(&[0, 0, 0, 0, 7][..]));
    assert_eq!(copy(&IMPLICIT, &[0, 0, 0, 2]).as_deref(), Ok(&[0, 0, 0, 2][..]));
    assert_eq!(copy(&IMPLICIT, &[0, 0, 0, 3]), Err(CdrErrorKind::BadEnum));
    static DEFAULT: TypeDesc = TypeDesc::union(
        "IDL:D:1.0",
        "D",
        char::type_desc,
        0,
        &[(0x61, "other", u8::type_desc), (0x61, "a", i16::type_desc)],
    );
    assert_eq!(copy(&DEFAULT, b"a\0\x01\x02").as_deref(), Ok(&b"a\0\x01\x02"[..]));
    assert_eq!(copy(&DEFAULT, b"b\x07").as_deref(), Ok(&b"b\x07"[..]));
}

#[test]
fn values_are_checked_by_their_type() {
    static BOUNDED: TypeDesc = TypeDesc::sequence(u8::type_desc, 2);
    static SHORT: TypeDesc = TypeDesc::string(2);
    static ARRAY: TypeDesc = TypeDesc::array(String::type_desc, u32::MAX);
    static VALUE: TypeDesc = TypeDesc::named(TcKind::Native, "IDL:N:1.0", "N");
    for (desc, octets, error) in [
        (&BOUNDED, &b"\0\0\0\x03abc"[..], CdrErrorKind::BoundExceeded),
        (&SHORT, b"\0\0\0\x04abc\0", CdrErrorKind::BoundExceeded),
        (&SHORT, b"\0\0\0\x02ab", CdrErrorKind::BadString),
        (&ARRAY, b"\0\0\0\x01\0", CdrErrorKind::LengthBeyondEnd),
        (&VALUE, b"", CdrErrorKind::Unsupported),
        (bool::type_desc(), b"\x02", CdrErrorKind::BadBoolean),
        (<Vec<i64>>::type_desc(), b"\0\0\0\x02\0\0\0\0", CdrErrorKind::Truncated),
        (<Vec<bool>>::type_desc(), b"\xff\xff\xff\xff\x01", CdrErrorKind::LengthBeyondEnd),
    ] {
        assert_eq!(copy(desc, octets), Err(error), "{desc:?}");
    }
}

#[test]
fn references_are_copied_unchanged() {
    static OBJECT: TypeDesc = TypeDesc::interface("IDL:omg.org/CORBA/Object:1.0", "Object");
    let nil = b"\0\0\0\x01\0\0\0\0\0\0\0\0";
    assert_eq!(copy(&OBJECT, nil).as_deref(), Ok(&nil[..]));
    let one = b"\0\0\0\x02T\0\0\0\0\0\0\x01\0\0\0\x63\0\0\0\x03abc";
    assert_eq!(copy(&OBJECT, one).as_deref(), Ok(&one[..]));
    assert_eq!(
        copy(&OBJECT, b"\0\0\0\x01\0\0\0\0\xff\xff\xff\xff"),
        Err(CdrErrorKind::LengthBeyondEnd)
    );
}

#[test]
fn anys_in_anys_have_a_depth_limit() {
    let nested = |depth: usize| {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
        (0..depth).for_each(|_| writer.write_u32(TcKind::Any as u32));
        writer.write_u32(TcKind::Null as u32);
        receive(&octets, ByteOrder::Big, 0, TextCoding::default())
    };
    let deepest = nested(127).unwrap();
    assert_eq!(send(&deepest, ByteOrder::Big, 0, TextCoding::default()).unwrap().len(), 512);
    assert_eq!(nested(128).unwrap_err().kind, CdrErrorKind::TooDeep);
    assert_eq!(nested(100_000).unwrap_err().kind, CdrErrorKind::TooDeep);
}

#[test]
fn text_that_cannot_be_encoded_is_no_any() {
    assert_eq!(Any::new::<String>("a\0b").unwrap_err().kind, CdrErrorKind::BadString);
    let mixed = ['é', '東'];
    assert_eq!(Any::new::<Vec<char>>(&mixed).unwrap_err().kind, CdrErrorKind::BadText);
}

/// `struct { octet o; double d; char c; }` in an any.
fn padded() -> &'static TypeDesc {
    static DESC: TypeDesc = TypeDesc::structure(
        "IDL:P:1.0",
        "P",
        &[("o", u8::type_desc), ("d", f64::type_desc), ("c", char::type_desc)],
    );
    &DESC
}

#[test]
fn a_received_value_is_sent_as_received_where_the_stream_allows_it() {
    let octets = [1, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, b'c'];
    let latin = text(CharSet::Latin1, WideForm::Octets);
    let mut reader = CdrReader::new(&octets, ByteOrder::Little).with_origin(16).with_text(latin);
    let any = Any::read_value(TypeCode::from(padded()), &mut reader).unwrap();
    let sent = |order, start: usize, coding| {
        let mut buffer = vec![0; start];
        let mut writer = CdrWriter::resume(&mut buffer, order).with_text(coding);
        any.write_value(&mut writer).unwrap();
        buffer.split_off(start)
    };
    // The padding shows whether the octets were converted.
    assert_eq!(sent(ByteOrder::Little, 8, latin), octets);
    assert_eq!(sent(ByteOrder::Little, 0, latin), octets);
    assert_eq!(sent(ByteOrder::Little, 7, latin)[..3], [1, 0, 0]);
    assert_eq!(sent(ByteOrder::Big, 0, latin)[8..], [0x3f, 0xf0, 0, 0, 0, 0, 0, 0, b'c']);
    // The form of the octets does not matter for equality.
    for (order, start) in [(ByteOrder::Big, 0), (ByteOrder::Little, 3)] {
        let octets = sent(order, start, latin);
        let mut reader = CdrReader::new(&octets, order).with_origin(start).with_text(latin);
        assert_eq!(Any::read_value(TypeCode::from(padded()), &mut reader).as_ref(), Ok(&any));
    }
    let layout = crate::Layout::of(any.type_code());
    let mut buffer = Vec::new();
    any.write_with(&layout, &mut CdrWriter::new(&mut buffer, ByteOrder::Big)).unwrap();
    let mut reader = CdrReader::new(&buffer, ByteOrder::Big);
    assert_eq!(Any::read_with(&layout, &mut reader), Ok(any));
}

#[test]
fn octets_that_are_sent_unchanged_are_offered_to_be_gathered() {
    /// Takes runs of at least 16 octets.
    struct Taking(Vec<(usize, usize)>);

    impl Outlet for Taking {
        fn offer(&mut self, written: &[u8], octets: &[u8], what: Gathered) -> bool {
            assert_eq!(what, Gathered::Value, "readers look for a run elsewhere");
            self.0.push((written.len(), octets.len()));
            octets.len() >= 16
        }
    }

    let layout = crate::Layout::of(&<Vec<i32>>::type_code());
    // Short ones are encoded again.
    for length in [3, 5, 15, 21] {
        let any = Any::new::<Vec<i32>>(&vec![7; length]).unwrap();
        let octets = 4 + 4 * length;
        for order in [ByteOrder::NATIVE, ByteOrder::NATIVE.swapped()] {
            let (mut taking, mut buffer) = (Taking(Vec::new()), vec![0; 8]);
            let mut writer = CdrWriter::resume(&mut buffer, order);
            writer.offer_to(&mut taking);
            any.write_value(&mut writer).unwrap();
            any.write_with(&layout, &mut writer).unwrap();
            let copied = buffer.len() - 8;
            match order {
                ByteOrder::NATIVE if octets >= LONG => {
                    assert_eq!((taking.0, copied), (vec![(8, octets), (8, octets)], 0));
                }
                _ => assert_eq!(copied, 2 * octets),
            }
        }
    }
}

#[test]
fn values_of_different_types_with_one_id_are_not_equal() {
    static OTHER: TypeDesc = TypeDesc::structure("IDL:P:1.0", "P", &[("s", String::type_desc)]);
    let octets = [0; 17];
    let read = |desc: &'static TypeDesc, octets: &[u8]| {
        Any::read_value(TypeCode::from(desc), &mut CdrReader::new(octets, ByteOrder::Big)).unwrap()
    };
    let one = read(padded(), &octets);
    let other = read(&OTHER, &[0, 0, 0, 1, 0]);
    assert!(one.type_code().equivalent(other.type_code()));
    assert_ne!(one, other);
    assert_ne!(other, one);
}

/// `valuetype Base { public octet o; }; valuetype Derived : Base { public double d; };`
fn derived() -> &'static TypeDesc {
    fn base() -> &'static TypeDesc {
        static DESC: TypeDesc = TypeDesc::value(
            "IDL:B:1.0",
            "B",
            ValueModifier::None,
            None,
            &[("o", u8::type_desc, Visibility::Public)],
        );
        &DESC
    }
    static DESC: TypeDesc = TypeDesc::value(
        "IDL:D:1.0",
        "D",
        ValueModifier::None,
        Some(base),
        &[("d", f64::type_desc, Visibility::Public)],
    );
    &DESC
}

#[test]
fn values_are_copied_with_their_id() {
    let null = [0; 4];
    assert_eq!(copy(derived(), &null).as_deref(), Ok(&null[..]));
    let plain = b"\x7f\xff\xff\x00\x07\0\0\0\x3f\xf0\0\0\0\0\0\0";
    let named = b"\x7f\xff\xff\x02\0\0\0\x0aIDL:D:1.0\0\x07\0\0\0\0\0\x3f\xf0\0\0\0\0\0\0";
    for octets in [&plain[..], named] {
        assert_eq!(copy(derived(), octets).as_deref(), Ok(&named[..]));
    }
    static ABSTRACT: TypeDesc = TypeDesc::named(TcKind::AbstractInterface, "IDL:A:1.0", "A");
    for octets in [&b"\0\0\0\0\0\0\0\0"[..], b"\x01\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0"] {
        assert_eq!(copy(&ABSTRACT, octets).as_deref(), Ok(octets));
    }
    let any = |octets: &[u8]| {
        Any::read_value(TypeCode::from(derived()), &mut CdrReader::new(octets, ByteOrder::Big))
            .unwrap()
    };
    assert_eq!(any(plain), any(named));
    assert_ne!(any(plain), any(&null));
}

#[test]
fn building_an_any_validates_its_value() {
    let build = |octets: &[u8]| {
        Any::build(bool::type_code(), |writer| {
            writer.put(octets);
            Ok(())
        })
    };
    assert_eq!(build(&[1]), Any::new::<bool>(&true));
    assert_eq!(build(&[2]).unwrap_err().kind, CdrErrorKind::BadBoolean);
    assert_eq!(build(&[1, 1]).unwrap_err().kind, CdrErrorKind::TooLong);
    assert_eq!(build(&[]).unwrap_err().kind, CdrErrorKind::Truncated);
}
