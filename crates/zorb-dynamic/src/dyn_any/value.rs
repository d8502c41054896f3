//! Valuetypes and boxes.

use std::sync::Arc;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_types::{Any, TcKind, TypeCode, ValueHead, value_ids};

use super::known::Known;
use super::structure::checked;
use super::tree::{Content, State};
use super::{DynAny, DynAnyError, DynAnyResult};

/// The maximum number of bases, which is that of nested TypeCodes.
const MAX_BASES: usize = zorb_cdr::MAX_DEPTH as usize;

/// A valuetype or `eventtype`, by the members of its state, those of its bases first: `DynValue`.
///
/// A value of a derived type has the members of that type, if it is known; [`type_code`](DynAny::type_code)
/// is still the expected type. A value whose state is unknown, such as a custom one, has no members, and is
/// copied as it is.
///
/// It is a tree: a shared value becomes several parts, and a reference to an enclosing value becomes a copy
/// of it. As long as nothing is changed, [`to_any`](DynAny::to_any) preserves sharing; afterwards, the parts
/// are separate values.
#[derive(Debug)]
pub struct DynValue<'a>(&'a mut DynAny);

/// A boxed value: `DynValueBox`.
#[derive(Debug)]
pub struct DynValueBox<'a>(&'a mut DynAny);

impl DynAny {
    /// The value as a valuetype.
    ///
    /// # Errors
    /// `TypeMismatch` for other types.
    pub fn as_value(&mut self) -> DynAnyResult<DynValue<'_>> {
        self.needs(&[TcKind::Value, TcKind::Event])?;
        self.expand()?;
        Ok(DynValue(self))
    }

    /// The value as a value box.
    ///
    /// # Errors
    /// `TypeMismatch` for other types.
    pub fn as_value_box(&mut self) -> DynAnyResult<DynValueBox<'_>> {
        self.needs(&[TcKind::ValueBox])?;
        self.expand()?;
        Ok(DynValueBox(self))
    }

    fn set_null(&mut self) {
        self.content = Content::Value(None);
        self.position = None;
    }

    /// Makes it a value of exactly its declared type.
    fn set_state(&mut self, parts: Vec<Self>) {
        self.position = (!parts.is_empty()).then_some(0);
        let type_code = self.type_code.resolved();
        self.content = Content::Value(Some(Box::new(State { type_code, parts, whole: None })));
    }

    /// Names and types of the members; of null, those of its declared type.
    fn state(&self) -> DynAnyResult<Vec<(String, TypeCode)>> {
        match &self.content {
            Content::Value(Some(state)) => state_of(&state.type_code),
            Content::Value(None) => state_of(&self.type_code.resolved()),
            _ => Err(DynAnyError::InconsistentTypeCode),
        }
    }

    fn is_null_value(&self) -> bool {
        matches!(self.content, Content::Value(None))
    }
}

impl<'a> DynValue<'a> {
    /// Whether it is null: `is_null`.
    pub fn is_null(&self) -> bool {
        self.0.is_null_value()
    }

    /// Makes it null: `set_to_null`.
    pub fn set_to_null(&mut self) {
        self.0.set_null();
    }

    /// Makes null a value whose members have default values: `set_to_value`. Does nothing to other values.
    ///
    /// # Errors
    /// `InconsistentTypeCode` for an abstract valuetype; as [`DynAny::new`].
    pub fn set_to_value(&mut self) -> DynAnyResult<()> {
        if !self.is_null() {
            return Ok(());
        }
        let state = state_of(&self.0.type_code.resolved())?;
        let members = state.iter().map(|(_, type_code)| DynAny::new(type_code));
        let members = members.collect::<DynAnyResult<_>>()?;
        self.0.set_state(members);
        Ok(())
    }

    /// A member by its name.
    ///
    /// # Errors
    /// `InvalidValue` if there is no member with this name, and for null.
    pub fn member(self, name: &str) -> DynAnyResult<&'a mut DynAny> {
        let state = self.0.state()?;
        let index = state.iter().position(|(member, _)| member == name);
        self.0.component(index.ok_or(DynAnyError::InvalidValue)?)
    }

    /// The name of the current member: `current_member_name`.
    ///
    /// # Errors
    /// `InvalidValue` if no member is current.
    pub fn current_member_name(&self) -> DynAnyResult<String> {
        self.current().map(|(name, _)| name)
    }

    /// The kind of the current member, `Alias` for a typedef: `current_member_kind`.
    ///
    /// # Errors
    /// `InvalidValue` if no member is current.
    pub fn current_member_kind(&self) -> DynAnyResult<TcKind> {
        self.current().map(|(_, type_code)| type_code.kind())
    }

    fn current(&self) -> DynAnyResult<(String, TypeCode)> {
        let index = self.0.position.ok_or(DynAnyError::InvalidValue)?;
        let state = self.0.state()?;
        state.into_iter().nth(index).ok_or(DynAnyError::InvalidValue)
    }

    /// Names and values of all members: `get_members_as_dyn_any`.
    ///
    /// # Errors
    /// `InvalidValue` for null.
    pub fn members(&mut self) -> DynAnyResult<Vec<(String, DynAny)>> {
        let state = self.0.state()?;
        let parts = self.0.parts()?;
        Ok(state.into_iter().map(|(name, _)| name).zip(parts.iter().cloned()).collect())
    }

    /// Sets all members, by name and in order: `set_members_as_dyn_any`. Null becomes a value.
    ///
    /// # Errors
    /// `TypeMismatch` for another name or type, `InvalidValue` for another number of members.
    pub fn set_members(&mut self, members: &[(&str, DynAny)]) -> DynAnyResult<()> {
        let state = state_of(&self.0.type_code.resolved())?;
        self.0.set_state(checked(&state, members)?);
        Ok(())
    }
}

