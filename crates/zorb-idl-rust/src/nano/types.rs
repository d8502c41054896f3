//! Rust types for IDL types, as seen from one module.

use zorb_idl::{DefId, DefinitionKind, Model, Type};

use crate::names::{Module, Names};
use crate::types::{array, primitive};

/// Renders types as seen from one module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NanoTypes<'a, 'm> {
    pub(crate) names: &'a Names<'m>,
    /// The path of the small ORB's crate.
    pub(crate) runtime: &'a str,
    pub(crate) module: Module,
}

/// How a parameter or result of a type is passed.
enum Form<'t> {
    /// A number, by value.
    Number,
    /// A value of another type that needs no memory, by reference.
    Plain,
    Text(Option<u32>),
    Octets(Option<u32>),
    Elements(&'t Type, Option<u32>),
    Object,
}

impl<'m> NanoTypes<'_, 'm> {
    fn form<'t>(&self, ty: &'t Type) -> Form<'t>
    where
        'm: 't,
    {
        let model: &'t Model = self.names.model;
        match model.resolve(ty) {
            Type::String { bound } => Form::Text(*bound),
            Type::Sequence { element, bound } if *model.resolve(element) == Type::Octet => {
                Form::Octets(*bound)
            }
            Type::Sequence { element, bound } => Form::Elements(element, *bound),
            Type::Array { .. } => Form::Plain,
            Type::Object => Form::Object,
            Type::Named(id) => match model[*id].kind {
                DefinitionKind::Interface(_) => Form::Object,
                DefinitionKind::Enum(_) => Form::Number,
                _ => Form::Plain,
            },
            _ => Form::Number,
        }
    }

    fn runtime(&self, name: &str) -> String {
        format!("{}::{name}", self.runtime)
    }

    fn path(&self, id: DefId) -> String {
        self.names.path(id, self.module)
    }

    /// The type of a value without memory of its own, such as a member's.
    pub(crate) fn stored(&self, ty: &Type) -> String {
        match self.form(ty) {
            Form::Object => format!("::core::option::Option<{}>", self.object(ty)),
            _ => self.alias(ty),
        }
    }

    /// The same, but an object reference is not optional: the aliased type of a typedef.
    pub(crate) fn alias(&self, ty: &Type) -> String {
        match ty {
            Type::Object => self.runtime("Reference"),
            Type::String { bound: Some(bound) } => self.runtime(&format!("BoundedText<{bound}>")),
            Type::Sequence { element, bound: Some(bound) } => {
                self.runtime(&format!("ArrayVec<{}, {bound}>", self.stored(element)))
            }
            Type::Array { element, dims } => array(self.stored(element), dims),
            Type::Named(id) => self.path(*id),
            // Others are reported before: see `unsupported`.
            _ => primitive(ty).unwrap_or("()").into(),
        }
    }

    /// The Rust type of the object that a reference type refers to.
    fn object(&self, ty: &Type) -> String {
        self.alias(ty)
    }

    /// The type of a stub's parameter.
    pub(crate) fn parameter(&self, ty: &Type) -> String {
        match self.form(ty) {
            Form::Number => self.stored(ty),
            Form::Plain => format!("&{}", self.stored(ty)),
            Form::Text(_) => "&str".into(),
            Form::Octets(_) => "&[u8]".into(),
            Form::Elements(element, _) => format!("&[{}]", self.stored(element)),
            Form::Object => format!("::core::option::Option<&{}>", self.object(ty)),
        }
    }

    /// The type of a servant's parameter. What it borrows has the lifetime `life`.
    pub(crate) fn received(&self, ty: &Type, life: &str) -> String {
        match self.form(ty) {
            Form::Number => self.stored(ty),
            Form::Plain => format!("&{}", self.stored(ty)),
            Form::Object => format!("::core::option::Option<&{}>", self.object(ty)),
            _ => self.result(ty, life),
        }
    }

    /// The type of a stub's result. What it borrows has the lifetime `life`.
    pub(crate) fn result(&self, ty: &Type, life: &str) -> String {
        match self.form(ty) {
            Form::Number | Form::Plain | Form::Object => self.stored(ty),
            Form::Text(_) => self.runtime(&format!("Text<{life}>")),
            Form::Octets(_) => borrowed(life, "[u8]"),
            Form::Elements(element, _) => {
                self.runtime(&format!("Sequence<{life}, {}>", self.stored(element)))
            }
        }
    }

    /// The type of a servant's result. What it borrows has the lifetime `life`.
    pub(crate) fn returned(&self, ty: &Type, life: &str) -> String {
        match self.form(ty) {
            Form::Elements(element, _) => borrowed(life, &format!("[{}]", self.stored(element))),
            _ => self.result(ty, life),
        }
    }

    /// Whether a result is borrowed.
    pub(crate) fn is_borrowed(&self, ty: &Type) -> bool {
        matches!(self.form(ty), Form::Text(_) | Form::Octets(_) | Form::Elements(..))
    }

    /// What writes a stub's argument.
    pub(crate) fn write_argument(&self, name: &str, ty: &Type) -> String {
        match self.form(ty) {
            Form::Plain => format!("write_plain({name})"),
            Form::Object => format!("write_object({name})"),
            _ => self.write_result(name, ty),
        }
    }

    /// What writes a servant's result.
    pub(crate) fn write_result(&self, name: &str, ty: &Type) -> String {
        match self.form(ty) {
            Form::Number | Form::Plain => format!("write_plain(&{name})"),
            Form::Text(bound) => format!("write_text({name}, {})", self.bound(bound)),
            Form::Octets(bound) => format!("write_bounded_octets({name}, {})", self.bound(bound)),
            Form::Elements(_, bound) => format!("write_elements({name}, {})", self.bound(bound)),
            Form::Object => format!("write_object({name}.as_ref())"),
        }
    }

    /// What reads an argument or a result.
    pub(crate) fn read(&self, ty: &Type) -> String {
        match self.form(ty) {
            Form::Number | Form::Plain => format!("read_plain::<{}>()", self.stored(ty)),
            Form::Text(bound) => format!("read_text({})", self.bound(bound)),
            Form::Octets(bound) => format!("read_octets({})", self.bound(bound)),
            Form::Elements(element, bound) => {
                format!("read_sequence::<{}>({})", self.stored(element), self.bound(bound))
            }
            Form::Object => format!("read_object::<{}>()", self.object(ty)),
        }
    }

    /// How an argument that has been read is passed to the servant.
    pub(crate) fn pass(&self, name: &str, ty: &Type) -> String {
        match self.form(ty) {
            Form::Plain => format!("&{name}"),
            Form::Object => format!("{name}.as_ref()"),
            _ => name.to_owned(),
        }
    }

    fn bound(&self, bound: Option<u32>) -> String {
        bound.map_or_else(|| self.runtime("UNBOUNDED"), |bound| bound.to_string())
    }
}

fn borrowed(life: &str, what: &str) -> String {
    if life == "'_" { format!("&{what}") } else { format!("&{life} {what}") }
}

/// Whether values of a type need no memory besides their own: its strings and sequences have bounds.
pub(crate) fn is_stored(model: &Model, ty: &Type) -> bool {
    match model.resolve(ty) {
        Type::String { bound } => bound.is_some(),
        Type::Sequence { element, bound } => bound.is_some() && is_stored(model, element),
        Type::Array { element, .. } => is_stored(model, element),
        Type::Named(id) => matches!(
            model[*id].kind,
            DefinitionKind::Struct(_) | DefinitionKind::Enum(_) | DefinitionKind::Interface(_)
        ),
        Type::Boolean | Type::Char | Type::Float | Type::Double | Type::Object => true,
        other => other.is_integer(),
    }
}
