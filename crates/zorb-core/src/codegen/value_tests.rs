//! Values in octets: sharing, cycles, chunks and truncation.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

use zorb_types::Any;

use super::{Inherits, ValueBase};
use crate::Orb;
use crate::Value;
use crate::codegen;

#[derive(Clone, Debug, PartialEq)]
struct Base {
    a: i32,
}
codegen::valuetype!(Base, "IDL:t/Base:1.0", "Base", [], { a: i32 = "a" Public });

#[derive(Clone, Debug, PartialEq)]
struct Derived {
    base: Base,
    b: String,
}
codegen::valuetype!(Derived: Base, "IDL:t/Derived:1.0", "Derived", truncatable to [Base], [Base], {
    b: String = "b" Public,
});

#[derive(Clone, Debug, PartialEq)]
struct Derived2 {
    base: Derived,
    inner: Option<Value<Base>>,
}
codegen::valuetype!(Derived2: Derived, "IDL:t/Derived2:1.0", "Derived2",
    truncatable to [Derived, Base], [Derived, Base], { inner: Value<Base> = "inner" Public });

#[derive(Clone, Debug, PartialEq)]
struct Node {
    v: i32,
    next: Option<Value<Self>>,
}
codegen::valuetype!(Node, "IDL:t/Node:1.0", "Node", [], {
    v: i32 = "v" Public, next: Value<Node> = "next" Public,
});

fn write<T: Wire>(values: &[&T::View], order: ByteOrder) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, order);
    for value in values {
        T::write(value, &mut writer).expect("an encoding");
    }
    octets
}

fn read<T: Wire>(octets: &[u8], orb: &Orb, count: usize) -> CdrResult<Vec<T::Value>> {
    let core = orb.client_for_tests();
    let mut reader = CdrReader::new(octets, ByteOrder::Big).with_context(core);
    (0..count).map(|_| T::read(&mut reader)).collect()
}

fn orb() -> Orb {
    Orb::builder().without_environment().build().expect("an ORB")
}

fn derived2(inner: Option<Value<Base>>) -> Value<Derived2> {
    Value::new(Derived2 { base: Derived { base: Base { a: 1 }, b: "b".into() }, inner })
}

#[test]
fn a_value_sent_twice_is_one_value() {
    let value = Some(Value::new(Base { a: 7 }));
    let octets = write::<Value<Base>>(&[&value, &value, &None], ByteOrder::Big);
    let expected: [u32; 5] = [0x7fff_ff00, 7, 0xffff_ffff, (-12_i32).cast_unsigned(), 0];
    assert_eq!(octets, expected.map(u32::to_be_bytes).concat());
    let got = read::<Value<Base>>(&octets, &orb(), 3).expect("values");
    assert_eq!(got[0], got[1]);
    assert_eq!(got[0].as_ref().and_then(Value::get).map(|state| state.a), Some(7));
    assert_eq!(got[2], None);
}

/// A receiver that skips a value inside a truncated one does not know the expected type.
#[test]
fn values_inside_chunks_name_their_type() {
    let inner = Some(Value::new(Base { a: 3 }));
    let alone = write::<Value<Base>>(&[&inner], ByteOrder::Big);
    assert_eq!(alone, [0x7fff_ff00_u32, 3].map(u32::to_be_bytes).concat());
    let octets = write::<Value<Derived2>>(&[&Some(derived2(inner))], ByteOrder::Big);
    // An indirection to the id, which is in the list of the value around it.
    let nested = [0x7fff_ff0a_u32, 0xffff_ffff].map(u32::to_be_bytes).concat();
    assert_eq!(octets.windows(8).filter(|octets| *octets == nested).count(), 1);
}

