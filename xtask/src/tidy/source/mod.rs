//! A Rust file split into what is code and what is comment, with its test regions known. Rules then
//! search words in the right half, so a word in a string or in prose never counts as code.

mod mask;
mod regions;

use std::collections::BTreeSet;

/// One Rust file.
#[derive(Debug)]
pub(crate) struct Source {
    path: String,
    text: String,
    /// The text with comments, strings and characters blanked; offsets and lines stay.
    code: String,
    /// The text with everything but comments blanked.
    comments: String,
    /// Where each line starts.
    starts: Vec<usize>,
    /// For each line, whether only tests see it.
    test_lines: Vec<bool>,
}

/// Reads every file, then marks those that a `#[cfg(test)] mod name;` elsewhere makes test code.
pub(super) fn read_all(files: &[(&str, &str)]) -> Vec<Source> {
    let mut sources: Vec<Source> =
        files.iter().map(|(path, text)| Source::read(path, text)).collect();
    let names = |source: &Source| regions::test_modules(&source.code, &source.path);
    let modules: BTreeSet<String> = sources.iter().flat_map(names).collect();
    for source in &mut sources {
        let stem = source.path.trim_end_matches(".rs");
        let mut parents = stem.match_indices('/').map(|(at, _)| &stem[..at]);
        if modules.contains(stem) || parents.any(|parent| modules.contains(parent)) {
            source.test_lines.fill(true);
        }
    }
    sources
}

impl Source {
    fn read(path: &str, text: &str) -> Self {
        let (code, comments) = mask::split(text);
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let mut source = Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code,
            comments,
            test_lines: vec![is_test_path(path); starts.len()],
            starts,
        };
        for range in regions::test_regions(&source.code) {
            let (first, last) = (source.line_of(range.start), source.line_of(range.end));
            source.test_lines[first - 1..last].fill(true);
        }
        source
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The code alone: comments, strings and characters are blanks.
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// The comments alone.
    pub(crate) fn comments(&self) -> &str {
        &self.comments
    }

    /// How many lines there are.
    pub(crate) fn line_count(&self) -> usize {
        self.text.lines().count()
    }

    /// The line, from 1, that holds a byte offset.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// Whether a line, from 1, is compiled for tests alone.
    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.test_lines.get(line - 1).copied().unwrap_or(false)
    }

    /// Written by a tool: the file lies in a folder named `generated`.
    pub(crate) fn is_generated(&self) -> bool {
        self.path.split('/').any(|part| part == "generated")
    }

    /// The first line after `line` with code on it; `line` itself when there is none.
    pub(crate) fn next_code_line(&self, line: usize) -> usize {
        let after = self.code.lines().enumerate().skip(line);
        let mut filled = after.filter(|(_, code)| !code.trim().is_empty());
        filled.next().map_or(line, |(index, _)| index + 1)
    }

    /// Offsets at which `word` stands in the code, not as part of a longer name.
    pub(crate) fn words<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        let code = &self.code;
        code.match_indices(word).map(|(at, _)| at).filter(move |at| {
            let before = code[..*at].chars().next_back();
            let after = code[at + word.len()..].chars().next();
            let starts_name = word.starts_with(is_name_char);
            let ends_name = word.ends_with(is_name_char);
            !(starts_name && before.is_some_and(|c| is_name_char(c) || c == '#')
                || ends_name && after.is_some_and(is_name_char))
        })
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A folder of tests, or a file named for its tests. The conformance suite and the bodies of fuzz
/// targets are tests too, though they are compiled into their crate so that others can run them.
fn is_test_path(path: &str) -> bool {
    let stem = path.trim_end_matches(".rs");
    stem.ends_with("_tests")
        || stem
            .split('/')
            .any(|part| matches!(part, "tests" | "benches" | "conformance" | "fuzzing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(path: &str, text: &str) -> Source {
        read_all(&[(path, text)]).remove(0)
    }

    #[test]
    fn words_are_whole_and_in_code() {
        let text = "unsafe_code; \"unsafe\"; // unsafe\nr#unsafe; unsafe { x }\n";
        let source = one("a.rs", text);
        let lines: Vec<usize> = source.words("unsafe").map(|at| source.line_of(at)).collect();
        assert_eq!(lines, [2]);
    }

    #[test]
    fn lines_of_offsets_and_counts() {
        let source = one("a.rs", "ab\ncd\n");
        assert_eq!([0, 2, 3, 5].map(|at| source.line_of(at)), [1, 1, 2, 2]);
        assert_eq!(source.line_count(), 2);
    }

    #[test]
    fn test_paths_regions_and_modules_are_known() {
        assert!(one("tests/e2e/src/lib.rs", "x\n").is_test_line(1));
        assert!(one("crates/a/src/b/tests.rs", "x\n").is_test_line(1));
        assert!(one("crates/a/src/conformance/b.rs", "x\n").is_test_line(1));
        assert!(!one("crates/a/src/latests.rs", "x\n").is_test_line(1));
        let source = one("a.rs", "a\n#[cfg(test)]\nmod tests {\n  b\n}\nc\n");
        let marks: Vec<bool> = (1..=6).map(|line| source.is_test_line(line)).collect();
        assert_eq!(marks, [false, true, true, true, true, false]);
        let all = read_all(&[
            ("crates/a/src/lib.rs", "#[cfg(test)]\nmod pair;\nmod real;\n"),
            ("crates/a/src/pair.rs", "x\n"),
            ("crates/a/src/pair/clock.rs", "x\n"),
            ("crates/a/src/real.rs", "x\n"),
        ]);
        let marks: Vec<bool> = all.iter().map(|source| source.is_test_line(1)).collect();
        assert_eq!(marks, [true, true, true, false]);
    }

    #[test]
    fn the_next_code_line_passes_comments() {
        let source = one("a.rs", "a\n// b\n\n// c\nd\n");
        assert_eq!(source.next_code_line(2), 5);
        assert_eq!(source.next_code_line(5), 5);
    }
}
