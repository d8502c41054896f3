use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrWriter, Wire};

use crate::{
    Any, SystemException, TcKind, TypeCode, TypeCodeError, TypeDesc, Typed, UnionCase, ValueMember,
    ValueModifier, Visibility,
};

fn long() -> TypeCode {
    i32::type_code()
}

fn case<'a>(label: Option<i64>, name: &'a str, type_code: &'a TypeCode) -> UnionCase<'a> {
    UnionCase { label, name, type_code }
}

fn again(type_code: &TypeCode) -> TypeCode {
    let mut octets = Vec::new();
    TypeCode::write(type_code, &mut CdrWriter::new(&mut octets, ByteOrder::Big)).unwrap();
    let mut reader = CdrReader::new(&octets, ByteOrder::Big);
    let read = TypeCode::read(&mut reader).unwrap();
    assert_eq!(reader.remaining(), 0);
    read
}

fn node() -> TypeCode {
    let kids = TypeCode::sequence(&TypeCode::recursive("IDL:Node:1.0").unwrap(), 0).unwrap();
    assert!(!kids.is_complete());
    TypeCode::structure("IDL:Node:1.0", "Node", &[("v", long()), ("kids", kids)]).unwrap()
}

fn static_node() -> &'static TypeDesc {
    fn kids() -> &'static TypeDesc {
        const { &TypeDesc::sequence(static_node, 0) }
    }
    static DESC: TypeDesc =
        TypeDesc::structure("IDL:Node:1.0", "Node", &[("v", i32::type_desc), ("kids", kids)]);
    &DESC
}

fn list() -> TypeCode {
    let next = TypeCode::recursive("IDL:List:1.0").unwrap();
    let member = |name, type_code| ValueMember { name, type_code, visibility: Visibility::Private };
    TypeCode::value(
        "IDL:List:1.0",
        "List",
        ValueModifier::Truncatable,
        None,
        &[member("v", &long()), member("next", &next)],
    )
    .unwrap()
}

/// One type of every kind that can be made.
fn every() -> Vec<TypeCode> {
    let color = TypeCode::enumeration("IDL:C:1.0", "C", &["red", "green"]).unwrap();
    let money = TypeCode::fixed(5, 2).unwrap();
    let base = list();
    let state = [ValueMember { name: "m", type_code: &money, visibility: Visibility::Public }];
    let named = |kind| TypeCode::named(kind, "IDL:X:1.0", "X").unwrap();
    vec![
        node(),
        TypeCode::exception("IDL:E:1.0", "E", &[("why", TypeCode::string(8))]).unwrap(),
        TypeCode::exception("IDL:Empty:1.0", "Empty", &[]).unwrap(),
        TypeCode::union(
            "IDL:U:1.0",
            "U",
            &color,
            &[case(Some(1), "a", &long()), case(None, "b", &money)],
        )
        .unwrap(),
        TypeCode::alias("IDL:A:1.0", "A", &TypeCode::wstring(3)).unwrap(),
        TypeCode::array(&color, 3).unwrap(),
        TypeCode::value("IDL:V:1.0", "V", ValueModifier::Truncatable, Some(&base), &state).unwrap(),
        TypeCode::event("IDL:Ev:1.0", "Ev", ValueModifier::Abstract, None, &[]).unwrap(),
        TypeCode::value_box("IDL:B:1.0", "B", &TypeCode::string(0)).unwrap(),
        named(TcKind::ObjRef),
        named(TcKind::Native),
        named(TcKind::AbstractInterface),
        named(TcKind::LocalInterface),
        named(TcKind::Component),
        named(TcKind::Home),
        base,
        color,
        money,
    ]
}

#[test]
fn every_kind_is_made_sent_and_received() {
    for type_code in every() {
        assert!(type_code.is_complete());
        let read = again(&type_code);
        assert_eq!(read, type_code);
        assert_eq!(read.to_string(), type_code.to_string());
        assert!(read.equivalent(&type_code));
    }
}

