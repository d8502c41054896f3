//! Annotations, and what they are declared as.

use super::{ConstValue, DefId, Type};
use crate::source::Span;

/// An annotation where it is used: `@range(min = 1, max = 6)`.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Its name, without the `@`: as written, or the scoped name of its declaration.
    pub name: String,
    /// The `@annotation` that declares it; none for a standard one and an unknown one.
    pub declaration: Option<DefId>,
    /// It is one of the standard's, or declared: its arguments are checked and complete.
    pub is_known: bool,
    /// The arguments by name, defaults included. A single argument without a name is called
    /// `value`. Of an unknown annotation: those that are constants.
    pub arguments: Vec<(String, ConstValue)>,
    /// Where its name stands.
    pub span: Span,
}

impl Annotation {
    /// The argument of this name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&ConstValue> {
        self.arguments.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }
}

/// The annotation of this name in a list.
#[must_use]
pub fn find_annotation<'a>(list: &'a [Annotation], name: &str) -> Option<&'a Annotation> {
    list.iter().find(|item| item.name == name)
}

/// `@annotation name { ... };`
#[derive(Clone, Debug, Default)]
pub struct AnnotationType {
    /// Its members, which arguments are given for.
    pub members: Vec<AnnotationMember>,
    /// Enums, constants and typedefs defined inside.
    pub children: Vec<DefId>,
}

/// A member of a declared annotation.
#[derive(Clone, Debug)]
pub struct AnnotationMember {
    /// Its name.
    pub name: String,
    /// Its type; [`Type::Any`] stands for any constant.
    pub ty: Type,
    /// Its value where no argument is given; without one an argument must be given.
    pub default: Option<ConstValue>,
    /// Where the name stands.
    pub span: Span,
}
