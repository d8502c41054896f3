//! The generated types as the recordings show them.

use serde_json::{Value as Json, json};
use zorb_wire_tests::capture::vec::{Bad, Color, Empty, Node, Person, Prims, U, Ub, Ue};
use zorb_wire_tests::naming::cos_naming::naming_context::{AlreadyBound, NotFound, NotFoundReason};
use zorb_wire_tests::naming::cos_naming::{Binding, BindingType, NameComponent};

use crate::shown::{Shown, Wide};

macro_rules! members {
    ($($type:ty { $($member:ident: $member_type:ty),* })*) => {$(
        impl Shown for $type {
            fn show(value: &Self, wide: Wide) -> Json {
                let _ = (value, wide);
                json!({ $(stringify!($member): <$member_type>::show(&value.$member, wide)),* })
            }
        }
    )*};
}

members! {
    Prims {
        o: u8, s: i16, l: i32, c: char, ll: i64, b: bool, f: f32, d: f64, us: u16, ull: u64
    }
    Person { name: String, favourite: Color, age: i32 }
    Node { v: i32, kids: Vec<Node> }
    Bad { why: String, code: i32 }
    Empty {}
    NameComponent { id: String, kind: String }
    Binding { binding_name: Vec<NameComponent>, binding_type: BindingType }
    NotFound { why: NotFoundReason, rest_of_name: Vec<NameComponent> }
    AlreadyBound {}
}

macro_rules! enumerators {
    ($($type:ident [$($variant:ident = $name:literal),*])*) => {$(
        impl Shown for $type {
            fn show(value: &Self, _: Wide) -> Json {
                json!(match value { $($type::$variant => $name),* })
            }
        }
    )*};
}

enumerators! {
    Color [Red = "red", Green = "green", Blue = "blue"]
    BindingType [Nobject = "nobject", Ncontext = "ncontext"]
    NotFoundReason [
        MissingNode = "missing_node", NotContext = "not_context", NotObject = "not_object"
    ]
}

impl Shown for U {
    fn show(value: &Self, _: Wide) -> Json {
        let label = value.discriminant();
        match value {
            Self::L(l) => json!({ "_d": label, "l": l }),
            Self::S(s) => json!({ "_d": label, "s": s }),
            Self::D { value, .. } => json!({ "_d": label, "d": value }),
            Self::B { value, .. } => json!({ "_d": label, "b": value }),
        }
    }
}

impl Shown for Ue {
    fn show(value: &Self, wide: Wide) -> Json {
        let label = Color::show(&value.discriminant(), wide);
        match value {
            Self::O(o) => json!({ "_d": label, "o": o }),
            Self::S(s) => json!({ "_d": label, "s": s }),
            Self::Unset { .. } => json!({ "_d": label }),
        }
    }
}

impl Shown for Ub {
    fn show(value: &Self, _: Wide) -> Json {
        let label = value.discriminant();
        match value {
            Self::Ll(ll) => json!({ "_d": label, "ll": ll }),
            Self::Sh(sh) => json!({ "_d": label, "sh": sh }),
        }
    }
}
