//! Valuetypes in anys: shared, cyclic, derived, chunked and truncated values, and hostile ones.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

use crate::{
    Any, Layout, TcKind, TypeCode, TypeDesc, Typed, ValueModifier, ValueTypes, Visibility,
};

macro_rules! valuetype {
    ($name:ident, $id:literal, $modifier:ident, $base:expr, [$(($member:literal, $type:expr)),*]) => {
        fn $name() -> &'static TypeDesc {
            static DESC: TypeDesc = TypeDesc::value(
                $id,
                stringify!($name),
                ValueModifier::$modifier,
                $base,
                &[$(($member, $type, Visibility::Public)),*],
            );
            &DESC
        }
    };
}

valuetype!(base, "IDL:B:1.0", None, None, [("o", u8::type_desc)]);
valuetype!(derived, "IDL:D:1.0", Truncatable, Some(base), [("d", f64::type_desc)]);
valuetype!(node, "IDL:N:1.0", None, None, [("v", i32::type_desc), ("next", node), ("other", node)]);
valuetype!(custom, "IDL:C:1.0", Custom, None, []);
valuetype!(holder, "IDL:H:1.0", None, None, [("any", Any::type_desc), ("after", i16::type_desc)]);

/// `struct { Base b; Derived d; };`
fn both() -> &'static TypeDesc {
    static DESC: TypeDesc = TypeDesc::structure("IDL:S:1.0", "S", &[("b", base), ("d", derived)]);
    &DESC
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

const fn back(octets: u32) -> [u32; 2] {
    [0xffff_ffff, octets.wrapping_neg()]
}

/// The concatenated parts of a stream, each aligned to four.
fn stream(parts: &[&[u8]]) -> Vec<u8> {
    let mut octets = Vec::new();
    for part in parts {
        octets.resize(octets.len().next_multiple_of(4), 0);
        octets.extend_from_slice(part);
    }
    octets
}

fn id(text: &str) -> Vec<u8> {
    let mut octets = Vec::new();
    CdrWriter::new(&mut octets, ByteOrder::Big).write_latin1(text).unwrap();
    octets
}

fn read(desc: fn() -> &'static TypeDesc, octets: &[u8]) -> CdrResult<Any> {
    let mut reader = CdrReader::new(octets, ByteOrder::Big);
    let any = Any::read_value(TypeCode::from(desc()), &mut reader)?;
    assert_eq!(reader.remaining(), 0);
    Ok(any)
}

fn kind(desc: fn() -> &'static TypeDesc, octets: &[u8]) -> Option<CdrErrorKind> {
    read(desc, octets).err().map(|error| error.kind)
}

fn write(any: &Any, order: ByteOrder, start: usize) -> CdrResult<Vec<u8>> {
    let mut octets = vec![0; start];
    any.write_value(&mut CdrWriter::resume(&mut octets, order))?;
    Ok(octets.split_off(start))
}

/// Sends the any in all forms, and receives it again.
fn sent(any: &Any) {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        for start in 0..8 {
            let octets = write(any, order, start).unwrap();
            let mut reader = CdrReader::new(&octets, order).with_origin(start);
            if let Some(types) = any.value_types() {
                reader = reader.with_context(&**types);
            }
            let again = Any::read_value(any.type_code().clone(), &mut reader).unwrap();
            assert_eq!(reader.remaining(), 0);
            assert_eq!(&again, any, "{order:?} {start}");
        }
    }
}

const PLAIN: u32 = 0x7fff_ff00;
const ID: u32 = 0x7fff_ff02;
const CHUNKED: u32 = 0x7fff_ff08;
const CHUNKED_ID: u32 = 0x7fff_ff0a;
const CHUNKED_IDS: u32 = 0x7fff_ff0e;
const END: u32 = 0xffff_ffff;

/// A `Derived` with o = 7 and d = 1, which can be truncated to a `Base`, at this offset.
fn chunked_derived(id_of_derived: &str, start: usize) -> Vec<u8> {
    let head = stream(&[&words(&[CHUNKED_IDS, 2]), &id(id_of_derived), &id("IDL:B:1.0")]);
    let mut octets = head.clone();
    octets.resize(octets.len().next_multiple_of(4), 0);
    let padding = 7 - (octets.len() + start + 4) % 8;
    octets.extend(words(&[u32::try_from(1 + padding + 8).unwrap()]));
    octets.push(7);
    octets.resize(octets.len() + padding, 0);
    octets.extend(1.0_f64.to_be_bytes());
    octets.extend(words(&[END]));
    octets
}

