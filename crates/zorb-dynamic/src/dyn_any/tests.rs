use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, WString, Wire};
use zorb_giop::Ior;
use zorb_types::{
    Any, Fixed, FixedValue, LongDouble, TcKind, TypeCode, Typed, UnionCase, ValueMember,
    ValueModifier, ValueTypes, Visibility,
};

use super::{DynAny, DynAnyError};

fn color() -> TypeCode {
    TypeCode::enumeration("IDL:Color:1.0", "Color", &["red", "green", "blue"]).unwrap()
}

fn person() -> TypeCode {
    TypeCode::structure(
        "IDL:Person:1.0",
        "Person",
        &[("name", TypeCode::string(8)), ("favourite", color()), ("age", i32::type_code())],
    )
    .unwrap()
}

/// `union U switch (Color) { case red: case green: double d; default: string s; }`, or without the
/// default case.
fn union(with_default: bool) -> TypeCode {
    let (double, string) = (f64::type_code(), String::type_code());
    let case = |label, name, type_code| UnionCase { label, name, type_code };
    let mut cases = vec![case(Some(0), "d", &double), case(Some(1), "d", &double)];
    if with_default {
        cases.push(case(None, "s", &string));
    }
    TypeCode::union("IDL:U:1.0", "U", &color(), &cases).unwrap()
}

fn list() -> TypeCode {
    let next = TypeCode::recursive("IDL:List:1.0").unwrap();
    let visibility = Visibility::Public;
    let members = [
        ValueMember { name: "v", type_code: &i32::type_code(), visibility },
        ValueMember { name: "next", type_code: &next, visibility },
    ];
    TypeCode::value("IDL:List:1.0", "List", ValueModifier::None, None, &members).unwrap()
}

/// A valuetype with a base, and a box as a member.
fn derived() -> TypeCode {
    let text = TypeCode::value_box("IDL:Text:1.0", "Text", &String::type_code()).unwrap();
    let visibility = Visibility::Private;
    let members = [ValueMember { name: "text", type_code: &text, visibility }];
    TypeCode::value("IDL:D:1.0", "D", ValueModifier::Truncatable, Some(&list()), &members).unwrap()
}

#[test]
fn every_type_has_a_first_value_that_survives() {
    let mut types: Vec<TypeCode> = (0..=36)
        .filter_map(TcKind::from_number)
        .map(TypeCode::plain)
        .filter(|type_code| type_code.kind() != TcKind::Principal)
        .collect();
    types.extend([
        person(),
        color(),
        union(true),
        union(false),
        list(),
        derived(),
        Fixed::<5, 2>::type_code(),
        TypeCode::array(&person(), 3).unwrap(),
        TypeCode::sequence(&person(), 2).unwrap(),
        TypeCode::alias("IDL:A:1.0", "A", &person()).unwrap(),
        TypeCode::exception("IDL:E:1.0", "E", &[("why", String::type_code())]).unwrap(),
        TypeCode::interface("IDL:I:1.0", "I").unwrap(),
        TypeCode::named(TcKind::AbstractInterface, "IDL:I:1.0", "I").unwrap(),
        TypeCode::structure(
            "IDL:H:1.0",
            "H",
            &[("list", list()), ("any", TypeCode::plain(TcKind::Any))],
        )
        .unwrap(),
    ]);
    for type_code in types {
        let mut value = DynAny::new(&type_code).unwrap();
        let any = value.to_any().unwrap();
        assert_eq!(any.type_code(), &type_code);
        // Taken apart and put together it is the same.
        value.component_count().unwrap();
        assert_eq!(value.to_any().unwrap(), any, "{type_code}");
        let again = DynAny::of(any).unwrap();
        assert_eq!(again.equal(&value), Ok(true), "{type_code}");
    }
    let native = TypeCode::named(TcKind::Native, "IDL:N:1.0", "N").unwrap();
    assert_eq!(DynAny::new(&native).unwrap_err(), DynAnyError::InconsistentTypeCode);
    let open = TypeCode::sequence(&TypeCode::recursive("IDL:R:1.0").unwrap(), 0).unwrap();
    assert_eq!(DynAny::new(&open).unwrap_err(), DynAnyError::InconsistentTypeCode);
    let mut huge = i64::type_code();
    for _ in 0..3 {
        huge = TypeCode::array(&huge, u32::MAX).unwrap();
    }
    assert_eq!(DynAny::new(&huge).unwrap_err(), DynAnyError::TooLarge);
}