#[test]
fn derived_values_come_whole_where_known_and_cut_where_not() {
    for inner in [None, Some(Value::new(Base { a: 3 })), Some(derived2(None).upcast())] {
        let value = derived2(inner.clone());
        let octets = write::<Value<Base>>(&[&Some(value.upcast()), &inner], ByteOrder::Big);
        let orb = orb();
        let cut = read::<Value<Base>>(&octets, &orb, 1).expect("a base");
        let cut = cut[0].as_ref().expect("a value");
        assert_eq!(cut.repository_id(), Some("IDL:t/Base:1.0"));
        assert_eq!(cut.get().map(|state| state.a), Some(1));
        orb.register_value::<Derived2>();
        let whole = read::<Value<Base>>(&octets, &orb, 2).expect("a derived value");
        let got = whole[0].as_ref().and_then(Value::downcast::<Derived2>).expect("its type");
        let state = got.get().expect("its state");
        assert_eq!((state.base.base.a, state.base.b.as_str()), (1, "b"));
        assert_eq!(state.inner, whole[1]);
        assert_eq!(whole[1].is_some(), inner.is_some());
        for length in 0..octets.len() {
            assert!(read::<Value<Base>>(&octets[..length], &orb, 2).is_err(), "{length}");
        }
    }
}

/// The other byte order, so that the any must be converted.
#[test]
fn an_any_knows_the_types_of_the_values_that_it_was_made_of() {
    let inner = Some(derived2(None).upcast());
    let value: Option<Value<Base>> = Some(derived2(inner).upcast());
    let any = Any::new::<Value<Base>>(&value).expect("an any");
    let built = Any::build(any.type_code().clone(), |writer| Value::<Base>::write(&value, writer));
    let around = Any::new::<Any>(&any).expect("an any around it");
    let inside = around.get::<Any>().expect("the any in it");
    let octets = write::<Any>(&[&around], ByteOrder::Big);
    let orb = orb();
    orb.register_value::<Derived2>();
    let sent = read::<Any>(&octets, &orb, 1).expect("an any")[0].get::<Any>();
    let sent = sent.expect("the any in it");
    for any in [any, built.expect("an any"), inside, sent] {
        let octets = write::<Any>(&[&any], ByteOrder::Big);
        let got = read::<Any>(&octets, &orb, 1).expect("an any");
        let got =
            got[0].get_with::<Value<Base>>(orb.client_for_tests()).flatten().expect("a value");
        let got = got.downcast::<Derived2>().expect("its type");
        let state = got.get().expect("its state");
        assert_eq!(state.base.b, "b");
        let inner = state.inner.as_ref().and_then(Value::downcast::<Derived2>);
        assert!(inner.is_some(), "{state:?}");
    }
}

#[test]
fn received_cycles_are_freed() {
    let ring = Value::new_cyclic(|ring| Node {
        v: 1,
        next: Some(Value::new(Node { v: 2, next: Some(ring.clone()) })),
    });
    let octets = write::<Value<Node>>(&[&Some(ring)], ByteOrder::Big);
    let got = read::<Value<Node>>(&octets, &orb(), 1).expect("a ring");
    let ring = got.into_iter().next().flatten().expect("a value");
    let second = ring.get().and_then(|first| first.next.clone()).expect("a second");
    let back = second.get().and_then(|second| second.next.clone()).expect("a way back");
    assert_eq!(back, ring);
    assert_eq!(back.get().map(|state| state.v), Some(1));
    drop(ring);
    assert!(back.get().is_none());
    assert_eq!(second.get().map(|state| state.v), Some(2));
}

#[test]
fn values_in_a_long_row_are_dropped_without_a_deep_stack() {
    let mut row = None;
    for v in 0..200_000 {
        row = Some(Value::new(Node { v, next: row }));
    }
    drop(row);
    let mut row = Vec::new();
    for v in 0..200_000 {
        let next = row.last().cloned();
        row.push(Value::new(Node { v, next }));
    }
    let last = row.pop();
    drop(row);
    let before = last.as_ref().and_then(Value::get).and_then(|state| state.next.clone());
    assert!(before.is_some());
    drop(last);
}

