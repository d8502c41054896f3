//! Annotations and their declarations.

use super::{ConstValue, DefId, Type};
use crate::source::Span;

/// An applied annotation: `@range(min = 1, max = 6)`.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Its name without the `@`: as written, or the scoped name of its declaration.
    pub name: String,
    /// The `@annotation` that declares it; none for standard and unknown annotations.
    pub declaration: Option<DefId>,
    /// Whether it is a standard or declared annotation, so that its arguments are checked and
    /// complete.
    pub is_known: bool,
    /// The arguments by name, defaults included. A single unnamed argument is called `value`. For
    /// an unknown annotation: those arguments that are constants.
    pub arguments: Vec<(String, ConstValue)>,
    /// The span of its name.
    pub span: Span,
}

impl Annotation {
    /// The argument with this name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&ConstValue> {
        self.arguments.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }
}

/// Finds the annotation with this name in a list.
#[must_use]
pub fn find_annotation<'a>(list: &'a [Annotation], name: &str) -> Option<&'a Annotation> {
    list.iter().find(|item| item.name == name)
}

/// `@annotation name { ... };`
#[derive(Clone, Debug, Default)]
pub struct AnnotationType {
    /// Its members, which define its parameters.
    pub members: Vec<AnnotationMember>,
    /// Enums, constants and typedefs defined inside.
    pub children: Vec<DefId>,
}

/// A member of a declared annotation.
#[derive(Clone, Debug)]
pub struct AnnotationMember {
    /// Its name.
    pub name: String,
    /// Its type; [`Type::Any`] accepts any constant.
    pub ty: Type,
    /// Its default value; without one the argument is required.
    pub default: Option<ConstValue>,
    /// The span of its name.
    pub span: Span,
}
