//! `cargo xtask loc`: lines of code, tests and comments, per crate.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::tidy::{Tree, is_test_path, is_written_by_hand};

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

pub(crate) fn command(root: &Path, out: &mut dyn Write) -> io::Result<ExitCode> {
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

/// Counts by package: the nearest folder above a file that contains a manifest.
fn count(tree: &Tree) -> BTreeMap<String, Count> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for file in tree.files().iter().filter(|file| is_written_by_hand(&file.path)) {
        let mut folder = file.path.as_str();
        let package = loop {
            match folder.rsplit_once('/') {
                Some((above, _)) if tree.contains(&format!("{above}/Cargo.toml")) => break above,
                Some((above, _)) => folder = above,
                None => break ".",
            }
        };
        let file = count_file(&file.text, is_test_path(&file.path));
        counts.entry(package.to_owned()).or_default().add(file);
    }
    counts
}

/// Tests within a source file are at its end, as `mod tests`.
fn count_file(text: &str, mut tests: bool) -> Count {
    let mut count = Count { files: 1, ..Count::default() };
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        tests |= line == "#[cfg(test)]" && lines.peek() == Some(&"mod tests {");
        match line {
            "" => {}
            comment if comment.starts_with("//") => count.comments += 1,
            _ if tests => count.tests += 1,
            _ => count.code += 1,
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_counted_once() {
        let text =
            "//! a\n\nfn b() {} // c\n#[cfg(test)]\nmod pair;\n#[cfg(test)]\nmod tests {\n}\n";
        let tree = Tree::from_texts(&[
            ("crates/a/Cargo.toml", ""),
            ("crates/a/src/lib.rs", text),
            ("crates/a/src/generated/b.rs", "x\n"),
        ]);
        let expected = Count { files: 1, code: 3, comments: 1, tests: 3 };
        assert_eq!(count(&tree), BTreeMap::from([("crates/a".to_owned(), expected)]));
    }
}