impl<'a> DynValueBox<'a> {
    /// Whether it is null: `is_null`.
    pub fn is_null(&self) -> bool {
        self.0.is_null_value()
    }

    /// Makes it null: `set_to_null`.
    pub fn set_to_null(&mut self) {
        self.0.set_null();
    }

    /// Makes null a box with a default value: `set_to_value`. Does nothing to other values.
    ///
    /// # Errors
    /// As [`DynAny::new`].
    pub fn set_to_value(&mut self) -> DynAnyResult<()> {
        if self.is_null() {
            let boxed = self.0.type_code.resolved().content_type()?;
            self.0.set_state(vec![DynAny::new(&boxed)?]);
        }
        Ok(())
    }

    /// The boxed value: `get_boxed_value_as_dyn_any`.
    ///
    /// # Errors
    /// `InvalidValue` for null.
    pub fn boxed(self) -> DynAnyResult<&'a mut DynAny> {
        self.0.component(0)
    }

    /// Sets the boxed value: `set_boxed_value_as_dyn_any`.
    ///
    /// # Errors
    /// `TypeMismatch` for a value of another type.
    pub fn set_boxed(&mut self, value: &DynAny) -> DynAnyResult<()> {
        let boxed = self.0.type_code.resolved().content_type()?;
        self.0.set_state(vec![value.as_type(&boxed.into())?]);
        Ok(())
    }
}

impl State {
    /// The value before it was decomposed, unless a part has been changed.
    pub(super) fn unchanged(&self, expected: &Known) -> DynAnyResult<Option<&Any>> {
        let Some(whole) = &self.whole else { return Ok(None) };
        let mut reader = whole.reader();
        if !matches!(expected.layout().begin_value(&mut reader)?, ValueHead::State(..)) {
            return Ok(None);
        }
        for part in &self.parts {
            let before = Any::read_with(&part.type_code.layout(), &mut reader)?;
            if part.to_any()? != before {
                return Ok(None);
            }
        }
        Ok(Some(whole))
    }

    /// Appends the value.
    pub(super) fn write(&self, expected: &Known, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        if let Ok(Some(whole)) = self.unchanged(expected) {
            return whole.write_with(&expected.layout(), writer);
        }
        let key = Arc::new(0_u64);
        let ids = value_ids(&self.type_code);
        writer.write_value(Arc::as_ptr(&key).addr(), key, &ids, ids.len() > 1, |writer| {
            self.parts.iter().try_for_each(|part| part.write_value(writer))
        })
    }
}

/// Decomposes the value of an any; `None` if its state is unknown.
pub(super) fn read(known: &Known, any: &Any) -> DynAnyResult<Option<Content>> {
    let mut reader = any.reader();
    let type_code = match known.layout().begin_value(&mut reader)? {
        ValueHead::Null => return Ok(Some(Content::Value(None))),
        ValueHead::State(type_code, _) => type_code,
        ValueHead::Shared(_) | ValueHead::Opaque(_) => return Ok(None),
    };
    let parts = read_parts(&type_code, &mut reader)?;
    let whole = Some(any.clone());
    Ok(Some(Content::Value(Some(Box::new(State { type_code, parts, whole })))))
}

fn read_parts(type_code: &TypeCode, reader: &mut CdrReader<'_>) -> DynAnyResult<Vec<DynAny>> {
    let members = match type_code.kind() {
        TcKind::ValueBox => vec![(String::new(), type_code.content_type()?)],
        _ => state_of(type_code)?,
    };
    let mut parts = Vec::new();
    for (_, member) in members {
        parts.push(DynAny::whole(Any::read_value(member, reader)?));
    }
    Ok(parts)
}

/// Names and types of the members of a valuetype's state, those of its bases first.
pub(crate) fn state_of(type_code: &TypeCode) -> DynAnyResult<Vec<(String, TypeCode)>> {
    use zorb_types::ValueModifier::{Abstract, Custom};
    if matches!(type_code.type_modifier()?, Abstract | Custom) {
        return Err(DynAnyError::InconsistentTypeCode);
    }
    let mut chain = vec![type_code.clone()];
    loop {
        let base = chain.last().map(TypeCode::concrete_base_type).transpose()?.unwrap_or_default();
        if base.resolved_kind() == TcKind::Null {
            break;
        }
        if chain.len() >= MAX_BASES {
            return Err(DynAnyError::InconsistentTypeCode);
        }
        chain.push(base.resolved());
    }
    let mut state = Vec::new();
    for class in chain.iter().rev() {
        for index in 0..class.member_count() {
            state.push((class.member_name(index)?.to_owned(), class.member_type(index)?));
        }
    }
    Ok(state)
}