#[test]
fn structs_are_changed_member_by_member() {
    let mut value = DynAny::new(&person()).unwrap();
    assert_eq!(value.component_count(), Ok(3));
    assert_eq!(value.position(), Some(0));
    value.insert::<zorb_cdr::Bounded<String, 8>>("Ada").unwrap();
    assert_eq!(value.next_component(), Ok(true));
    assert_eq!(value.as_struct().unwrap().current_member_name().as_deref(), Ok("favourite"));
    value.current_component().unwrap().unwrap().as_enum().unwrap().set_name("blue").unwrap();
    assert_eq!(value.seek(2), Ok(true));
    assert_eq!(value.as_struct().unwrap().current_member_kind(), Ok(TcKind::Long));
    assert_eq!(value.insert::<u32>(&1), Err(DynAnyError::TypeMismatch));
    value.insert::<i32>(&36).unwrap();
    assert_eq!(value.get::<i32>(), Ok(36));
    assert_eq!(value.next_component(), Ok(false));
    assert_eq!(value.get::<i32>(), Err(DynAnyError::InvalidValue));
    let any = value.to_any().unwrap();
    let mut reader = any.reader();
    assert_eq!(reader.read_str(8).unwrap(), "Ada");
    assert_eq!((reader.read_u32(), reader.read_i32()), (Ok(2), Ok(36)));

    let mut other = DynAny::of(any).unwrap();
    assert_eq!(other.equal(&value), Ok(true));
    let mut members = other.as_struct().unwrap().members().unwrap();
    assert_eq!(members[1].1.as_enum().unwrap().name().as_deref(), Ok("blue"));
    members[2].1.insert::<i32>(&37).unwrap();
    let named: Vec<_> = members.iter().map(|(name, value)| (&**name, value.clone())).collect();
    other.as_struct().unwrap().set_members(&named).unwrap();
    assert_eq!(other.as_struct().unwrap().member("age").unwrap().get::<i32>(), Ok(37));
    assert_eq!(other.equal(&value), Ok(false));
    let mut as_struct = other.as_struct().unwrap();
    assert_eq!(as_struct.set_members(&named[..2]), Err(DynAnyError::InvalidValue));
    let renamed = [named[0].clone(), ("other", named[1].1.clone()), named[2].clone()];
    assert_eq!(as_struct.set_members(&renamed), Err(DynAnyError::TypeMismatch));
    assert_eq!(other.as_sequence().unwrap_err(), DynAnyError::TypeMismatch);
    assert_eq!(
        DynAny::new(&color()).unwrap().current_component().unwrap_err(),
        DynAnyError::TypeMismatch
    );
}

