//! DynAnys of every kind: insertion and extraction.

use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, WString, Wire};
use zorb_giop::Ior;
use zorb_types::{
    Any, Fixed, FixedValue, LongDouble, TcKind, TypeCode, Typed, UnionCase, ValueMember,
    ValueModifier, ValueTypes, Visibility,
};

use super::{DynAny, DynAnyError};

mod fixed;
mod values;

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
fn strings_of_any_bound_are_inserted_and_read() {
    let mut narrow = DynAny::new(&TypeCode::string(3)).unwrap();
    narrow.insert::<String>("abc").unwrap();
    assert_eq!(narrow.get::<String>().as_deref(), Ok("abc"));
    assert_eq!(narrow.insert::<String>("abcd"), Err(DynAnyError::InvalidValue));
    assert_eq!(narrow.insert::<zorb_cdr::WString>("a"), Err(DynAnyError::TypeMismatch));
    assert_eq!(narrow.type_code(), &TypeCode::string(3));
    let mut wide = DynAny::new(&TypeCode::wstring(2)).unwrap();
    wide.insert::<zorb_cdr::WString>("\u{20ac}a").unwrap();
    assert_eq!(wide.get::<zorb_cdr::WString>().as_deref(), Ok("\u{20ac}a"));
    assert_eq!(wide.insert::<zorb_cdr::WString>("abc"), Err(DynAnyError::InvalidValue));
    // Assignment needs the same type.
    let other = DynAny::new(&TypeCode::string(4)).unwrap();
    assert_eq!(narrow.assign(&other), Err(DynAnyError::TypeMismatch));
    // A part of another value.
    let list = TypeCode::sequence(&TypeCode::string(3), 0).unwrap();
    let mut list = DynAny::new(&list).unwrap();
    list.as_sequence().unwrap().set_length(1).unwrap();
    list.rewind().unwrap();
    list.insert::<String>("xyz").unwrap();
    assert_eq!(list.get::<String>().as_deref(), Ok("xyz"));
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
