//! Setters of the attributes of definitions.

use std::sync::Arc;

use zorb::dynamic::repository::{
    AttributeDescription, EntryKind, OperationDescription, RenamedIds, Repository,
};
use zorb::{Any, TcKind, TypeCode, ValueModifier, Visibility, minor};
use zorb_core::{Served, ServerCall};

use super::super::call::{argument, bad_param, done};
use super::super::check;
use super::super::create::values::ValueHeader;
use super::super::create::{Created, Creation, check_oneway};
use super::super::shared::{Shared, entry_id_of};
use crate::corba::{
    AttributeMode, ExcDescriptionSeq, ExtInitializerSeq, InitializerSeq, OperationMode,
    ParDescriptionSeq,
};

/// Serves the setter of an attribute; `None` for attributes that a definition does not have.
pub(super) fn serve(
    shared: &Arc<Shared>,
    id: &str,
    attribute: &str,
    call: &mut ServerCall<'_>,
) -> Option<Served> {
    let set = shared.change(
        |definitions, renamed| set(shared, definitions, renamed, id, attribute, call),
        |_, _| Ok(()),
    );
    match set {
        Ok(true) => Some(done(call)),
        Ok(false) => None,
        Err(error) => Some(Err(error)),
    }
}

/// Sets an attribute; returns whether the definition has it.
fn set(
    shared: &Arc<Shared>,
    definitions: &mut Repository,
    renamed: &RenamedIds,
    id: &str,
    attribute: &str,
    call: &mut ServerCall<'_>,
) -> Created<bool> {
    let entry_id = entry_id_of(definitions, renamed, id)?;
    if entry_id == Repository::ROOT {
        return Ok(false);
    }
    let entry = &definitions[entry_id];
    let container = entry.container;
    match attribute {
        "name" => {
            let name = argument::<String>(call)?;
            check::name(definitions, container, &name, Some(entry_id))?;
            definitions.set_name(entry_id, &name)?;
            return Ok(true);
        }
        "version" => {
            definitions.set_version(entry_id, &argument::<String>(call)?);
            return Ok(true);
        }
        _ => {}
    }
    let setting = Creation {
        shared,
        repository: definitions,
        renamed,
        entry_id: container,
        id: &entry.id,
        name: &entry.name,
    };
    let Some(kind) = setting.with(&entry.kind, attribute, call)? else { return Ok(false) };
    definitions.set_kind(entry_id, kind)?;
    check::inheritance(definitions, entry_id)?;
    Ok(true)
}

