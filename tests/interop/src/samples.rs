//! The values that all peers agree on: client and server build the same ones.

use zorb::codegen::{Bounded, CdrResult, Ref, TypeDesc, Typed, WChar, WString};
use zorb::{Any, ObjectRef, TypeCode};

use crate::interop::Base;
use crate::interop::data::{ByColour, ByLong, ByULong, Mixed, Person, Row, Tree};
use crate::shapes::{Colour, Point};

/// Text with characters of one, two and three octets in UTF-8, and beyond Latin-1.
pub const TEXT: &str = "Zürich – 東京";

/// A person.
pub fn ada() -> Person {
    Person {
        name: "Ada".into(),
        age: 36,
        likes: Colour::Green,
        place: Point { x: 10, y: -20 },
        labels: vec!["x".into(), String::new(), "yz".into()],
    }
}

/// A struct with padding before almost each member.
pub fn mixed() -> Mixed {
    Mixed {
        a: 1,
        b: -2.5,
        c: -3,
        d: -4_000_000_000_000,
        e: true,
        f: 0.5,
        g: 'g',
        h: 4_000_000_000,
        i: 65535,
        j: 18_000_000_000_000_000_000,
    }
}

/// A tree of four nodes.
pub fn tree() -> Tree {
    let leaf = |name: &str| Tree { name: name.into(), children: vec![] };
    let right = Tree { name: "right".into(), children: vec![leaf("leaf")] };
    Tree { name: "root".into(), children: vec![leaf("left"), right] }
}

/// A kind of any: its name and what makes it.
pub type AnyKind = (&'static str, fn() -> CdrResult<Any>);

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
    ("nil_object", || Any::new::<Ref<ObjectRef>>(&None)),
    ("nil_base", || Any::new::<Ref<Base>>(&None)),
];

/// A value of a typedef, whose TypeCode names it. Rust types say nothing of typedefs.
fn alias() -> CdrResult<Any> {
    static ALIAS: TypeDesc =
        TypeDesc::alias("IDL:zorb.test/Interop/Data/Alias:1.0", "Alias", String::type_desc);
    let plain = Any::new::<String>("aliased")?;
    Any::read_value(TypeCode::from(&ALIAS), &mut plain.reader())
}

/// The value of a kind; `None` for an unknown one.
pub fn any_of(kind: &str) -> Option<Any> {
    let (_, make) = ANY_KINDS.iter().find(|(name, _)| *name == kind)?;
    make().ok()
}
