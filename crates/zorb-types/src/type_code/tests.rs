mod hostile;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use zorb_cdr::{
    Bounded, ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Octets, WChar, WString, Wire,
};

use crate::{Any, TcKind, TypeCode, TypeDesc, TypeFn, Typed};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

fn write(type_code: &TypeCode, order: ByteOrder, start: usize) -> Vec<u8> {
    let mut buffer = alloc::vec![0; start];
    TypeCode::write(type_code, &mut CdrWriter::resume(&mut buffer, order)).unwrap();
    buffer.split_off(start)
}

fn read(octets: &[u8], order: ByteOrder, start: usize) -> CdrResult<TypeCode> {
    let mut reader = CdrReader::new(octets, order).with_origin(start);
    let type_code = TypeCode::read(&mut reader)?;
    assert_eq!(reader.remaining(), 0);
    Ok(type_code)
}

/// The error of a TypeCode that `body` writes in big-endian order.
fn refused(body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>) -> CdrErrorKind {
    let mut buffer = Vec::new();
    body(&mut CdrWriter::new(&mut buffer, ByteOrder::Big)).unwrap();
    TypeCode::read(&mut CdrReader::new(&buffer, ByteOrder::Big)).unwrap_err().kind
}

fn color() -> &'static TypeDesc {
    static DESC: TypeDesc =
        TypeDesc::enumeration("IDL:Color:1.0", "Color", &["red", "green", "blue"]);
    &DESC
}

fn tree() -> &'static TypeDesc {
    static DESC: TypeDesc = TypeDesc::structure(
        "IDL:Tree:1.0",
        "Tree",
        &[("left", trees), ("right", trees), ("forest", forest)],
    );
    &DESC
}

fn trees() -> &'static TypeDesc {
    const { &TypeDesc::sequence(tree, 1) }
}

/// Mutually recursive with `Tree`.
fn forest() -> &'static TypeDesc {
    static DESC: TypeDesc = TypeDesc::union(
        "IDL:Forest:1.0",
        "Forest",
        color,
        2,
        &[(0, "one", trees), (1, "nested", forests), (0, "none", color)],
    );
    &DESC
}

fn forests() -> &'static TypeDesc {
    const { &TypeDesc::sequence(forest, 0) }
}

fn every() -> Vec<TypeCode> {
    let mut all: Vec<TypeCode> = (0..=36)
        .filter_map(TcKind::from_number)
        .filter(|kind| kind.parameters() == crate::type_code::kind::Parameters::Empty)
        .map(TypeCode::plain)
        .collect();
    all.extend([
        <Vec<WString>>::type_code(),
        <Bounded<String, 8>>::type_code(),
        <Bounded<WString, 9>>::type_code(),
        <Bounded<Octets, 3>>::type_code(),
        <Bounded<Vec<[WChar; 2]>, 3>>::type_code(),
        <[[Any; 2]; 3]>::type_code(),
    ]);
    fn long() -> &'static TypeDesc {
        i32::type_desc()
    }
    fn alias() -> &'static TypeDesc {
        static DESC: TypeDesc = TypeDesc::alias("IDL:Length:1.0", "Length", long);
        &DESC
    }
    static MONEY: TypeDesc = TypeDesc::fixed(31, -2);
    static LOST: TypeDesc = TypeDesc::exception("IDL:Lost:1.0", "Lost", &[("length", alias)]);
    static EMPTY: TypeDesc = TypeDesc::exception("IDL:Empty:1.0", "Empty", &[]);
    static TEST: TypeDesc = TypeDesc::interface("IDL:Test:1.0", "Test");
    static HANDLE: TypeDesc = TypeDesc::named(TcKind::Native, "IDL:Handle:1.0", "Handle");
    all.extend(
        [&MONEY, &LOST, &EMPTY, &TEST, &HANDLE, alias(), color(), tree(), forest()]
            .map(TypeCode::from),
    );
    all
}

#[test]
fn every_kind_survives_a_round_trip_in_both_orders_at_every_offset() {
    for type_code in every() {
        for order in ORDERS {
            for start in 0..8 {
                let octets = write(&type_code, order, start);
                let again = read(&octets, order, start).unwrap();
                assert_eq!(again, type_code);
                assert!(again.equivalent(&type_code) && type_code.equivalent(&again));
                assert_eq!(again.to_string(), type_code.to_string());
                assert_eq!(write(&again, order, start), octets);
            }
        }
    }
}

