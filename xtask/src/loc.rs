//! `cargo xtask loc`: how much there is of what, per crate.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::tidy::{Source, Tree};

const HELP: &str = "\
Count the lines of hand-written Rust per package.

Usage: cargo xtask loc

Columns: files; lines that hold code; lines of comment alone; lines that only tests see.
";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    files: usize,
    code: usize,
    comments: usize,
    tests: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.code += other.code;
        self.comments += other.comments;
        self.tests += other.tests;
    }
}

pub(crate) fn command(root: &Path, args: &[String], out: &mut dyn Write) -> io::Result<ExitCode> {
    match args {
        [] => {}
        [help] if help == "--help" || help == "-h" => {
            out.write_all(HELP.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        other => return crate::usage_error(&format!("loc does not know {other:?}"), HELP),
    }
    let counts = count(&Tree::load(root)?);
    let mut total = Count::default();
    writeln!(out, "{:<28}{:>7}{:>9}{:>10}{:>8}", "package", "files", "code", "comments", "tests")?;
    for (name, count) in &counts {
        line(out, name, *count)?;
        total.add(*count);
    }
    line(out, "total", total)?;
    Ok(ExitCode::SUCCESS)
}

fn line(out: &mut dyn Write, name: &str, count: Count) -> io::Result<()> {
    let Count { files, code, comments, tests } = count;
    writeln!(out, "{name:<28}{files:>7}{code:>9}{comments:>10}{tests:>8}")
}

/// By package folder: the nearest one above the file that holds a manifest.
fn count(tree: &Tree) -> BTreeMap<String, Count> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for source in tree.sources().iter().filter(|source| !source.is_generated()) {
        let mut folder = source.path();
        let package = loop {
            match folder.rsplit_once('/') {
                Some((above, _)) if tree.contains(&format!("{above}/Cargo.toml")) => break above,
                Some((above, _)) => folder = above,
                None => break ".",
            }
        };
        counts.entry(package.to_owned()).or_default().add(count_source(source));
    }
    counts
}

fn count_source(source: &Source) -> Count {
    let mut count = Count { files: 1, ..Count::default() };
    let lines = source.text().lines().zip(source.comments().lines());
    for (index, (text, comment)) in lines.enumerate() {
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        if text == comment.trim() {
            count.comments += 1;
        } else if source.is_test_line(index + 1) {
            count.tests += 1;
        } else {
            count.code += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_once_by_what_they_hold() {
        let text = "//! a\n\nfn b() {} // c\nlet s = \"x\n// y\n\";\n#[cfg(test)]\nmod tests {\n    fn d() {}\n}\n";
        let tree = Tree::from_texts(&[
            ("crates/a/Cargo.toml", ""),
            ("crates/a/src/lib.rs", text),
            ("crates/a/src/generated/b.rs", "x\n"),
        ]);
        let expected = Count { files: 1, code: 4, comments: 1, tests: 4 };
        assert_eq!(count(&tree), BTreeMap::from([("crates/a".to_owned(), expected)]));
    }
}
