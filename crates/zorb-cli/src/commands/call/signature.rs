//! Operations in IDL syntax.

use std::fmt::Write;

use zorb::dynamic::repository::{AttributeDescription, InterfaceDescription, OperationDescription};
use zorb::{Interface, ObjectRef, TcKind, TypeCode};

use super::types::Types;
use crate::screen::{FAINT, HEADING, paint, visible};

/// All operations and attributes of an interface, one per line.
pub(super) fn listing(interface: &InterfaceDescription, types: &Types) -> String {
    let name = paint(HEADING, &format!("interface {}", visible(&interface.name)));
    let mut text = format!("{name}  {}\n", paint(FAINT, &visible(&interface.id)));
    for attribute in &interface.attributes {
        let _ = writeln!(text, "  {}", visible(&of_attribute(attribute, types)));
    }
    for operation in &interface.operations {
        let _ = writeln!(text, "  {}", visible(&of_operation(operation, types)));
    }
    if interface.attributes.is_empty() && interface.operations.is_empty() {
        text += "  no operations\n";
    }
    text
}

fn of_attribute(attribute: &AttributeDescription, types: &Types) -> String {
    let readonly = if attribute.readonly { "readonly " } else { "" };
    let mut text = format!(
        "{readonly}attribute {} {}",
        type_text(&attribute.type_code, types),
        attribute.name
    );
    let word = if attribute.readonly { "raises" } else { "getraises" };
    text += &exceptions(word, &attribute.get_exceptions, types);
    text += &exceptions("setraises", &attribute.set_exceptions, types);
    text
}

/// The operation in IDL syntax, without the semicolon.
pub(super) fn of_operation(operation: &OperationDescription, types: &Types) -> String {
    let oneway = if operation.oneway { "oneway " } else { "" };
    let parameters: Vec<_> = operation
        .parameters
        .iter()
        .map(|parameter| {
            let (mode, name) = (parameter.mode.idl_name(), &parameter.name);
            format!("{mode} {} {name}", type_text(&parameter.type_code, types))
        })
        .collect();
    let mut text = format!(
        "{oneway}{} {}({})",
        type_text(&operation.result, types),
        operation.name,
        parameters.join(", ")
    );
    text += &exceptions("raises", &operation.exceptions, types);
    if !operation.contexts.is_empty() {
        let _ = write!(text, " context ({:?})", operation.contexts.join("\", \""));
    }
    text
}

fn exceptions(word: &str, exceptions: &[TypeCode], types: &Types) -> String {
    if exceptions.is_empty() {
        return String::new();
    }
    let names: Vec<_> = exceptions.iter().map(|each| type_text(each, types)).collect();
    format!(" {word} ({})", names.join(", "))
}

/// A type by its shortest unambiguous name.
pub(super) fn type_text(type_code: &TypeCode, types: &Types) -> String {
    match type_code.kind() {
        TcKind::ObjRef if type_code.id() == ObjectRef::REPOSITORY_ID => "Object".to_owned(),
        TcKind::Sequence => {
            let element = type_text(&type_code.content_type().unwrap_or_default(), types);
            match type_code.length() {
                Ok(bound) if bound > 0 => format!("sequence<{element}, {bound}>"),
                _ => format!("sequence<{element}>"),
            }
        }
        kind if kind.has_id() => {
            types.scoped_name(type_code.id()).unwrap_or_else(|| scoped_name(type_code))
        }
        _ => zorb::dynamic::json::type_name(type_code),
    }
}

/// The scoped name in an IDL repository id, without its prefix.
fn scoped_name(type_code: &TypeCode) -> String {
    let path = type_code.id().strip_prefix("IDL:").and_then(|id| id.rsplit_once(':'));
    match path {
        Some((path, _)) => {
            // A prefix contains dots, which names cannot.
            let names: Vec<_> = path.split('/').filter(|part| !part.contains('.')).collect();
            names.join("::")
        }
        None => type_code.name().to_owned(),
    }
}