#[test]
fn chunked_values_are_read() {
    let whole = read(base, &words(&[PLAIN, 0x0700_0000])[..5]).unwrap();
    for octets in [
        stream(&[&words(&[CHUNKED, 1]), &[7], &words(&[END])]),
        stream(&[&words(&[CHUNKED_ID]), &id("IDL:B:1.0"), &words(&[1]), &[7], &words(&[END])]),
    ] {
        let any = read(base, &octets).unwrap();
        assert_eq!(any, whole);
        assert_eq!(write(&any, ByteOrder::Big, 0).unwrap(), octets, "as it came");
        sent(&any);
    }
}

#[test]
fn derived_values_are_stored_whole_and_truncated_when_converted() {
    let unknown = chunked_derived("IDL:E:1.0", 0);
    let any = read(base, &unknown).unwrap();
    assert_eq!(write(&any, ByteOrder::Big, 0).unwrap(), unknown);
    // The truncated state may differ.
    assert_ne!(any, read(base, &chunked_derived("IDL:F:1.0", 0)).unwrap());
    let cut = write(&any, ByteOrder::Little, 0).unwrap();
    let cut =
        Any::read_value(any.type_code().clone(), &mut CdrReader::new(&cut, ByteOrder::Little));
    assert_eq!(cut, read(base, &words(&[PLAIN, 0x0700_0000])[..5]));
    // Without chunks, the end of an unknown value is unknown.
    let alone = stream(&[&words(&[ID]), &id("IDL:E:1.0"), &[7]]);
    assert_eq!(kind(base, &alone), Some(CdrErrorKind::UnknownValue));
    // A known type that is not derived from the expected one.
    let other = stream(&[&words(&[ID]), &id("IDL:B:1.0"), &[7]]);
    assert_eq!(kind(node, &other), Some(CdrErrorKind::UnknownValue));
}

#[test]
fn values_of_types_known_to_type_code_or_context_are_not_truncated() {
    let first = chunked_derived("IDL:D:1.0", 0);
    let any = read(both, &stream(&[&first, &words(&[0])])).unwrap();
    sent(&any);
    let types: ValueTypes = [TypeCode::from(derived())].into_iter().collect();
    let layout = Layout::of(&TypeCode::from(base()));
    let mut reader = CdrReader::new(&first, ByteOrder::Big).with_context(&types);
    let any = Any::read_with(&layout, &mut reader).unwrap();
    assert!(any.value_types().is_some_and(|types| types.find("IDL:D:1.0").is_some()));
    sent(&any);
    let built = Any::build_of(&layout, Some(Arc::new(types)), |writer| {
        writer.write_value(1, (), &["IDL:D:1.0"], false, |writer| {
            writer.write_u8(7);
            writer.write_f64(1.0);
            Ok(())
        })
    });
    let built = built.unwrap();
    assert_eq!(built, any);
    sent(&built);
}

valuetype!(anything, "IDL:omg.org/CORBA/ValueBase:1.0", None, None, []);
valuetype!(open_base, "IDL:OB:1.0", None, None, [("other", anything)]);
valuetype!(open, "IDL:OD:1.0", Truncatable, Some(open_base), []);

#[test]
fn values_of_the_expected_type_and_of_bases_are_found_by_their_ids() {
    // A derived value, with a value of the base where any valuetype may be.
    let base_in_derived =
        stream(&[&words(&[ID]), &id("IDL:OD:1.0"), &words(&[ID]), &id("IDL:OB:1.0"), &words(&[0])]);
    sent(&read(open, &base_in_derived).unwrap());
    let types: ValueTypes = [TypeCode::from(open())].into_iter().collect();
    let layout = Layout::of(&TypeCode::from(open_base()));
    let mut reader = CdrReader::new(&base_in_derived, ByteOrder::Big).with_context(&types);
    let any = Any::read_with(&layout, &mut reader).unwrap();
    sent(&any);
    // Each value on its own finds both types in the context of the any.
    let found = any.value_types().unwrap();
    assert!(found.find("IDL:OD:1.0").is_some() && found.find("IDL:OB:1.0").is_some());
    // A derived value of the root type, in a value that only the context describes.
    static OUTER: TypeDesc = TypeDesc::structure("IDL:O:1.0", "O", &[("v", anything), ("d", open)]);
    valuetype!(apart, "IDL:AP:1.0", None, None, [("other", anything)]);
    let types: ValueTypes = [TypeCode::from(apart())].into_iter().collect();
    let octets = stream(&[
        &words(&[ID]),
        &id("IDL:AP:1.0"),
        &words(&[ID]),
        &id("IDL:OD:1.0"),
        &words(&[0, 0]),
    ]);
    let layout = Layout::of(&TypeCode::from(&OUTER));
    let mut reader = CdrReader::new(&octets, ByteOrder::Big).with_context(&types);
    let any = Any::read_with(&layout, &mut reader).unwrap();
    assert_eq!(reader.remaining(), 0);
    sent(&any);
}

