//! The read operations of definitions.

mod components;
mod containers;

use zorb::dynamic::repository::{Entry, EntryId, EntryKind, OperationDescription, Repository};
use zorb::{Any, Interface, ObjectRef, Ref, TypeCode, ValueModifier, Wire};
use zorb_core::{Served, ServerCall};

use super::call::reply;
use super::describe::{ValueProperties, access_of, mode_of};
use super::kind;
use super::view::View;
use crate::corba;
use corba::{
    ContextIdSeq, DefinitionKind, ExcDescriptionSeq, IdlType, InterfaceDef, StructMemberSeq,
    contained,
};

/// A request to the object of a definition.
struct Request<'a, 'c> {
    view: View<'a>,
    entry_id: EntryId,
    entry: &'a Entry,
    call: &'a mut ServerCall<'c>,
}

/// Serves a request to the object of a definition; `None` for unknown operations.
pub(super) fn serve(
    view: View<'_>,
    entry_id: EntryId,
    operation: &str,
    call: &mut ServerCall<'_>,
) -> Option<Served> {
    let entry = view.repository.get(entry_id)?;
    let mut request = Request { view, entry_id, entry, call };
    let is_container = matches!(
        kind::of_entry(entry),
        DefinitionKind::DkRepository
            | DefinitionKind::DkModule
            | DefinitionKind::DkInterface
            | DefinitionKind::DkAbstractInterface
            | DefinitionKind::DkLocalInterface
            | DefinitionKind::DkValue
            | DefinitionKind::DkEvent
            | DefinitionKind::DkComponent
            | DefinitionKind::DkHome
            | DefinitionKind::DkStruct
            | DefinitionKind::DkUnion
            | DefinitionKind::DkException
    );
    if entry_id != Repository::ROOT
        && let Some(served) = request.contained(operation)
    {
        return Some(served);
    }
    if is_container && let Some(served) = request.container(operation) {
        return Some(served);
    }
    match &entry.kind {
        EntryKind::Repository => request.repository(operation),
        EntryKind::Module => None,
        EntryKind::Interface { type_code, bases } => request.interface(operation, type_code, bases),
        EntryKind::Value { .. } => request.value(operation),
        EntryKind::Type(type_code) => request.named_type(operation, type_code),
        EntryKind::Exception(type_code) => match operation {
            "_get_type" => Some(request.reply::<TypeCode>(type_code)),
            "_get_members" => Some(request.reply::<StructMemberSeq>(&view.members(type_code))),
            _ => None,
        },
        EntryKind::Constant(value) => match operation {
            "_get_value" => Some(request.reply::<Any>(value)),
            _ => request.typed(operation, value.type_code()),
        },
        EntryKind::ValueMember { type_code, visibility } => match operation {
            "_get_access" => Some(request.reply::<i16>(&(*visibility as i16))),
            _ => request.typed(operation, type_code),
        },
        EntryKind::Operation(described)
        | EntryKind::Factory(described)
        | EntryKind::Finder(described) => request.operation(operation, described),
        EntryKind::Component { .. } | EntryKind::Home { .. } | EntryKind::Port { .. } => {
            request.components(operation)
        }
        EntryKind::Attribute(_) => request.attribute(operation),
        _ => None,
    }
}

impl Request<'_, '_> {
    fn reply<M: Wire>(&mut self, result: &M::View) -> Served {
        reply::<M>(self.call, result)
    }

    fn reply_reference<T: Interface>(&mut self, entry_id: Option<EntryId>) -> Served {
        let reference: Option<T> = entry_id.and_then(|entry_id| self.view.reference(entry_id));
        self.reply::<Ref<T>>(&reference)
    }

    fn reply_type_def(&mut self, type_code: &TypeCode) -> Served {
        let type_def: Option<IdlType> = self.view.type_def(type_code);
        self.reply::<Ref<IdlType>>(&type_def)
    }

