//! From an IDL identifier to a Rust one.

use heck::{ToPascalCase, ToShoutySnakeCase, ToSnakeCase};

/// The conventions of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Modules: like [`Case::Snake`], and never the name of a primitive type, which it would hide.
    Module,
    /// Functions, fields and parameters.
    Snake,
    /// Types and variants.
    Pascal,
    /// Constants.
    Screaming,
}

/// Keywords of every edition that `r#` makes usable.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Keywords that `r#` does not help.
const PATH_KEYWORDS: &[&str] = &["self", "Self", "super", "crate"];

const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16",
    "u32", "u64", "u128", "usize",
];

/// The name in Rust's convention, without regard to keywords.
pub(crate) fn convert(name: &str, case: Case) -> String {
    let converted = match case {
        Case::Module | Case::Snake => name.to_snake_case(),
        Case::Pascal => name.to_pascal_case(),
        Case::Screaming => name.to_shouty_snake_case(),
    };
    // IDL names start with a letter; this is for callers that do not come from the front end.
    if converted.starts_with(|first: char| first.is_ascii_alphabetic()) {
        converted
    } else {
        format!("x{converted}")
    }
}

/// A converted name as it can stand in Rust text.
pub(crate) fn escape(name: String, case: Case) -> String {
    let name = name.as_str();
    let hides = case == Case::Module && PRIMITIVES.contains(&name);
    if hides || PATH_KEYWORDS.contains(&name) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name) {
        format!("r#{name}")
    } else {
        name.to_owned()
    }
}
