//! Converts JSON to values.

use std::sync::Arc;

use serde_json::Value;
use zorb_types::{Any, TypeCode, ValueTypes};

use super::encoder::build;
use super::{JsonError, Scope, TYPE, type_named};

/// The maximum depth of the search for type names.
const MAX_DEPTH: u16 = 512;

/// Converts JSON to a value of a type.
///
/// # Errors
/// The JSON is not such a value; the error contains the path of the part.
pub fn to_any(json: &Value, type_code: &TypeCode, scope: &dyn Scope) -> Result<Any, JsonError> {
    let mut types = ValueTypes::default();
    collect(json, scope, &mut types);
    let types = (!types.is_empty()).then(|| Arc::new(types));
    build(json, type_code, scope, types)
}

/// Finds the types that valuetypes in JSON name.
fn collect(json: &Value, scope: &dyn Scope, types: &mut ValueTypes) {
    let mut left = vec![(json, 0)];
    while let Some((json, depth)) = left.pop() {
        if depth >= MAX_DEPTH {
            continue;
        }
        match json {
            Value::Array(parts) => left.extend(parts.iter().map(|part| (part, depth + 1))),
            Value::Object(members) => {
                let named = members.get(TYPE).and_then(Value::as_str);
                if let Some(type_code) = named.and_then(|name| type_named(name, scope).ok()) {
                    types.add(&type_code);
                }
                left.extend(members.values().map(|part| (part, depth + 1)));
            }
            _ => {}
        }
    }
}
