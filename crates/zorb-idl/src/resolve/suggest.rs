//! "Did you mean ...?"

/// Names longer than this are not compared.
const LONGEST: usize = 64;
/// The most candidates looked at.
const MOST: usize = 2_000;

/// The candidate that looks most like `name`, if one does.
pub(crate) fn closest<'c>(
    name: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    if name.len() > LONGEST {
        return None;
    }
    let allowed = (name.len() / 3).clamp(1, 3);
    candidates
        .take(MOST)
        .filter(|candidate| candidate.len() <= LONGEST && *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many insertions, removals and changes turn `a` into `b`; case counts for nothing.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (to, cell) in b.bytes().zip(row.iter_mut().skip(1)) {
            let cost = usize::from(!from.eq_ignore_ascii_case(&to));
            let value = (diagonal + cost).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, value);
            left = value;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// What a word of another language is called in IDL.
pub(super) fn translation(word: &str) -> Option<&'static str> {
    Some(match word {
        "int" | "int32" | "int32_t" | "i32" | "Int" | "integer" => "long",
        "uint32" | "uint32_t" | "u32" => "unsigned long",
        "int16" | "int16_t" | "i16" => "short",
        "uint16" | "uint16_t" | "u16" => "unsigned short",
        "int64" | "int64_t" | "i64" => "long long",
        "uint64" | "uint64_t" | "u64" => "unsigned long long",
        "uint8" | "int8" | "uint8_t" | "byte" | "u8" => "octet",
        "bool" | "Bool" => "boolean",
        "f32" => "float",
        "f64" => "double",
        "str" | "text" => "string",
        "list" | "vector" | "array" => "sequence<...>",
        _ => return None,
    })
}
