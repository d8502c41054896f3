//! DynArray.

use zorb_types::TcKind;

use super::sequence::of_type;
use super::tree::Content;
use super::{DynAny, DynAnyError, DynAnyResult};

/// One dimension of an array, by its elements: `DynArray`.
#[derive(Debug)]
pub struct DynArray<'a>(&'a mut DynAny);

impl DynAny {
    /// The value as an array.
    ///
    /// # Errors
    /// `TypeMismatch` if it is not an array.
    pub fn as_array(&mut self) -> DynAnyResult<DynArray<'_>> {
        self.needs(&[TcKind::Array])?;
        Ok(DynArray(self))
    }
}

impl<'a> DynArray<'a> {
    /// An element.
    ///
    /// # Errors
    /// `InvalidValue` beyond the last.
    pub fn element(self, index: usize) -> DynAnyResult<&'a mut DynAny> {
        self.0.component(index)
    }

    /// All elements: `get_elements_as_dyn_any`.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn elements(&mut self) -> DynAnyResult<&[DynAny]> {
        self.0.parts().map(|parts| &**parts)
    }

    /// Sets all elements: `set_elements_as_dyn_any`.
    ///
    /// # Errors
    /// `InvalidValue` for another number of them, `TypeMismatch` for another type.
    pub fn set_elements(&mut self, elements: &[DynAny]) -> DynAnyResult<()> {
        if elements.len() != self.0.type_code.resolved().length()? as usize {
            return Err(DynAnyError::InvalidValue);
        }
        self.0.content = Content::Parts(of_type(&self.0.type_code, elements)?);
        self.0.position = Some(0);
        Ok(())
    }
}