    /// `Contained`
    fn contained(&mut self, operation: &str) -> Option<Served> {
        Some(match operation {
            "_get_id" => self.reply::<String>(&self.entry.id),
            "_get_name" => self.reply::<String>(&self.entry.name),
            "_get_version" => self.reply::<String>(&self.entry.version),
            "_get_defined_in" => {
                self.reply_reference::<corba::Container>(Some(self.entry.container))
            }
            "_get_absolute_name" => {
                let name = self.view.repository.absolute_name(self.entry_id);
                self.reply::<String>(&name)
            }
            "_get_containing_repository" => {
                self.reply_reference::<corba::Repository>(Some(Repository::ROOT))
            }
            "describe" => self
                .view
                .describe(self.entry_id)
                .and_then(|description| self.reply::<contained::Description>(&description)),
            _ => return None,
        })
    }

    /// The attributes `type` and `type_def` of typed definitions.
    fn typed(&mut self, operation: &str, type_code: &TypeCode) -> Option<Served> {
        Some(match operation {
            "_get_type" => self.reply::<TypeCode>(type_code),
            "_get_type_def" => self.reply_type_def(type_code),
            _ => return None,
        })
    }

    /// `StructDef`, `UnionDef`, `EnumDef`, `AliasDef`, `NativeDef`, `ValueBoxDef`
    fn named_type(&mut self, operation: &str, type_code: &TypeCode) -> Option<Served> {
        use zorb::TcKind::{Alias, Enum, Struct, Union, ValueBox};
        Some(match (operation, type_code.kind()) {
            ("_get_type", _) => self.reply::<TypeCode>(type_code),
            ("_get_members", Struct) => {
                self.reply::<StructMemberSeq>(&self.view.members(type_code))
            }
            ("_get_members", Union) => {
                let cases = self.view.cases(type_code);
                cases.and_then(|cases| self.reply::<corba::UnionMemberSeq>(&cases))
            }
            ("_get_members", Enum) => {
                let names = (0..type_code.member_count())
                    .filter_map(|index| type_code.member_name(index).ok().map(str::to_owned));
                self.reply::<corba::EnumMemberSeq>(&names.collect::<Vec<_>>())
            }
            ("_get_discriminator_type", Union) => {
                self.reply::<TypeCode>(&type_code.discriminator_type().ok()?)
            }
            ("_get_discriminator_type_def", Union) => {
                self.reply_type_def(&type_code.discriminator_type().ok()?)
            }
            ("_get_original_type_def", Alias | ValueBox) => {
                self.reply_type_def(&type_code.content_type().ok()?)
            }
            _ => return None,
        })
    }

    /// `OperationDef`
    fn operation(&mut self, operation: &str, described: &OperationDescription) -> Option<Served> {
        Some(match operation {
            "_get_result" => self.reply::<TypeCode>(&described.result),
            "_get_result_def" => self.reply_type_def(&described.result),
            "_get_params" => {
                let parameters = self.view.parameters(&described.parameters);
                self.reply::<corba::ParDescriptionSeq>(&parameters)
            }
            "_get_mode" => self.reply::<corba::OperationMode>(&mode_of(described)),
            "_get_contexts" => self.reply::<ContextIdSeq>(&described.contexts),
            "_get_exceptions" => {
                let ids: Vec<_> =
                    described.exceptions.iter().map(|each| each.id().to_owned()).collect();
                let definitions = self.view.references_of_ids(&ids);
                self.reply::<Vec<Ref<corba::ExceptionDef>>>(&definitions)
            }
            _ => return None,
        })
    }

    /// `ExtAttributeDef`
    fn attribute(&mut self, operation: &str) -> Option<Served> {
        let EntryKind::Attribute(described) = &self.entry.kind else { return None };
        Some(match operation {
            "_get_mode" => self.reply::<corba::AttributeMode>(&access_of(described)),
            "_get_get_exceptions" => {
                let exceptions = self.view.exceptions(&described.get_exceptions);
                self.reply::<ExcDescriptionSeq>(&exceptions)
            }
            "_get_set_exceptions" => {
                let exceptions = self.view.exceptions(&described.set_exceptions);
                self.reply::<ExcDescriptionSeq>(&exceptions)
            }
            "describe_attribute" => {
                let description = self.view.ext_attribute(self.entry, described);
                self.reply::<corba::ExtAttributeDescription>(&description)
            }
            _ => return self.typed(operation, &described.type_code),
        })
    }

