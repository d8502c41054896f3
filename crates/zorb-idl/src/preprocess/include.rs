//! `#include`, and the files of imports.

use std::path::{Path, PathBuf};

use super::Preprocessor;
use super::preprocessor::reason;
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{PpKind, PpToken};
use crate::limits::{MAX_INCLUDE_DEPTH, MAX_INCLUDES};
use crate::source::{FileId, LoadError, Span};

/// Built-in files, which need not exist on disk.
pub(super) const BUILT_IN: [(&str, &str); 5] = [
    ("orb.idl", include_str!("orb.idl")),
    ("orb_repository.idl", include_str!("../../../../idl/InterfaceRepository.idl")),
    ("IOP.idl", include_str!("IOP.idl")),
    ("Components.idl", include_str!("Components.idl")),
    ("Messaging.idl", include_str!("Messaging.idl")),
];

impl Preprocessor<'_> {
    /// Processes `#include`, after its keyword.
    pub(super) fn include(&mut self, at: Span) {
        let Some(frame) = self.files.last_mut() else { return };
        let header = frame.scanner.header_name();
        let rest = self.line_tokens();
        let bare = bare_name(&rest);
        let header = header.or_else(|| self.header_from_macros(rest));
        let Some((name, quoted, span)) =
            header.filter(|(name, ..)| !name.is_empty()).or_else(|| self.without_quotes(at, bare))
        else {
            return;
        };
        let known = self.sources.files().count();
        let file = match self.find(&name, quoted, span) {
            Ok(file) => file,
            Err(diagnostic) => {
                self.sink.push(*diagnostic);
                return;
            }
        };
        let base = Path::new(&name).file_name().unwrap_or_default();
        let standard = BUILT_IN.iter().map(|(name, _)| *name).find(|name| base == *name);
        // A tree's own `orb.idl` may lack an include guard: a built-in file and the tree include it.
        let of_built_in = self.sources.file(at.file).is_built_in();
        if of_built_in && (file.0 as usize) < known {
            standard.into_iter().for_each(|name| self.enter_built_in(name));
            return;
        }
        if self.once.contains(&file)
            || self.finished.contains(&file)
            || self.refused.contains(&file)
        {
            return;
        }
        self.includes += 1;
        if self.includes > MAX_INCLUDES {
            self.sink.error(Code::IncludeTooDeep, span, "too many `#include`s");
            self.stopped = true;
            return;
        }
        if self.files.len() >= MAX_INCLUDE_DEPTH {
            let cycle = self.files.iter().any(|frame| frame.file == file);
            let message = if cycle {
                format!("`{name}` includes itself recursively")
            } else {
                format!("includes nest more than {MAX_INCLUDE_DEPTH} levels deep")
            };
            self.sink.push(
                Diagnostic::new(Code::IncludeTooDeep, span, message)
                    .hint("add `#pragma once` or an include guard to the file"),
            );
            self.refused.insert(file);
            return;
        }
        if of_built_in {
            self.finished.insert(file);
        }
        self.enter(file);
        standard.into_iter().for_each(|name| self.enter_built_in(name));
    }

    /// Reports a file name that is missing or has no quotes, and returns the latter.
    fn without_quotes(
        &mut self,
        at: Span,
        bare: Option<(String, Span)>,
    ) -> Option<(String, bool, Span)> {
        let Some((name, span)) = bare else {
            self.sink.push(
                Diagnostic::new(Code::BadDirective, at, "`#include` needs a file name")
                    .hint("write `#include \"file.idl\"` or `#include <file.idl>`"),
            );
            return None;
        };
        let message = format!("the file name `{name}` has no quotes");
        let diagnostic = Diagnostic::new(Code::BadDirective, at, message)
            .hint(format!("write `#include \"{name}\"`"));
        self.sink.push_tolerable(diagnostic);
        Some((name, true, span))
    }

    /// Reads a built-in file before the rest of the input, unless it was read. A tree with an `orb.idl`
    /// of its own, which may be empty, can refer to the definitions of both.
    pub(super) fn enter_built_in(&mut self, name: &str) {
        let path = PathBuf::from(format!("<built-in>/{name}"));
        if self.sources.by_path(&path).is_none()
            && let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name)
        {
            let file = self.sources.add(path, text.as_bytes().to_vec(), None, true);
            self.enter(file);
        }
    }

    /// Reads the file of a module when its first import ends with `token`: what follows in the input sees its names.
    pub(super) fn watch_imports(&mut self, token: &PpToken) {
        let Some(module) = self.imports.next(token) else { return };
        self.includes += 1;
        if self.includes > MAX_INCLUDES || self.files.len() >= MAX_INCLUDE_DEPTH {
            self.sink.error(
                Code::IncludeTooDeep,
                token.span,
                "too many files are imported, or their imports nest too deep",
            );
            self.stopped = true;
            return;
        }
        match &*module {
            "CORBA" => self.enter_imported("orb.idl", token.span),
            module => self.enter_imported(&format!("{module}.idl"), token.span),
        }
    }

    /// Reads a file that an import needs before the rest of the input, if it is on the include path or built in, and was
    /// not read. It need not be included again.
    pub(super) fn enter_imported(&mut self, name: &str, span: Span) {
        let read_before = self.sources.files().count();
        for path in self.options.include_paths.iter().map(|path| path.join(name)) {
            if self.sources.by_path(&path).is_some() {
                return;
            }
            if let Ok(file) = self.load(&path, Some(span)) {
                // What was read before need not be read again for the import.
                let open: Vec<_> = self.files.iter().map(|frame| frame.file).collect();
                let read = self.sources.files().map(|(file, _)| file);
                let closed = read.filter(|read| *read != file && !open.contains(read));
                self.finished.extend(closed);
                self.enter(file);
                if let Some(frame) = self.files.last_mut() {
                    frame.imported_after = Some(read_before);
                }
                self.once.insert(file);
                break;
            }
        }
        self.enter_built_in(name);
    }

    /// The file name when macros produce it.
    fn header_from_macros(&mut self, line: Vec<PpToken>) -> Option<(String, bool, Span)> {
        let line = self.expand_all(line, 0);
        let first = line.first()?;
        if first.kind == PpKind::Str {
            return Some((first.text.trim_matches('"').to_owned(), true, first.span));
        }
        let last = line.last()?;
        if line.len() < 3 || !first.is_punct("<") || !last.is_punct(">") {
            return None;
        }
        let mut name = String::new();
        for (index, token) in line.get(1..line.len() - 1)?.iter().enumerate() {
            if index > 0 && token.space_before {
                name.push(' ');
            }
            name.push_str(&token.text);
        }
        Some((name, false, first.span.to(last.span)))
    }

    /// Searches for a file and loads it, unless it is already loaded.
    fn find(&mut self, name: &str, quoted: bool, span: Span) -> Result<FileId, Box<Diagnostic>> {
        let mut candidates: Vec<PathBuf> = Vec::new();
        if Path::new(name).is_absolute() {
            candidates.push(name.into());
        } else {
            if quoted {
                let beside = self.sources.file(span.file).path().parent().unwrap_or(Path::new(""));
                candidates.push(beside.join(name));
            }
            candidates.extend(self.options.include_paths.iter().map(|path| path.join(name)));
        }
        for path in &candidates {
            if let Some(file) = self.sources.by_path(path) {
                return Ok(file);
            }
            match self.load(path, Some(span)) {
                Ok(file) => return Ok(file),
                Err(LoadError::NotFound) => {}
                Err(error) => {
                    let message = format!("cannot read `{}`: {}", path.display(), reason(&error));
                    return Err(Diagnostic::new(Code::FileUnreadable, span, message).into());
                }
            }
        }
        // IDL that was written for TAO names its folder.
        let base = name.strip_prefix("tao/").unwrap_or(name);
        if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == base) {
            let path = PathBuf::from(format!("<built-in>/{base}"));
            return Ok(self.sources.by_path(&path).unwrap_or_else(|| {
                self.sources.add(path, text.as_bytes().to_vec(), Some(span), true)
            }));
        }
        let tried: Vec<String> =
            candidates.iter().map(|path| format!("`{}`", path.display())).collect();
        let hint = if tried.is_empty() {
            "a name in `<...>` is searched only on the include path, which is empty".to_owned()
        } else {
            format!("tried {}", tried.join(", "))
        };
        let hint = format!("{hint}; `-I DIR`, or `include_path` in build.rs, adds a folder");
        let message = format!("`{name}` not found");
        Err(Diagnostic::new(Code::IncludeNotFound, span, message).hint(hint).into())
    }
}

/// The file name that a line consists of, without quotes.
fn bare_name(line: &[PpToken]) -> Option<(String, Span)> {
    let (first, rest) = line.split_first()?;
    let name: String = line.iter().map(|token| &*token.text).collect();
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_./-".contains(char);
    let is_name = name.chars().all(is_plain) && !rest.iter().any(|token| token.space_before);
    let last = rest.last().unwrap_or(first);
    is_name.then(|| (name, first.span.to(last.span)))
}
