//! Definitions added by clients: `create_module` and similar operations.

mod addition;
pub(super) mod values;

pub(super) use addition::Addition;

use std::sync::Arc;

use zorb::dynamic::Mode;
use zorb::dynamic::repository::{
    AttributeDescription, EntryId, EntryKind, OperationDescription, ParameterDescription,
    RenamedIds, Repository,
};
use zorb::{
    Any, Interface, MinorCode, ObjectRef, Ref, SystemException, TcKind, TypeCode, UnionCase,
    Visibility, minor,
};
use zorb_core::{Served, ServerCall};

use super::call::{argument, bad_param, reply};
use super::check;
use super::shared::{Shared, entry_id_of};
use super::view::View;
use crate::corba;
use corba::{AttributeMode, OperationMode, ParameterMode, StructMemberSeq};

/// Serves a request that adds a definition to the container with a repository id; `None` for other
/// operations.
pub(super) fn serve(
    shared: &Arc<Shared>,
    id: &str,
    operation: &str,
    call: &mut ServerCall<'_>,
) -> Option<Served> {
    check::creates(operation).then(|| create(shared, id, operation, call))
}

fn create(
    shared: &Arc<Shared>,
    container: &str,
    operation: &str,
    call: &mut ServerCall<'_>,
) -> Served {
    let id = call.argument::<String>()?;
    let name = call.argument::<String>()?;
    let version = call.argument::<String>()?;
    shared.add(|repository, renamed| {
        let entry_id = entry_id_of(repository, renamed, container)?;
        check::may_contain(repository, entry_id, operation)?;
        check::id(&id)?;
        if repository.lookup_id(&id).is_some() {
            return Err(bad_param(minor::bad_param::ID_EXISTS));
        }
        check::name(repository, entry_id, &name, None)?;
        let creation = Creation { shared, repository, renamed, entry_id, id: &id, name: &name };
        let kind = creation.kind(operation, call)?;
        Ok(Addition {
            entry_id,
            id: id.to_string(),
            name: name.to_string(),
            version: version.to_string(),
            kind,
        })
    })?;
    let definitions = shared.read();
    let made: Option<ObjectRef> = View { shared, repository: &definitions }.reference_of_id(&id);
    reply::<Ref<ObjectRef>>(call, &made)
}

/// A definition under construction.
pub(super) struct Creation<'a> {
    pub(super) shared: &'a Shared,
    pub(super) repository: &'a Repository,
    pub(super) renamed: &'a RenamedIds,
    /// The container.
    pub(super) entry_id: EntryId,
    pub(super) id: &'a str,
    pub(super) name: &'a str,
}

pub(super) type Created<T> = Result<T, SystemException>;

