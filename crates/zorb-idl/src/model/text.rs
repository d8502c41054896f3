//! Types and values in IDL syntax.

use std::fmt::Write as _;

use super::{ConstValue, Model, Type};

impl Model {
    /// The type in IDL syntax, with full scoped names: `sequence<CosNaming::Binding>`.
    #[must_use]
    pub fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".into(),
            Type::Boolean => "boolean".into(),
            Type::Octet => "octet".into(),
            Type::Int8 => "int8".into(),
            Type::UInt8 => "uint8".into(),
            Type::Char => "char".into(),
            Type::WChar => "wchar".into(),
            Type::Short => "short".into(),
            Type::UShort => "unsigned short".into(),
            Type::Long => "long".into(),
            Type::ULong => "unsigned long".into(),
            Type::LongLong => "long long".into(),
            Type::ULongLong => "unsigned long long".into(),
            Type::Float => "float".into(),
            Type::Double => "double".into(),
            Type::LongDouble => "long double".into(),
            Type::Fixed { digits, scale } => format!("fixed<{digits}, {scale}>"),
            Type::Any => "any".into(),
            Type::Object => "Object".into(),
            Type::ValueBase => "ValueBase".into(),
            Type::TypeCode => "CORBA::TypeCode".into(),
            Type::String { bound } => format!("string{}", bound_text(*bound)),
            Type::WString { bound } => format!("wstring{}", bound_text(*bound)),
            Type::Sequence { element, bound } => match bound {
                Some(bound) => format!("sequence<{}, {bound}>", self.type_name(element)),
                None => format!("sequence<{}>", self.type_name(element)),
            },
            Type::Map { key, value, bound } => {
                let bound = bound.map(|bound| format!(", {bound}")).unwrap_or_default();
                format!("map<{}, {}{bound}>", self.type_name(key), self.type_name(value))
            }
            Type::Array { element, dims } => {
                let mut text = self.type_name(element);
                for dim in dims {
                    let _ = write!(text, "[{dim}]");
                }
                text
            }
            Type::Named(id) => self.scoped_name(*id),
            Type::Error => "<error>".into(),
        }
    }

    /// The value in IDL syntax.
    #[must_use]
    pub fn value_text(&self, value: &ConstValue) -> String {
        match value {
            ConstValue::Boolean(value) => if *value { "TRUE" } else { "FALSE" }.into(),
            ConstValue::Integer(value) => value.to_string(),
            ConstValue::Float(value) => format!("{value:?}"),
            ConstValue::Fixed(value) => format!("{value}d"),
            ConstValue::Char(value) => format!("{value:?}"),
            ConstValue::WChar(value) => format!("L'\\u{value:04x}'"),
            ConstValue::String(value) => format!("{value:?}"),
            ConstValue::WString(value) => format!("L{:?}", String::from_utf16_lossy(value)),
            ConstValue::Enumerator { .. } => self.enumerator_name(value).unwrap_or("?").into(),
            ConstValue::Error => "<error>".into(),
        }
    }
}

fn bound_text(bound: Option<u32>) -> String {
    bound.map(|bound| format!("<{bound}>")).unwrap_or_default()
}
