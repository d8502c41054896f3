//! Rust types for IDL types: value types, parameter types and `Wire` types.

mod constants;

use zorb_idl::{DefId, DefinitionKind, Type};

pub(crate) use self::constants::has_lone_surrogate;
use crate::names::{Module, Names};

/// How a parameter is converted between the signature of a method and the codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passing {
    /// A small value, by value.
    Value,
    /// A reference to the decoded value.
    Borrow,
    /// A slice decoded as a slice.
    Octets,
    /// An object reference or a valuetype, `Option<&T>`.
    Reference,
}

/// The Rust type of a basic type that is the same in both ORBs; `None` for others.
pub(crate) const fn primitive(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Boolean => "bool",
        Type::Octet | Type::UInt8 => "u8",
        Type::Int8 => "i8",
        Type::Char => "char",
        Type::Short => "i16",
        Type::UShort => "u16",
        Type::Long => "i32",
        Type::ULong => "u32",
        Type::LongLong => "i64",
        Type::ULongLong => "u64",
        Type::Float => "f32",
        Type::Double => "f64",
        _ => return None,
    })
}

/// Renders types as seen from one module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Types<'a, 'm> {
    pub(crate) names: &'a Names<'m>,
    pub(crate) runtime: &'a str,
    pub(crate) module: Module,
}

impl Types<'_, '_> {
    /// A name of the standard prelude, as a full path where the module shadows it.
    pub(crate) fn prelude(&self, name: &'static str) -> String {
        if !self.names.hides(self.module, name) {
            return name.to_owned();
        }
        let home = match name {
            "String" => "::std::string",
            "Vec" => "::std::vec",
            "Option" => "::core::option",
            "Send" | "Sync" | "Sized" => "::core::marker",
            _ => return name.to_owned(),
        };
        format!("{home}::{name}")
    }

    /// A path into the runtime's `codegen` module.
    pub(crate) fn codegen(&self, name: &str) -> String {
        format!("{}::codegen::{name}", self.runtime)
    }

    fn path(&self, id: DefId) -> String {
        self.names.path(id, self.module)
    }

    /// The type of a value.
    pub(crate) fn value(&self, ty: &Type) -> String {
        if let Type::Named(id) = ty {
            let path = self.path(*id);
            return match self.handle(ty, path.clone()) {
                Some(handle) => self.optional(&handle),
                None if self.is_local(ty) => self.optional(&self.shared(*id)),
                None => path,
            };
        }
        self.value_of_plain(ty)
    }

    /// The aliased type of a typedef: like a value, but an interface is not made optional.
    pub(crate) fn alias(&self, ty: &Type) -> String {
        match self.handle(ty, String::new()) {
            Some(_) => match ty {
                Type::Named(id) => self.path(*id),
                Type::ValueBase => format!("{}::ValueBase", self.runtime),
                _ => format!("{}::ObjectRef", self.runtime),
            },
            None => match ty {
                Type::Named(id) if self.is_local(ty) => self.object(*id),
                _ => self.value(ty),
            },
        }
    }

    /// Whether it is a local interface.
    fn is_local(&self, ty: &Type) -> bool {
        match self.names.model.resolve(ty) {
            Type::Named(id) => self.names.model.interface(*id).is_some_and(|item| item.is_local),
            _ => false,
        }
    }

    /// The trait object of a local interface, or of a typedef of one.
    fn object(&self, id: DefId) -> String {
        let path = self.path(id);
        let is_alias = matches!(self.names.model[id].kind, DefinitionKind::Typedef(_));
        if is_alias { path } else { format!("dyn {path}") }
    }

    fn shared(&self, id: DefId) -> String {
        format!("::std::sync::Arc<{}>", self.object(id))
    }

