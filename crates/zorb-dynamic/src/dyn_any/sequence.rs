//! DynSequence.

use zorb_types::TcKind;

use super::known::Known;
use super::tree::Content;
use super::{DynAny, DynAnyError, DynAnyResult};

/// A sequence, by its elements: `DynSequence`.
#[derive(Debug)]
pub struct DynSequence<'a>(&'a mut DynAny);

impl DynAny {
    /// The value as a sequence.
    ///
    /// # Errors
    /// `TypeMismatch` if it is not a sequence.
    pub fn as_sequence(&mut self) -> DynAnyResult<DynSequence<'_>> {
        self.needs(&[TcKind::Sequence])?;
        Ok(DynSequence(self))
    }
}

impl<'a> DynSequence<'a> {
    /// The number of elements: `get_length`.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn length(&mut self) -> DynAnyResult<usize> {
        self.0.component_count()
    }

    /// Sets the length: `set_length`. New elements have default values, and the first of them becomes the
    /// current one; otherwise the current element stays if it still exists.
    ///
    /// # Errors
    /// `InvalidValue` beyond the bound, `TooLarge` for more than 16 MiB of new elements.
    pub fn set_length(&mut self, length: usize) -> DynAnyResult<()> {
        let bound = self.0.type_code.resolved().length()? as usize;
        if bound != 0 && length > bound {
            return Err(DynAnyError::InvalidValue);
        }
        let before = self.length()?;
        self.0.image();
        if let Content::Image(image) = &mut self.0.content {
            image.set_length(&self.0.type_code, length)?;
        } else {
            let element = self.0.type_code.part(0).ok_or(DynAnyError::TypeMismatch)?;
            let new = DynAny::of_type(element)?;
            if length.saturating_sub(before) > MAX_NEW {
                return Err(DynAnyError::TooLarge);
            }
            self.0.parts()?.resize(length, new);
        }
        self.0.position = match self.0.position {
            Some(position) if position < length.min(before) => Some(position),
            _ if length > before => Some(before),
            _ => None,
        };
        Ok(())
    }

    /// An element.
    ///
    /// # Errors
    /// `InvalidValue` beyond the last element.
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
    /// `InvalidValue` beyond the bound, `TypeMismatch` for elements of another type.
    pub fn set_elements(&mut self, elements: &[DynAny]) -> DynAnyResult<()> {
        let bound = self.0.type_code.resolved().length()? as usize;
        if bound != 0 && elements.len() > bound {
            return Err(DynAnyError::InvalidValue);
        }
        self.0.content = Content::Parts(of_type(&self.0.type_code, elements)?);
        self.0.position = (!elements.is_empty()).then_some(0);
        Ok(())
    }
}

/// The maximum number of new elements at once; each takes some hundred octets of memory.
const MAX_NEW: usize = 1 << 20;

/// Copies of elements, converted to the element type of a sequence or array.
pub(super) fn of_type(known: &Known, elements: &[DynAny]) -> DynAnyResult<Vec<DynAny>> {
    let element = known.part(0).ok_or(DynAnyError::TypeMismatch)?;
    elements.iter().map(|value| value.as_type(element)).collect()
}
