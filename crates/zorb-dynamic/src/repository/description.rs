//! Descriptions of interfaces, operations and attributes for callers.

use zorb_types::{TcKind, TypeCode};

use crate::Mode;

/// A full description of an interface: `CORBA::InterfaceDef::FullInterfaceDescription`.
#[derive(Clone, Debug, Default)]
pub struct InterfaceDescription {
    /// Its repository id.
    pub id: String,
    /// Its name, without its scope.
    pub name: String,
    /// The repository ids of its direct bases.
    pub bases: Vec<String>,
    /// Its operations, inherited ones included.
    pub operations: Vec<OperationDescription>,
    /// Its attributes, inherited ones included.
    pub attributes: Vec<AttributeDescription>,
}

/// An operation: `CORBA::OperationDescription`.
#[derive(Clone, Debug, Default)]
pub struct OperationDescription {
    /// Its name in requests.
    pub name: String,
    /// Its repository id.
    pub id: String,
    /// The repository id of the interface that declares it.
    pub defined_in: String,
    /// Whether it is `oneway`.
    pub oneway: bool,
    /// The type of its result, `void` for none.
    pub result: TypeCode,
    /// Its parameters.
    pub parameters: Vec<ParameterDescription>,
    /// The user exceptions that it may raise.
    pub exceptions: Vec<TypeCode>,
    /// The names in its `context` clause.
    pub contexts: Vec<String>,
}

/// A parameter: `CORBA::ParameterDescription`.
#[derive(Clone, Debug)]
pub struct ParameterDescription {
    /// Its name.
    pub name: String,
    /// Its direction.
    pub mode: Mode,
    /// Its type.
    pub type_code: TypeCode,
}

/// An attribute: `CORBA::ExtAttributeDescription`.
#[derive(Clone, Debug, Default)]
pub struct AttributeDescription {
    /// Its name.
    pub name: String,
    /// Its repository id.
    pub id: String,
    /// The repository id of the interface that declares it.
    pub defined_in: String,
    /// Whether it cannot be set.
    pub readonly: bool,
    /// Its type.
    pub type_code: TypeCode,
    /// The user exceptions that reading it may raise.
    pub get_exceptions: Vec<TypeCode>,
    /// The user exceptions that setting it may raise.
    pub set_exceptions: Vec<TypeCode>,
}

/// An initializer of a valuetype: `CORBA::ExtInitializer`.
#[derive(Clone, Debug, Default)]
pub struct InitializerDescription {
    /// Its name.
    pub name: String,
    /// Its parameters, which are all `in`.
    pub parameters: Vec<ParameterDescription>,
    /// The user exceptions that it may raise.
    pub exceptions: Vec<TypeCode>,
}

impl AttributeDescription {
    /// The operation that reads it, `_get_name`.
    pub fn getter(&self) -> OperationDescription {
        OperationDescription {
            name: format!("_get_{}", self.name),
            id: self.id.clone(),
            defined_in: self.defined_in.clone(),
            result: self.type_code.clone(),
            exceptions: self.get_exceptions.clone(),
            ..OperationDescription::default()
        }
    }

    /// The operation that sets it, `_set_name`, unless it is readonly.
    pub fn setter(&self) -> Option<OperationDescription> {
        let value = ParameterDescription {
            name: self.name.clone(),
            mode: Mode::In,
            type_code: self.type_code.clone(),
        };
        (!self.readonly).then(|| OperationDescription {
            name: format!("_set_{}", self.name),
            id: self.id.clone(),
            defined_in: self.defined_in.clone(),
            result: TypeCode::plain(TcKind::Void),
            parameters: vec![value],
            exceptions: self.set_exceptions.clone(),
            ..OperationDescription::default()
        })
    }
}

impl InterfaceDescription {
    /// The operation with this name in requests, including those that read and set attributes.
    pub fn operation(&self, name: &str) -> Option<OperationDescription> {
        let declared = self.operations.iter().find(|operation| operation.name == name);
        let of_attribute = |prefix: &str| {
            let attribute = name.strip_prefix(prefix)?;
            self.attributes.iter().find(|known| known.name == attribute)
        };
        declared
            .cloned()
            .or_else(|| of_attribute("_get_").map(AttributeDescription::getter))
            .or_else(|| of_attribute("_set_").and_then(AttributeDescription::setter))
    }
}
