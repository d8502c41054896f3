//! Queries of interface repositories, in the types of dynamic calls.

use zorb::dynamic::Mode;
use zorb::dynamic::repository::{
    AttributeDescription, InterfaceDescription, OperationDescription, ParameterDescription,
};
use zorb::{Interface, ObjectRef, SystemException, SystemExceptionKind, TypeCode};

use crate::corba;
use corba::{AttributeMode, ExcDescriptionSeq, OperationMode, ParameterMode};

/// The definition of an object's interface, as its server reports it (`_interface`); `None` if the
/// server has none.
///
/// # Errors
/// The system exception of the call: `INTF_REPOS` from a server without a repository.
#[doc(alias = "_get_interface")]
pub fn interface_of(object: &ObjectRef) -> Result<Option<corba::InterfaceDef>, SystemException> {
    object.invoke("_interface", |_| Ok(()), <zorb::Ref<corba::InterfaceDef> as zorb::Wire>::read)
}

/// The full description of an interface, including what it inherits.
///
/// # Errors
/// The system exception of a call.
pub fn describe(interface: &corba::InterfaceDef) -> Result<InterfaceDescription, SystemException> {
    let extension: corba::InterfaceAttrExtension = interface.as_object().unchecked_narrow();
    match extension.describe_ext_interface() {
        Ok(full) => Ok(InterfaceDescription {
            id: full.id,
            name: full.name,
            bases: full.base_interfaces,
            operations: full.operations.into_iter().map(operation).collect(),
            attributes: full.attributes.into_iter().map(attribute).collect(),
        }),
        // Repositories of CORBA 2 have no exceptions of attributes.
        Err(exception) if is_unknown_operation(&exception) => {
            let full = interface.describe_interface()?;
            Ok(InterfaceDescription {
                id: full.id,
                name: full.name,
                bases: full.base_interfaces,
                operations: full.operations.into_iter().map(operation).collect(),
                attributes: full.attributes.into_iter().map(plain_attribute).collect(),
            })
        }
        Err(exception) => Err(exception),
    }
}

fn is_unknown_operation(exception: &SystemException) -> bool {
    use SystemExceptionKind::{BadOperation, NoImplement};
    matches!(exception.kind, BadOperation | NoImplement)
}

fn exceptions(descriptions: ExcDescriptionSeq) -> Vec<TypeCode> {
    descriptions.into_iter().map(|description| description.r#type).collect()
}

fn operation(description: corba::OperationDescription) -> OperationDescription {
    OperationDescription {
        name: description.name,
        id: description.id,
        defined_in: description.defined_in,
        oneway: description.mode == OperationMode::OpOneway,
        result: description.result,
        parameters: description.parameters.into_iter().map(parameter).collect(),
        exceptions: exceptions(description.exceptions),
        contexts: description.contexts,
    }
}

fn parameter(description: corba::ParameterDescription) -> ParameterDescription {
    ParameterDescription {
        name: description.name,
        mode: match description.mode {
            ParameterMode::ParamIn => Mode::In,
            ParameterMode::ParamOut => Mode::Out,
            ParameterMode::ParamInout => Mode::InOut,
        },
        type_code: description.r#type,
    }
}

fn attribute(description: corba::ExtAttributeDescription) -> AttributeDescription {
    AttributeDescription {
        name: description.name,
        id: description.id,
        defined_in: description.defined_in,
        readonly: description.mode == AttributeMode::AttrReadonly,
        type_code: description.r#type,
        get_exceptions: exceptions(description.get_exceptions),
        set_exceptions: exceptions(description.put_exceptions),
    }
}

fn plain_attribute(description: corba::AttributeDescription) -> AttributeDescription {
    AttributeDescription {
        name: description.name,
        id: description.id,
        defined_in: description.defined_in,
        readonly: description.mode == AttributeMode::AttrReadonly,
        type_code: description.r#type,
        ..AttributeDescription::default()
    }
}