    /// Whether an interface or valuetype has this repository id, or inherits from it.
    fn is_a(&mut self) -> Served {
        let id = self.call.argument::<String>()?;
        let every = match &self.entry.kind {
            EntryKind::Value { .. } => kind::VALUE_BASE,
            _ => ObjectRef::REPOSITORY_ID,
        };
        let is_a = *id == *self.entry.id || *id == *every || {
            let wanted = self.view.repository.lookup_id(&id);
            wanted.is_some_and(|base| self.view.repository.ancestors(self.entry_id).contains(&base))
        };
        self.reply::<bool>(&is_a)
    }

    /// `InterfaceDef` and `InterfaceAttrExtension`
    fn interface(
        &mut self,
        operation: &str,
        type_code: &TypeCode,
        bases: &[String],
    ) -> Option<Served> {
        Some(match operation {
            "_get_type" => self.reply::<TypeCode>(type_code),
            "_get_base_interfaces" => {
                let bases = self.view.references_of_ids(bases);
                self.reply::<Vec<Ref<InterfaceDef>>>(&bases)
            }
            "is_a" => self.is_a(),
            "describe_interface" => {
                let full = self.view.interface(self.entry_id)?;
                self.reply::<corba::interface_def::FullInterfaceDescription>(&full)
            }
            "describe_ext_interface" => {
                use corba::interface_attr_extension::ExtFullInterfaceDescription;
                let full = self.view.ext_interface(self.entry_id)?;
                self.reply::<ExtFullInterfaceDescription>(&full)
            }
            _ => return None,
        })
    }

    /// `ExtValueDef`
    fn value(&mut self, operation: &str) -> Option<Served> {
        let EntryKind::Value { type_code, bases, supports, initializers } = &self.entry.kind else {
            return None;
        };
        let facts = ValueProperties::of(type_code, bases);
        Some(match operation {
            "_get_type" => self.reply::<TypeCode>(type_code),
            "_get_supported_interfaces" => {
                let interfaces = self.view.references_of_ids(supports);
                self.reply::<Vec<Ref<InterfaceDef>>>(&interfaces)
            }
            "_get_initializers" => {
                let initializers = self.view.initializers(initializers);
                self.reply::<corba::InitializerSeq>(&initializers)
            }
            "_get_ext_initializers" => {
                let initializers = self.view.ext_initializers(initializers);
                self.reply::<corba::ExtInitializerSeq>(&initializers)
            }
            "_get_base_value" => {
                let base = self.view.repository.lookup_id(&facts.base);
                let base = base.filter(|entry_id| *entry_id != Repository::ROOT);
                self.reply_reference::<corba::ValueDef>(base)
            }
            "_get_abstract_base_values" => {
                let bases = self.view.references_of_ids(&facts.abstract_bases);
                self.reply::<Vec<Ref<corba::ValueDef>>>(&bases)
            }
            "_get_is_abstract" => self.reply::<bool>(&facts.is(ValueModifier::Abstract)),
            "_get_is_custom" => self.reply::<bool>(&facts.is(ValueModifier::Custom)),
            "_get_is_truncatable" => self.reply::<bool>(&facts.is(ValueModifier::Truncatable)),
            "is_a" => self.is_a(),
            "describe_value" => {
                let full = self.view.value(self.entry_id)?;
                self.reply::<corba::value_def::FullValueDescription>(&full)
            }
            "describe_ext_value" => {
                let full = self.view.ext_value(self.entry_id)?;
                self.reply::<corba::ext_value_def::ExtFullValueDescription>(&full)
            }
            _ => return None,
        })
    }
}
