//! IDL types as Rust text: what a program holds, what a parameter is, and the `Wire` type.

use zorb_idl::model::ConstValue;
use zorb_idl::{DefId, DefinitionKind, Type};

use crate::names::{Module, Names};

/// How a parameter travels between a method's signature and the codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passing {
    /// A small value.
    Value,
    /// A reference to what was decoded.
    Borrow,
    /// A slice that is decoded as a slice.
    Octets,
    /// An object reference, `Option<&T>`.
    Reference,
}

/// Renders types for the text of one module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Types<'a, 'm> {
    pub(crate) names: &'a Names<'m>,
    pub(crate) runtime: &'a str,
    pub(crate) module: Module,
}

impl Types<'_, '_> {
    /// A name of the standard prelude, spelled out where the module defines such a name itself.
    pub(crate) fn prelude(&self, name: &'static str) -> String {
        if !self.names.hides(self.module, name) {
            return name.to_owned();
        }
        let home = match name {
            "String" => "::std::string",
            "Vec" => "::std::vec",
            "Option" => "::core::option",
            "Send" | "Sync" => "::core::marker",
            _ => return name.to_owned(),
        };
        format!("{home}::{name}")
    }

    /// Something of the runtime's `codegen` module.
    pub(crate) fn codegen(&self, name: &str) -> String {
        format!("{}::codegen::{name}", self.runtime)
    }

    fn path(&self, id: DefId) -> String {
        self.names.path(id, self.module)
    }

    /// The type that a program holds.
    pub(crate) fn value(&self, ty: &Type) -> String {
        if let Type::Named(id) = ty {
            let path = self.path(*id);
            return if self.reference(ty).is_some() { self.optional(&path) } else { path };
        }
        self.value_of_plain(ty)
    }

    /// What a typedef stands for: like a value, but an interface stays itself.
    pub(crate) fn alias(&self, ty: &Type) -> String {
        match self.reference(ty) {
            Some(_) => match ty {
                Type::Named(id) => self.path(*id),
                _ => format!("{}::ObjectRef", self.runtime),
            },
            None => self.value(ty),
        }
    }

