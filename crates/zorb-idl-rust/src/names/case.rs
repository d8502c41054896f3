//! Conversion of IDL identifiers to Rust identifiers.

use heck::{ToPascalCase, ToShoutySnakeCase, ToSnakeCase};

/// The naming convention of a kind of Rust item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Modules: like [`Case::Snake`], but never the name of a primitive type, which it would
    /// shadow.
    Module,
    /// Functions, fields and parameters.
    Snake,
    /// Types and variants.
    Pascal,
    /// Constants.
    Screaming,
}

/// Keywords of any edition that can be escaped with `r#`.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Keywords that cannot be escaped with `r#`.
const PATH_KEYWORDS: &[&str] = &["self", "Self", "super", "crate"];

const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16",
    "u32", "u64", "u128", "usize",
];

/// Converts a name to Rust's convention, ignoring keywords.
pub(crate) fn convert(name: &str, case: Case) -> String {
    let converted = match case {
        Case::Module | Case::Snake => name.to_snake_case(),
        Case::Pascal => name.to_pascal_case(),
        Case::Screaming => name.to_shouty_snake_case(),
    };
    // IDL identifiers start with a letter; this handles other callers.
    if converted.starts_with(|first: char| first.is_ascii_alphabetic()) {
        converted
    } else {
        format!("x{converted}")
    }
}

/// Escapes a converted name where necessary.
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
