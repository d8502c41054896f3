//! Definitions that clients add: `create_module` and its like.

use std::sync::{Arc, PoisonError};

use zorb::dynamic::Mode;
use zorb::dynamic::repository::{
    AttributeDescription, EntryId, EntryKind, OperationDescription, ParameterDescription,
    Repository,
};
use zorb::{
    Any, CompletionStatus, Interface, MinorCode, ObjectRef, Ref, SystemException, TcKind, TypeCode,
    UnionCase, Wire, minor,
};
use zorb_core::{Served, ServerCall};
use zorb_types::Transfer;

use super::Shared;
use super::object::reply;
use super::view::View;
use crate::corba;
use corba::{AttributeMode, OperationMode, ParameterMode, StructMemberSeq};

/// The operations that add to modules and to the repository itself.
const IN_MODULES: [&str; 12] = [
    "create_module",
    "create_constant",
    "create_struct",
    "create_union",
    "create_enum",
    "create_alias",
    "create_interface",
    "create_abstract_interface",
    "create_local_interface",
    "create_value_box",
    "create_exception",
    "create_native",
];

/// The operations that add to interfaces and valuetypes.
const IN_INTERFACES: [&str; 8] = [
    "create_constant",
    "create_struct",
    "create_union",
    "create_enum",
    "create_alias",
    "create_exception",
    "create_attribute",
    "create_operation",
];

/// Serves a request that adds a definition to the one at `place`; `None` for other operations.
pub(super) fn serve(
    shared: &Arc<Shared>,
    place: EntryId,
    operation: &str,
    call: &mut ServerCall<'_>,
) -> Option<Served> {
    let known = [&IN_MODULES[..], &IN_INTERFACES[..], &["create_ext_attribute"]].concat();
    known.contains(&operation).then(|| create(shared, place, operation, call))
}

fn create(
    shared: &Arc<Shared>,
    place: EntryId,
    operation: &str,
    call: &mut ServerCall<'_>,
) -> Served {
    if !shared.writable {
        let minor = minor::no_permission::REFUSED;
        return Err(SystemException::no_permission(minor, CompletionStatus::No));
    }
    let id = call.argument::<String>()?;
    let name = call.argument::<String>()?;
    // The version is in the id.
    call.argument::<String>()?;
    let mut definitions = shared.definitions.write().unwrap_or_else(PoisonError::into_inner);
    check(&definitions, place, operation, &id, &name)?;
    let creation = Creation { shared, repository: &definitions, place, id: &id, name: &name };
    let kind = creation.kind(operation, call)?;
    let place = shared.add(&mut definitions, place, &id, &name, kind)?;
    let made: Option<ObjectRef> = View { shared, repository: &definitions }.reference(place);
    reply::<Ref<ObjectRef>>(call, &made)
}

/// Whether a definition of this id and name may be added to a container.
fn check(
    repository: &Repository,
    place: EntryId,
    operation: &str,
    id: &str,
    name: &str,
) -> Result<(), SystemException> {
    let may_contain = match &repository[place].kind {
        EntryKind::Repository | EntryKind::Module => IN_MODULES.contains(&operation),
        EntryKind::Interface { .. } | EntryKind::Value { .. } => {
            IN_INTERFACES.contains(&operation) || operation == "create_ext_attribute"
        }
        _ => false,
    };
    if !may_contain {
        return Err(bad_param(minor::bad_param::BAD_CONTAINER));
    }
    if !id.split_once(':').is_some_and(|(format, rest)| !format.is_empty() && !rest.is_empty()) {
        return Err(bad_param(minor::bad_param::INVALID_REPOSITORY_ID));
    }
    let is_word = name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    if !is_word || !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Err(bad_param(minor::bad_param::INVALID_NAME));
    }
    if repository.lookup_id(id).is_some() {
        return Err(bad_param(minor::bad_param::ID_EXISTS));
    }
    // Names that differ in case alone are the same in IDL.
    let has_name = |container: EntryId| {
        let contents = &repository[container].contents;
        contents.iter().any(|item| repository[*item].name.eq_ignore_ascii_case(name))
    };
    if has_name(place) {
        return Err(bad_param(minor::bad_param::NAME_EXISTS));
    }
    if repository.ancestors(place).into_iter().any(has_name) {
        return Err(bad_param(minor::bad_param::INHERITED_NAME_CLASH));
    }
    Ok(())
}