#[test]
fn sequences_grow_and_shrink_within_their_bound() {
    let mut value = DynAny::new(&TypeCode::sequence(&i16::type_code(), 3).unwrap()).unwrap();
    assert_eq!(value.as_sequence().unwrap().length(), Ok(0));
    value.as_sequence().unwrap().set_length(2).unwrap();
    assert_eq!(value.position(), Some(0));
    value.insert::<i16>(&5).unwrap();
    value.as_sequence().unwrap().element(1).unwrap().insert::<i16>(&6).unwrap();
    assert_eq!(value.get::<zorb_cdr::Bounded<Vec<i16>, 3>>(), Ok(vec![5, 6]));
    value.as_sequence().unwrap().set_length(3).unwrap();
    assert_eq!(value.position(), Some(0));
    assert_eq!(value.as_sequence().unwrap().set_length(4), Err(DynAnyError::InvalidValue));
    value.as_sequence().unwrap().set_length(1).unwrap();
    let element = value.as_sequence().unwrap().elements().unwrap()[0].clone();
    let four = vec![element; 4];
    assert_eq!(value.as_sequence().unwrap().set_elements(&four), Err(DynAnyError::InvalidValue));
    value.as_sequence().unwrap().set_elements(&four[..3]).unwrap();
    assert_eq!(value.get::<zorb_cdr::Bounded<Vec<i16>, 3>>(), Ok(vec![5, 5, 5]));
    let mut free = DynAny::new(&<Vec<u8>>::type_code()).unwrap();
    assert_eq!(free.as_sequence().unwrap().set_length(usize::MAX), Err(DynAnyError::TooLarge));
    free.insert::<Vec<u8>>(&[1, 2, 3]).unwrap();
    assert_eq!(free.component(2).unwrap().get::<u8>(), Ok(3));
    let mut array = DynAny::new(&<[i32; 2]>::type_code()).unwrap();
    array.as_array().unwrap().element(1).unwrap().insert::<i32>(&9).unwrap();
    assert_eq!(array.get::<[i32; 2]>(), Ok([0, 9]));
    let elements = array.as_array().unwrap().elements().unwrap().to_vec();
    assert_eq!(
        array.as_array().unwrap().set_elements(&elements[1..]),
        Err(DynAnyError::InvalidValue)
    );
}

#[test]
fn unions_follow_their_discriminator() {
    let mut value = DynAny::new(&union(true)).unwrap();
    assert_eq!(value.as_union().unwrap().member_name().as_deref(), Ok("d"));
    assert_eq!(value.component_count(), Ok(2));
    value.as_union().unwrap().member().unwrap().insert::<f64>(&1.5).unwrap();
    // Another label of the same case: the member stays.
    value.component(0).unwrap().as_enum().unwrap().set_name("green").unwrap();
    assert_eq!(value.as_union().unwrap().member().unwrap().get::<f64>(), Ok(1.5));
    value.as_union().unwrap().set_to_default_member().unwrap();
    assert_eq!(value.as_union().unwrap().is_set_to_default_member(), Ok(true));
    assert_eq!(value.as_union().unwrap().member_kind(), Ok(TcKind::String));
    assert_eq!(value.position(), Some(1));
    value.insert::<String>("blue").unwrap();
    let any = value.to_any().unwrap();
    assert_eq!(
        DynAny::of(any).unwrap().as_union().unwrap().member().unwrap().get::<String>().as_deref(),
        Ok("blue")
    );
    assert_eq!(value.as_union().unwrap().set_to_no_active_member(), Err(DynAnyError::TypeMismatch));

    let mut value = DynAny::new(&union(false)).unwrap();
    assert_eq!(value.as_union().unwrap().set_to_default_member(), Err(DynAnyError::TypeMismatch));
    value.as_union().unwrap().set_to_no_active_member().unwrap();
    assert_eq!(value.as_union().unwrap().has_no_active_member(), Ok(true));
    assert_eq!(value.as_union().unwrap().member().unwrap_err(), DynAnyError::InvalidValue);
    assert_eq!(value.component_count(), Ok(1));
    assert_eq!(value.to_any().unwrap().reader().rest().len(), 4);
    assert_eq!(value.as_union().unwrap().set_label(3), Err(DynAnyError::InvalidValue));
    assert_eq!(value.as_union().unwrap().discriminator_kind(), Ok(TcKind::Enum));
}

#[test]
fn decimal_numbers_say_what_they_lose() {
    let mut value = DynAny::new(&Fixed::<5, 2>::type_code()).unwrap();
    let mut fixed = value.as_fixed().unwrap();
    assert_eq!(fixed.set_value("12.5".parse().unwrap()), Ok(true));
    assert_eq!(fixed.set_value("-1.239".parse().unwrap()), Ok(false));
    assert_eq!(fixed.value().map(|value| value.to_string()).as_deref(), Ok("-1.23"));
    assert_eq!(fixed.set_value(FixedValue::from(1000)), Err(DynAnyError::InvalidValue));
    assert_eq!(value.get::<Fixed<5, 2>>(), Ok(Fixed::constant(-123)));
}

