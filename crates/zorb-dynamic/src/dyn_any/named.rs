//! Values with a text form: enumerations and decimal numbers.

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
    /// The value as an enumeration.
    ///
    /// # Errors
    /// `TypeMismatch` for other types.
    pub fn as_enum(&mut self) -> DynAnyResult<DynEnum<'_>> {
        self.needs(&[TcKind::Enum])?;
        Ok(DynEnum(self))
    }

    /// The value as a decimal number.
    ///
    /// # Errors
    /// `TypeMismatch` for other types.
    pub fn as_fixed(&mut self) -> DynAnyResult<DynFixed<'_>> {
        self.needs(&[TcKind::Fixed])?;
        Ok(DynFixed(self))
    }
}

impl DynEnum<'_> {
    /// The name of the value: `get_as_string`.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn name(&self) -> DynAnyResult<String> {
        let ordinal = self.ordinal()? as usize;
        Ok(self.0.type_code.resolved().member_name(ordinal)?.to_owned())
    }

    /// Sets the value with this name: `set_as_string`.
    ///
    /// # Errors
    /// `InvalidValue` if the enumeration has no such value.
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
    /// The value cannot be decoded.
    pub fn ordinal(&self) -> DynAnyResult<u32> {
        Ok(self.0.to_any()?.reader().read_u32()?)
    }

    /// Sets the value with this number: `set_as_ulong`.
    ///
    /// # Errors
    /// `InvalidValue` if the enumeration has no such value.
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
    /// The value cannot be decoded.
    pub fn value(&self) -> DynAnyResult<FixedValue> {
        let (digits, scale) = self.0.type_code.resolved().digits_and_scale()?;
        Ok(read_fixed(digits, scale, &mut self.0.to_any()?.reader())?)
    }

    /// Sets the number, truncated to the scale of the type: `set_value`. Returns whether no digit was lost.
    /// [`FixedValue::parse`] converts text.
    ///
    /// # Errors
    /// `InvalidValue` for too many digits before the decimal point.
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