/// A definition that is being made.
struct Creation<'a> {
    shared: &'a Shared,
    repository: &'a Repository,
    place: EntryId,
    id: &'a str,
    name: &'a str,
}

type Made<T> = Result<T, SystemException>;

impl Creation<'_> {
    /// The definition that the arguments after id, name and version tell.
    fn kind(&self, operation: &str, call: &mut ServerCall<'_>) -> Made<EntryKind> {
        let (id, name) = (self.id, self.name);
        Ok(match operation {
            "create_module" => EntryKind::Module,
            "create_constant" => {
                let type_code = self.type_argument(call)?;
                let value = argument::<Any>(call)?;
                if !value.type_code().equivalent(&type_code) {
                    return Err(bad_param(MinorCode::default()));
                }
                EntryKind::Constant(Any::read_value(type_code, &mut value.reader())?)
            }
            "create_struct" => {
                let members = self.members(call)?;
                EntryKind::Type(TypeCode::structure(id, name, &borrowed(&members))?)
            }
            "create_exception" => {
                let members = self.members(call)?;
                EntryKind::Exception(TypeCode::exception(id, name, &borrowed(&members))?)
            }
            "create_union" => EntryKind::Type(self.union(call)?),
            "create_enum" => {
                let names = argument::<Vec<String>>(call)?;
                let names: Vec<&str> = names.iter().map(|name| &**name).collect();
                EntryKind::Type(TypeCode::enumeration(id, name, &names)?)
            }
            "create_alias" => {
                EntryKind::Type(TypeCode::alias(id, name, &self.type_argument(call)?)?)
            }
            "create_value_box" => {
                EntryKind::Type(TypeCode::value_box(id, name, &self.type_argument(call)?)?)
            }
            "create_native" => EntryKind::Type(TypeCode::named(TcKind::Native, id, name)?),
            "create_interface" => self.interface(TcKind::ObjRef, call)?,
            "create_abstract_interface" => self.interface(TcKind::AbstractInterface, call)?,
            "create_local_interface" => self.interface(TcKind::LocalInterface, call)?,
            "create_operation" => EntryKind::Operation(self.operation(call)?),
            _ => EntryKind::Attribute(self.attribute(operation, call)?),
        })
    }

    fn type_of(&self, type_def: Option<&impl Interface>) -> Made<TypeCode> {
        self.shared.type_of(self.repository, type_def.map(Interface::as_object))
    }

    /// The next argument, a type.
    fn type_argument(&self, call: &mut ServerCall<'_>) -> Made<TypeCode> {
        self.type_of(argument::<Ref<ObjectRef>>(call)?.as_ref())
    }

    /// The next argument, the members of a struct or exception. As the standard has it, the types
    /// are those of the definitions, not the TypeCodes beside them.
    fn members(&self, call: &mut ServerCall<'_>) -> Made<Vec<(String, TypeCode)>> {
        let members = argument::<StructMemberSeq>(call)?.into_iter();
        members.map(|member| Ok((member.name, self.type_of(member.type_def.as_ref())?))).collect()
    }

    fn union(&self, call: &mut ServerCall<'_>) -> Made<TypeCode> {
        let switch = self.type_argument(call)?;
        let mut cases = Vec::new();
        for member in argument::<corba::UnionMemberSeq>(call)? {
            let is_default = member.label.get::<u8>() == Some(0);
            let label = match is_default {
                true => None,
                false if member.label.type_code().equivalent(&switch) => {
                    Some(switch.read_label(&mut member.label.reader())?)
                }
                false => return Err(bad_param(minor::bad_param::INCOMPATIBLE_DISCRIMINATOR)),
            };
            cases.push((label, member.name, self.type_of(member.type_def.as_ref())?));
        }
        let cases: Vec<_> = cases
            .iter()
            .map(|(label, name, type_code)| UnionCase { label: *label, name, type_code })
            .collect();
        Ok(TypeCode::union(self.id, self.name, &switch, &cases)?)
    }

    fn interface(&self, kind: TcKind, call: &mut ServerCall<'_>) -> Made<EntryKind> {
        let mut bases = Vec::new();
        for base in argument::<Vec<Ref<ObjectRef>>>(call)? {
            let type_code = self.type_of(base.as_ref())?;
            match (kind, type_code.kind()) {
                (TcKind::AbstractInterface, TcKind::AbstractInterface)
                | (TcKind::ObjRef, TcKind::AbstractInterface | TcKind::ObjRef)
                | (
                    TcKind::LocalInterface,
                    TcKind::AbstractInterface | TcKind::ObjRef | TcKind::LocalInterface,
                ) => bases.push(type_code.id().to_owned()),
                _ => return Err(bad_param(minor::bad_param::NON_ABSTRACT_BASE)),
            }
        }
        let type_code = TypeCode::named(kind, self.id, self.name)?;
        Ok(EntryKind::Interface { type_code, bases })
    }

    fn operation(&self, call: &mut ServerCall<'_>) -> Made<OperationDescription> {
        let result = self.type_argument(call)?;
        let oneway = argument::<OperationMode>(call)? == OperationMode::OpOneway;
        let mut parameters = Vec::new();
        for parameter in argument::<corba::ParDescriptionSeq>(call)? {
            parameters.push(ParameterDescription {
                type_code: self.type_of(parameter.type_def.as_ref())?,
                name: parameter.name,
                mode: match parameter.mode {
                    ParameterMode::ParamIn => Mode::In,
                    ParameterMode::ParamOut => Mode::Out,
                    ParameterMode::ParamInout => Mode::InOut,
                },
            });
        }
        let exceptions = self.exceptions(call)?;
        let returns = result.resolved_kind() != TcKind::Void
            || parameters.iter().any(|parameter| parameter.mode.is_returned())
            || !exceptions.is_empty();
        if oneway && returns {
            return Err(bad_param(MinorCode::default()));
        }
        Ok(OperationDescription {
            name: self.name.to_owned(),
            id: self.id.to_owned(),
            defined_in: self.repository[self.place].id.clone(),
            oneway,
            result,
            parameters,
            exceptions,
            contexts: argument::<Vec<String>>(call)?,
        })
    }

    fn attribute(&self, operation: &str, call: &mut ServerCall<'_>) -> Made<AttributeDescription> {
        let mut attribute = AttributeDescription {
            name: self.name.to_owned(),
            id: self.id.to_owned(),
            defined_in: self.repository[self.place].id.clone(),
            type_code: self.type_argument(call)?,
            readonly: argument::<AttributeMode>(call)? == AttributeMode::AttrReadonly,
            ..AttributeDescription::default()
        };
        if operation == "create_ext_attribute" {
            attribute.get_exceptions = self.exceptions(call)?;
            attribute.set_exceptions = self.exceptions(call)?;
        }
        Ok(attribute)
    }

    /// The next argument, a list of exceptions.
    fn exceptions(&self, call: &mut ServerCall<'_>) -> Made<Vec<TypeCode>> {
        let exception = |definition: Option<ObjectRef>| {
            let type_code = self.type_of(definition.as_ref())?;
            match type_code.kind() {
                TcKind::Except => Ok(type_code),
                _ => Err(bad_param(minor::bad_param::NOT_AN_EXCEPTION)),
            }
        };
        argument::<Vec<Ref<ObjectRef>>>(call)?.into_iter().map(exception).collect()
    }
}

/// The next argument.
pub(super) fn argument<M: Wire>(call: &mut ServerCall<'_>) -> Made<M::Value> {
    M::read(call.arguments()).map_err(|error| {
        SystemException::from_cdr(error, CompletionStatus::No, Transfer::ReceiveRequest)
    })
}

fn borrowed(members: &[(String, TypeCode)]) -> Vec<(&str, TypeCode)> {
    members.iter().map(|(name, type_code)| (&**name, type_code.clone())).collect()
}

#[cold]
fn bad_param(minor: MinorCode) -> SystemException {
    SystemException::bad_param(minor, CompletionStatus::No)
}
