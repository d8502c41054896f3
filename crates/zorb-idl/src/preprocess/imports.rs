//! Which modules are defined or imported so far.

use crate::lexer::{PpKind, PpToken};
use std::collections::HashSet;
use std::rc::Rc;

/// The modules that were defined or imported so far. A module in another one has a different name.
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
    /// A module of the first name, or an instance of a template, which has the last one.
    Named {
        first: Rc<str>,
        last: Rc<str>,
    },
    Import,
    Imported(Rc<str>),
}

impl Imports {
    /// Takes notice of the next token. Returns the module whose import ends with it, the first time and unless the
    /// module is defined.
    pub(super) fn next(&mut self, token: &PpToken) -> Option<Rc<str>> {
        let mut imported = None;
        self.at = match (std::mem::take(&mut self.at), name(token)) {
            (At::Module, Some(first)) => At::Named { last: Rc::clone(&first), first },
            (At::Module, None) if token.is_punct("::") => At::Module,
            (At::Named { first, .. }, Some(last)) => At::Named { first, last },
            (At::Named { first, .. }, None) if token.is_punct("{") => {
                self.known.insert(first);
                At::Other
            }
            (At::Named { last, .. }, None) if token.is_punct(";") => {
                self.known.insert(last);
                At::Other
            }
            (at @ At::Named { .. }, None) => at,
            (At::Import, Some(name)) => At::Imported(name),
            (At::Import, None) if token.is_punct("::") => At::Import,
            (At::Imported(name), None) if token.is_punct(";") => {
                imported = self.known.insert(Rc::clone(&name)).then_some(name);
                At::Other
            }
            (At::Imported(name), Some(_)) => At::Imported(name),
            (At::Imported(name), None) if token.is_punct("::") => At::Imported(name),
            // The standard has imports at the start of a file only.
            _ if token.is_ident("module") && self.depth == 0 => At::Module,
            _ if token.is_ident("import") && self.depth == 0 => At::Import,
            _ => At::Other,
        };
        match &*token.text {
            "{" => self.depth += 1,
            "}" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        imported
    }
}

/// The name that an identifier is, without the underscore that escapes a keyword.
fn name(token: &PpToken) -> Option<Rc<str>> {
    let is_ident = token.kind == PpKind::Ident;
    is_ident.then(|| match token.text.strip_prefix('_') {
        Some(escaped) if !escaped.is_empty() => escaped.into(),
        _ => Rc::clone(&token.text),
    })
}
