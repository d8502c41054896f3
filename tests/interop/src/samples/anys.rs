//! The values that an any is tried with.

use zorb::codegen::{Bounded, CdrResult, Ref, TypeDesc, Typed, WChar, WString};
use zorb::{Any, ObjectRef, TypeCode};

use super::*;
use crate::interop::data::by_kind::Kind;
use crate::interop::data::{
    ByBoolean, ByChar, ByColour, ByKind, ByLong, ByLongLong, ByShort, ByULong, ByULongLong,
    ByUShort, Digit, Grid, Maybe, Operator, Row, Words,
};
use crate::interop::{Base, Empty, Reason};

/// A kind of any: its name and what makes it.
pub(super) type AnyKind = (&'static str, fn() -> CdrResult<Any>);

/// The kinds of any that `Anys::make` knows.
pub static ANY_KINDS: &[AnyKind] = &[
    ("null", || Ok(Any::default())),
    ("boolean", || Any::new::<bool>(&true)),
    ("char", || Any::new::<char>(&'q')),
    ("octet", || Any::new::<u8>(&200)),
    ("short", || Any::new::<i16>(&-1234)),
    ("ushort", || Any::new::<u16>(&54321)),
    ("long", || Any::new::<i32>(&-123_456_789)),
    ("ulong", || Any::new::<u32>(&4_000_000_000)),
    ("longlong", || Any::new::<i64>(&-9_000_000_000_000_000)),
    ("ulonglong", || Any::new::<u64>(&18_000_000_000_000_000_000)),
    ("float", || Any::new::<f32>(&1.25)),
    ("double", || Any::new::<f64>(&-2.5e10)),
    ("string", || Any::new::<String>("plain text")),
    ("text", || Any::new::<String>(TEXT)),
    ("bounded", || Any::new::<Bounded<String, 12>>("tiny")),
    ("alias", alias),
    ("wchar", || Any::new::<WChar>(&'東')),
    ("wstring", || Any::new::<WString>("東京")),
    ("colour", || Any::new::<Colour>(&Colour::Blue)),
    ("point", || Any::new::<Point>(&Point { x: 1, y: -2 })),
    ("mixed", || Any::new::<Mixed>(&mixed())),
    ("person", || Any::new::<Person>(&ada())),
    ("long_seq", || Any::new::<Vec<i32>>(&[1, -2, 3])),
    ("persons", || Any::new::<Vec<Person>>(&[ada(), ada()])),
    ("row", || Any::new::<Row>(&[1, 2, 3, 4])),
    ("by_long", || Any::new::<ByLong>(&ByLong::Number { label: 1, value: 77 })),
    ("no_member", || Any::new::<ByULong>(&ByULong::Unset { label: 5 })),
    ("by_colour", || {
        Any::new::<ByColour>(&ByColour::Text { label: Colour::Blue, value: "sea".into() })
    }),
    ("tree", || Any::new::<Tree>(&tree())),
    ("nested", || Any::new::<Any>(&Any::new::<Any>(&Any::new::<i32>(&5)?)?)),
    ("octets", || Any::new::<zorb::Octets>(&[0, 255, 7])),
    ("doubles", || Any::new::<Vec<f64>>(&[1.5, -0.25])),
    ("strings", || Any::new::<Vec<String>>(&["a".into(), String::new(), "bc".into()])),
    ("few_longs", || Any::new::<Bounded<Vec<i32>, 4>>(&[1, 2])),
    ("table", || {
        Any::new::<Bounded<Vec<Vec<String>>, 3>>(&[vec!["a".into(), String::new()], vec![]])
    }),
    ("grid", || Any::new::<Grid>(&[[1.0, 2.0, 3.0], [4.5, 5.5, 6.5]])),
    ("words", || Any::new::<Words>(&["a".into(), String::new(), "c".into()])),
    ("crate", || Any::new::<Crate>(&a_crate(1))),
    ("operator", || Any::new::<Operator>(&Operator::Negate)),
    ("by_ushort", || Any::new::<ByUShort>(&ByUShort::Text { label: 9, value: "nine".into() })),
    ("by_short", || Any::new::<ByShort>(&ByShort::Spot(Point { x: 3, y: 4 }))),
    ("by_longlong", || Any::new::<ByLongLong>(&ByLongLong::Text("minus".into()))),
    ("by_ulonglong", || Any::new::<ByULongLong>(&ByULongLong::Text("large".into()))),
    ("by_char", || Any::new::<ByChar>(&ByChar::Text { label: 'c', value: "third".into() })),
    ("by_boolean", || Any::new::<ByBoolean>(&ByBoolean::Real(-1.5))),
    ("maybe", || Any::new::<Maybe>(&Maybe::Value(3))),
    ("by_kind", || Any::new::<ByKind>(&ByKind::Items { label: Kind::List, value: [1, 2, 3, 4] })),
    ("expression", || Any::new::<Expression>(&expression())),
    ("document", || Any::new::<Document>(&document())),
    ("node", || Any::new::<Node>(&node())),
    ("price", || Any::new::<Price>(&PRICE)),
    ("exact", || Any::new::<Exact>(&EXACT)),
    ("digit", || Any::new::<Digit>(&Digit::constant(-7))),
    ("widest", || Any::new::<Widest>(&WIDEST)),
    ("finest", || Any::new::<Finest>(&-FINEST)),
    ("bill", || Any::new::<Bill>(&bill())),
    ("amount", || Any::new::<Amount>(&AMOUNT)),
    ("alias_of_alias", alias_of_alias),
    ("type_code", || Any::new::<TypeCode>(&Person::type_code())),
    ("type_code_tree", || Any::new::<TypeCode>(&Tree::type_code())),
    ("reason", || Any::new::<Reason>(&Reason { why: "because".into(), code: -42 })),
    ("empty", || Any::new::<Empty>(&Empty)),
    ("sign", || Any::new::<Sign>(&sign())),
    ("wide_code", || Any::new::<[WChar; 3]>(&['a', 'é', 'カ'])),
    ("property", || Any::new::<Property>(&property(5))),
    ("properties", || Any::new::<Vec<Property>>(&[property(1), property(2)])),
    ("described", || Any::new::<Described>(&described())),
    ("variant", || Any::new::<Variant>(&variant())),
    ("nil_object", || Any::new::<Ref<ObjectRef>>(&None)),
    ("nil_base", || Any::new::<Ref<Base>>(&None)),
];

static ALIAS: TypeDesc =
    TypeDesc::alias("IDL:zorb.test/Interop/Data/Alias:1.0", "Alias", String::type_desc);
static ALIAS_OF_ALIAS: TypeDesc =
    TypeDesc::alias("IDL:zorb.test/Interop/Data/AliasOfAlias:1.0", "AliasOfAlias", || &ALIAS);

/// A value of a typedef, whose TypeCode names it. Rust types say nothing of typedefs.
fn alias() -> CdrResult<Any> {
    Any::read_value(TypeCode::from(&ALIAS), &mut Any::new::<String>("aliased")?.reader())
}

/// A value of a typedef of a typedef.
fn alias_of_alias() -> CdrResult<Any> {
    Any::read_value(TypeCode::from(&ALIAS_OF_ALIAS), &mut Any::new::<String>("twice")?.reader())
}

/// The value of a kind; `None` for an unknown one.
pub fn any_of(kind: &str) -> Option<Any> {
    let (_, make) = ANY_KINDS.iter().find(|(name, _)| *name == kind)?;
    make().ok()
}

/// The first kind whose value is of this type.
pub fn first_of_type(wanted: &TypeCode) -> Option<&'static str> {
    let is_of_it = |any: Any| any.type_code().equivalent(wanted);
    let mut kinds = ANY_KINDS.iter();
    kinds.find(|(_, make)| make().is_ok_and(is_of_it)).map(|(kind, _)| *kind)
}
