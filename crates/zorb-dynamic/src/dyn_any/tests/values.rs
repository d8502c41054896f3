//! Values: null, derived, shared and in cycles.

use super::*;

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
