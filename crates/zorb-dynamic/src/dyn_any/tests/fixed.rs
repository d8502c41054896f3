//! Types whose parts have fixed offsets.

use super::*;
use crate::dyn_any::tree::Content;

/// Types whose parts are of fixed size, and one leaf in them by the numbers of parts on the way.
fn types_of_fixed_parts() -> Vec<(TypeCode, Vec<usize>)> {
    let members = |types: &[TypeCode]| {
        let named: Vec<(String, TypeCode)> =
            types.iter().zip(0..).map(|(one, index)| (format!("m{index}"), one.clone())).collect();
        let named: Vec<(&str, TypeCode)> =
            named.iter().map(|(name, one)| (name.as_str(), one.clone())).collect();
        TypeCode::structure("IDL:M:1.0", "M", &named).unwrap()
    };
    let plain = TypeCode::plain;
    let mixed = members(&[
        plain(TcKind::Short),
        plain(TcKind::Char),
        plain(TcKind::Long),
        plain(TcKind::Boolean),
        color(),
        Fixed::<6, 2>::type_code(),
        plain(TcKind::LongDouble),
        plain(TcKind::Octet),
    ]);
    let nested = members(&[plain(TcKind::Octet), mixed.clone(), plain(TcKind::Octet)]);
    let rows = TypeCode::array(&TypeCode::array(&mixed, 2).unwrap(), 3).unwrap();
    let alias = TypeCode::alias("IDL:A:1.0", "A", &nested).unwrap();
    vec![
        (TypeCode::sequence(&plain(TcKind::Double), 0).unwrap(), vec![2]),
        (TypeCode::sequence(&mixed, 0).unwrap(), vec![3, 2]),
        (TypeCode::sequence(&alias, 9).unwrap(), vec![1, 1, 0]),
        (TypeCode::sequence(&rows, 0).unwrap(), vec![3, 2, 1, 4]),
        (mixed, vec![7]),
        (rows, vec![1, 1, 6]),
        (alias, vec![1, 5]),
    ]
}

/// A value of a type, from a stream that does not begin at a multiple of 8 and is not in the machine's
/// byte order.
fn foreign(type_code: &TypeCode, length: usize) -> Any {
    let mut value = DynAny::new(type_code).unwrap();
    if value.kind() == TcKind::Sequence {
        value.as_sequence().unwrap().set_length(length).unwrap();
    }
    let any = value.to_any().unwrap();
    let order = match ByteOrder::NATIVE {
        ByteOrder::Little => ByteOrder::Big,
        ByteOrder::Big => ByteOrder::Little,
    };
    let mut octets = vec![0; 4];
    any.write_value(&mut CdrWriter::resume(&mut octets, order)).unwrap();
    let mut reader = CdrReader::new(&octets[4..], order).with_origin(4);
    Any::read_value(type_code.clone(), &mut reader).unwrap()
}

fn leaf<'a>(value: &'a mut DynAny, way: &[usize]) -> &'a mut DynAny {
    way.iter().fold(value, |value, &index| value.component(index).unwrap())
}

/// Changes a leaf of any type.
fn change(leaf: &mut DynAny) {
    match leaf.kind() {
        TcKind::Double => leaf.insert::<f64>(&2.5).unwrap(),
        TcKind::Long => leaf.insert::<i32>(&-7).unwrap(),
        TcKind::Short => leaf.insert::<i16>(&-300).unwrap(),
        TcKind::Octet => leaf.insert::<u8>(&200).unwrap(),
        TcKind::Enum => leaf.as_enum().unwrap().set_name("blue").unwrap(),
        TcKind::Fixed => assert!(leaf.as_fixed().unwrap().set_value(FixedValue::from(-9)).unwrap()),
        TcKind::LongDouble => leaf.insert::<LongDouble>(&LongDouble::from(1.5)).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn fixed_parts_are_the_same_in_octets_and_apart() {
    for (type_code, way) in types_of_fixed_parts() {
        let any = foreign(&type_code, 4);
        // In octets all the way, and with every level taken apart before.
        let mut in_octets = DynAny::of(any.clone()).unwrap();
        change(leaf(&mut in_octets, &way));
        let mut apart = DynAny::of(any.clone()).unwrap();
        for level in 0..way.len() {
            assert!(!leaf(&mut apart, &way[..level]).parts().unwrap().is_empty());
        }
        change(leaf(&mut apart, &way));
        assert!(matches!(in_octets.content, Content::Image(_)), "{type_code}");
        assert!(matches!(apart.content, Content::Parts(_)), "{type_code}");
        let (one, other) = (in_octets.to_any().unwrap(), apart.to_any().unwrap());
        assert_eq!(one, other, "{type_code}");
        assert_ne!(one, any, "{type_code}");
        // Also where it is written to a stream as it is nowhere in memory.
        let octets = |value: &DynAny| {
            let mut octets = vec![0; 3];
            value.write_value(&mut CdrWriter::resume(&mut octets, ByteOrder::Big)).unwrap();
            octets
        };
        assert_eq!(octets(&in_octets), octets(&apart), "{type_code}");
        // And taken apart after the change.
        in_octets.parts().unwrap();
        assert_eq!(in_octets.to_any().unwrap(), other, "{type_code}");
        if type_code.kind() == TcKind::Sequence {
            for length in [6, 2, 0, 3] {
                in_octets = DynAny::of(one.clone()).unwrap();
                change(leaf(&mut in_octets, &way));
                in_octets.as_sequence().unwrap().set_length(length).unwrap();
                apart = DynAny::of(other.clone()).unwrap();
                apart.parts().unwrap();
                apart.as_sequence().unwrap().set_length(length).unwrap();
                assert_eq!(in_octets.to_any(), apart.to_any(), "{type_code}, {length}");
            }
        }
    }
}

#[test]
fn current_parts_are_read_and_changed_where_they_lie() {
    let any = foreign(&TypeCode::sequence(&i32::type_code(), 0).unwrap(), 3);
    let mut value = DynAny::of(any).unwrap();
    assert_eq!(value.get::<i32>(), Ok(0));
    assert!(matches!(value.content, Content::Whole(_)), "reading changes nothing");
    for number in 1..=3 {
        value.insert::<i32>(&number).unwrap();
        assert_eq!(value.next_component(), Ok(number < 3));
    }
    assert_eq!(value.insert::<i32>(&4), Err(DynAnyError::InvalidValue));
    assert_eq!(value.get::<Vec<i32>>(), Ok(vec![1, 2, 3]));
    assert_eq!(value.rewind(), Ok(true));
    assert_eq!(value.get::<u32>(), Err(DynAnyError::TypeMismatch));
    // A part of its own and the current part are the same.
    value.component(0).unwrap().insert::<i32>(&10).unwrap();
    assert_eq!(value.get::<i32>(), Ok(10));
    value.insert::<i32>(&11).unwrap();
    assert_eq!(value.component(0).unwrap().get::<i32>(), Ok(11));
    value.as_sequence().unwrap().set_length(5).unwrap();
    assert_eq!(value.get::<Vec<i32>>(), Ok(vec![11, 2, 3, 0, 0]));
    assert_eq!(value.position(), Some(0));
}
