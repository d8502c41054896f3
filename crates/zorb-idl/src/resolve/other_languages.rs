//! Types of other languages that are written in IDL by mistake.

/// The types without a definition, for suggestions.
pub(super) const BASIC_TYPES: [&str; 15] = [
    "any", "boolean", "char", "double", "fixed", "float", "long", "octet", "sequence", "short",
    "string", "unsigned", "void", "wchar", "wstring",
];

/// The IDL name of a type of another language.
pub(super) fn translation(word: &str) -> Option<&'static str> {
    Some(match word {
        "int" | "int32_t" | "i32" | "Int" | "integer" => "long",
        "uint32_t" | "u32" => "unsigned long",
        "int16_t" | "i16" => "short",
        "uint16_t" | "u16" => "unsigned short",
        "int64_t" | "i64" => "long long",
        "uint64_t" | "u64" => "unsigned long long",
        "uint8_t" | "byte" | "u8" => "octet",
        "bool" | "Bool" => "boolean",
        "f32" => "float",
        "f64" => "double",
        "str" | "text" => "string",
        "list" | "vector" | "array" => "sequence<...>",
        _ => return None,
    })
}
