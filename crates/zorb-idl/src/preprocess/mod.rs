//! The preprocessor: files in, one stream of tokens and pragmas out.

mod condition;
mod define;
mod directive;
mod docs;
mod event;
mod expand;
mod frame;
mod implied;
mod imports;
mod include;
mod macros;
mod pragma;
mod preprocessor;
mod scan;
mod substitute;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

pub(crate) use event::{Event, EventKind, PragmaName};

use self::imports::Imports;
use self::preprocessor::Preprocessor;
use crate::diagnostics::Sink;
use crate::lexer::{Lexer, Token};
use crate::limits::MAX_TOTAL_BYTES;
use crate::options::Options;
use crate::source::{FileId, FileLoader, SourceMap};

/// The output of the preprocessor, for the parser.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) tokens: Vec<Token>,
    pub(crate) events: Vec<Event>,
    pub(crate) sources: SourceMap,
    pub(crate) main_files: Vec<FileId>,
    pub(crate) dependencies: Vec<PathBuf>,
}

/// Preprocesses `paths` in order; before them these built-in files.
pub(crate) fn run(
    options: &Options,
    loader: &dyn FileLoader,
    paths: &[&Path],
    implied: &[&str],
    sink: &mut Sink,
) -> Source {
    let mut preprocessor = Preprocessor {
        options,
        loader,
        sink,
        sources: SourceMap::default(),
        lexer: Lexer::default(),
        events: Vec::new(),
        macros: HashMap::new(),
        files: Vec::new(),
        frames: Vec::new(),
        dependencies: Vec::new(),
        once: HashSet::new(),
        finished: HashSet::new(),
        imports: Imports::default(),
        refused: HashSet::new(),
        includes: 0,
        bytes_left: MAX_TOTAL_BYTES,
        expansion_left: crate::limits::MAX_EXPANSION_TOKENS,
        pasted_left: crate::limits::MAX_PASTED_BYTES,
        stopped: false,
    };
    preprocessor.define_options();
    for name in implied {
        preprocessor.enter_built_in(name);
        preprocessor.process();
        preprocessor.finish_read();
    }
    let mut main_files = Vec::new();
    for path in paths {
        let Some(file) = preprocessor.main_file(path) else { continue };
        if main_files.contains(&file) {
            continue;
        }
        main_files.push(file);
        if preprocessor.finished.contains(&file) {
            continue;
        }
        preprocessor.enter(file);
        preprocessor.process();
        preprocessor.finish_read();
    }
    let Preprocessor { sources, lexer, events, dependencies, .. } = preprocessor;
    let tokens = lexer.finish();
    Source { tokens, events, sources, main_files, dependencies }
}