#[test]
fn compact_types_have_ids_and_no_names() {
    for type_code in every() {
        let compact = type_code.compact().unwrap();
        assert_eq!(compact.name(), "");
        assert_eq!(compact.id(), type_code.id());
        assert!(compact.equivalent(&type_code));
        assert_eq!(again(&compact), compact);
        assert_eq!(compact.compact().unwrap(), compact);
        for index in 0..compact.member_count() {
            assert_eq!(compact.member_name(index), Ok(""));
        }
    }
    let compact = TypeCode::from(static_node()).compact().unwrap();
    assert_eq!(compact, node().compact().unwrap());
    assert_eq!(compact.member_type(1).unwrap().content_type().unwrap(), compact);
    assert_eq!(long().compact(), Ok(long()));
}

#[test]
fn placeholders_are_bound_to_their_own_type() {
    assert_eq!(node(), TypeCode::from(static_node()));
    assert_eq!(again(&node()), node());
    // Two types that refer to each other: the inner one is completed with the outer one.
    let outer = TypeCode::recursive("IDL:Outer:1.0").unwrap();
    let outers = TypeCode::sequence(&outer, 0).unwrap();
    let inner =
        TypeCode::structure("IDL:Inner:1.0", "Inner", &[("outers", outers.clone())]).unwrap();
    assert!(!inner.is_complete());
    let made = TypeCode::structure(
        "IDL:Outer:1.0",
        "Outer",
        &[("one", inner.clone()), ("two", inner), ("node", node())],
    )
    .unwrap();
    assert!(made.is_complete());
    let back = made.member_type(1).unwrap().member_type(0).unwrap().content_type().unwrap();
    assert_eq!(back, made);
    assert_eq!(again(&made), made);
    assert_eq!(list().member_type(1), Ok(list()));
    // An incomplete type can neither be sent nor have values.
    let mut octets = Vec::new();
    let error = TypeCode::write(&outers, &mut CdrWriter::new(&mut octets, ByteOrder::Big));
    assert_eq!(error.unwrap_err().kind, CdrErrorKind::BadTypeCode);
    let mut reader = CdrReader::new(&[0, 0, 0, 1, 0, 0, 0, 0], ByteOrder::Big);
    assert!(Any::read_value(outers, &mut reader).is_err());
}

#[test]
fn a_type_cannot_consist_only_of_itself() {
    let itself = TypeCode::recursive("IDL:S:1.0").unwrap();
    let error = Err(TypeCodeError::BadMemberType);
    assert_eq!(TypeCode::structure("IDL:S:1.0", "S", &[("s", itself.clone())]), error);
    let array = TypeCode::array(&itself, 2).unwrap();
    assert_eq!(TypeCode::structure("IDL:S:1.0", "S", &[("s", array)]), error);
    // A typedef does not bind a placeholder.
    let sequence = TypeCode::sequence(&itself, 0).unwrap();
    assert!(!TypeCode::alias("IDL:S:1.0", "S", &sequence).unwrap().is_complete());
}

