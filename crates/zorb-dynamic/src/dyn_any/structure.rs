//! DynStruct.

use zorb_types::{TcKind, TypeCode};

use super::known::Known;
use super::tree::Content;
use super::{DynAny, DynAnyError, DynAnyResult};

/// A struct or exception, by its members: `DynStruct`.
#[derive(Debug)]
pub struct DynStruct<'a>(pub(super) &'a mut DynAny);

impl DynAny {
    /// The value as a struct or exception.
    ///
    /// # Errors
    /// `TypeMismatch` if it is neither.
    pub fn as_struct(&mut self) -> DynAnyResult<DynStruct<'_>> {
        self.needs(&[TcKind::Struct, TcKind::Except])?;
        Ok(DynStruct(self))
    }
}

impl<'a> DynStruct<'a> {
    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.type_code.resolved().member_count()
    }

    /// Whether it is an exception without members.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A member by its name.
    ///
    /// # Errors
    /// `InvalidValue` if there is no member with this name.
    pub fn member(self, name: &str) -> DynAnyResult<&'a mut DynAny> {
        let index = index_of(&self.0.type_code.resolved(), name)?;
        self.0.component(index)
    }

    /// The name of the current member: `current_member_name`.
    ///
    /// # Errors
    /// `InvalidValue` if no member is current.
    pub fn current_member_name(&self) -> DynAnyResult<String> {
        let index = self.0.position.ok_or(DynAnyError::InvalidValue)?;
        Ok(self.0.type_code.resolved().member_name(index)?.to_owned())
    }

    /// The kind of the current member, `Alias` for a typedef: `current_member_kind`.
    ///
    /// # Errors
    /// `InvalidValue` if no member is current.
    pub fn current_member_kind(&self) -> DynAnyResult<TcKind> {
        let index = self.0.position.ok_or(DynAnyError::InvalidValue)?;
        Ok(self.0.type_code.resolved().member_type(index)?.kind())
    }

    /// Names and values of all members: `get_members_as_dyn_any`.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn members(&mut self) -> DynAnyResult<Vec<(String, DynAny)>> {
        let type_code = self.0.type_code.resolved();
        named(&type_code, self.0.parts()?)
    }

    /// Sets all members, by name and in order: `set_members_as_dyn_any`. A name may be empty.
    ///
    /// # Errors
    /// `TypeMismatch` for another name or type, `InvalidValue` for another number of members.
    pub fn set_members(&mut self, members: &[(&str, DynAny)]) -> DynAnyResult<()> {
        let type_code = self.0.type_code.resolved();
        let types = (0..type_code.member_count())
            .map(|index| {
                Ok((type_code.member_name(index)?.to_owned(), type_code.member_type(index)?))
            })
            .collect::<DynAnyResult<Vec<_>>>()?;
        self.0.content = Content::Parts(checked(&types, members)?);
        self.0.position = (!members.is_empty()).then_some(0);
        Ok(())
    }
}

pub(super) fn named(type_code: &TypeCode, parts: &[DynAny]) -> DynAnyResult<Vec<(String, DynAny)>> {
    let names = (0..).map(|index| type_code.member_name(index));
    parts.iter().zip(names).map(|(part, name)| Ok((name?.to_owned(), part.clone()))).collect()
}

fn index_of(type_code: &TypeCode, name: &str) -> DynAnyResult<usize> {
    (0..type_code.member_count())
        .find(|&index| type_code.member_name(index) == Ok(name))
        .ok_or(DynAnyError::InvalidValue)
}

/// Members for these names and types.
pub(super) fn checked(
    types: &[(String, TypeCode)],
    members: &[(&str, DynAny)],
) -> DynAnyResult<Vec<DynAny>> {
    if types.len() != members.len() {
        return Err(DynAnyError::InvalidValue);
    }
    let mut parts = Vec::new();
    for ((name, type_code), (given, value)) in types.iter().zip(members) {
        let named = given.is_empty() || name.is_empty() || given == name;
        if !named {
            return Err(DynAnyError::TypeMismatch);
        }
        parts.push(value.as_type(&Known::from(type_code.clone()))?);
    }
    Ok(parts)
}