#[test]
fn hostile_values_are_refused() {
    let orb = orb();
    let kind = |words: &[u32]| {
        let octets: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        read::<Value<Node>>(&octets, &orb, 1).err().map(|error| error.kind)
    };
    let bad = Some(CdrErrorKind::BadValue);
    assert_eq!(kind(&[0xffff_ffff, 4]), bad);
    assert_eq!(kind(&[0xffff_ffff, (-4_i32).cast_unsigned()]), bad);
    assert_eq!(kind(&[0xffff_ffff, (-8_i32).cast_unsigned()]), bad);
    assert_eq!(kind(&[5]), bad);
    // Chunks: too long, of no length, an end of nothing.
    assert_eq!(kind(&[0x7fff_ff08, 800, 1, 0]), Some(CdrErrorKind::Truncated));
    assert_eq!(kind(&[0x7fff_ff08, 0, 1, 0]), Some(CdrErrorKind::Truncated));
    assert_eq!(kind(&[0x7fff_ff08, 8, 1, 0, (-2_i32).cast_unsigned()]), bad);
    assert_eq!(kind(&[0x7fff_ff08, 8, 1, 0, (-1_i32).cast_unsigned()]), None);
    // Deeper than the limit.
    let deep: Vec<u32> = (0..100_000).flat_map(|v| [0x7fff_ff00, v]).collect();
    assert_eq!(kind(&deep), Some(CdrErrorKind::TooDeep));
    let _: fn() = || {
        fn is<B: ?Sized, T: Inherits<B>>() {}
        is::<ValueBase, Derived2>();
        is::<Base, Derived2>();
    };
}

/// The result of reading `count` values that are encoded as words.
fn outcome(words: &[u32], count: usize) -> Result<Vec<Option<Value<Node>>>, CdrErrorKind> {
    let octets: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    read::<Value<Node>>(&octets, &orb(), count).map_err(|error| error.kind)
}

const fn back(octets: i32) -> [u32; 2] {
    [0xffff_ffff, octets.cast_unsigned().wrapping_neg()]
}

#[test]
fn indirections_lead_to_values_of_the_right_type_only() {
    // Into the state of a value, in front of the stream, forward, to an indirection.
    for wrong in [back(8), back(400), back(-8), back(4)] {
        let words = [&[0x7fff_ff00, 1][..], &wrong].concat();
        assert_eq!(outcome(&words, 1).err(), Some(CdrErrorKind::BadValue), "{wrong:?}");
    }
    // An indirection to the value that is being read is valid.
    assert!(outcome(&[&[0x7fff_ff00, 1][..], &back(12)].concat(), 1).is_ok());
}

#[test]
fn sharing_that_doubles_at_each_step_costs_what_was_sent() {
    // Every value is sent once and referenced twice: 2^60 paths, 60 values.
    #[derive(Clone, Debug, PartialEq)]
    struct Fork {
        left: Option<Value<Self>>,
        right: Option<Value<Self>>,
    }
    codegen::valuetype!(Fork, "IDL:t/Fork:1.0", "Fork", [], {
        left: Value<Fork> = "left" Public, right: Value<Fork> = "right" Public,
    });
    let mut fork = None;
    for _ in 0..60 {
        fork = Some(Value::new(Fork { left: fork.clone(), right: fork }));
    }
    let octets = write::<Value<Fork>>(&[&fork], ByteOrder::Big);
    assert!(octets.len() < 60 * 16, "{} octets", octets.len());
    let got = read::<Value<Fork>>(&octets, &orb(), 1).expect("forks");
    let got = got[0].as_ref().and_then(Value::get).expect("a state");
    assert_eq!(got.left, got.right);
    assert_eq!(write::<Value<Fork>>(&[&fork], ByteOrder::Big), octets);
}

