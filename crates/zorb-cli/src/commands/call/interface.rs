//! Selection of the operation.

use zorb::dynamic::Mode;
use zorb::dynamic::repository::{InterfaceDescription, OperationDescription, ParameterDescription};
use zorb::{TcKind, TypeCode};

use crate::failure::Failure;

/// Finds an operation of an interface by its name; the name of an attribute selects its getter.
pub(super) fn operation(
    interface: &InterfaceDescription,
    name: &str,
) -> Result<OperationDescription, Failure> {
    if let Some(operation) = interface.operation(name) {
        return Ok(operation);
    }
    if let Some(attribute) = interface.attributes.iter().find(|known| known.name == name) {
        return Ok(attribute.getter());
    }
    if let Some(attribute) =
        interface.attributes.iter().find(|known| name.strip_prefix("_set_") == Some(&known.name))
    {
        let failure = Failure::new(format!("the attribute {} is readonly", attribute.name));
        return Err(failure.into_usage());
    }
    let bare = name.strip_prefix("set_").or_else(|| name.strip_prefix("get_"));
    let hint = match interface.attributes.iter().find(|known| bare == Some(&known.name)) {
        Some(attribute) => format!("did you mean _{name}? {} is an attribute", attribute.name),
        None => format!("it has {}", known_names(interface)),
    };
    let failure =
        Failure::new(format!("{} has no operation or attribute {name:?}", interface.name));
    Err(failure.hint(hint).into_usage())
}

/// The names of the operations and attributes.
fn known_names(interface: &InterfaceDescription) -> String {
    let operations = interface.operations.iter().map(|operation| &*operation.name);
    let attributes = interface.attributes.iter().map(|attribute| &*attribute.name);
    operations.chain(attributes).collect::<Vec<_>>().join(", ")
}

/// The pseudo-operations of every object.
pub(super) fn pseudo_operation(name: &str) -> Option<OperationDescription> {
    let (result, parameters) = match name {
        "_is_a" => (TcKind::Boolean, vec![("id", TypeCode::string(0))]),
        "_non_existent" => (TcKind::Boolean, Vec::new()),
        "_repository_id" => (TcKind::String, Vec::new()),
        _ => return None,
    };
    let parameter = |(name, type_code): (&str, TypeCode)| ParameterDescription {
        name: name.to_owned(),
        mode: Mode::In,
        type_code,
    };
    Some(OperationDescription {
        name: name.to_owned(),
        result: TypeCode::plain(result),
        parameters: parameters.into_iter().map(parameter).collect(),
        ..OperationDescription::default()
    })
}
