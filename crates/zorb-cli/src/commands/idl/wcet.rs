//! `zorb idl wcet`: what marshalling the arguments and results of operations takes at most.
//!
//! The book specifies the JSON in the chapter on the IDL compiler.

use serde_json::{Map, Value, json};
use zorb_idl_rust::{MarshalBounds, OperationBounds, Unbounded};

/// What the bounds are of: a request, a reply, or a reply with an exception.
type Body<'b> = (&'b str, &'b Result<MarshalBounds, Unbounded>);

/// A table with a line for each request, reply and exception.
pub(super) fn table(operations: &[OperationBounds]) -> String {
    let width = operations.iter().flat_map(bodies).map(|(name, _)| name.len()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    let mut interface = None;
    for operation in operations {
        if interface != Some(&operation.interface) {
            interface = Some(&operation.interface);
            let name = &operation.interface;
            text += &format!("{name}\n{:width$}    {HEADS}\n", "", width = width + 2);
        }
        text += &format!("  {}\n", operation.operation);
        for (name, bounds) in bodies(operation) {
            text += &format!("    {name:width$}  {}\n", line(bounds));
        }
    }
    text
}

const HEADS: &str = "least octets  most octets    elements       steps";

fn line(bounds: &Result<MarshalBounds, Unbounded>) -> String {
    match bounds {
        Ok(bounds) => {
            let steps = bounds.steps.map_or_else(|| "-".to_owned(), |steps| steps.to_string());
            let MarshalBounds { least_octets, most_octets, elements, .. } = bounds;
            format!("{least_octets:>12} {most_octets:>12} {elements:>11} {steps:>11}")
        }
        Err(unbounded) => format!("unbounded: {unbounded}"),
    }
}

/// The bounds of the operations as JSON.
pub(super) fn json(operations: &[OperationBounds]) -> Value {
    operations.iter().map(operation_json).collect()
}

fn operation_json(operation: &OperationBounds) -> Value {
    let mut object = Map::new();
    object.insert("interface".into(), operation.interface.as_str().into());
    object.insert("operation".into(), operation.operation.as_str().into());
    object.insert("request".into(), body_json(&operation.request).into());
    if let Some(reply) = &operation.reply {
        object.insert("reply".into(), body_json(reply).into());
    }
    let exceptions = operation.exceptions.iter().map(|(name, bounds)| {
        let mut object = body_json(bounds);
        object.insert("name".into(), name.as_str().into());
        object
    });
    object.insert("exceptions".into(), exceptions.collect::<Vec<_>>().into());
    object.into()
}

fn body_json(bounds: &Result<MarshalBounds, Unbounded>) -> Map<String, Value> {
    let value = match bounds {
        Ok(bounds) => json!({
            "least_octets": bounds.least_octets,
            "most_octets": bounds.most_octets,
            "elements": bounds.elements,
            "steps": bounds.steps,
        }),
        Err(unbounded) => json!({ "unbounded": unbounded.to_string() }),
    };
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn bodies(operation: &OperationBounds) -> impl Iterator<Item = Body<'_>> {
    let reply = operation.reply.as_ref().map(|bounds| ("reply", bounds));
    let exceptions = operation.exceptions.iter();
    [("request", &operation.request)]
        .into_iter()
        .chain(reply)
        .chain(exceptions.map(|(name, bounds)| (name.as_str(), bounds)))
}