#[test]
fn valuetypes_are_null_or_have_their_bases_members() {
    let mut value = DynAny::new(&derived()).unwrap();
    assert!(value.as_value().unwrap().is_null());
    assert_eq!(value.component_count(), Ok(0));
    assert_eq!(value.to_any().unwrap().reader().rest(), [0; 4]);
    value.as_value().unwrap().set_to_value().unwrap();
    let names: Vec<_> = value.as_value().unwrap().members().unwrap();
    let names: Vec<_> = names.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["v", "next", "text"]);
    value.as_value().unwrap().member("v").unwrap().insert::<i32>(&4).unwrap();
    let next = value.as_value().unwrap().member("next").unwrap();
    next.as_value().unwrap().set_to_value().unwrap();
    next.as_value().unwrap().member("v").unwrap().insert::<i32>(&5).unwrap();
    let text = value.as_value().unwrap().member("text").unwrap();
    text.as_value_box().unwrap().set_to_value().unwrap();
    text.as_value_box().unwrap().boxed().unwrap().insert::<String>("boxed").unwrap();

    let mut octets = Vec::new();
    let any = value.to_any().unwrap();
    Any::write(&any, &mut CdrWriter::new(&mut octets, ByteOrder::Big)).unwrap();
    let received = Any::read(&mut CdrReader::new(&octets, ByteOrder::Big)).unwrap();
    assert_eq!(received, any);
    let mut again = DynAny::of(received).unwrap();
    assert_eq!(again.equal(&value), Ok(true));
    assert_eq!(again.as_value().unwrap().member("v").unwrap().get::<i32>(), Ok(4));
    let text = again.as_value().unwrap().member("text").unwrap();
    let boxed = text.as_value_box().unwrap().boxed().unwrap();
    assert_eq!(boxed.get::<String>().as_deref(), Ok("boxed"));
    again.as_value().unwrap().set_to_null();
    assert_eq!(again.equal(&value), Ok(false));
    assert_eq!(again.as_value().unwrap().members().unwrap_err(), DynAnyError::InvalidValue);
}

#[test]
fn references_and_anys_are_values_too() {
    let mut value = DynAny::new(&TypeCode::interface("IDL:I:1.0", "I").unwrap()).unwrap();
    assert!(value.ior().unwrap().is_nil());
    value.insert_reference(None).unwrap();
    let ior = Ior { type_id: "IDL:I:1.0".into(), profiles: Vec::new() };
    value.insert_ior(&ior).unwrap();
    assert_eq!(value.ior().unwrap().type_id, "IDL:I:1.0");
    let mut holder = DynAny::new(&TypeCode::plain(TcKind::Any)).unwrap();
    holder.insert_dyn_any(&value).unwrap();
    assert_eq!(holder.dyn_any().unwrap().equal(&value), Ok(true));
    assert_eq!(holder.ior().unwrap_err(), DynAnyError::TypeMismatch);
    holder.insert::<Any>(&Any::new::<WString>("wide").unwrap()).unwrap();
    assert_eq!(holder.dyn_any().unwrap().get::<WString>().as_deref(), Ok("wide"));
}

#[test]
fn a_value_keeps_its_own_type() {
    let alias = TypeCode::alias("IDL:Age:1.0", "Age", &i32::type_code()).unwrap();
    let mut value = DynAny::new(&alias).unwrap();
    value.from_any(Any::new::<i32>(&7).unwrap()).unwrap();
    assert_eq!(value.type_code(), &alias);
    assert_eq!(value.to_any().unwrap().type_code(), &alias);
    let mut plain = DynAny::new(&i32::type_code()).unwrap();
    plain.assign(&value).unwrap();
    assert_eq!(plain.to_any().unwrap().type_code().kind(), TcKind::Long);
    assert_eq!(plain.get::<i32>(), Ok(7));
    assert_eq!(plain.from_any(Any::default()), Err(DynAnyError::TypeMismatch));
    let copy = plain.clone();
    plain.insert::<i32>(&8).unwrap();
    assert_eq!(copy.equal(&plain), Ok(false));
}

