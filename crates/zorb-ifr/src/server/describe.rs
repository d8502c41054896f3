//! Descriptions of definitions: the structs of the standard.

use zorb::dynamic::Mode;
use zorb::dynamic::repository::{
    AttributeDescription, Entry, EntryId, EntryKind, OperationDescription, ParameterDescription,
};
use zorb::{Any, SystemException, TypeCode};

use super::kind;
use super::view::View;
use crate::corba;
use corba::{
    AttributeMode, ExceptionDescription, OperationMode, ParameterMode, component_ir, contained,
};

/// A description whose first four members come from the definition.
macro_rules! described {
    ($view:expr, $entry:expr, $($part:ident)::+ { $($member:ident: $value:expr),* $(,)? }) => {
        $($part)::+ {
            name: $entry.name.clone(),
            id: $entry.id.clone(),
            defined_in: $view.container_id($entry),
            version: $entry.version.clone(),
            $($member: $value),*
        }
    };
}

mod components;
mod values;

pub(super) use values::ValueProperties;

impl View<'_> {
    /// The result of `describe` for a definition.
    pub(super) fn describe(
        &self,
        entry_id: EntryId,
    ) -> Result<contained::Description, SystemException> {
        let entry = &self.repository[entry_id];
        let value = match &entry.kind {
            EntryKind::Repository => Any::default(),
            EntryKind::Module => Any::new::<corba::ModuleDescription>(&described!(
                self,
                entry,
                corba::ModuleDescription {}
            ))?,
            EntryKind::Interface { bases, .. } => {
                Any::new::<corba::InterfaceDescription>(&described!(
                    self,
                    entry,
                    corba::InterfaceDescription { base_interfaces: bases.clone() }
                ))?
            }
            EntryKind::Value { .. } => {
                Any::new::<corba::ValueDescription>(&self.value_description(entry))?
            }
            EntryKind::Component { .. } => Any::new::<component_ir::ComponentDescription>(
                &self.component_description(entry_id).unwrap_or_default(),
            )?,
            EntryKind::Home { .. } => Any::new::<component_ir::HomeDescription>(
                &self.home_description(entry_id).unwrap_or_default(),
            )?,
            EntryKind::Port { kind, target } => self.port_description(entry, *kind, target)?,
            EntryKind::ValueMember { .. } => {
                Any::new::<corba::ValueMember>(&self.value_member(entry).unwrap_or_default())?
            }
            EntryKind::Type(type_code) => Any::new::<corba::TypeDescription>(&described!(
                self,
                entry,
                corba::TypeDescription { r#type: type_code.clone() }
            ))?,
            EntryKind::Exception(type_code) => {
                Any::new::<ExceptionDescription>(&self.exception(type_code))?
            }
            EntryKind::Constant(value) => Any::new::<corba::ConstantDescription>(&described!(
                self,
                entry,
                corba::ConstantDescription {
                    r#type: value.type_code().clone(),
                    value: value.clone(),
                }
            ))?,
            EntryKind::Operation(operation)
            | EntryKind::Factory(operation)
            | EntryKind::Finder(operation) => {
                Any::new::<corba::OperationDescription>(&self.operation(entry, operation))?
            }
            EntryKind::Attribute(attribute) => {
                Any::new::<corba::AttributeDescription>(&self.attribute(entry, attribute))?
            }
            _ => Any::default(),
        };
        Ok(contained::Description { kind: kind::of_entry(entry), value })
    }

    pub(super) fn exception(&self, type_code: &TypeCode) -> ExceptionDescription {
        let entry_id = self.repository.lookup_id(type_code.id());
        match entry_id.and_then(|entry_id| self.repository.get(entry_id)) {
            Some(entry) => {
                described!(self, entry, ExceptionDescription { r#type: type_code.clone() })
            }
            // The exception was skipped, but an operation raises it.
            None => ExceptionDescription {
                name: type_code.name().to_owned(),
                id: type_code.id().to_owned(),
                defined_in: String::new(),
                version: String::new(),
                r#type: type_code.clone(),
            },
        }
    }

    pub(super) fn exceptions(&self, types: &[TypeCode]) -> Vec<ExceptionDescription> {
        types.iter().map(|type_code| self.exception(type_code)).collect()
    }

    pub(super) fn operation(
        &self,
        entry: &Entry,
        operation: &OperationDescription,
    ) -> corba::OperationDescription {
        described!(
            self,
            entry,
            corba::OperationDescription {
                result: operation.result.clone(),
                mode: mode_of(operation),
                contexts: operation.contexts.clone(),
                parameters: self.parameters(&operation.parameters),
                exceptions: self.exceptions(&operation.exceptions),
            }
        )
    }

    pub(super) fn parameters(
        &self,
        parameters: &[ParameterDescription],
    ) -> Vec<corba::ParameterDescription> {
        let described = parameters.iter().map(|parameter| corba::ParameterDescription {
            name: parameter.name.clone(),
            r#type: parameter.type_code.clone(),
            type_def: self.type_def(&parameter.type_code),
            mode: match parameter.mode {
                Mode::In => ParameterMode::ParamIn,
                Mode::Out => ParameterMode::ParamOut,
                Mode::InOut => ParameterMode::ParamInout,
            },
        });
        described.collect()
    }

    pub(super) fn attribute(
        &self,
        entry: &Entry,
        attribute: &AttributeDescription,
    ) -> corba::AttributeDescription {
        described!(
            self,
            entry,
            corba::AttributeDescription {
                r#type: attribute.type_code.clone(),
                mode: access_of(attribute),
            }
        )
    }

    pub(super) fn ext_attribute(
        &self,
        entry: &Entry,
        attribute: &AttributeDescription,
    ) -> corba::ExtAttributeDescription {
        described!(
            self,
            entry,
            corba::ExtAttributeDescription {
                r#type: attribute.type_code.clone(),
                mode: access_of(attribute),
                get_exceptions: self.exceptions(&attribute.get_exceptions),
                put_exceptions: self.exceptions(&attribute.set_exceptions),
            }
        )
    }

    /// The members of a struct or exception.
    pub(super) fn members(&self, type_code: &TypeCode) -> Vec<corba::StructMember> {
        let member = |index| {
            let member = type_code.member_type(index).ok()?;
            Some(corba::StructMember {
                name: type_code.member_name(index).ok()?.to_owned(),
                type_def: self.type_def(&member),
                r#type: member,
            })
        };
        (0..type_code.member_count()).filter_map(member).collect()
    }

    /// The members of a union, one for each label.
    pub(super) fn cases(
        &self,
        union: &TypeCode,
    ) -> Result<Vec<corba::UnionMember>, SystemException> {
        let switch = union.discriminator_type()?;
        let default = union.default_index()?;
        let mut cases = Vec::new();
        for index in 0..union.member_count() {
            let label = match default == Some(index) {
                true => Any::new::<u8>(&0)?,
                false => {
                    let label = union.member_label(index)?;
                    Any::build(switch.clone(), |writer| switch.write_label(label, writer))?
                }
            };
            let member = union.member_type(index)?;
            cases.push(corba::UnionMember {
                name: union.member_name(index)?.to_owned(),
                label,
                type_def: self.type_def(&member),
                r#type: member,
            });
        }
        Ok(cases)
    }

    /// The definitions in an interface or valuetype and all its bases; those of bases come first.
    fn inherited(&self, entry_id: EntryId) -> impl Iterator<Item = &Entry> {
        let mut containers = self.repository.ancestors(entry_id);
        containers.push(entry_id);
        let items = containers.into_iter().flat_map(|each| &self.repository[each].contents);
        items.map(|item| &self.repository[*item])
    }

    fn operations(&self, entry_id: EntryId) -> Vec<corba::OperationDescription> {
        let each = |entry: &Entry| match &entry.kind {
            EntryKind::Operation(operation) => Some(self.operation(entry, operation)),
            _ => None,
        };
        self.inherited(entry_id).filter_map(each).collect()
    }

    fn attributes(&self, entry_id: EntryId) -> Vec<corba::AttributeDescription> {
        let each = |entry: &Entry| match &entry.kind {
            EntryKind::Attribute(attribute) => Some(self.attribute(entry, attribute)),
            _ => None,
        };
        self.inherited(entry_id).filter_map(each).collect()
    }

    fn ext_attributes(&self, entry_id: EntryId) -> Vec<corba::ExtAttributeDescription> {
        let each = |entry: &Entry| match &entry.kind {
            EntryKind::Attribute(attribute) => Some(self.ext_attribute(entry, attribute)),
            _ => None,
        };
        self.inherited(entry_id).filter_map(each).collect()
    }

    /// The full description of an interface; `None` for other definitions.
    pub(super) fn interface(
        &self,
        entry_id: EntryId,
    ) -> Option<corba::interface_def::FullInterfaceDescription> {
        let entry = &self.repository[entry_id];
        let (type_code, bases) = entry.interface()?;
        Some(described!(
            self,
            entry,
            corba::interface_def::FullInterfaceDescription {
                operations: self.operations(entry_id),
                attributes: self.attributes(entry_id),
                base_interfaces: bases.to_vec(),
                r#type: type_code.clone(),
            }
        ))
    }

    /// The full description of an interface, with the exceptions of attributes.
    pub(super) fn ext_interface(
        &self,
        entry_id: EntryId,
    ) -> Option<corba::interface_attr_extension::ExtFullInterfaceDescription> {
        let entry = &self.repository[entry_id];
        let (type_code, bases) = entry.interface()?;
        Some(described!(
            self,
            entry,
            corba::interface_attr_extension::ExtFullInterfaceDescription {
                operations: self.operations(entry_id),
                attributes: self.ext_attributes(entry_id),
                base_interfaces: bases.to_vec(),
                r#type: type_code.clone(),
            }
        ))
    }
}

pub(super) fn mode_of(operation: &OperationDescription) -> OperationMode {
    if operation.oneway { OperationMode::OpOneway } else { OperationMode::OpNormal }
}

pub(super) fn access_of(attribute: &AttributeDescription) -> AttributeMode {
    if attribute.readonly { AttributeMode::AttrReadonly } else { AttributeMode::AttrNormal }
}