impl Creation<'_> {
    /// A copy of a definition with another value of an attribute; `None` if it has no such
    /// attribute.
    fn with(
        &self,
        kind: &EntryKind,
        attribute: &str,
        call: &mut ServerCall<'_>,
    ) -> Created<Option<EntryKind>> {
        Ok(Some(match kind {
            EntryKind::Type(type_code) => match self.with_type(type_code, attribute, call)? {
                Some(type_code) => EntryKind::Type(type_code),
                None => return Ok(None),
            },
            EntryKind::Exception(_) if attribute == "members" => self.exception(call)?,
            EntryKind::Constant(value) => match attribute {
                "value" => self.constant(value.type_code().clone(), &argument::<Any>(call)?)?,
                "type_def" => self.constant(self.type_argument(call)?, value)?,
                _ => return Ok(None),
            },
            EntryKind::ValueMember { type_code, visibility } => match attribute {
                "type_def" => EntryKind::ValueMember {
                    type_code: self.type_argument(call)?,
                    visibility: *visibility,
                },
                "access" => EntryKind::ValueMember {
                    type_code: type_code.clone(),
                    visibility: Visibility::from_number(argument::<i16>(call)?),
                },
                _ => return Ok(None),
            },
            EntryKind::Attribute(described) => {
                return self.with_attribute(described.clone(), attribute, call);
            }
            EntryKind::Operation(described) => {
                return self.with_operation(described.clone(), attribute, call);
            }
            EntryKind::Interface { type_code, .. } if attribute == "base_interfaces" => {
                self.interface(type_code.kind(), call)?
            }
            EntryKind::Value { .. } => return self.with_value(kind, attribute, call),
            _ => return Ok(None),
        }))
    }

    fn with_type(
        &self,
        type_code: &TypeCode,
        attribute: &str,
        call: &mut ServerCall<'_>,
    ) -> Created<Option<TypeCode>> {
        let (id, name) = (self.id, self.name);
        Ok(Some(match (type_code.kind(), attribute) {
            (TcKind::Struct, "members") => self.structure(call)?,
            (TcKind::Enum, "members") => self.enumeration(call)?,
            (TcKind::Union, "members") => self.union(&type_code.discriminator_type()?, call)?,
            (TcKind::Union, "discriminator_type_def") => {
                let switch = self.type_argument(call)?;
                let members = self.cases_of(type_code)?;
                self.union_of(&switch, &members)?
            }
            (TcKind::Alias, "original_type_def") => {
                TypeCode::alias(id, name, &self.type_argument(call)?)?
            }
            (TcKind::ValueBox, "original_type_def") => self.value_box(call)?,
            _ => return Ok(None),
        }))
    }

    fn with_attribute(
        &self,
        mut described: AttributeDescription,
        attribute: &str,
        call: &mut ServerCall<'_>,
    ) -> Created<Option<EntryKind>> {
        match attribute {
            "type_def" => described.type_code = self.type_argument(call)?,
            "mode" => {
                described.readonly =
                    argument::<AttributeMode>(call)? == AttributeMode::AttrReadonly;
            }
            "get_exceptions" => described.get_exceptions = self.described_exceptions(call)?,
            "set_exceptions" => described.set_exceptions = self.described_exceptions(call)?,
            _ => return Ok(None),
        }
        Ok(Some(EntryKind::Attribute(described)))
    }

    /// Reads exception descriptions.
    fn described_exceptions(&self, call: &mut ServerCall<'_>) -> Created<Vec<TypeCode>> {
        let exceptions = argument::<ExcDescriptionSeq>(call)?;
        exceptions.into_iter().map(|exception| self.known_exception(exception)).collect()
    }

    fn with_operation(
        &self,
        mut described: OperationDescription,
        attribute: &str,
        call: &mut ServerCall<'_>,
    ) -> Created<Option<EntryKind>> {
        match attribute {
            "result_def" => described.result = self.type_argument(call)?,
            "params" => {
                described.parameters = self.parameters(argument::<ParDescriptionSeq>(call)?)?;
            }
            "mode" => {
                described.oneway = argument::<OperationMode>(call)? == OperationMode::OpOneway;
            }
            "contexts" => described.contexts = argument::<Vec<String>>(call)?,
            "exceptions" => described.exceptions = self.exceptions(call)?,
            _ => return Ok(None),
        }
        check_oneway(&described)?;
        Ok(Some(EntryKind::Operation(described)))
    }

    fn with_value(
        &self,
        kind: &EntryKind,
        attribute: &str,
        call: &mut ServerCall<'_>,
    ) -> Created<Option<EntryKind>> {
        let Some(mut header) = ValueHeader::of(kind) else { return Ok(None) };
        match attribute {
            "supported_interfaces" => header.supports = self.supported(call)?,
            "initializers" => {
                header.initializers = self.initializers(argument::<InitializerSeq>(call)?)?;
            }
            "ext_initializers" => {
                header.initializers =
                    self.ext_initializers(argument::<ExtInitializerSeq>(call)?)?;
            }
            "base_value" => header.base = self.base_value(call)?,
            "abstract_base_values" => header.abstract_bases = self.abstract_bases(call)?,
            "is_abstract" => header.set(ValueModifier::Abstract, call.argument::<bool>()?),
            "is_custom" => header.set(ValueModifier::Custom, call.argument::<bool>()?),
            "is_truncatable" => header.set(ValueModifier::Truncatable, call.argument::<bool>()?),
            _ => return Ok(None),
        }
        if header.modifier == ValueModifier::Abstract && self.has_state() {
            return Err(bad_param(minor::bad_param::WRONG_ABSTRACT_TYPE));
        }
        self.value(header).map(Some)
    }

    /// Whether a valuetype has members of its own.
    fn has_state(&self) -> bool {
        let entry = self.repository.lookup_id(self.id).map(|entry_id| &self.repository[entry_id]);
        let is_state = |kind: &EntryKind| matches!(kind, EntryKind::ValueMember { .. });
        entry.is_some_and(|entry| {
            entry.contents.iter().any(|item| is_state(&self.repository[*item].kind))
        })
    }
}
