//! Parses and runs Markdown fixtures.
//!
//! A fixture is Markdown text with test cases. A case consists of one or more ```` ```idl ````
//! blocks, a ```` ```diagnostics ```` block with the expected diagnostics, one per line
//! (`line:column code`, with `file:` before it when it is not the main file), and an optional ````
//! ```model ```` block with the expected dump. An `idl` block may have a file name: ```` ```idl
//! other.idl ````. The block without one is `main.idl`, the file to compile.
#![allow(dead_code, reason = "each test uses a subset")]
#![allow(clippy::expect_used, reason = "a broken fixture fails the test")]

mod dump;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use zorb_idl::{Compilation, MemoryLoader, Options, compile_with};

pub(crate) use dump::Dump;

/// A fixture file.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) path: PathBuf,
    pub(crate) cases: Vec<Case>,
}

/// A test case of a fixture.
#[derive(Debug, Default)]
pub(crate) struct Case {
    /// The line of its first block, for messages.
    pub(crate) line: usize,
    pub(crate) files: Vec<(String, String)>,
    pub(crate) diagnostics: Option<String>,
    pub(crate) model: Option<String>,
}

impl Case {
    /// Compiles the case's main file.
    pub(crate) fn compile(&self) -> Compilation {
        let mut loader = MemoryLoader::new();
        for (name, text) in &self.files {
            loader = loader.with(name.as_str(), text.as_str());
        }
        let options = Options::new().include_path("include").define_as("FROM_OPTIONS", "42");
        compile_with(&options, &loader, &["main.idl"])
    }
}

/// The diagnostics of a compilation in the format of the fixtures. More than 100 are only counted:
/// `code xcount`.
pub(crate) fn diagnostics(compilation: &Compilation) -> String {
    let mut text = String::new();
    if compilation.diagnostics.len() > 100 {
        for same in compilation.diagnostics.chunk_by(|a, b| a.code == b.code) {
            let _ = writeln!(text, "{} x{}", same[0].code, same.len());
        }
        return text;
    }
    for item in &compilation.diagnostics {
        if let Some(span) = item.span {
            let location = compilation.sources.location(span);
            if location.path != "main.idl" {
                let _ = write!(text, "{}:", location.path);
            }
            let _ = write!(text, "{}:{} ", location.line, location.column);
        }
        let _ = writeln!(text, "{}", item.code);
    }
    text
}

/// All fixtures in a folder below `tests/fixtures`, sorted by name.
pub(crate) fn fixtures(folder: &str) -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the fixtures' folder exists");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths.into_iter().map(|path| read(&path)).collect()
}

fn read(path: &Path) -> Fixture {
    let text = std::fs::read_to_string(path).expect("a readable fixture");
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let mut block = String::new();
        loop {
            let (_, line) = lines.next().expect("every block is closed");
            if line == "```" {
                break;
            }
            block.push_str(line);
            block.push('\n');
        }
        let (kind, name) = info.split_once(' ').unwrap_or((info, "main.idl"));
        let done = |case: &Case| case.diagnostics.is_some();
        match kind {
            "idl" => {
                if cases.last().is_none_or(done) {
                    cases.push(Case { line: number + 1, ..Case::default() });
                }
                let case = cases.last_mut().expect("just pushed");
                case.files.push((name.to_owned(), block));
            }
            "diagnostics" => {
                let case = cases.last_mut().filter(|case| !done(case));
                case.expect("diagnostics follow their IDL").diagnostics = Some(block);
            }
            "model" => cases.last_mut().expect("a model follows its IDL").model = Some(block),
            _ => {}
        }
    }
    Fixture { path: path.to_owned(), cases }
}

/// Runs all cases of a fixture; returns the differences as text.
pub(crate) fn check(fixture: &Fixture) -> String {
    let mut failures = String::new();
    for case in &fixture.cases {
        let compilation = case.compile();
        let position = format!("{}:{}", fixture.path.display(), case.line);
        let expected = case.diagnostics.as_deref().unwrap_or_default();
        let found = diagnostics(&compilation);
        if found != expected {
            let _ = writeln!(failures, "{position}: expected\n{expected}found\n{found}");
            let _ = writeln!(failures, "{}", compilation.render());
        }
        if let Some(expected) = &case.model {
            let found = Dump(&compilation.model).to_string();
            if found != *expected {
                let _ = writeln!(failures, "{position}: expected model\n{expected}found\n{found}");
            }
        }
    }
    failures
}
