//! Built-in files that the input needs without an `#include`.

use std::collections::HashSet;
use std::path::Path;

use super::Source;
use super::include::BUILT_IN;
use crate::lexer::{Keyword, Punct, Token, TokenKind};

/// The built-in file that components, homes and event types imply.
const COMPONENTS: &str = "Components.idl";

/// The built-in file that the use of the module `CORBA` implies.
const ORB: &str = "orb.idl";

/// The rest of the standard's `orb.idl`, which few files need: the interface repository.
const REPOSITORY: &str = "orb_repository.idl";

impl Source {
    /// The built-in files that the input needs and does not read.
    pub(crate) fn lacks(&self) -> Vec<&'static str> {
        let has_components = |token: &Token| {
            use Keyword::{Component, EventType, Home};
            matches!(token.kind, TokenKind::Keyword(Component | EventType | Home))
        };
        let is_read =
            |name: &str| self.sources.by_path(&Path::new("<built-in>").join(name)).is_some();
        let used = self.corba_names();
        let mut files = Vec::new();
        if !is_read(ORB) && !used.is_empty() {
            files.push(ORB);
        }
        if needs_repository(&used) {
            // It refers to the former.
            files = vec![ORB, REPOSITORY];
        }
        if !is_read(COMPONENTS) && self.tokens.iter().any(has_components) {
            files.push(COMPONENTS);
        }
        files
    }

    /// The names of the module `CORBA` that are used, besides the predefined `CORBA::TypeCode`. None if the input
    /// itself defines the module.
    fn corba_names(&self) -> HashSet<CorbaName<'_>> {
        let name = |index: usize| match self.tokens.get(index).map(|token| &token.kind) {
            Some(TokenKind::Ident(name)) => Some(&**name),
            _ => None,
        };
        let is_scope = |index: usize| {
            self.tokens.get(index).is_some_and(|it| it.kind == TokenKind::Punct(Punct::Scope))
        };
        let mut used = HashSet::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if name(index) != Some("CORBA") || self.sources.file(token.span.file).is_built_in() {
                continue;
            }
            if !is_scope(index + 1) {
                return HashSet::new();
            }
            if let Some(text) = name(index + 2).filter(|name| *name != "TypeCode") {
                used.insert(CorbaName { text, has_parts: is_scope(index + 3) });
            }
        }
        used
    }
}

/// A name of the module `CORBA` in the input.
#[derive(PartialEq, Eq, Hash)]
struct CorbaName<'a> {
    text: &'a str,
    /// Whether it is followed by `::`.
    has_parts: bool,
}

/// Whether only the interface repository has one of these names, or a part of one.
fn needs_repository(used: &HashSet<CorbaName<'_>>) -> bool {
    if used.is_empty() {
        return false;
    }
    let words = |file: &str| -> HashSet<&'static str> {
        let text = BUILT_IN.iter().find(|(name, _)| *name == file).map_or("", |(_, text)| text);
        text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').collect()
    };
    let (orb, repository) = (words(ORB), words(REPOSITORY));
    used.iter()
        .any(|name| repository.contains(name.text) && (name.has_parts || !orb.contains(name.text)))
}
