//! The source texts of a compilation, and the lines and columns in them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{FileId, Span};

/// Every file a compilation read.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    by_path: HashMap<PathBuf, FileId>,
    expansions: HashMap<Span, Expansion>,
}

/// A file's text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    path: PathBuf,
    text: Arc<str>,
    /// Offsets of the first character of each line.
    line_starts: Vec<u32>,
    /// Where it was first included; none for a file that the caller named.
    included_at: Option<Span>,
    /// Whether it is part of the compiler, not of the file system.
    built_in: bool,
    /// The effect of a `#line` directive: from this offset on, lines count from here in a file of
    /// this name.
    line_marks: Vec<LineMark>,
}

#[derive(Clone, Debug)]
struct LineMark {
    offset: u32,
    /// The number of the line of `offset` according to the directive.
    line: u32,
    name: Option<String>,
}

/// A position as shown to users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file's path as given or found, or the name given by `#line`.
    pub path: String,
    /// The line, from 1, as set by `#line`.
    pub line: u32,
    /// The column, from 1, in characters; a tab is one.
    pub column: u32,
}

/// A macro expansion: where the tokens at a span come from.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The macro's name.
    pub name: String,
    /// Where it is defined.
    pub defined_at: Span,
}

impl SourceFile {
    /// The path as given or found.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The decoded text: UTF-8, or ISO Latin-1 when it is not valid UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// Where it was first included; none for a file that the caller named.
    #[must_use]
    pub const fn included_at(&self) -> Option<Span> {
        self.included_at
    }

    /// Whether the file is part of the compiler (such as `orb.idl`), not of the file system.
    #[must_use]
    pub const fn is_built_in(&self) -> bool {
        self.built_in
    }

    /// The index, from 0, of the line that contains `offset`.
    pub(crate) fn line_index(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The text of a line (index from 0), without its line ending.
    pub(crate) fn line_text(&self, index: usize) -> &str {
        let Some(&start) = self.line_starts.get(index) else { return "" };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |end| *end as usize);
        let line = self.text.get(start as usize..end).unwrap_or("");
        line.trim_end_matches(['\n', '\r'])
    }

    /// The column, from 0, in characters.
    pub(crate) fn column(&self, offset: u32) -> u32 {
        let start = self.line_starts.get(self.line_index(offset)).copied().unwrap_or(0);
        let before = self.text.get(start as usize..offset as usize).unwrap_or("");
        u32::try_from(before.chars().count()).unwrap_or(u32::MAX)
    }
}

impl SourceMap {
    /// All files, in the order they were first read.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        (0..).map(FileId).zip(&self.files)
    }

    /// The file with this id.
    ///
    /// # Panics
    /// When `file` belongs to another compilation and is out of range here.
    #[must_use]
    pub fn file(&self, file: FileId) -> &SourceFile {
        &self.files[file.0 as usize]
    }

    /// The text of a span.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The start of a span as a path, line and column.
    #[must_use]
    pub fn location(&self, span: Span) -> Location {
        let file = self.file(span.file);
        let index = file.line_index(span.start);
        let plain_line = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        let mark = file.line_marks.partition_point(|mark| mark.offset <= span.start);
        let mark = mark.checked_sub(1).and_then(|position| file.line_marks.get(position));
        let (path, line) = match mark {
            None => (None, plain_line),
            Some(mark) => {
                let mark_index = u32::try_from(file.line_index(mark.offset)).unwrap_or(u32::MAX);
                let passed = plain_line.saturating_sub(1).saturating_sub(mark_index);
                (mark.name.clone(), mark.line.saturating_add(passed))
            }
        };
        Location {
            path: path.unwrap_or_else(|| file.path.display().to_string()),
            line,
            column: file.column(span.start).saturating_add(1),
        }
    }

    /// The macro whose expansion starts exactly at this span, if any.
    #[must_use]
    pub fn expansion(&self, span: Span) -> Option<&Expansion> {
        self.expansions.get(&span)
    }

    pub(crate) fn add(
        &mut self,
        path: PathBuf,
        bytes: Vec<u8>,
        included_at: Option<Span>,
        built_in: bool,
    ) -> FileId {
        let text: Arc<str> = decode(bytes).into();
        let ends = text.match_indices('\n').map(|(at, _)| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.by_path.insert(super::loader::normalise(&path), id);
        self.files.push(SourceFile {
            path,
            text,
            line_starts,
            included_at,
            built_in,
            line_marks: Vec::new(),
        });
        id
    }

    pub(crate) fn by_path(&self, path: &Path) -> Option<FileId> {
        self.by_path.get(&super::loader::normalise(path)).copied()
    }

    pub(crate) fn record_expansion(&mut self, span: Span, name: &str, defined_at: Span) {
        self.expansions
            .entry(span)
            .or_insert_with(|| Expansion { name: name.to_owned(), defined_at });
    }

    /// Numbers the lines after the one that contains `offset` from `line` on.
    pub(crate) fn mark_line(&mut self, file: FileId, offset: u32, line: u32, name: Option<String>) {
        let Some(file) = self.files.get_mut(file.0 as usize) else { return };
        let next = file.line_index(offset) + 1;
        let Some(&offset) = file.line_starts.get(next) else { return };
        // A file without include guards may be read twice: its marks already exist.
        if file.line_marks.last().is_none_or(|last| last.offset < offset) {
            let inherited = file.line_marks.last().and_then(|mark| mark.name.clone());
            file.line_marks.push(LineMark { offset, line, name: name.or(inherited) });
        }
    }
}

/// IDL is ISO Latin-1 by the standard and UTF-8 in practice.
fn decode(bytes: Vec<u8>) -> String {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => error.as_bytes().iter().copied().map(char::from).collect(),
    };
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}
