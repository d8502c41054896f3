//! JSON objects without absent values.

use serde_json::{Map, Value};

/// A JSON object that omits absent values.
#[derive(Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    pub(super) fn put(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        let value = value.into();
        let idle = match &value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(list) => list.is_empty(),
            _ => false,
        };
        if !idle {
            self.0.insert(key.to_owned(), value);
        }
        self
    }

    /// Adds the value of a constant, which may be `FALSE`.
    pub(super) fn put_constant(&mut self, key: &str, value: Option<Value>) -> &mut Self {
        self.0.extend(value.map(|value| (key.to_owned(), value)));
        self
    }

    pub(super) fn take(&mut self) -> Value {
        Value::Object(std::mem::take(&mut self.0))
    }
}