/// Two nodes that refer to each other, the first one with both members.
fn ring() -> Vec<u8> {
    let [tag, way] = back(24);
    words(&[PLAIN, 1, PLAIN, 2, 0, tag, way, tag, way])
}

#[test]
fn sharing_and_cycles_are_preserved() {
    let ring = ring();
    let any = read(node, &ring).unwrap();
    assert_eq!(write(&any, ByteOrder::Big, 0).unwrap(), ring);
    sent(&any);
    // Two equal values are not one shared value.
    let [tag, way] = back(20);
    let shared = read(node, &words(&[PLAIN, 1, PLAIN, 2, 0, 0, tag, way])).unwrap();
    let apart = read(node, &words(&[PLAIN, 1, PLAIN, 2, 0, 0, PLAIN, 2, 0, 0])).unwrap();
    assert_ne!(shared, apart);
    sent(&shared);
    sent(&apart);
}

#[test]
fn boxes_and_abstract_interfaces_contain_values() {
    static BOX: TypeDesc = TypeDesc::value_box("IDL:X:1.0", "X", <Vec<i16>>::type_desc);
    static ABSTRACT: TypeDesc = TypeDesc::named(TcKind::AbstractInterface, "IDL:A:1.0", "A");
    let boxed = read(|| &BOX, &stream(&[&words(&[PLAIN, 2]), &[0, 1, 0, 2]])).unwrap();
    sent(&boxed);
    // The context knows the type of a value behind an abstract interface, or the value is sent as received.
    let value = stream(&[&[0], &words(&[ID]), &id("IDL:B:1.0"), &[7]]);
    assert_eq!(kind(|| &ABSTRACT, &value), Some(CdrErrorKind::UnknownValue));
    let types: ValueTypes = [TypeCode::from(base())].into_iter().collect();
    let layout = Layout::of(&TypeCode::from(&ABSTRACT));
    let mut reader = CdrReader::new(&value, ByteOrder::Big).with_context(&types);
    sent(&Any::read_with(&layout, &mut reader).unwrap());
    let chunked = stream(&[
        &[0],
        &words(&[CHUNKED_ID]),
        &id("IDL:B:1.0"),
        &words(&[1]),
        &[7],
        &words(&[END]),
    ]);
    let any = read(|| &ABSTRACT, &chunked).unwrap();
    assert_eq!(write(&any, ByteOrder::Big, 0).unwrap(), chunked);
}

#[test]
fn custom_values_are_sent_as_received_and_never_converted() {
    let octets = stream(&[&words(&[CHUNKED_ID]), &id("IDL:C:1.0"), &words(&[8, 1, 2, END])]);
    let any = read(custom, &octets).unwrap();
    assert_eq!(write(&any, ByteOrder::Big, 0).unwrap(), octets);
    let kind = write(&any, ByteOrder::Little, 0).map_err(|error| error.kind);
    assert_eq!(kind, Err(CdrErrorKind::UnknownValue));
}

#[test]
fn values_that_an_any_shares_with_the_message_are_copied_into_it() {
    // A value, then an any with a value that refers to it twice, then an any that refers to that.
    let type_code = TypeCode::from(node());
    let first = words(&[PLAIN, 1, 0, 0]);
    let mut octets = first.clone();
    let [tag, one] = back(28);
    let [_, other] = back(36);
    octets.extend(words(&[PLAIN, 2, tag, one, tag, other]));
    let [_, third] = back(28);
    octets.extend(words(&[tag, third]));
    let mut reader = CdrReader::new(&octets, ByteOrder::Big);
    let _ = Any::read_value(type_code.clone(), &mut reader).unwrap();
    let second = Any::read_value(type_code.clone(), &mut reader).unwrap();
    let third = Any::read_value(type_code, &mut reader).unwrap();
    assert_eq!(reader.remaining(), 0);
    assert_eq!(second, third);
    let [tag, way] = back(20);
    assert_eq!(second, read(node, &words(&[PLAIN, 2, PLAIN, 1, 0, 0, tag, way])).unwrap());
    sent(&second);
    // Ids are shared too.
    let ids = stream(&[
        &words(&[ID]),
        &id("IDL:N:1.0"),
        &words(&[1, 0, 0, ID]),
        &words(&back(36)),
        &words(&[2, 0, 0]),
    ]);
    let mut reader = CdrReader::new(&ids, ByteOrder::Big);
    let type_code = TypeCode::from(node());
    let _ = Any::read_value(type_code.clone(), &mut reader).unwrap();
    let second = Any::read_value(type_code, &mut reader).unwrap();
    assert_eq!(second, read(node, &words(&[PLAIN, 2, 0, 0])).unwrap());
    sent(&second);
}

