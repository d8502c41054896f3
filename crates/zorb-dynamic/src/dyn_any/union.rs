//! DynUnion.

use std::borrow::Cow;

use zorb_cdr::CdrReader;
use zorb_types::{Any, TcKind};

use super::known::Known;
use super::tree::{Content, UnionParts};
use super::{DynAny, DynAnyError, DynAnyResult};

impl UnionParts {
    pub(super) fn read(type_code: &Known, reader: &mut CdrReader<'_>) -> DynAnyResult<Self> {
        let discriminator = type_code.discriminator().ok_or(DynAnyError::TypeMismatch)?;
        let label = discriminator.read_label(&mut reader.clone())?;
        let discriminator = DynAny::read_part(discriminator, reader)?;
        let active = type_code.resolved().case_of(label)?;
        let member = active.and_then(|index| type_code.part(index));
        let member = member.map(|member| DynAny::read_part(member, reader)).transpose()?;
        Ok(Self { discriminator, active, member })
    }

    fn label(&self) -> DynAnyResult<i64> {
        let any = self.discriminator.to_any()?;
        Ok(self.discriminator.type_code.resolved().read_label(&mut any.reader())?)
    }

    /// Replaces the member if the discriminator selects another one now.
    pub(super) fn settle(&mut self, type_code: &Known) -> DynAnyResult<()> {
        if let Cow::Owned(settled) = self.settled(type_code)? {
            *self = settled;
        }
        Ok(())
    }

    /// The parts with the member that the discriminator selects now: the old one if it is the same member,
    /// otherwise a new one.
    pub(super) fn settled(&self, known: &Known) -> DynAnyResult<Cow<'_, Self>> {
        let type_code = known.resolved();
        let active = type_code.case_of(self.label()?)?;
        if active == self.active {
            return Ok(Cow::Borrowed(self));
        }
        // A case with several labels is listed once for each.
        let same = match (active, self.active) {
            (Some(one), Some(other)) => {
                let name = type_code.member_name(one)?;
                !name.is_empty() && name == type_code.member_name(other)?
            }
            _ => false,
        };
        let member = match active {
            Some(_) if same => self.member.clone(),
            Some(index) => known.part(index).map(DynAny::of_type).transpose()?,
            None => None,
        };
        Ok(Cow::Owned(Self { discriminator: self.discriminator.clone(), active, member }))
    }
}

/// A union, by its discriminator and member: `DynUnion`. They are its parts; without an active member, the
/// discriminator is the only part.
#[derive(Debug)]
pub struct DynUnion<'a>(&'a mut DynAny);

impl DynAny {
    /// The value as a union.
    ///
    /// # Errors
    /// `TypeMismatch` if it is not a union.
    pub fn as_union(&mut self) -> DynAnyResult<DynUnion<'_>> {
        self.needs(&[TcKind::Union])?;
        self.expand()?;
        Ok(DynUnion(self))
    }
}

impl<'a> DynUnion<'a> {
    /// The discriminator: `get_discriminator`. If a change of it selects another member, that member has the
    /// default value of its type.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn discriminator(self) -> DynAnyResult<&'a mut DynAny> {
        self.0.component(0)
    }

    /// The kind of the discriminator: `discriminator_kind`.
    ///
    /// # Errors
    /// None in practice.
    pub fn discriminator_kind(&self) -> DynAnyResult<TcKind> {
        Ok(self.0.type_code.resolved().discriminator_type()?.resolved_kind())
    }

    /// Sets the discriminator: `set_discriminator`. The selected member becomes the current part.
    ///
    /// # Errors
    /// `TypeMismatch` for a value of another type.
    pub fn set_discriminator(&mut self, discriminator: &DynAny) -> DynAnyResult<()> {
        self.0.component(0)?.assign(discriminator)?;
        let last = self.0.component_count()?.saturating_sub(1);
        self.0.position = Some(last);
        Ok(())
    }

    /// Sets the discriminator by its number (see
    /// [`TypeCode::member_label`](zorb_types::TypeCode::member_label)).
    ///
    /// # Errors
    /// `InvalidValue` for a label that the discriminator's type does not have.
    pub fn set_label(&mut self, label: i64) -> DynAnyResult<()> {
        let type_code = self.0.type_code.resolved().discriminator_type()?;
        let any =
            Any::build(type_code.clone(), |writer| type_code.resolved().write_label(label, writer))
                .map_err(|_| DynAnyError::InvalidValue)?;
        self.set_discriminator(&DynAny::whole(any))
    }

    /// Selects the default case: `set_to_default_member`.
    ///
    /// # Errors
    /// `TypeMismatch` if the union has no default case.
    pub fn set_to_default_member(&mut self) -> DynAnyResult<()> {
        let type_code = self.0.type_code.resolved();
        type_code.default_index()?.ok_or(DynAnyError::TypeMismatch)?;
        let label = type_code.unlisted_label()?.ok_or(DynAnyError::TypeMismatch)?;
        self.set_label(label)
    }

    /// Sets the discriminator so that it selects no member: `set_to_no_active_member`.
    ///
    /// # Errors
    /// `TypeMismatch` if every value of the discriminator selects a member.
    pub fn set_to_no_active_member(&mut self) -> DynAnyResult<()> {
        let type_code = self.0.type_code.resolved();
        if type_code.default_index()?.is_some() {
            return Err(DynAnyError::TypeMismatch);
        }
        let label = type_code.unlisted_label()?.ok_or(DynAnyError::TypeMismatch)?;
        self.set_label(label)
    }

    /// Whether the discriminator selects no member: `has_no_active_member`.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn has_no_active_member(&mut self) -> DynAnyResult<bool> {
        Ok(self.active()?.is_none())
    }

    /// Whether the default case is selected: `is_set_to_default_member`.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn is_set_to_default_member(&mut self) -> DynAnyResult<bool> {
        let default = self.0.type_code.resolved().default_index()?;
        Ok(default.is_some() && self.active()? == default)
    }

    /// The selected member: `member`.
    ///
    /// # Errors
    /// `InvalidValue` if no member is selected.
    pub fn member(self) -> DynAnyResult<&'a mut DynAny> {
        self.0.component(1)
    }

    /// The name of the selected member: `member_name`.
    ///
    /// # Errors
    /// `InvalidValue` if no member is selected.
    pub fn member_name(&mut self) -> DynAnyResult<String> {
        let index = self.active()?.ok_or(DynAnyError::InvalidValue)?;
        Ok(self.0.type_code.resolved().member_name(index)?.to_owned())
    }

    /// The kind of the selected member, `Alias` for a typedef: `member_kind`.
    ///
    /// # Errors
    /// `InvalidValue` if no member is selected.
    pub fn member_kind(&mut self) -> DynAnyResult<TcKind> {
        let index = self.active()?.ok_or(DynAnyError::InvalidValue)?;
        Ok(self.0.type_code.resolved().member_type(index)?.kind())
    }

    fn active(&mut self) -> DynAnyResult<Option<usize>> {
        self.0.component(0)?;
        match &self.0.content {
            Content::Union(union) => Ok(union.active),
            _ => Err(DynAnyError::TypeMismatch),
        }
    }
}
