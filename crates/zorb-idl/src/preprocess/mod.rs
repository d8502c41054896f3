//! The preprocessor: files in, one stream of tokens and pragmas out.

mod condition;
mod define;
mod directive;
mod docs;
mod event;
mod expand;
mod frame;
mod include;
mod macros;
mod pragma;
mod preprocessor;
mod scan;
mod token;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

pub(crate) use event::{Event, EventKind, PragmaName};
pub(crate) use token::{PpKind, PpToken};

use self::preprocessor::Preprocessor;
use crate::diagnostics::Sink;
use crate::lexer::{Keyword, Lexer, Token, TokenKind};
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

/// The built-in file that components, homes and event types imply.
const COMPONENTS: &str = "Components.idl";

/// How many files may be implied.
const MAX_IMPLIED: usize = 64;

impl Source {
    /// The files that the input implies and does not read, besides those `known` already: the definitions of components, and
    /// those of modules that are imported.
    pub(crate) fn implied(&self, known: &[String]) -> Vec<String> {
        let has_components = |token: &Token| {
            use Keyword::{Component, EventType, Home};
            matches!(token.kind, TokenKind::Keyword(Component | EventType | Home))
        };
        let is_read = |name: &str| self.sources.by_path(Path::new(name)).is_some();
        let lacks_components =
            !is_read("<built-in>/Components.idl") && self.tokens.iter().any(has_components);
        let mut files: Vec<String> = Vec::new();
        files.extend(lacks_components.then(|| COMPONENTS.to_owned()));
        for module in self.imported() {
            let file = if module == "CORBA" { "orb.idl".into() } else { format!("{module}.idl") };
            if !known.contains(&file) && !files.contains(&file) {
                files.push(file);
            }
        }
        files.truncate(MAX_IMPLIED.saturating_sub(known.len()));
        files
    }

    /// The modules that are imported and not defined, by the first part of their names.
    fn imported(&self) -> impl Iterator<Item = &str> {
        let after = |index: usize| match self.tokens.get(index).map(|token| &token.kind) {
            Some(TokenKind::Ident(name)) => Some(&**name),
            _ => None,
        };
        let keyword = |keyword: Keyword| {
            let is_it = move |token: &Token| token.kind == TokenKind::Keyword(keyword);
            self.tokens.iter().enumerate().filter(move |(_, token)| is_it(token))
        };
        let defined: HashSet<&str> =
            keyword(Keyword::Module).filter_map(|(index, _)| after(index + 1)).collect();
        let named = keyword(Keyword::Import)
            .filter_map(move |(index, _)| after(index + 1).or_else(|| after(index + 2)));
        named.filter(move |name| !defined.contains(name))
    }
}

/// Preprocesses `paths` in order; before them the [`implied`](Source::implied) files.
pub(crate) fn run(
    options: &Options,
    loader: &dyn FileLoader,
    paths: &[&Path],
    implied: &[String],
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
        refused: HashSet::new(),
        includes: 0,
        bytes_left: MAX_TOTAL_BYTES,
        expansion_left: crate::limits::MAX_EXPANSION_TOKENS,
        pasted_left: crate::limits::MAX_PASTED_BYTES,
        stopped: false,
    };
    preprocessor.define_options();
    for name in implied {
        match name.as_str() {
            COMPONENTS => preprocessor.enter_built_in(COMPONENTS),
            name => preprocessor.enter_implied(name),
        }
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
