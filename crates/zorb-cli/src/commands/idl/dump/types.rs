//! Types and constants as JSON.

use serde_json::{Value, json};
use zorb_idl::model::ConstValue;
use zorb_idl::{DefinitionKind, Type};

use super::Dump;
use super::object::Object;

impl Dump<'_> {
    /// A type: its kind, and the parameters of that kind.
    pub(super) fn ty(&self, ty: &Type) -> Value {
        let mut object = Object::default();
        match ty {
            Type::String { bound } => object.put("kind", "string").put("bound", *bound),
            Type::WString { bound } => object.put("kind", "wstring").put("bound", *bound),
            Type::Fixed { digits, scale } => {
                object.put("kind", "fixed").put("digits", *digits).put("scale", *scale)
            }
            Type::Sequence { element, bound } => {
                object.put("kind", "sequence").put("element", self.ty(element)).put("bound", *bound)
            }
            Type::Array { element, dims } => {
                let dims = dims.clone();
                object.put("kind", "array").put("element", self.ty(element)).put("dims", dims)
            }
            Type::Map { key, value, bound } => object
                .put("kind", "map")
                .put("key", self.ty(key))
                .put("value", self.ty(value))
                .put("bound", *bound),
            Type::Named(id) => {
                let definition = &self.compilation.model[*id];
                object.put("kind", Self::kind(&definition.kind)).put("name", self.name(*id))
            }
            Type::Error => object.put("kind", "error"),
            plain => object.put("kind", self.compilation.model.type_name(plain)),
        };
        object.take()
    }

    /// A constant: a JSON value, or an object with its kind if JSON has no such value.
    pub(super) fn value(&self, value: &ConstValue) -> Value {
        match value {
            ConstValue::Boolean(value) => json!(value),
            ConstValue::Integer(value) => match (u64::try_from(*value), i64::try_from(*value)) {
                (Ok(value), _) => json!(value),
                (_, Ok(value)) => json!(value),
                _ => json!(value.to_string()),
            },
            ConstValue::Float(value) => json!(value),
            ConstValue::Fixed(value) => json!({ "fixed": value.to_string() }),
            ConstValue::Char(value) => json!({ "char": value.to_string() }),
            ConstValue::WChar(unit) => json!({ "wchar": unit }),
            ConstValue::String(text) => json!(text),
            ConstValue::WString(units) => json!({ "wstring": units }),
            ConstValue::Enumerator { enumeration, .. } => {
                let name = self.compilation.model.enumerator_name(value);
                json!({ "enum": self.name(*enumeration), "enumerator": name })
            }
            ConstValue::Error => json!({ "error": true }),
        }
    }

    /// The kind of a definition: its IDL keyword, if that is a single word.
    pub(super) fn kind(item: &DefinitionKind) -> &'static str {
        match item {
            DefinitionKind::ValueBox(_) => "valuebox",
            DefinitionKind::TemplateModule(_) => "template_module",
            other => other.keyword(),
        }
    }
}
