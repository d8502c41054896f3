//! Scopes.

use std::collections::HashMap;
use std::rc::Rc;

use crate::model::DefId;
use crate::syntax::Ident;

/// The id of a [`Scope`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub(super) usize);

/// A scope. Keys are in lower case: names collide regardless of case.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// The definition that the scope belongs to; none for the global scope.
    pub(super) owner: Option<DefId>,
    pub(super) parent: Option<ScopeId>,
    /// Whether names used in this scope are introduced into it: true for modules, interfaces and
    /// the global scope.
    pub(super) introduces_names: bool,
    pub(super) names: HashMap<Rc<str>, Entry>,
    /// Names of outer scopes introduced here by their use.
    pub(super) introduced: HashMap<Rc<str>, Ident>,
    /// For an interface: all its ancestors.
    pub(super) ancestors: Vec<DefId>,
}

/// A name in a scope.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The name as spelled in its definition, with its span.
    pub(super) ident: Ident,
    pub(super) target: Target,
}

/// The symbol that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    Definition(DefId),
    Enumerator {
        enumeration: DefId,
        index: u32,
    },
    Bit {
        bitmask: DefId,
        index: u32,
    },
    /// An operation or attribute of this interface.
    Export(DefId),
    /// A member of this valuetype's state.
    State(DefId),
    /// An initializer of a valuetype.
    Initializer,
    /// A port of this component, connector or port type.
    Port(DefId),
    /// A parameter of a template module, by the index of its argument.
    Argument(usize),
    /// A member or parameter.
    Member,
    /// `CORBA::TypeCode`.
    TypeCode,
}

/// The kind of declaration, for the wording of a clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Definition,
    Member,
    Parameter,
    Export,
    Port,
}

pub(super) fn key(text: &str) -> Rc<str> {
    text.to_ascii_lowercase().into()
}
