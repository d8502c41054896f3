//! Values that have a text: enumerations and decimal numbers.

use zorb_types::{Any, FixedValue, TcKind, read_fixed, write_fixed};

use super::tree::Content;
use super::{DynAny, DynAnyError, DynAnyResult};

/// A value of an enumeration, by name or number: `DynEnum`.
#[derive(Debug)]
pub struct DynEnum<'a>(&'a mut DynAny);

/// A decimal number of a type known at run time: `DynFixed`.
#[derive(Debug)]
pub struct DynFixed<'a>(&'a mut DynAny);

impl DynAny {
    /// The value as one of an enumeration.
    ///
    /// # Errors
    /// `TypeMismatch` if it is none.
    pub fn as_enum(&mut self) -> DynAnyResult<DynEnum<'_>> {
        self.needs(&[TcKind::Enum])?;
        Ok(DynEnum(self))
    }

    /// The value as a decimal number.
    ///
    /// # Errors
    /// `TypeMismatch` if it is none.
    pub fn as_fixed(&mut self) -> DynAnyResult<DynFixed<'_>> {
        self.needs(&[TcKind::Fixed])?;
        Ok(DynFixed(self))
    }
}

impl DynEnum<'_> {
    /// The name of the value: `get_as_string`.
    ///
    /// # Errors
    /// When the value cannot be read.
    pub fn name(&self) -> DynAnyResult<String> {
        let ordinal = self.ordinal()? as usize;
        Ok(self.0.type_code.resolved().member_name(ordinal)?.to_owned())
    }

    /// Makes it the value of this name: `set_as_string`.
    ///
    /// # Errors
    /// `InvalidValue` when the enumeration has none.
    pub fn set_name(&mut self, name: &str) -> DynAnyResult<()> {
        let type_code = self.0.type_code.resolved();
        let ordinal = (0..type_code.member_count())
            .find(|&index| type_code.member_name(index) == Ok(name))
            .and_then(|index| u32::try_from(index).ok())
            .ok_or(DynAnyError::InvalidValue)?;
        self.set_ordinal(ordinal)
    }

    /// The number of the value: `get_as_ulong`.
    ///
    /// # Errors
    /// When the value cannot be read.
    pub fn ordinal(&self) -> DynAnyResult<u32> {
        Ok(self.0.to_any()?.reader().read_u32()?)
    }

    /// Makes it the value of this number: `set_as_ulong`.
    ///
    /// # Errors
    /// `InvalidValue` when the enumeration has none.
    pub fn set_ordinal(&mut self, ordinal: u32) -> DynAnyResult<()> {
        if ordinal as usize >= self.0.type_code.resolved().member_count() {
            return Err(DynAnyError::InvalidValue);
        }
        let any = Any::build(self.0.type_code().clone(), |writer| {
            writer.write_u32(ordinal);
            Ok(())
        })?;
        self.0.content = Content::Whole(any);
        Ok(())
    }
}

impl DynFixed<'_> {
    /// The number: `get_value`.
    ///
    /// # Errors
    /// When the value cannot be read.
    pub fn value(&self) -> DynAnyResult<FixedValue> {
        let (digits, scale) = self.0.type_code.resolved().digits_and_scale()?;
        Ok(read_fixed(digits, scale, &mut self.0.to_any()?.reader())?)
    }

    /// Sets the number, without the digits that the type has no place for, and says whether it has
    /// all of them: `set_value`. Text becomes a number with [`FixedValue::parse`].
    ///
    /// # Errors
    /// `InvalidValue` when there are too many digits before the point.
    pub fn set_value(&mut self, value: FixedValue) -> DynAnyResult<bool> {
        let (digits, scale) = self.0.type_code.resolved().digits_and_scale()?;
        let kept = value.truncate(scale)?;
        let any = Any::build(self.0.type_code().clone(), |writer| {
            write_fixed(kept, digits, scale, writer)
        })
        .map_err(|_| DynAnyError::InvalidValue)?;
        self.0.content = Content::Whole(any);
        Ok(kept == value)
    }
}