impl Creation<'_> {
    /// Reads the definition from the arguments after id, name and version.
    fn kind(&self, operation: &str, call: &mut ServerCall<'_>) -> Created<EntryKind> {
        let (id, name) = (self.id, self.name);
        Ok(match operation {
            "create_module" => EntryKind::Module,
            "create_constant" => {
                let type_code = self.type_argument(call)?;
                self.constant(type_code, &argument::<Any>(call)?)?
            }
            "create_struct" => EntryKind::Type(self.structure(call)?),
            "create_exception" => self.exception(call)?,
            "create_union" => {
                let switch = self.type_argument(call)?;
                EntryKind::Type(self.union(&switch, call)?)
            }
            "create_enum" => EntryKind::Type(self.enumeration(call)?),
            "create_alias" => {
                EntryKind::Type(TypeCode::alias(id, name, &self.type_argument(call)?)?)
            }
            "create_value_box" => EntryKind::Type(self.value_box(call)?),
            "create_value" | "create_ext_value" => {
                self.new_value(operation == "create_ext_value", call)?
            }
            "create_value_member" => EntryKind::ValueMember {
                type_code: self.type_argument(call)?,
                visibility: Visibility::from_number(argument::<i16>(call)?),
            },
            "create_native" => EntryKind::Type(TypeCode::named(TcKind::Native, id, name)?),
            "create_interface" => self.interface(TcKind::ObjRef, call)?,
            "create_abstract_interface" => self.interface(TcKind::AbstractInterface, call)?,
            "create_local_interface" => self.interface(TcKind::LocalInterface, call)?,
            "create_operation" => EntryKind::Operation(self.operation(call)?),
            _ => EntryKind::Attribute(self.attribute(operation, call)?),
        })
    }

    pub(super) fn type_of(&self, type_def: Option<&impl Interface>) -> Created<TypeCode> {
        self.shared.type_of(self.repository, self.renamed, type_def.map(Interface::as_object))
    }

    /// Reads a type argument.
    pub(super) fn type_argument(&self, call: &mut ServerCall<'_>) -> Created<TypeCode> {
        self.type_of(argument::<Ref<ObjectRef>>(call)?.as_ref())
    }

    /// Reads the members of a struct, exception or initializer. As the standard requires, their types come from the
    /// type definitions, not from the TypeCodes next to them.
    pub(super) fn members(&self, members: StructMemberSeq) -> Created<Vec<(String, TypeCode)>> {
        let member = |member: corba::StructMember| {
            Ok((member.name, self.type_of(member.type_def.as_ref())?))
        };
        members.into_iter().map(member).collect()
    }

    /// Reads the members of a struct and creates its TypeCode.
    pub(super) fn structure(&self, call: &mut ServerCall<'_>) -> Created<TypeCode> {
        let members = self.members(argument::<StructMemberSeq>(call)?)?;
        Ok(TypeCode::structure(self.id, self.name, &borrowed(&members))?)
    }

    /// Reads the members of an exception and creates its TypeCode.
    pub(super) fn exception(&self, call: &mut ServerCall<'_>) -> Created<EntryKind> {
        let members = self.members(argument::<StructMemberSeq>(call)?)?;
        let type_code = TypeCode::exception(self.id, self.name, &borrowed(&members))?;
        Ok(EntryKind::Exception(type_code))
    }

    /// Reads the enumerators of an enum and creates its TypeCode.
    pub(super) fn enumeration(&self, call: &mut ServerCall<'_>) -> Created<TypeCode> {
        let names = argument::<Vec<String>>(call)?;
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        Ok(TypeCode::enumeration(self.id, self.name, &names)?)
    }

    /// Reads a constant, whose value must have its type.
    pub(super) fn constant(&self, type_code: TypeCode, value: &Any) -> Created<EntryKind> {
        if !value.type_code().equivalent(&type_code) {
            return Err(bad_param(MinorCode::default()));
        }
        Ok(EntryKind::Constant(Any::read_value(type_code, &mut value.reader())?))
    }

    /// Reads the members of a union and creates its TypeCode.
    pub(super) fn union(&self, switch: &TypeCode, call: &mut ServerCall<'_>) -> Created<TypeCode> {
        let mut cases = Vec::new();
        for member in argument::<corba::UnionMemberSeq>(call)? {
            let is_default = member.label.get::<u8>() == Some(0);
            let label = match is_default {
                true => None,
                false if member.label.type_code().equivalent(switch) => {
                    Some(switch.read_label(&mut member.label.reader())?)
                }
                false => return Err(bad_param(minor::bad_param::INCOMPATIBLE_DISCRIMINATOR)),
            };
            cases.push((label, member.name, self.type_of(member.type_def.as_ref())?));
        }
        self.union_of(switch, &cases)
    }

    pub(super) fn union_of(&self, switch: &TypeCode, cases: &[Case]) -> Created<TypeCode> {
        let cases: Vec<_> = cases
            .iter()
            .map(|(label, name, type_code)| UnionCase { label: *label, name, type_code })
            .collect();
        Ok(TypeCode::union(self.id, self.name, switch, &cases)?)
    }

    pub(super) fn interface(&self, kind: TcKind, call: &mut ServerCall<'_>) -> Created<EntryKind> {
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

    pub(super) fn parameters(
        &self,
        parameters: corba::ParDescriptionSeq,
    ) -> Created<Vec<ParameterDescription>> {
        let parameter = |parameter: corba::ParameterDescription| {
            Ok(ParameterDescription {
                type_code: self.type_of(parameter.type_def.as_ref())?,
                name: parameter.name,
                mode: match parameter.mode {
                    ParameterMode::ParamIn => Mode::In,
                    ParameterMode::ParamOut => Mode::Out,
                    ParameterMode::ParamInout => Mode::InOut,
                },
            })
        };
        parameters.into_iter().map(parameter).collect()
    }

    fn operation(&self, call: &mut ServerCall<'_>) -> Created<OperationDescription> {
        let operation = OperationDescription {
            name: self.name.to_owned(),
            id: self.id.to_owned(),
            defined_in: self.repository[self.entry_id].id.clone(),
            result: self.type_argument(call)?,
            oneway: argument::<OperationMode>(call)? == OperationMode::OpOneway,
            parameters: self.parameters(argument::<corba::ParDescriptionSeq>(call)?)?,
            exceptions: self.exceptions(call)?,
            contexts: argument::<Vec<String>>(call)?,
        };
        check_oneway(&operation)?;
        Ok(operation)
    }

    fn attribute(
        &self,
        operation: &str,
        call: &mut ServerCall<'_>,
    ) -> Created<AttributeDescription> {
        let mut attribute = AttributeDescription {
            name: self.name.to_owned(),
            id: self.id.to_owned(),
            defined_in: self.repository[self.entry_id].id.clone(),
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

    /// Reads a list of exceptions.
    pub(super) fn exceptions(&self, call: &mut ServerCall<'_>) -> Created<Vec<TypeCode>> {
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

/// The label (unless it is the default), name and type of a union member.
pub(super) type Case = (Option<i64>, String, TypeCode);

/// Checks a oneway operation, which cannot return anything.
pub(super) fn check_oneway(operation: &OperationDescription) -> Created<()> {
    let returns = operation.result.resolved_kind() != TcKind::Void
        || operation.parameters.iter().any(|parameter| parameter.mode.is_returned())
        || !operation.exceptions.is_empty();
    match operation.oneway && returns {
        true => Err(bad_param(minor::bad_param::BAD_ONEWAY)),
        false => Ok(()),
    }
}

fn borrowed(members: &[(String, TypeCode)]) -> Vec<(&str, TypeCode)> {
    members.iter().map(|(name, type_code)| (&**name, type_code.clone())).collect()
}