#[test]
fn exceptions_have_members_and_their_id() {
    let type_code =
        TypeCode::exception("IDL:Bad:1.0", "Bad", &[("why", String::type_code())]).unwrap();
    let mut value = DynAny::new(&type_code).unwrap();
    value.as_struct().unwrap().member("why").unwrap().insert::<String>("no").unwrap();
    let any = value.to_any().unwrap();
    let mut reader = any.reader();
    assert_eq!(reader.read_latin1("id").unwrap(), "IDL:Bad:1.0");
    assert_eq!(reader.read_str(9).unwrap(), "no");
    let empty = TypeCode::exception("IDL:Empty:1.0", "Empty", &[]).unwrap();
    assert_eq!(DynAny::new(&empty).unwrap().component_count(), Ok(0));
}

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

/// Makes a leaf, whatever it is, other than it was.
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
        assert!(matches!(in_octets.content, super::Content::Image(_)), "{type_code}");
        assert!(matches!(apart.content, super::Content::Parts(_)), "{type_code}");
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
    assert!(matches!(value.content, super::Content::Whole(_)), "reading changes nothing");
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

#[test]
fn characters_that_one_octet_of_utf8_has_not_are_kept() {
    let mut value = DynAny::new(&TypeCode::sequence(&char::type_code(), 0).unwrap()).unwrap();
    value.as_sequence().unwrap().set_length(3).unwrap();
    value.insert::<char>(&'a').unwrap();
    value.next_component().unwrap();
    value.insert::<char>(&'\u{e9}').unwrap();
    assert_eq!(value.get::<char>(), Ok('\u{e9}'));
    assert_eq!(value.get::<Vec<char>>(), Ok(vec!['a', '\u{e9}', '\0']));
    let mut again = DynAny::of(value.to_any().unwrap()).unwrap();
    again.component(2).unwrap().insert::<char>(&'b').unwrap();
    assert_eq!(again.get::<Vec<char>>(), Ok(vec!['a', '\u{e9}', 'b']));
    assert_eq!(value.component(0).unwrap().insert::<char>(&'\u{20ac}'), {
        let error = Any::new::<char>(&'\u{20ac}').unwrap_err();
        Err(DynAnyError::Encoding(error))
    });
}

#[test]
fn types_of_one_id_that_differ_are_not_mixed_up() {
    let made = |kind| {
        let members = [("x", TypeCode::plain(kind))];
        TypeCode::structure("IDL:Same:1.0", "Same", &members).unwrap()
    };
    let mut value = DynAny::new(&made(TcKind::Octet)).unwrap();
    let long = DynAny::new(&made(TcKind::Boolean)).unwrap();
    value.assign(&long).unwrap();
    assert_eq!(value.component(0).unwrap().get::<u8>(), Ok(0));
    let longer = DynAny::new(&made(TcKind::Double)).unwrap();
    let mut other = DynAny::new(&made(TcKind::LongDouble)).unwrap();
    assert!(matches!(other.assign(&longer), Err(DynAnyError::Encoding(_))));
    assert_eq!(other.component(0).unwrap().get::<LongDouble>().map(|it| it.to_f64()), Ok(0.0));
}

/// A ring of two, the second one reached twice from the first.
fn ring() -> Any {
    let with_two = {
        let next = TypeCode::recursive("IDL:Two:1.0").unwrap();
        let visibility = Visibility::Public;
        let members = [
            ValueMember { name: "v", type_code: &i32::type_code(), visibility },
            ValueMember { name: "next", type_code: &next, visibility },
            ValueMember { name: "other", type_code: &next, visibility },
        ];
        TypeCode::value("IDL:Two:1.0", "Two", ValueModifier::None, None, &members).unwrap()
    };
    let back = |octets: i32| [u32::MAX, (-octets).cast_unsigned()];
    let words = [&[0x7fff_ff00, 1, 0x7fff_ff00, 2, 0][..], &back(24), &back(24)].concat();
    let octets: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    Any::read_value(with_two, &mut CdrReader::new(&octets, ByteOrder::Big)).unwrap()
}

