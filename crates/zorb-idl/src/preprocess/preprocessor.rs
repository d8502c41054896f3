//! Reads files and expansions, and emits tokens.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::frame::{FileFrame, TokenFrame};
use super::imports::Imports;
use super::macros::Macro;
use super::scan::Scanner;
use super::{Event, EventKind};
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::lexer::{Lexer, PpToken};
use crate::limits::{MAX_FILE_BYTES, MAX_TOKENS};
use crate::options::Options;
use crate::source::{FileId, FileLoader, LoadError, SourceMap, Span};

/// The state of the preprocessor.
#[derive(Debug)]
pub(super) struct Preprocessor<'a> {
    pub(super) options: &'a Options,
    pub(super) loader: &'a dyn FileLoader,
    pub(super) sink: &'a mut Sink,
    pub(super) sources: SourceMap,
    pub(super) lexer: Lexer,
    pub(super) events: Vec<Event>,
    pub(super) macros: HashMap<Rc<str>, Rc<Macro>>,
    /// The include stack; the file being read is on top.
    pub(super) files: Vec<FileFrame>,
    /// Macro expansions still to be read; the innermost is last.
    pub(super) frames: Vec<TokenFrame>,
    pub(super) dependencies: Vec<PathBuf>,
    /// Files with `#pragma once`.
    pub(super) once: HashSet<FileId>,
    /// Files read on behalf of an imported file, or of an earlier one that the caller named.
    pub(super) finished: HashSet<FileId>,
    pub(super) imports: Imports,
    /// Files that include themselves recursively.
    pub(super) refused: HashSet<FileId>,
    pub(super) includes: usize,
    pub(super) bytes_left: usize,
    pub(super) expansion_left: usize,
    pub(super) pasted_left: usize,
    /// Whether a limit was exceeded and reading stops.
    pub(super) stopped: bool,
}

impl Preprocessor<'_> {
    pub(super) fn main_file(&mut self, path: &Path) -> Option<FileId> {
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
    pub(super) fn load(
        &mut self,
        path: &Path,
        included_at: Option<Span>,
    ) -> Result<FileId, LoadError> {
        let bytes = self.loader.load(path)?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(LoadError::TooLarge);
        }
        if matches!(bytes.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Err(LoadError::Utf16);
        }
        self.dependencies.push(path.to_owned());
        Ok(self.sources.add(path.to_owned(), bytes, included_at, false))
    }

    /// Starts reading a file.
    pub(super) fn enter(&mut self, file: FileId) {
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
        let conditionals = Vec::new();
        self.files.push(FileFrame {
            file,
            scanner,
            peeked: None,
            conditionals,
            imported_after: None,
        });
    }

    /// Reads all files to their end.
    pub(super) fn process(&mut self) {
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

    /// What has been read need not be included again by the next files that the caller names.
    pub(super) fn finish_read(&mut self) {
        self.finished.extend(self.sources.files().map(|(file, _)| file));
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

    pub(super) fn next_file_token(&mut self) -> Option<PpToken> {
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
            self.sink.push_tolerable(
                Diagnostic::new(
                    Code::UnterminatedConditional,
                    open.span,
                    "missing `#endif` of this conditional",
                )
                .hint("add `#endif` before the end of the file"),
            );
        }
        self.event(EventKind::LeaveFile, frame.scanner.here());
        if let Some(before) = frame.imported_after {
            self.finished.extend(self.sources.files().skip(before).map(|(file, _)| file));
        }
    }

    pub(super) fn emit(&mut self, token: &PpToken) {
        if self.lexer.len() >= MAX_TOKENS {
            self.stop(token.span, "this compilation has too many tokens");
            return;
        }
        self.lexer.push(token, &self.sources, self.sink);
        self.watch_imports(token);
    }

    pub(super) fn event(&mut self, kind: EventKind, span: Span) {
        let at = self.lexer.len_settled();
        self.events.push(Event { at, kind, span });
    }

    pub(super) fn stop(&mut self, span: Span, message: &str) {
        self.stopped = true;
        self.sink.error(Code::SourceTooLarge, span, message);
    }
}

/// Why a file could not be read.
pub(super) fn reason(error: &LoadError) -> String {
    match error {
        LoadError::NotFound => "it does not exist".into(),
        LoadError::TooLarge => format!("it is larger than {MAX_FILE_BYTES} bytes"),
        LoadError::Utf16 => "it is UTF-16 text: convert it to UTF-8".into(),
        LoadError::Other(text) => text.clone(),
    }
}