#[test]
fn parts_are_checked() {
    use TypeCodeError::{
        BadDiscriminator, BadId, BadKind, BadLabel, BadMemberName, BadMemberType, BadName,
        BadNumber, DuplicateLabel,
    };
    let id = "IDL:X:1.0";
    let structure = |id, name, members: &[(&str, TypeCode)]| {
        TypeCode::structure(id, name, members).map(|_| ()).unwrap_err()
    };
    assert_eq!(structure("X", "X", &[("a", long())]), BadId);
    assert_eq!(structure("IDL:\u{100}:1.0", "X", &[("a", long())]), BadId);
    assert_eq!(structure(id, "1X", &[("a", long())]), BadName);
    assert_eq!(structure(id, "X", &[("a b", long())]), BadMemberName);
    assert_eq!(structure(id, "X", &[("a", long()), ("A", long())]), BadMemberName);
    assert!(TypeCode::structure("", "", &[("", long()), ("", long())]).is_ok());
    for kind in [TcKind::Null, TcKind::Void] {
        assert_eq!(structure(id, "X", &[("a", TypeCode::plain(kind))]), BadMemberType);
    }
    let exception = TypeCode::exception(id, "X", &[]).unwrap();
    assert_eq!(TypeCode::sequence(&exception, 0), Err(BadMemberType));
    assert_eq!(TypeCode::exception("", "X", &[]), Err(BadId));
    assert_eq!(TypeCode::named(TcKind::Struct, id, "X"), Err(BadKind));
    assert_eq!(TypeCode::array(&long(), 0), Err(BadNumber));
    assert_eq!(TypeCode::enumeration(id, "X", &[]), Err(BadNumber));
    for (digits, scale) in [(0, 0), (32, 0), (3, 4), (3, -32)] {
        assert_eq!(TypeCode::fixed(digits, scale), Err(BadNumber), "{digits} {scale}");
    }
    let bit = bool::type_code();
    fn union(switch: &TypeCode, cases: &[UnionCase<'_>]) -> Result<TypeCode, TypeCodeError> {
        TypeCode::union("IDL:X:1.0", "X", switch, cases)
    }
    let two = |one, other| [case(one, "a", &bit), case(other, "b", &bit)];
    assert_eq!(union(&f32::type_code(), &two(None, Some(1))), Err(BadDiscriminator));
    assert_eq!(union(&bit, &two(None, None)), Err(BadDiscriminator));
    assert_eq!(union(&bit, &two(Some(1), Some(2))), Err(BadLabel));
    assert_eq!(union(&bit, &two(Some(1), Some(1))), Err(DuplicateLabel));
    let several = union(&long(), &[case(Some(1), "a", &bit), case(Some(2), "a", &bit)]).unwrap();
    assert_eq!(several.case_of(2), Ok(Some(1)));
    assert_eq!(several.case_of(3), Ok(None));
    let value = TypeCode::value(id, "X", ValueModifier::None, Some(&long()), &[]);
    assert_eq!(value, Err(BadMemberType));
    assert_eq!(
        SystemException::from(DuplicateLabel).to_string().split(' ').next(),
        Some("BAD_PARAM")
    );
}

#[test]
fn nesting_has_a_limit() {
    let mut type_code = long();
    for _ in 0..128 {
        type_code = TypeCode::sequence(&type_code, 0).unwrap();
    }
    assert_eq!(TypeCode::sequence(&type_code, 0), Err(TypeCodeError::TooDeep));
    assert_eq!(again(&type_code), type_code);
    // Shared parts are stored once.
    let mut shared = TypeCode::sequence(&String::type_code(), 0).unwrap();
    for level in 0..60 {
        let id = alloc::format!("IDL:L{level}:1.0");
        let members = [("a", shared.clone()), ("b", shared)];
        shared = TypeCode::structure(&id, "L", &members).unwrap();
    }
    assert!(again(&shared).equivalent(&shared));
}

#[test]
fn accessors_say_what_is_wrong() {
    let node = node();
    assert_eq!(node.member_name(1), Ok("kids"));
    assert_eq!(node.member_name(2), Err(TypeCodeError::Bounds));
    assert_eq!(node.member_label(0), Err(TypeCodeError::BadKind));
    assert_eq!(node.content_type(), Err(TypeCodeError::BadKind));
    assert_eq!(long().member_type(0), Err(TypeCodeError::BadKind));
    assert_eq!(long().length(), Err(TypeCodeError::BadKind));
    let list = list();
    assert_eq!(list.type_modifier(), Ok(ValueModifier::Truncatable));
    assert_eq!(list.member_visibility(0), Ok(Visibility::Private));
    assert_eq!(list.concrete_base_type(), Ok(TypeCode::default()));
    assert_eq!(node.type_modifier(), Err(TypeCodeError::BadKind));
}

/// The encoding, and the kinds to which its indirections lead.
fn targets(type_code: &TypeCode) -> (Vec<u8>, Vec<u32>) {
    let mut octets = Vec::new();
    TypeCode::write(type_code, &mut CdrWriter::new(&mut octets, ByteOrder::Big)).unwrap();
    let (words, _) = octets.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_be_bytes(*word)).collect();
    let indirections = words.iter().enumerate().filter(|(_, word)| **word == u32::MAX);
    let kinds = indirections.map(|(index, _)| {
        let octets = words[index + 1].wrapping_neg() as usize;
        words[index + 1 - octets / 4]
    });
    let kinds = kinds.collect();
    (octets, kinds)
}

