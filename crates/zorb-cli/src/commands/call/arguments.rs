//! Arguments from the command line or a file.

use std::io::Read;
use std::path::Path;

use serde_json::Value;
use zorb::dynamic::json::to_any;
use zorb::dynamic::repository::{OperationDescription, ParameterDescription};
use zorb::{Any, TcKind, TypeCode};

use super::signature::{of_operation, type_text};
use super::types::Types;
use crate::failure::Failure;
use crate::screen::{self, counted};

/// The maximum number of octets of an argument file.
const MAX_INPUT: u64 = 256 * 1024 * 1024;

fn sent(operation: &OperationDescription) -> impl Iterator<Item = &ParameterDescription> {
    operation.parameters.iter().filter(|parameter| parameter.mode.is_sent())
}

fn wrong_count(operation: &OperationDescription, given: usize, types: &Types) -> Failure {
    let wanted = counted(sent(operation).count(), "argument");
    let failure = Failure::new(format!("{} takes {wanted}, not {given}", operation.name));
    let hint = match operation.name.strip_prefix("_get_") {
        Some(attribute) => format!("_set_{attribute} sets the attribute"),
        None => of_operation(operation, types),
    };
    failure.hint(hint).into_usage()
}

/// Parses arguments of the command line.
pub(super) fn from_words(
    words: &[String],
    operation: &OperationDescription,
    types: &Types,
) -> Result<Vec<Any>, Failure> {
    if words.len() != sent(operation).count() {
        return Err(wrong_count(operation, words.len(), types));
    }
    let each = words.iter().zip(sent(operation));
    each.map(|(word, parameter)| value(&of_word(word, parameter, types)?, parameter, types))
        .collect()
}

/// Parses an argument: JSON, or plain text for types that are text in JSON.
fn of_word(word: &str, parameter: &ParameterDescription, types: &Types) -> Result<Value, Failure> {
    let resolved = parameter.type_code.resolved();
    let parsed: Result<Value, _> = serde_json::from_str(word);
    if is_text(&resolved) {
        let may_be_null = matches!(resolved.kind(), TcKind::ObjRef | TcKind::ValueBox);
        return Ok(match parsed {
            Ok(Value::String(text)) => Value::String(text),
            Ok(Value::Null) if may_be_null => Value::Null,
            Ok(json @ Value::Array(_)) if resolved.kind() == TcKind::Sequence => json,
            _ => Value::String(word.to_owned()),
        });
    }
    parsed.map_err(|error| {
        let wanted = type_text(&parameter.type_code, types);
        let failure =
            Failure::new(format!("{}: {word:?} is not valid JSON: {error}", parameter.name));
        failure.hint(format!("the parameter has type {wanted}")).into_usage()
    })
}

fn is_text(resolved: &TypeCode) -> bool {
    use TcKind::{Char, Enum, Fixed, ObjRef, Sequence, String, WChar, WString};
    match resolved.kind() {
        String | WString | Char | WChar | Enum | Fixed | ObjRef | TcKind::TypeCode => true,
        Sequence => {
            resolved.content_type().is_ok_and(|element| element.resolved().kind() == TcKind::Octet)
        }
        _ => false,
    }
}

/// Parses the arguments of a file: an array, or an object with the names of the parameters.
pub(super) fn from_file(
    file: &Path,
    operation: &OperationDescription,
    types: &Types,
) -> Result<Vec<Any>, Failure> {
    let name = file.display();
    let failed =
        |error: &dyn std::fmt::Display| Failure::new(format!("{name}: {error}")).into_usage();
    let mut text = String::new();
    let read = if screen::is_standard(file) {
        std::io::stdin().take(MAX_INPUT).read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MAX_INPUT).read_to_string(&mut text))
    };
    read.map_err(|error| failed(&error))?;
    let json: Value = serde_json::from_str(&text).map_err(|error| failed(&error))?;
    match json {
        Value::Array(values) => {
            if values.len() != sent(operation).count() {
                return Err(wrong_count(operation, values.len(), types));
            }
            let each = values.iter().zip(sent(operation));
            each.map(|(json, parameter)| value(json, parameter, types)).collect()
        }
        Value::Object(mut values) => {
            let mut arguments = Vec::new();
            for parameter in sent(operation) {
                let json = values.remove(&parameter.name).ok_or_else(|| {
                    let what = format!("missing argument {:?}", parameter.name);
                    failed(&what).hint(of_operation(operation, types))
                })?;
                arguments.push(value(&json, parameter, types)?);
            }
            match values.keys().next() {
                None => Ok(arguments),
                Some(name) => {
                    let what = format!("{} has no in parameter {name:?}", operation.name);
                    Err(failed(&what).hint(of_operation(operation, types)))
                }
            }
        }
        _ => Err(failed(
            &"expected an array of arguments, or an object with the names of the parameters",
        )),
    }
}

fn value(json: &Value, parameter: &ParameterDescription, types: &Types) -> Result<Any, Failure> {
    to_any(json, &parameter.type_code, types)
        .map_err(|error| Failure::new(error.to_string()).during(&parameter.name).into_usage())
}
