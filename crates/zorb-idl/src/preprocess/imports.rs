//! Which modules are defined or imported so far.

use std::collections::HashSet;
use std::rc::Rc;

use super::{PpKind, PpToken};

/// The modules that were defined or imported so far.
#[derive(Debug, Default)]
pub(super) struct Imports {
    known: HashSet<Rc<str>>,
    depth: usize,
    at: At,
}

/// What the last tokens began.
#[derive(Debug, Default)]
enum At {
    #[default]
    Other,
    Module,
    Import,
    Imported(Rc<str>),
}

impl Imports {
    /// Takes notice of the next token. Returns the module whose import ends with it, the first time and unless the
    /// module is defined.
    pub(super) fn next(&mut self, token: &PpToken) -> Option<Rc<str>> {
        let is_ident = token.kind == PpKind::Ident;
        self.at = match std::mem::take(&mut self.at) {
            At::Module if is_ident => {
                self.known.insert(Rc::clone(&token.text));
                At::Other
            }
            At::Import if is_ident => At::Imported(Rc::clone(&token.text)),
            At::Import if token.is_punct("::") => At::Import,
            At::Imported(name) if token.is_punct(";") => {
                return self.known.insert(Rc::clone(&name)).then_some(name);
            }
            At::Imported(name) if is_ident || token.is_punct("::") => At::Imported(name),
            _ if token.is_ident("module") => At::Module,
            // The standard has imports at the start of a file only.
            _ if token.is_ident("import") && self.depth == 0 => At::Import,
            _ => At::Other,
        };
        match &*token.text {
            "{" => self.depth += 1,
            "}" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        None
    }
}
