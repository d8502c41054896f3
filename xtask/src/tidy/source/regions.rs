//! Which parts of a file only tests see.

use std::ops::Range;

/// Attributes after which an item belongs to tests alone.
const TEST_ATTRIBUTES: [&str; 3] = ["#[test]", "#[cfg(test)]", "#[cfg(all(test,"];

/// From each test attribute to the end of its item; the whole file after `#![cfg(test)]`.
pub(super) fn test_regions(code: &str) -> Vec<Range<usize>> {
    let mut regions: Vec<Range<usize>> =
        attributes(code).map(|at| at..item_end(code, at)).collect();
    if let Some(at) = code.find("#![cfg(test)]") {
        regions.push(at..code.len());
    }
    regions
}

/// Paths, without `.rs`, of the modules that `#[cfg(test)] mod name;` declares in the file at `path`.
pub(super) fn test_modules(code: &str, path: &str) -> Vec<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.trim_end_matches(".rs");
    let base = match stem {
        "lib" | "main" | "mod" => folder.to_owned(),
        _ => format!("{folder}/{stem}"),
    };
    attributes(code)
        .filter_map(|at| {
            let item = &code[at..item_end(code, at)];
            let declared = item.strip_suffix(';')?;
            let (before, name) = declared.rsplit_once("mod ")?;
            let plain = before.ends_with(|c: char| !c.is_alphanumeric() && c != '_');
            plain.then(|| format!("{base}/{}", name.trim()))
        })
        .collect()
}

fn attributes(code: &str) -> impl Iterator<Item = usize> + '_ {
    TEST_ATTRIBUTES.iter().flat_map(|attribute| code.match_indices(attribute).map(|(at, _)| at))
}

/// The end of the item that starts with the attribute at `start`: its closing brace, or its `;`.
fn item_end(code: &str, start: usize) -> usize {
    let (mut braces, mut others) = (0_usize, 0_usize);
    for (at, c) in code[start..].char_indices() {
        match c {
            '(' | '[' => others += 1,
            ')' | ']' => others = others.saturating_sub(1),
            '{' => braces += 1,
            '}' => {
                braces = braces.saturating_sub(1);
                if braces == 0 {
                    return start + at + 1;
                }
            }
            ';' if braces == 0 && others == 0 => return start + at + 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(code: &str) -> Vec<&str> {
        test_regions(code).into_iter().map(|range| &code[range]).collect()
    }

    #[test]
    fn an_item_ends_with_its_brace_or_semicolon() {
        assert_eq!(region("a #[test] fn f() { { x; } } b"), ["#[test] fn f() { { x; } }"]);
        assert_eq!(region("#[cfg(test)] use a; b"), ["#[cfg(test)] use a;"]);
        assert_eq!(
            region("#[cfg(test)] const A: [u8; 2] = x; b"),
            ["#[cfg(test)] const A: [u8; 2] = x;"]
        );
    }

    #[test]
    fn other_conditions_are_not_tests() {
        assert!(region("#[cfg(any(test, feature))] mod a {}").is_empty());
        assert_eq!(region("#[cfg(all(test, unix))] mod a {}").len(), 1);
        assert_eq!(region("a #![cfg(test)] b"), ["#![cfg(test)] b"]);
    }

    #[test]
    fn declared_modules_have_paths() {
        let code = "#[cfg(test)]\nmod pair;\nmod real;";
        assert_eq!(test_modules(code, "crates/a/src/lib.rs"), ["crates/a/src/pair"]);
        assert_eq!(test_modules(code, "crates/a/src/b.rs"), ["crates/a/src/b/pair"]);
        assert!(test_modules("#[cfg(test)] mod a { x; }", "a/lib.rs").is_empty());
    }
}
