//! Valuetypes and boxes.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_types::{Any, TcKind, TypeCode};

use super::structure::checked;
use super::{Content, DynAny, DynAnyError, DynAnyResult};

/// The value tag without a type, and with one repository id (CORBA 3.3 part 2, 9.3.4.1).
const TAG: u32 = 0x7fff_ff00;
const TAG_ID: u32 = 0x7fff_ff02;

/// Bases that are followed; TypeCodes nest no deeper.
const MAX_BASES: usize = zorb_cdr::MAX_DEPTH as usize;

/// A valuetype or `eventtype`, by the members of its state, those of its bases first: `DynValue`.
///
/// It is a tree of its own: values that are shared are parts twice over.
#[derive(Debug)]
pub struct DynValue<'a>(&'a mut DynAny);

/// A boxed value: `DynValueBox`.
#[derive(Debug)]
pub struct DynValueBox<'a>(&'a mut DynAny);

impl DynAny {
    /// The value as a valuetype.
    ///
    /// # Errors
    /// `TypeMismatch` if it is none.
    pub fn as_value(&mut self) -> DynAnyResult<DynValue<'_>> {
        self.needs(&[TcKind::Value, TcKind::Event])?;
        self.expand()?;
        Ok(DynValue(self))
    }

    /// The value as a box.
    ///
    /// # Errors
    /// `TypeMismatch` if it is none.
    pub fn as_value_box(&mut self) -> DynAnyResult<DynValueBox<'_>> {
        self.needs(&[TcKind::ValueBox])?;
        self.expand()?;
        Ok(DynValueBox(self))
    }

    fn set_null(&mut self) {
        self.content = Content::Value(None);
        self.position = None;
    }

    fn set_state(&mut self, state: Vec<Self>) {
        self.position = (!state.is_empty()).then_some(0);
        self.content = Content::Value(Some(state));
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

    /// Makes it a value, with members as in a new DynAny, unless it is one already:
    /// `set_to_value`.
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
    /// `InvalidValue` when there is none of this name, and in null.
    pub fn member(self, name: &str) -> DynAnyResult<&'a mut DynAny> {
        let state = state_of(&self.0.type_code.resolved())?;
        let index = state.iter().position(|(member, _)| member == name);
        self.0.component(index.ok_or(DynAnyError::InvalidValue)?)
    }

    /// The name of the current member: `current_member_name`.
    ///
    /// # Errors
    /// `InvalidValue` when none is current.
    pub fn current_member_name(&self) -> DynAnyResult<String> {
        self.current().map(|(name, _)| name)
    }

    /// The kind of the current member, a typedef's own: `current_member_kind`.
    ///
    /// # Errors
    /// `InvalidValue` when none is current.
    pub fn current_member_kind(&self) -> DynAnyResult<TcKind> {
        self.current().map(|(_, type_code)| type_code.kind())
    }

    fn current(&self) -> DynAnyResult<(String, TypeCode)> {
        let index = self.0.position.ok_or(DynAnyError::InvalidValue)?;
        let state = state_of(&self.0.type_code.resolved())?;
        state.into_iter().nth(index).ok_or(DynAnyError::InvalidValue)
    }

    /// Names and values of all members: `get_members_as_dyn_any`.
    ///
    /// # Errors
    /// `InvalidValue` for null.
    pub fn members(&mut self) -> DynAnyResult<Vec<(String, DynAny)>> {
        let state = state_of(&self.0.type_code.resolved())?;
        let parts = self.0.parts()?;
        Ok(state.into_iter().map(|(name, _)| name).zip(parts.iter().cloned()).collect())
    }

    /// Sets all members, by name and in order, and makes it a value:
    /// `set_members_as_dyn_any`.
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

    /// Makes it a box with a value as in a new DynAny, unless it has one: `set_to_value`.
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

    /// What is in the box: `get_boxed_value_as_dyn_any`.
    ///
    /// # Errors
    /// `InvalidValue` for null.
    pub fn boxed(self) -> DynAnyResult<&'a mut DynAny> {
        self.0.component(0)
    }

    /// Puts a value into the box: `set_boxed_value_as_dyn_any`.
    ///
    /// # Errors
    /// `TypeMismatch` for one of another type.
    pub fn set_boxed(&mut self, value: &DynAny) -> DynAnyResult<()> {
        let boxed = self.0.type_code.resolved().content_type()?;
        self.0.set_state(vec![value.as_type(&boxed.into())?]);
        Ok(())
    }
}

/// Names and types of the members of a valuetype's state, those of its bases first.
fn state_of(type_code: &TypeCode) -> DynAnyResult<Vec<(String, TypeCode)>> {
    use zorb_types::ValueModifier::Abstract;
    if type_code.type_modifier()? == Abstract {
        return Err(DynAnyError::InconsistentTypeCode);
    }
    let mut chain = vec![type_code.clone()];
    loop {
        let base = chain.last().map(TypeCode::concrete_base_type).transpose()?.unwrap_or_default();
        if base.kind() == TcKind::Null {
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

/// Takes the value of an any apart.
pub(super) fn read(type_code: &TypeCode, reader: &mut CdrReader<'_>) -> DynAnyResult<Content> {
    match reader.read_u32()? {
        0 => return Ok(Content::Value(None)),
        TAG => {}
        TAG_ID => {
            reader.read_latin1("valuetype")?;
        }
        _ => return Err(reader.error(CdrErrorKind::Unsupported, "valuetype").into()),
    }
    let types = match type_code.kind() {
        TcKind::ValueBox => vec![(String::new(), type_code.content_type()?)],
        _ => state_of(type_code)?,
    };
    let mut state = Vec::new();
    for (_, member) in types {
        state.push(DynAny::whole(Any::read_value(member, reader)?));
    }
    Ok(Content::Value(Some(state)))
}

/// Writes what stands before a value's state.
pub(super) fn write_head(type_code: &TypeCode, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_u32(TAG_ID);
    writer.write_latin1(type_code.id())
}