#[test]
fn different_types_are_neither_equal_nor_equivalent() {
    let every = every();
    for (index, left) in every.iter().enumerate() {
        for (other, right) in every.iter().enumerate() {
            assert_eq!(left == right, index == other, "{left} {right}");
            let long = |type_code: &TypeCode| type_code.resolved().kind() == TcKind::Long;
            let alike = index == other || (long(left) && long(right));
            assert_eq!(left.equivalent(right), alike, "{left} {right}");
        }
    }
}

#[test]
fn rust_types_have_the_type_codes_of_their_idl_types() {
    for (type_code, idl) in [
        (u8::type_code(), "octet"),
        (<Vec<u8>>::type_code(), "sequence<octet>"),
        (Octets::type_code(), "sequence<octet>"),
        (<[Vec<String>; 4]>::type_code(), "sequence<string>[4]"),
        (<Vec<[f64; 4]>>::type_code(), "sequence<double[4]>"),
        (<Bounded<Vec<u64>, 7>>::type_code(), "sequence<unsigned long long, 7>"),
        (TypeCode::from(color()), "enum Color { red, green, blue }"),
        (
            TypeCode::from(forest()),
            "union Forest switch (Color) { case red: sequence<Tree, 1> one; \
             case green: sequence<Forest> nested; default: Color none; }",
        ),
    ] {
        assert_eq!(type_code.to_string(), idl);
    }
    assert_eq!(format!("{:?}", i16::type_code()), "TypeCode(short)");
}

#[test]
fn names_do_not_count_for_equivalence_and_compact_ids_open_the_structure() {
    fn build(id: &str, name: &str, member: &str, number: u32) -> TypeCode {
        let mut buffer = Vec::new();
        let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Big);
        writer.write_u32(TcKind::Struct as u32);
        writer
            .write_encapsulation(|inner| {
                inner.write_latin1(id)?;
                inner.write_latin1(name)?;
                inner.write_u32(1);
                inner.write_latin1(member)?;
                inner.write_u32(number);
                Ok(())
            })
            .unwrap();
        read(&buffer, ByteOrder::Big, 0).unwrap()
    }
    let full = build("IDL:S:1.0", "S", "m", 3);
    let compact = build("IDL:S:1.0", "", "", 3);
    let anonymous = build("", "", "", 3);
    assert_ne!(full, compact);
    assert!(full.equivalent(&compact));
    assert!(full.equivalent(&anonymous));
    assert!(!full.equivalent(&build("IDL:T:1.0", "S", "m", 3)));
    assert!(!anonymous.equivalent(&build("", "", "", 2)));
    assert_eq!(compact.to_string(), "struct IDL:S:1.0 { long; }");
}

#[test]
fn accessors_refuse_other_kinds() {
    use crate::TypeCodeError::{BadKind, Bounds};
    let union = TypeCode::from(forest());
    assert_eq!(union.default_index(), Ok(Some(2)));
    assert_eq!(union.member_label(1), Ok(1));
    assert_eq!(union.discriminator_type(), Ok(TypeCode::from(color())));
    assert_eq!(union.content_type(), Err(BadKind));
    assert_eq!(union.member_type(3), Err(Bounds));
    assert_eq!(TypeCode::from(color()).member_type(0), Err(BadKind));
    assert_eq!(<Bounded<String, 8>>::type_code().length(), Ok(8));
    assert_eq!(i32::type_code().length(), Err(BadKind));
    static MONEY: TypeDesc = TypeDesc::fixed(5, -2);
    assert_eq!(TypeCode::from(&MONEY).digits_and_scale(), Ok((5, -2)));
}

#[test]
fn static_descriptions_need_no_allocation() {
    const _: fn() -> TypeFn = || i32::type_desc;
    let one = TypeCode::from(tree());
    let Ok(again) = one.member_type(0).and_then(|kids| kids.content_type()) else {
        panic!("no element")
    };
    assert!(core::ptr::eq(
        core::ptr::from_ref(tree()),
        match again.0 {
            super::Repr::Static(desc) => core::ptr::from_ref(desc),
            super::Repr::Shared(..) => core::ptr::null(),
        }
    ));
}
