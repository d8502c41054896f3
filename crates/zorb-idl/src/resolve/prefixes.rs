//! The prefixes, ids and versions in effect.

use std::collections::HashMap;
use std::rc::Rc;

use crate::model::DefId;
use crate::source::Span;
use crate::syntax::Ident;

/// The state of repository id processing.
#[derive(Debug, Default)]
pub(super) struct Ids {
    pub(super) prefix: Rc<str>,
    /// The prefixes to restore at the end of the open scopes.
    pub(super) scopes: Vec<Rc<str>>,
    /// The prefixes to restore at the end of the open files.
    pub(super) files: Vec<Rc<str>>,
    /// The prefix in effect at each definition, by index.
    pub(super) prefixes: Vec<Rc<str>>,
    /// Ids set explicitly.
    pub(super) explicit: HashMap<DefId, (Rc<str>, Span)>,
    pub(super) versions: HashMap<DefId, (Rc<str>, Span)>,
    /// Definitions whose declarations have different prefixes, unless a `typeprefix` applies to both: the spans of the
    /// earlier and the later one.
    pub(super) mismatches: Vec<(DefId, Span, Span)>,
    /// Prefixes set with `typeprefix` before their modules begin.
    pub(super) early: HashMap<Rc<str>, Vec<Early>>,
    /// Prefixes set with `typeprefix`.
    pub(super) type_prefixes: HashMap<DefId, (Rc<str>, Span)>,
}

/// A `typeprefix` of what is not defined yet.
#[derive(Debug)]
pub(super) struct Early {
    pub(super) name: Ident,
    pub(super) prefix: Rc<str>,
    pub(super) span: Span,
}

impl Ids {
    pub(super) fn enter_scope(&mut self) {
        self.scopes.push(Rc::clone(&self.prefix));
    }

    pub(super) fn leave_scope(&mut self) {
        if let Some(prefix) = self.scopes.pop() {
            self.prefix = prefix;
        }
    }

    /// Records the prefix of the next definition.
    pub(super) fn defined(&mut self, id: DefId) {
        debug_assert_eq!(id.index(), self.prefixes.len());
        self.prefixes.push(Rc::clone(&self.prefix));
    }
}
