//! Names, and the comments of definitions.

use std::rc::Rc;

use crate::source::Span;

/// An identifier in a definition.
#[derive(Clone, Debug)]
pub(crate) struct Ident {
    /// The name without the escaping underscore.
    pub(crate) text: Rc<str>,
    pub(crate) span: Span,
}

/// A reference to a name: `::A::B`.
#[derive(Clone, Debug)]
pub(crate) struct ScopedName {
    pub(crate) absolute: bool,
    pub(crate) parts: Vec<Ident>,
    pub(crate) span: Span,
}

/// The comment directly above or before a definition.
pub(crate) type Docs = Option<Rc<str>>;