#[test]
fn values_in_an_any_in_a_chunked_value_are_chunked() {
    let inner = read(node, &ring()).unwrap();
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
    writer
        .write_value(1, (), &["IDL:H:1.0"], true, |writer| {
            Any::write(&inner, writer)?;
            writer.write_i16(5);
            Ok(())
        })
        .unwrap();
    assert!(!octets.windows(4).any(|word| *word == PLAIN.to_be_bytes()));
    let any = read(holder, &octets).unwrap();
    sent(&any);
    let mut reader = any.reader();
    let zorb_cdr::ValueHeader::New(tag) = reader.read_value_header().unwrap() else { panic!() };
    reader.begin_value(&tag).unwrap();
    let held = Any::read(&mut reader).unwrap();
    assert_eq!(held, inner);
    sent(&held);
    reader.step(2);
    assert_eq!(reader.read_i16(), Ok(5));
    reader.end_value(&tag).unwrap();
    assert_eq!(reader.remaining(), 0);
}

/// Writes a chunked value in which every primitive is a chunk of its own.
struct Peer(Vec<u8>);

impl Peer {
    fn begin(id_of_type: &str) -> Self {
        Self(stream(&[&words(&[CHUNKED_ID]), &id(id_of_type)]))
    }

    fn put(&mut self, alignment: usize, octets: &[u8]) {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        let start = self.0.len() + 4;
        let padding = start.next_multiple_of(alignment) - start;
        self.0.extend(words(&[u32::try_from(padding + octets.len()).unwrap()]));
        self.0.resize(self.0.len() + padding, 0);
        self.0.extend_from_slice(octets);
    }

    fn end(mut self) -> Vec<u8> {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self.0.extend(words(&[END]));
        self.0
    }
}

#[test]
fn a_peer_may_put_every_primitive_into_a_chunk_of_its_own() {
    static PAIR: TypeDesc =
        TypeDesc::structure("IDL:P:1.0", "P", &[("o", u8::type_desc), ("d", f64::type_desc)]);
    fn pair() -> &'static TypeDesc {
        &PAIR
    }
    fn pairs() -> &'static TypeDesc {
        static DESC: TypeDesc = TypeDesc::sequence(pair, 0);
        &DESC
    }
    fn reference() -> &'static TypeDesc {
        static DESC: TypeDesc = TypeDesc::named(TcKind::ObjRef, "IDL:R:1.0", "R");
        &DESC
    }
    valuetype!(
        all,
        "IDL:All:1.0",
        None,
        None,
        [
            ("truth", bool::type_desc),
            ("numbers", <Vec<u16>>::type_desc),
            ("row", <[u16; 2]>::type_desc),
            ("pairs", pairs),
            ("any", Any::type_desc),
            ("type", TypeCode::type_desc),
            ("reference", reference),
            ("text", <alloc::string::String>::type_desc)
        ]
    );
    let mut cut = Peer::begin("IDL:All:1.0");
    cut.put(1, &[1]);
    cut.put(4, &words(&[2]));
    cut.put(2, &[0, 1]);
    cut.put(2, &[0, 2]);
    cut.put(2, &[0, 3]);
    cut.put(2, &[0, 4]);
    cut.put(4, &words(&[2]));
    for number in [1.0_f64, 2.0] {
        cut.put(1, &[9]);
        cut.put(8, &number.to_be_bytes());
    }
    // An any with a bounded string.
    cut.put(4, &words(&[TcKind::String as u32]));
    cut.put(4, &words(&[8]));
    cut.put(4, &id("text"));
    // A fixed<5, 2>.
    cut.put(4, &words(&[TcKind::Fixed as u32]));
    cut.put(2, &[0, 5]);
    cut.put(2, &[0, 2]);
    // A reference with one profile.
    cut.put(4, &id("IDL:R:1.0"));
    cut.put(4, &words(&[1]));
    cut.put(4, &words(&[0]));
    cut.put(4, &stream(&[&words(&[3]), &[0, 1, 2]]));
    cut.put(4, &id("end"));
    let cut = read(all, &cut.end()).unwrap();
    sent(&cut);
    let mut whole = Vec::new();
    let mut writer = CdrWriter::new(&mut whole, ByteOrder::Big);
    writer.write_u32(PLAIN);
    writer.write_u8(1);
    <Vec<u16>>::write(&[1, 2], &mut writer).unwrap();
    <[u16; 2]>::write(&[3, 4], &mut writer).unwrap();
    writer.write_u32(2);
    for number in [1.0_f64, 2.0] {
        writer.write_u8(9);
        writer.write_f64(number);
    }
    let text = Any::build(TypeCode::string(8), |writer| writer.write_str("text", 8)).unwrap();
    Any::write(&text, &mut writer).unwrap();
    TypeCode::write(&TypeCode::fixed(5, 2).unwrap(), &mut writer).unwrap();
    writer.write_latin1("IDL:R:1.0").unwrap();
    writer.write_u32(1);
    writer.write_u32(0);
    writer.write_octets(&[0, 1, 2]).unwrap();
    writer.write_latin1("end").unwrap();
    assert_eq!(cut, read(all, &whole).unwrap());
}