#[test]
fn shared_and_cyclic_values_stay_so_until_they_are_changed() {
    let any = ring();
    let mut value = DynAny::of(any.clone()).unwrap();
    // As often as one likes: every step leads to a copy.
    let mut part = &mut value;
    for v in [1, 2, 1, 2] {
        assert_eq!(part.as_value().unwrap().member("v").unwrap().get::<i32>(), Ok(v));
        let next = if v == 1 { "next" } else { "other" };
        part = part.as_value().unwrap().member(next).unwrap();
    }
    assert_eq!(value.to_any().unwrap(), any);
    let copy = value.clone();
    assert_eq!(copy.equal(&value), Ok(true));
    let next = value.as_value().unwrap().member("next").unwrap();
    next.as_value().unwrap().member("v").unwrap().insert::<i32>(&5).unwrap();
    assert_eq!(copy.equal(&value), Ok(false));
    let changed = value.to_any().unwrap();
    let mut changed = DynAny::of(changed).unwrap();
    let mut v_of = |name: &str| {
        let part = changed.as_value().unwrap().member(name).unwrap();
        part.as_value().unwrap().member("v").unwrap().get::<i32>().unwrap()
    };
    assert_eq!((v_of("next"), v_of("other")), (5, 2));
}

#[test]
fn values_of_derived_types_have_all_their_members() {
    let mut known = ValueTypes::default();
    assert!(known.add(&derived()));
    let mut made = DynAny::new(&derived()).unwrap();
    made.as_value().unwrap().set_to_value().unwrap();
    made.as_value().unwrap().member("v").unwrap().insert::<i32>(&7).unwrap();
    let octets = {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
        made.write_value(&mut writer).unwrap();
        octets
    };
    let mut reader = CdrReader::new(&octets, ByteOrder::Big).with_context(&known);
    let any = Any::read_value(list(), &mut reader).unwrap();
    let mut value = DynAny::of(any.clone()).unwrap();
    assert_eq!(value.type_code(), &list());
    let names = value.as_value().unwrap().members().unwrap();
    let names: Vec<_> = names.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["v", "next", "text"]);
    assert_eq!(value.to_any().unwrap(), any);
    value.as_value().unwrap().member("v").unwrap().insert::<i32>(&8).unwrap();
    let mut again = DynAny::of(value.to_any().unwrap()).unwrap();
    assert_eq!(again.as_value().unwrap().members().unwrap().len(), 3);
    assert_eq!(again.as_value().unwrap().member("v").unwrap().get::<i32>(), Ok(8));
    // Who does not know the type sees the base, and passes on what came.
    let mut reader = CdrReader::new(&octets, ByteOrder::Big);
    let any = Any::read_value(list(), &mut reader).unwrap();
    let mut value = DynAny::of(any.clone()).unwrap();
    assert_eq!(value.as_value().unwrap().members().unwrap().len(), 2);
    assert_eq!(value.to_any().unwrap(), any);
}

#[test]
fn values_that_nobody_can_look_into_are_passed_on() {
    let custom = TypeCode::value("IDL:C:1.0", "C", ValueModifier::Custom, None, &[]).unwrap();
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
    writer
        .write_value(1, (), &["IDL:C:1.0"], true, |writer| {
            writer.write_u32(5);
            Ok(())
        })
        .unwrap();
    let any = Any::read_value(custom, &mut CdrReader::new(&octets, ByteOrder::Big)).unwrap();
    let mut value = DynAny::of(any.clone()).unwrap();
    assert_eq!(value.component_count(), Ok(0));
    assert!(!value.as_value().unwrap().is_null());
    let members = value.as_value().unwrap().members().map(|members| members.len());
    assert_eq!(members, Err(DynAnyError::InconsistentTypeCode));
    assert_eq!(value.to_any().unwrap(), any);
    value.as_value().unwrap().set_to_null();
    assert_eq!(value.as_value().unwrap().set_to_value(), Err(DynAnyError::InconsistentTypeCode));
}
