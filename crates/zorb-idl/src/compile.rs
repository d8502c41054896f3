//! The entry points of the compiler: files in, model and diagnostics out.

use std::path::{Path, PathBuf};

use crate::diagnostics::{Diagnostic, JsonDiagnostic, Severity, Sink, render};
use crate::model::Model;
use crate::options::Options;
use crate::source::{DiskLoader, FileLoader, SourceMap};
use crate::{parser, preprocess, resolve};

/// The result of a compilation: a model, as complete as the input allows, and the diagnostics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compilation {
    /// The resolved definitions. Generate code from it only when [`Compilation::has_errors`] is
    /// false.
    pub model: Model,
    /// All diagnostics, by file in the order of reading, then by position.
    pub diagnostics: Vec<Diagnostic>,
    /// The source texts, for [`Compilation::render`] and for resolving spans.
    pub sources: SourceMap,
    dependencies: Vec<PathBuf>,
}

impl Compilation {
    /// Whether any diagnostic is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|item| item.severity == Severity::Error)
    }

    /// Every file read, included files too, and files that could not be read. Compile again when
    /// one of them changes.
    #[must_use]
    pub fn dependencies(&self) -> &[PathBuf] {
        &self.dependencies
    }

    /// Renders all diagnostics as text: position, source line, carets, hint. Plain text without colors; ends with a
    /// newline unless empty.
    #[must_use]
    pub fn render(&self) -> String {
        self.diagnostics.iter().map(|item| render(item, &self.sources)).collect()
    }

    /// All diagnostics as plain data, ready to be serialized.
    #[must_use]
    pub fn to_json(&self) -> Vec<JsonDiagnostic> {
        self.diagnostics.iter().map(|item| JsonDiagnostic::new(item, &self.sources)).collect()
    }
}

/// Compiles files from disk.
///
/// The files are read in order as one specification: a file sees the names and macros of the files
/// before it; `#pragma prefix` is reset at the start of each. A file that is both included and
/// named, or included by two of the named files, is read once.
#[must_use]
pub fn compile<P: AsRef<Path>>(options: &Options, files: &[P]) -> Compilation {
    compile_with(options, &DiskLoader, files)
}

/// Compiles files that `loader` provides; see [`compile`].
#[must_use]
pub fn compile_with<P: AsRef<Path>>(
    options: &Options,
    loader: &dyn FileLoader,
    files: &[P],
) -> Compilation {
    let paths: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    let mut sink = Sink::new(&options.allowed);
    let mut source = preprocess::run(options, loader, &paths, &[], &mut sink);
    let implied = source.lacks();
    if !implied.is_empty() {
        sink = Sink::new(&options.allowed);
        source = preprocess::run(options, loader, &paths, &implied, &mut sink);
    }
    let tree = parser::parse(&source.tokens, &source.events, &mut sink);
    let model = resolve::run(&tree, &source.main_files, &source.sources, &mut sink);
    let diagnostics = sink.finish(&source.sources);
    Compilation { model, diagnostics, sources: source.sources, dependencies: source.dependencies }
}
