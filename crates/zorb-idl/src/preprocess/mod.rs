//! The preprocessor: files in, one stream of tokens and pragmas out.

mod condition;
mod directive;
mod docs;
mod expand;
mod include;
mod macros;
mod pragma;
mod scan;
mod token;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(crate) use pragma::{Event, EventKind, PragmaName};
pub(crate) use token::{PpKind, PpToken};

use self::expand::TokenFrame;
use self::macros::Macro;
use self::scan::Scanner;
use crate::compile::Options;
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::lexer::{Lexer, Token};
use crate::limits::{MAX_FILE_BYTES, MAX_TOKENS, MAX_TOTAL_BYTES};
use crate::source::{FileId, FileLoader, LoadError, SourceMap, Span};

/// The output of the preprocessor, for the parser.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) tokens: Vec<Token>,
    pub(crate) events: Vec<Event>,
    pub(crate) sources: SourceMap,
    pub(crate) main_files: Vec<FileId>,
    pub(crate) dependencies: Vec<PathBuf>,
}

/// Preprocesses `paths` in order.
pub(crate) fn run(
    options: &Options,
    loader: &dyn FileLoader,
    paths: &[&Path],
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
        // Files that this one included need not be included again by the next ones.
        let read: Vec<_> = preprocessor.sources.files().map(|(file, _)| file).collect();
        preprocessor.finished.extend(read);
    }
    let Preprocessor { sources, lexer, events, dependencies, .. } = preprocessor;
    let tokens = lexer.finish();
    Source { tokens, events, sources, main_files, dependencies }
}

#[derive(Debug)]
struct Preprocessor<'a> {
    options: &'a Options,
    loader: &'a dyn FileLoader,
    sink: &'a mut Sink,
    sources: SourceMap,
    lexer: Lexer,
    events: Vec<Event>,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    /// The include stack; the file being read is on top.
    files: Vec<FileFrame>,
    /// Macro expansions still to be read; the innermost is last.
    frames: Vec<TokenFrame>,
    dependencies: Vec<PathBuf>,
    /// Files with `#pragma once`.
    once: HashSet<FileId>,
    /// Files read on behalf of an earlier file that the caller named.
    finished: HashSet<FileId>,
    /// Files that include themselves recursively.
    refused: HashSet<FileId>,
    includes: usize,
    bytes_left: usize,
    expansion_left: usize,
    pasted_left: usize,
    /// Whether a limit was exceeded and reading stops.
    stopped: bool,
}

/// A file being read.
#[derive(Debug)]
struct FileFrame {
    file: FileId,
    scanner: Scanner,
    /// A token of lookahead.
    peeked: Option<PpToken>,
    conditionals: Vec<Conditional>,
}

/// An open `#if`.
#[derive(Debug)]
struct Conditional {
    /// The directive.
    span: Span,
    /// Whether the tokens of the current group are processed.
    active: bool,
    /// Whether a group was already chosen, or the whole `#if` is in a skipped group.
    decided: bool,
    seen_else: bool,
}

impl FileFrame {
    fn skipping(&self) -> bool {
        self.conditionals.last().is_some_and(|last| !last.active)
    }
}

impl Preprocessor<'_> {
    fn main_file(&mut self, path: &Path) -> Option<FileId> {
        if let Some(file) = self.sources.by_path(path) {
            return Some(file);
        }
        match self.load(path, None) {
            Ok(file) => Some(file),
            Err(error) => {
                self.dependencies.push(path.to_owned());
                let message = match &error {
                    LoadError::NotFound => format!("there is no file `{}`", path.display()),
                    error => format!("cannot read `{}`: {}", path.display(), reason(error)),
                };
                self.sink.push(Diagnostic::new(Code::FileUnreadable, None, message));
                None
            }
        }
    }

    /// Reads a file into the source map.
    fn load(&mut self, path: &Path, included_at: Option<Span>) -> Result<FileId, LoadError> {
        let bytes = self.loader.load(path)?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(LoadError::TooLarge);
        }
        self.dependencies.push(path.to_owned());
        Ok(self.sources.add(path.to_owned(), bytes, included_at, false))
    }

    /// Starts reading a file.
    fn enter(&mut self, file: FileId) {
        let text = self.sources.file(file).shared_text();
        match self.bytes_left.checked_sub(text.len()) {
            Some(left) => self.bytes_left = left,
            None => {
                let span = Span::new(file, 0, 0);
                self.stop(span, "the files of this compilation are too large in total");
                return;
            }
        }
        self.event(EventKind::EnterFile, Span::new(file, 0, 0));
        let scanner = Scanner::new(file, text);
        self.files.push(FileFrame { file, scanner, peeked: None, conditionals: Vec::new() });
    }

    /// Reads all files to their end.
    fn process(&mut self) {
        while !self.files.is_empty() {
            if self.stopped {
                self.files.clear();
                self.frames.clear();
                return;
            }
            let Some(token) = self.next_token() else {
                self.leave();
                continue;
            };
            let Some(frame) = self.files.last_mut() else { return };
            if token.line_start && token.is_punct("#") {
                self.directive(token.span);
            } else if !frame.skipping() && !self.try_expand(&token) {
                self.emit(&token);
            }
        }
    }

    /// The next token: from the innermost expansion, or else from the current file.
    fn next_token(&mut self) -> Option<PpToken> {
        while let Some(frame) = self.frames.last_mut() {
            if let Some(token) = frame.next() {
                return Some(token);
            }
            self.frames.pop();
        }
        self.next_file_token()
    }

    fn next_file_token(&mut self) -> Option<PpToken> {
        let frame = self.files.last_mut()?;
        frame.scanner.quiet = frame.skipping();
        match frame.peeked.take() {
            Some(token) => Some(token),
            None => frame.scanner.next(self.sink),
        }
    }

    /// Leaves the current file at its end.
    fn leave(&mut self) {
        let Some(frame) = self.files.pop() else { return };
        for open in frame.conditionals {
            self.sink.push(
                Diagnostic::new(
                    Code::UnterminatedConditional,
                    open.span,
                    "missing `#endif` of this conditional",
                )
                .hint("add `#endif` before the end of the file"),
            );
        }
        self.event(EventKind::LeaveFile, frame.scanner.here());
    }

    fn emit(&mut self, token: &PpToken) {
        if self.lexer.len() >= MAX_TOKENS {
            self.stop(token.span, "this compilation has too many tokens");
            return;
        }
        self.lexer.push(token, &self.sources, self.sink);
    }

    fn event(&mut self, kind: EventKind, span: Span) {
        let at = self.lexer.len_settled();
        self.events.push(Event { at, kind, span });
    }

    fn stop(&mut self, span: Span, message: &str) {
        self.stopped = true;
        self.sink.error(Code::SourceTooLarge, span, message);
    }
}

fn reason(error: &LoadError) -> String {
    match error {
        LoadError::NotFound => "it does not exist".into(),
        LoadError::TooLarge => format!("it is larger than {MAX_FILE_BYTES} bytes"),
        LoadError::Other(text) => text.clone(),
    }
}
