//! The read operations of definitions.

mod components;

use zorb::dynamic::repository::{
    Entry, EntryId, EntryKind, OperationDescription, RenamedIds, Repository,
};
use zorb::{Any, Interface, ObjectRef, Ref, SystemException, TypeCode, ValueModifier, Wire};
use zorb_core::{Served, ServerCall};

use super::call::{argument, reply};
use super::describe::{ValueProperties, access_of, mode_of};
use super::kind;
use super::view::View;
use crate::corba;
use corba::{
    ContextIdSeq, DefinitionKind, ExcDescriptionSeq, IdlType, InterfaceDef, StructMemberSeq,
    contained, container,
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

    /// `Container`
    fn container(&mut self, operation: &str) -> Option<Served> {
        Some(match operation {
            "lookup" => self.lookup(),
            "contents" => self.contents(),
            "lookup_name" => self.lookup_name(),
            "describe_contents" => self.describe_contents(),
            _ => return None,
        })
    }

    fn lookup(&mut self) -> Served {
        let name = self.call.argument::<String>()?;
        let found = self.view.lookup(self.entry_id, &name);
        self.reply_reference::<corba::Contained>(found)
    }

    fn contents(&mut self) -> Served {
        let wanted = self.call.argument::<DefinitionKind>()?;
        let exclude_inherited = self.call.argument::<bool>()?;
        let found = self.view.contents(self.entry_id, wanted, exclude_inherited);
        self.reply::<Vec<Ref<corba::Contained>>>(&self.view.references(found))
    }

    fn lookup_name(&mut self) -> Served {
        let name = self.call.argument::<String>()?;
        let levels = self.call.argument::<i32>()?;
        let wanted = self.call.argument::<DefinitionKind>()?;
        let exclude_inherited = self.call.argument::<bool>()?;
        let found = self.view.lookup_name(self.entry_id, &name, levels, wanted, exclude_inherited);
        self.reply::<Vec<Ref<corba::Contained>>>(&self.view.references(found))
    }

    fn describe_contents(&mut self) -> Served {
        let wanted = self.call.argument::<DefinitionKind>()?;
        let exclude_inherited = self.call.argument::<bool>()?;
        // -1 means unlimited.
        let limit = usize::try_from(self.call.argument::<i32>()?).unwrap_or(usize::MAX);
        let mut descriptions = Vec::new();
        let found = self.view.contents(self.entry_id, wanted, exclude_inherited);
        for entry_id in found.into_iter().take(limit) {
            let described = self.view.describe(entry_id)?;
            descriptions.push(container::Description {
                contained_object: self.view.reference(entry_id),
                kind: described.kind,
                value: described.value,
            });
        }
        self.reply::<container::DescriptionSeq>(&descriptions)
    }

    /// `Repository`
    fn repository(&mut self, operation: &str) -> Option<Served> {
        Some(match operation {
            "lookup_id" => self.lookup_id(),
            "get_canonical_typecode" => self.canonical(),
            "get_primitive" => self.made::<corba::PrimitiveDef>(|request| {
                Ok(kind::primitive(request.call.argument::<corba::PrimitiveKind>()?))
            }),
            "create_string" => self.made::<corba::StringDef>(|request| {
                Ok(TypeCode::string(request.call.argument::<u32>()?))
            }),
            "create_wstring" => self.made::<corba::WstringDef>(|request| {
                Ok(TypeCode::wstring(request.call.argument::<u32>()?))
            }),
            "create_sequence" => self.made::<corba::SequenceDef>(|request| {
                let bound = request.call.argument::<u32>()?;
                Ok(TypeCode::sequence(&request.type_argument()?, bound)?)
            }),
            "create_array" => self.made::<corba::ArrayDef>(|request| {
                let length = request.call.argument::<u32>()?;
                Ok(TypeCode::array(&request.type_argument()?, length)?)
            }),
            "create_fixed" => self.made::<corba::FixedDef>(|request| {
                let digits = request.call.argument::<u16>()?;
                Ok(TypeCode::fixed(digits, request.call.argument::<i16>()?)?)
            }),
            _ => return None,
        })
    }

    fn lookup_id(&mut self) -> Served {
        let id = self.call.argument::<String>()?;
        let found = self.view.repository.lookup_id(&id);
        self.reply_reference::<corba::Contained>(
            found.filter(|entry_id| *entry_id != Repository::ROOT),
        )
    }

    /// Completes a type with the names in the repository.
    fn canonical(&mut self) -> Served {
        let given = argument::<TypeCode>(self.call)?;
        let known = self.view.repository.canonical(&given, &RenamedIds::new());
        self.reply::<TypeCode>(&known.unwrap_or(given))
    }

    /// Returns the object of the type in the arguments.
    fn made<T: Interface>(
        &mut self,
        type_code: impl FnOnce(&mut Self) -> Result<TypeCode, SystemException>,
    ) -> Served {
        let type_code = type_code(self)?;
        // Types that nobody has used take memory.
        let is_primitive = kind::of_type(&type_code) == DefinitionKind::DkPrimitive;
        if !is_primitive && !self.view.shared.has_type(&type_code) {
            self.view.shared.check_writer()?;
        }
        let object: T = self.view.shared.type_object(&type_code)?;
        self.reply::<Ref<T>>(&Some(object))
    }

    /// Reads a type argument, which must be in this repository.
    fn type_argument(&mut self) -> Result<TypeCode, SystemException> {
        let reference = self.call.argument::<Ref<ObjectRef>>()?;
        let renamed = self.view.shared.lock_renamed();
        self.view.shared.type_of(self.view.repository, &renamed, reference.as_ref())
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