    fn value_of_plain(&self, ty: &Type) -> String {
        if let Some(primitive) = primitive(ty) {
            return primitive.into();
        }
        match ty {
            Type::WChar => "char".into(),
            Type::LongDouble => self.codegen("LongDouble"),
            Type::Fixed { digits, scale } => self.codegen(&format!("Fixed<{digits}, {scale}>")),
            Type::Any => self.codegen("Any"),
            Type::TypeCode => self.codegen("TypeCode"),
            Type::Map { key, value, .. } => map(&self.value(key), &self.value(value)),
            Type::ValueBase | Type::Object => {
                self.optional(&self.handle(ty, String::new()).unwrap_or_default())
            }
            Type::String { .. } | Type::WString { .. } => self.prelude("String"),
            Type::Sequence { element, .. } => {
                format!("{}<{}>", self.prelude("Vec"), self.value(element))
            }
            Type::Array { element, dims } => array(self.value(element), dims),
            Type::Named(_) => self.value(ty),
            _ => "()".into(),
        }
    }

    fn optional(&self, inner: &str) -> String {
        format!("{}<{inner}>", self.prelude("Option"))
    }

    /// The Rust type of the object that a reference type refers to.
    fn reference(&self, ty: &Type) -> Option<String> {
        match self.names.model.resolve(ty) {
            Type::Object => Some(format!("{}::ObjectRef", self.runtime)),
            Type::Named(id) => match self.names.model[*id].kind {
                DefinitionKind::Interface(ref item) if !item.is_local && !item.is_abstract => {
                    Some(self.path(*id))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The handle type of a valuetype or abstract interface, from the path to its IDL type.
    fn by_value(&self, ty: &Type, path: String) -> Option<String> {
        let runtime = self.runtime;
        match self.names.model.resolve(ty) {
            Type::ValueBase => Some(format!("{runtime}::Value<{runtime}::ValueBase>")),
            Type::Named(id) => match self.names.model[*id].kind {
                DefinitionKind::Interface(ref item) if item.is_abstract => {
                    Some(format!("{runtime}::Abstract<{path}>"))
                }
                DefinitionKind::Value(_) | DefinitionKind::ValueBox(_) => {
                    Some(format!("{runtime}::Value<{path}>"))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The type of a value that may be null or nil, without the `Option`, from the path to its IDL
    /// type.
    fn handle(&self, ty: &Type, path: String) -> Option<String> {
        match self.names.model.resolve(ty) {
            Type::Object => Some(format!("{}::ObjectRef", self.runtime)),
            Type::Named(_) if self.reference(ty).is_some() => Some(path),
            _ => self.by_value(ty, path),
        }
    }

    /// The path to the IDL type of a handle, with typedefs resolved.
    fn resolved_path(&self, ty: &Type) -> String {
        match self.names.model.resolve(ty) {
            Type::Named(id) => self.path(*id),
            _ => String::new(),
        }
    }

    /// The type whose `Wire` implementation reads and writes values of `ty`.
    pub(crate) fn wire(&self, ty: &Type) -> String {
        self.wire_of(ty, false)
    }

    /// Like [`Types::wire`], for uses that need the TypeCode, which includes typedefs: it also
    /// implements `Typed`.
    pub(crate) fn typed(&self, ty: &Type) -> String {
        self.wire_of(ty, true)
    }

    fn wire_of(&self, ty: &Type, typed: bool) -> String {
        if typed
            && let Type::Named(id) = ty
            && let Some(alias) = self.names.alias_path(*id, self.module)
        {
            return alias;
        }
        if let Some(object) = self.reference(ty) {
            return self.codegen(&format!("Ref<{object}>"));
        }
        if let Some(handle) = self.by_value(ty, self.resolved_path(ty)) {
            return handle;
        }
        let ty = self.names.model.resolve(ty);
        match ty {
            Type::WChar => self.codegen("WChar"),
            Type::String { bound } => self.bounded(self.prelude("String"), *bound),
            Type::WString { bound } => self.bounded(self.codegen("WString"), *bound),
            Type::Sequence { element, bound } => {
                let is_octets = match typed {
                    true => **element == Type::Octet,
                    false => self.is_octet(element),
                };
                match is_octets {
                    true => self.bounded(self.codegen("Octets"), *bound),
                    false => self.sequence_of(&self.wire_of(element, typed), *bound),
                }
            }
            Type::Map { key, value, bound } => {
                self.bounded(map(&self.wire_of(key, typed), &self.wire_of(value, typed)), *bound)
            }
            Type::Array { element, dims } => array(self.wire_of(element, typed), dims),
            Type::Named(id) => self.path(*id),
            plain => self.value_of_plain(plain),
        }
    }

    /// The type that writes a reference or value parameter, `Option<&T>`.
    pub(crate) fn reference_argument(&self, ty: &Type) -> String {
        if let Some(handle) = self.by_value(ty, self.resolved_path(ty)) {
            return self.codegen(&format!("HandleArgument<{handle}>"));
        }
        let object = self.reference(ty).unwrap_or_default();
        self.codegen(&format!("RefArgument<{object}>"))
    }

    /// A sequence of these elements, which are not octets.
    pub(crate) fn sequence_of(&self, element: &str, bound: Option<u32>) -> String {
        self.bounded(format!("{}<{element}>", self.prelude("Vec")), bound)
    }

    fn bounded(&self, inner: String, bound: Option<u32>) -> String {
        match bound {
            Some(bound) => self.codegen(&format!("Bounded<{inner}, {bound}>")),
            None => inner,
        }
    }

    /// For a sequence of octets, its bound, if any; `None` for other types.
    pub(crate) fn octets(&self, ty: &Type) -> Option<Option<u32>> {
        match self.names.model.resolve(ty) {
            Type::Sequence { element, bound } if self.is_octet(element) => Some(*bound),
            _ => None,
        }
    }

    fn is_octet(&self, ty: &Type) -> bool {
        *self.names.model.resolve(ty) == Type::Octet
    }

    /// How a parameter of this type is passed.
    pub(crate) fn passing(&self, ty: &Type) -> Passing {
        if self.handle(ty, String::new()).is_some() {
            return Passing::Reference;
        }
        match self.names.model.resolve(ty) {
            Type::Sequence { element, .. } if self.is_octet(element) => Passing::Octets,
            Type::String { .. }
            | Type::WString { .. }
            | Type::Sequence { .. }
            | Type::Array { .. }
            | Type::Any
            | Type::TypeCode
            | Type::Map { .. } => Passing::Borrow,
            Type::Named(id) => match self.names.model[*id].kind {
                DefinitionKind::Enum(_) | DefinitionKind::Bitmask(_) => Passing::Value,
                _ => Passing::Borrow,
            },
            _ => Passing::Value,
        }
    }

    /// The type of a parameter.
    pub(crate) fn parameter(&self, ty: &Type) -> String {
        match (self.passing(ty), self.names.model.resolve(ty)) {
            (Passing::Value, _) => self.value(ty),
            (Passing::Reference, _) => {
                let path = match ty {
                    Type::Named(id) => self.path(*id),
                    _ => String::new(),
                };
                self.optional(&format!("&{}", self.handle(ty, path).unwrap_or_default()))
            }
            (_, Type::Named(_)) if self.is_local(ty) => match ty {
                Type::Named(id) => self.optional(&format!("&{}", self.shared(*id))),
                _ => self.value(ty),
            },
            (_, Type::String { .. } | Type::WString { .. }) => "&str".into(),
            (_, Type::Sequence { element, .. }) => format!("&[{}]", self.value(element)),
            _ => format!("&{}", self.value(ty)),
        }
    }
}

pub(crate) fn array(element: String, dims: &[u32]) -> String {
    dims.iter().rev().fold(element, |inner, dim| format!("[{inner}; {dim}]"))
}

fn map(key: &str, value: &str) -> String {
    format!("::std::collections::BTreeMap<{key}, {value}>")
}