#[test]
fn hostile_values_are_refused() {
    let bad = Some(CdrErrorKind::BadValue);
    for wrong in [
        // Indirections to no value, forward, to itself, into its own state, to an indirection.
        vec![END, 4],
        words_of(&[END], back(4)),
        words_of(&[], back(400)),
        words_of(&[PLAIN, 1], back(8)),
        words_of(&[PLAIN, 1, 0], back(10)),
        vec![5],
        vec![0x7fff_ff04, 1, 0, 0],
        vec![CHUNKED, 4, 1, 5_u32.wrapping_neg()],
        vec![0x8000_0000, 1],
    ] {
        let kind = kind(node, &words(&wrong));
        assert!(kind == bad || kind == Some(CdrErrorKind::Truncated), "{wrong:x?}: {kind:?}");
    }
    // Chunks that are longer than the message, or empty.
    for size in [0, 13, 0x7fff_feff] {
        assert!(read(node, &words(&[CHUNKED, size, 1, 0, 0, END])).is_err());
    }
    // An indirection to a value of another type.
    static PAIR: TypeDesc =
        TypeDesc::structure("IDL:P:1.0", "P", &[("one", base), ("other", node)]);
    let octets = stream(&[&words(&[PLAIN]), &[7], &words(&back(12))]);
    assert_eq!(kind(|| &PAIR, &octets), bad);
    // Nested too deeply.
    let deep: Vec<u32> = (0..100_000).flat_map(|v| [PLAIN, v]).collect();
    assert_eq!(kind(node, &words(&deep)), Some(CdrErrorKind::TooDeep));
}

#[test]
fn a_list_may_be_as_long_as_the_nesting_limit() {
    let list = |length: u32| {
        let mut list: Vec<u32> = (0..length).flat_map(|v| [PLAIN, v]).collect();
        list.push(0);
        list.resize(list.len() + length as usize, 0);
        words(&list)
    };
    let length = u32::from(zorb_cdr::MAX_VALUE_DEPTH);
    sent(&read(node, &list(length)).unwrap());
    assert_eq!(kind(node, &list(length + 1)), Some(CdrErrorKind::TooDeep));
}

fn words_of(before: &[u32], indirection: [u32; 2]) -> Vec<u32> {
    [before, &indirection[..], &[0, 0]].concat()
}

#[test]
fn the_cost_of_shared_values_is_linear_in_the_octets() {
    // Each value refers to the next one twice: 2^60 paths, 60 values.
    let mut octets = Vec::new();
    for depth in 0..60_u32 {
        octets.extend([PLAIN, depth]);
    }
    octets.extend([0, 0]);
    for depth in (1..60_u32).rev() {
        let at = u32::try_from(octets.len()).unwrap() * 4 + 4;
        octets.extend(back(at - depth * 8));
    }
    let any = read(node, &words(&octets)).unwrap();
    sent(&any);
    // Many anys that refer to one large value outside: refused before that becomes expensive.
    let type_code = TypeCode::from(node());
    let mut stream = octets.clone();
    for _ in 0..2_000 {
        let at = u32::try_from(stream.len()).unwrap() * 4 + 4;
        stream.extend(back(at));
    }
    let stream = words(&stream);
    let mut reader = CdrReader::new(&stream, ByteOrder::Big);
    let all: CdrResult<Vec<Any>> =
        (0..2_001).map(|_| Any::read_value(type_code.clone(), &mut reader)).collect();
    assert_eq!(all.err().map(|error| error.kind), Some(CdrErrorKind::BadValue));
}
