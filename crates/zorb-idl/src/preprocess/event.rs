//! Pragmas and the other events between tokens.

use std::rc::Rc;

use crate::source::Span;

/// An event between two tokens.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The index, in the token stream, of the token after it.
    pub(crate) at: usize,
    pub(crate) kind: EventKind,
    pub(crate) span: Span,
}

/// The kind of an event.
#[derive(Clone, Debug)]
pub(crate) enum EventKind {
    /// A file starts: its prefix is empty, unless it is included within a module or interface.
    EnterFile,
    /// A file ends: the prefix of the including file applies again.
    LeaveFile,
    /// `#pragma prefix "..."`
    Prefix(String),
    /// `#pragma ID name "..."`
    Id(PragmaName, String),
    /// `#pragma version name 1.2`
    Version(PragmaName, String),
}

/// The scoped name in a pragma.
#[derive(Clone, Debug)]
pub(crate) struct PragmaName {
    /// Whether it starts with `::`.
    pub(crate) absolute: bool,
    pub(crate) parts: Vec<Rc<str>>,
    pub(crate) span: Span,
}