#[test]
fn indirections_lead_to_types_with_ids() {
    // A recursion that begins outside the type with the id.
    let nodes = TypeCode::from(const { &TypeDesc::sequence(static_node, 0) });
    let (octets, kinds) = targets(&nodes);
    assert_eq!(kinds, [TcKind::Struct as u32]);
    assert_eq!(again(&nodes), nodes);
    // A received type that refers to a sequence: kind, length, and the content after the octet order.
    let twice = TypeCode::structure("IDL:T:1.0", "T", &[("a", nodes.clone()), ("b", nodes)]);
    let (first, kinds) = targets(&again(&twice.unwrap()));
    assert_eq!(kinds, [TcKind::Struct as u32, TcKind::Struct as u32]);
    assert!(first.len() > 2 * octets.len());
}

#[test]
fn received_indirections_to_types_without_ids_are_written_a_limited_number_of_times() {
    const COUNT: u32 = 3000;
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
    writer.write_u32(TcKind::Struct as u32);
    let written = writer.write_encapsulation(|inner| {
        inner.write_latin1("IDL:T:1.0")?;
        inner.write_latin1("T")?;
        inner.write_u32(COUNT);
        inner.write_latin1("a")?;
        inner.align(4);
        let start = i32::try_from(inner.offset()).unwrap();
        TypeCode::write(&TypeCode::sequence(&long(), 0).unwrap(), inner)?;
        for _ in 1..COUNT {
            inner.write_latin1("a")?;
            inner.write_u32(u32::MAX);
            let here = i32::try_from(inner.offset()).unwrap();
            inner.write_i32(start - here);
        }
        Ok(())
    });
    written.unwrap();
    let type_code = TypeCode::read(&mut CdrReader::new(&octets, ByteOrder::Big)).unwrap();
    let (sent, kinds) = targets(&type_code);
    assert_eq!(kinds.len(), COUNT as usize - 1 - 1024);
    assert!(sent.len() < 2 * octets.len());
    assert_eq!(TypeCode::read(&mut CdrReader::new(&sent, ByteOrder::Big)).unwrap(), type_code);
}

#[test]
fn the_label_of_a_default_case_is_sent_as_0() {
    let long = long();
    let cases = [case(Some(0x0505_0505), "a", &long)];
    let made = TypeCode::union("IDL:U:1.0", "U", &long, &cases).unwrap();
    let mut octets = Vec::new();
    TypeCode::write(&made, &mut CdrWriter::new(&mut octets, ByteOrder::Big)).unwrap();
    let position = |wanted: &[u8]| octets.windows(4).position(|four| four == wanted).unwrap();
    let (default, label) = (position(&[0xff; 4]), position(&[5; 4]));
    octets[default..default + 4].fill(0);
    let received = TypeCode::read(&mut CdrReader::new(&octets, ByteOrder::Big)).unwrap();
    assert_eq!(received.default_index(), Ok(Some(0)));
    let mut sent = Vec::new();
    TypeCode::write(&received, &mut CdrWriter::new(&mut sent, ByteOrder::Big)).unwrap();
    octets[label..label + 4].fill(0);
    assert_eq!(sent, octets);
}
