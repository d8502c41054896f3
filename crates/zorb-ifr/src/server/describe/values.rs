//! Descriptions of valuetypes.

use zorb::dynamic::repository::{
    Entry, EntryId, EntryKind, InitializerDescription, ParameterDescription,
};
use zorb::{TypeCode, ValueModifier};

use super::super::view::View;
use crate::corba;

impl View<'_> {
    pub(super) fn value_description(&self, entry: &Entry) -> corba::ValueDescription {
        let EntryKind::Value { type_code, bases, supports, .. } = &entry.kind else {
            return corba::ValueDescription::default();
        };
        let value = ValueProperties::of(type_code, bases);
        described!(
            self,
            entry,
            corba::ValueDescription {
                is_abstract: value.is(ValueModifier::Abstract),
                is_custom: value.is(ValueModifier::Custom),
                supported_interfaces: supports.clone(),
                is_truncatable: value.is(ValueModifier::Truncatable),
                abstract_base_values: value.abstract_bases,
                base_value: value.base,
            }
        )
    }

    /// The full description of a valuetype; `None` for other definitions.
    pub(in crate::server) fn value(
        &self,
        entry_id: EntryId,
    ) -> Option<corba::value_def::FullValueDescription> {
        let entry = &self.repository[entry_id];
        let EntryKind::Value { type_code, bases, supports, initializers } = &entry.kind else {
            return None;
        };
        let value = ValueProperties::of(type_code, bases);
        Some(described!(
            self,
            entry,
            corba::value_def::FullValueDescription {
                is_abstract: value.is(ValueModifier::Abstract),
                is_custom: value.is(ValueModifier::Custom),
                operations: self.operations(entry_id),
                attributes: self.attributes(entry_id),
                members: self
                    .inherited(entry_id)
                    .filter_map(|each| self.value_member(each))
                    .collect(),
                initializers: self.initializers(initializers),
                supported_interfaces: supports.clone(),
                is_truncatable: value.is(ValueModifier::Truncatable),
                abstract_base_values: value.abstract_bases,
                base_value: value.base,
                r#type: type_code.clone(),
            }
        ))
    }

    /// The full description of a valuetype, with the exceptions of attributes and initializers.
    pub(in crate::server) fn ext_value(
        &self,
        entry_id: EntryId,
    ) -> Option<corba::ext_value_def::ExtFullValueDescription> {
        let full = self.value(entry_id)?;
        let EntryKind::Value { initializers, .. } = &self.repository[entry_id].kind else {
            return None;
        };
        Some(corba::ext_value_def::ExtFullValueDescription {
            name: full.name,
            id: full.id,
            is_abstract: full.is_abstract,
            is_custom: full.is_custom,
            defined_in: full.defined_in,
            version: full.version,
            operations: full.operations,
            attributes: self.ext_attributes(entry_id),
            members: full.members,
            initializers: self.ext_initializers(initializers),
            supported_interfaces: full.supported_interfaces,
            abstract_base_values: full.abstract_base_values,
            is_truncatable: full.is_truncatable,
            base_value: full.base_value,
            r#type: full.r#type,
        })
    }

    pub(super) fn value_member(&self, entry: &Entry) -> Option<corba::ValueMember> {
        let EntryKind::ValueMember { type_code, visibility } = &entry.kind else { return None };
        Some(described!(
            self,
            entry,
            corba::ValueMember {
                r#type: type_code.clone(),
                type_def: self.type_def(type_code),
                access: *visibility as i16,
            }
        ))
    }

    fn initializer_members(&self, initializer: &InitializerDescription) -> corba::StructMemberSeq {
        let member = |parameter: &ParameterDescription| corba::StructMember {
            name: parameter.name.clone(),
            r#type: parameter.type_code.clone(),
            type_def: self.type_def(&parameter.type_code),
        };
        initializer.parameters.iter().map(member).collect()
    }

    pub(in crate::server) fn initializers(
        &self,
        initializers: &[InitializerDescription],
    ) -> corba::InitializerSeq {
        let each = |initializer: &InitializerDescription| corba::Initializer {
            members: self.initializer_members(initializer),
            name: initializer.name.clone(),
        };
        initializers.iter().map(each).collect()
    }

    pub(in crate::server) fn ext_initializers(
        &self,
        initializers: &[InitializerDescription],
    ) -> corba::ExtInitializerSeq {
        let each = |initializer: &InitializerDescription| corba::ExtInitializer {
            members: self.initializer_members(initializer),
            exceptions: self.exceptions(&initializer.exceptions),
            name: initializer.name.clone(),
        };
        initializers.iter().map(each).collect()
    }
}

/// The properties of a valuetype, from its TypeCode and bases.
pub(in crate::server) struct ValueProperties {
    modifier: ValueModifier,
    /// The repository id of the concrete base; empty for none.
    pub(in crate::server) base: String,
    pub(in crate::server) abstract_bases: Vec<String>,
}

impl ValueProperties {
    pub(in crate::server) fn of(type_code: &TypeCode, bases: &[String]) -> Self {
        let base = type_code.concrete_base_type().unwrap_or_default();
        let is_abstract = |id: &&String| id.as_str() != base.id();
        Self {
            modifier: type_code.type_modifier().unwrap_or(ValueModifier::None),
            abstract_bases: bases.iter().filter(is_abstract).cloned().collect(),
            base: base.id().to_owned(),
        }
    }

    pub(in crate::server) fn is(&self, modifier: ValueModifier) -> bool {
        self.modifier == modifier
    }
}