#[test]
fn received_values_in_a_long_row_are_dropped_without_a_deep_stack() {
    // Each refers to the previous one: far deeper than values may nest on the wire.
    let mut words = vec![0x7fff_ff00, 0, 0];
    let mut before = 0_usize;
    for v in 1..100_000_u32 {
        let tag = words.len() * 4;
        words.extend([0x7fff_ff00, v, 0xffff_ffff]);
        let from = words.len() * 4;
        let offset = i32::try_from(from - before).expect("a short way");
        words.push(offset.cast_unsigned().wrapping_neg());
        before = tag;
    }
    let got = outcome(&words, 100_000).expect("a row");
    assert_eq!(got.len(), 100_000);
    let last = got.into_iter().next_back().flatten();
    assert!(last.is_some());
    drop(last);
}

#[test]
fn values_that_cannot_be_skipped_are_not_truncated() {
    let orb = orb();
    let ids = |tag: u32| {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
        writer.write_u32(tag);
        writer.write_u32(2);
        for id in ["IDL:t/Unknown:1.0", "IDL:t/Base:1.0"] {
            writer.write_latin1(id).expect("an id");
        }
        writer.write_u32(if tag & 8 == 0 { 1 } else { 4 });
        writer.write_u32(1);
        writer.write_i32(-1);
        octets
    };
    let kind = |octets: &[u8]| read::<Value<Base>>(octets, &orb, 1).err().map(|error| error.kind);
    assert_eq!(kind(&ids(0x7fff_ff0e)), None);
    assert_eq!(kind(&ids(0x7fff_ff06)), Some(CdrErrorKind::UnknownValue));
}

#[test]
fn lists_may_be_as_long_as_values_nest() {
    let list = |length| (0..length).fold(None, |next, v| Some(Value::new(Node { v, next })));
    let longest = i32::from(zorb_cdr::MAX_VALUE_DEPTH);
    let octets = write::<Value<Node>>(&[&list(longest)], ByteOrder::Big);
    let got = read::<Value<Node>>(&octets, &orb(), 1).expect("a list");
    let mut next = got.into_iter().next().flatten();
    for v in (0..longest).rev() {
        let state = next.as_ref().and_then(Value::get).expect("a value");
        assert_eq!(state.v, v);
        let after = state.next.clone();
        drop(state);
        next = after;
    }
    assert_eq!(next, None);
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
    let written = <Value<Node>>::write(&list(longest + 1), &mut writer);
    assert_eq!(written.map_err(|error| error.kind), Err(CdrErrorKind::TooDeep));
}

#[test]
fn values_shared_between_anys_and_other_arguments_are_found() {
    // A value, an any with a value that leads to it, and an indirection to that.
    let node = zorb_types::TypeCode::from(<Value<Node> as zorb_types::Typed>::type_desc());
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
    for word in [0x7fff_ff00, 1, 0] {
        writer.write_u32(word);
    }
    zorb_types::TypeCode::write(&node, &mut writer).expect("a type");
    writer.align(4);
    let inside = writer.offset();
    let to = |writer: &mut CdrWriter<'_>, target: usize| {
        writer.write_u32(0xffff_ffff);
        let way = i32::try_from(writer.offset() - target).expect("a short way");
        writer.write_i32(-way);
    };
    writer.write_u32(0x7fff_ff00);
    writer.write_u32(2);
    to(&mut writer, 0);
    to(&mut writer, inside);
    let orb = orb();
    let mut reader = CdrReader::new(&octets, ByteOrder::Big).with_context(orb.client_for_tests());
    let first = <Value<Node>>::read(&mut reader).expect("a value");
    let any = zorb_types::Any::read(&mut reader).expect("an any");
    let second = <Value<Node>>::read(&mut reader).expect("the value in the any");
    assert_eq!(reader.remaining(), 0);
    let second = second.as_ref().and_then(Value::get).expect("a state");
    assert_eq!((second.v, &second.next), (2, &first));
    let held = orb.extract::<Value<Node>>(&any).flatten().expect("a value");
    let held = held.get().expect("a state");
    assert_eq!(held.v, 2);
    assert_eq!(held.next.as_ref().and_then(Value::get).map(|state| state.v), Some(1));
}