    fn value_of_plain(&self, ty: &Type) -> String {
        match ty {
            Type::Void | Type::Error => "()".into(),
            Type::Boolean => "bool".into(),
            Type::Octet => "u8".into(),
            Type::Char | Type::WChar => "char".into(),
            Type::Short => "i16".into(),
            Type::UShort => "u16".into(),
            Type::Long => "i32".into(),
            Type::ULong => "u32".into(),
            Type::LongLong => "i64".into(),
            Type::ULongLong => "u64".into(),
            Type::Float => "f32".into(),
            Type::Double => "f64".into(),
            Type::LongDouble => self.codegen("LongDouble"),
            Type::Fixed { digits, scale } => self.codegen(&format!("Fixed<{digits}, {scale}>")),
            Type::Any => self.codegen("Any"),
            // Refused before: see `unsupported`.
            Type::ValueBase | Type::TypeCode | Type::Int8 | Type::UInt8 | Type::Map { .. } => {
                "()".into()
            }
            Type::Object => self.optional(&format!("{}::ObjectRef", self.runtime)),
            Type::String { .. } | Type::WString { .. } => self.prelude("String"),
            Type::Sequence { element, .. } => {
                format!("{}<{}>", self.prelude("Vec"), self.value(element))
            }
            Type::Array { element, dims } => array(self.value(element), dims),
            Type::Named(_) => self.value(ty),
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
                DefinitionKind::Interface(_) => Some(self.path(*id)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type whose `Wire` reads and writes values of `ty`.
    pub(crate) fn wire(&self, ty: &Type) -> String {
        if let Some(object) = self.reference(ty) {
            return self.codegen(&format!("Ref<{object}>"));
        }
        let ty = self.names.model.resolve(ty);
        match ty {
            Type::WChar => self.codegen("WChar"),
            Type::String { bound } => self.bounded(self.prelude("String"), *bound),
            Type::WString { bound } => self.bounded(self.codegen("WString"), *bound),
            Type::Sequence { element, bound } => {
                let sequence = if self.is_octet(element) {
                    self.codegen("Octets")
                } else {
                    format!("{}<{}>", self.prelude("Vec"), self.wire(element))
                };
                self.bounded(sequence, *bound)
            }
            Type::Array { element, dims } => array(self.wire(element), dims),
            Type::Named(id) => self.path(*id),
            plain => self.value_of_plain(plain),
        }
    }

    /// The type that writes a reference parameter, an `Option<&T>`.
    pub(crate) fn reference_argument(&self, ty: &Type) -> String {
        let object = self.reference(ty).unwrap_or_default();
        self.codegen(&format!("RefArgument<{object}>"))
    }

    fn bounded(&self, inner: String, bound: Option<u32>) -> String {
        match bound {
            Some(bound) => self.codegen(&format!("Bounded<{inner}, {bound}>")),
            None => inner,
        }
    }

    fn is_octet(&self, ty: &Type) -> bool {
        *self.names.model.resolve(ty) == Type::Octet
    }

    /// How a parameter of this type is passed.
    pub(crate) fn passing(&self, ty: &Type) -> Passing {
        if self.reference(ty).is_some() {
            return Passing::Reference;
        }
        match self.names.model.resolve(ty) {
            Type::Sequence { element, .. } if self.is_octet(element) => Passing::Octets,
            Type::String { .. }
            | Type::WString { .. }
            | Type::Sequence { .. }
            | Type::Array { .. }
            | Type::Any
            | Type::Fixed { .. }
            | Type::LongDouble => Passing::Borrow,
            Type::Named(id) => match self.names.model[*id].kind {
                DefinitionKind::Enum(_) => Passing::Value,
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
                let object = match ty {
                    Type::Named(id) => self.path(*id),
                    _ => format!("{}::ObjectRef", self.runtime),
                };
                self.optional(&format!("&{object}"))
            }
            (_, Type::String { .. } | Type::WString { .. }) => "&str".into(),
            (_, Type::Sequence { element, .. }) => format!("&[{}]", self.value(element)),
            _ => format!("&{}", self.value(ty)),
        }
    }

    /// A constant's value or a union's label, as an expression that is also a pattern.
    pub(crate) fn constant(&self, value: &ConstValue) -> String {
        match value {
            ConstValue::Boolean(value) => value.to_string(),
            ConstValue::Integer(value) => value.to_string(),
            ConstValue::Float(value) => format!("{value:?}"),
            ConstValue::Char(value) => format!("{value:?}"),
            ConstValue::WChar(unit) => {
                format!(
                    "{:?}",
                    char::from_u32((*unit).into()).unwrap_or(char::REPLACEMENT_CHARACTER)
                )
            }
            ConstValue::String(value) => format!("{value:?}"),
            ConstValue::WString(units) => format!("{:?}", String::from_utf16_lossy(units)),
            ConstValue::Enumerator { enumeration, index } => {
                let variants = self.names.enumerators(*enumeration);
                let variant = variants.get(*index as usize).map_or("", String::as_str);
                format!("{}::{variant}", self.path(*enumeration))
            }
            // Refused before: see `unsupported`.
            ConstValue::Fixed(_) | ConstValue::Error => "()".into(),
        }
    }
}

fn array(element: String, dims: &[u32]) -> String {
    dims.iter().rev().fold(element, |inner, dim| format!("[{inner}; {dim}]"))
}

/// Whether a constant's text holds what UTF-16 can and Rust's `char` cannot.
pub(crate) fn has_lone_surrogate(value: &ConstValue) -> bool {
    match value {
        ConstValue::WChar(unit) => char::from_u32((*unit).into()).is_none(),
        ConstValue::WString(units) => String::from_utf16(units).is_err(),
        _ => false,
    }
}
