//! Names in implied IDL, which others must not have.

use crate::lexer::Keyword;
use crate::model::{DefId, Definition, Model};

/// The name of what an interface implies, `kind`: `AMI_` is repeated until no other definition of the scope has it.
pub(super) fn implied(model: &Model, item: &Definition, kind: &str) -> String {
    let siblings = item.parent.map_or_else(|| model.roots().to_vec(), |id| model.children(id));
    let taken: Vec<&str> = siblings.iter().map(|id| model[*id].name.as_str()).collect();
    let candidates = (1..).map(|times| format!("{}{}{kind}", "AMI_".repeat(times), item.name));
    first_free(candidates, &taken)
}

/// The first of the candidates that is not taken. Identifiers that differ in case only are the same.
pub(super) fn first_free<T: AsRef<str>>(
    mut candidates: impl Iterator<Item = String>,
    taken: &[T],
) -> String {
    let is_free =
        |name: &String| !taken.iter().any(|other| other.as_ref().eq_ignore_ascii_case(name));
    candidates.find(is_free).unwrap_or_default()
}

/// An identifier as IDL has to write it.
pub(super) fn identifier(name: &str) -> String {
    match Keyword::from_text_any_case(name) {
        Some(_) => format!("_{name}"),
        None => name.to_owned(),
    }
}

/// The names of the scopes around a definition, and its own.
pub(super) fn path(model: &Model, id: DefId) -> Vec<String> {
    model[id].scoped_name.iter().map(|name| identifier(name)).collect()
}
