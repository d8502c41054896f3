//! Navigating the parts of a value.

use zorb_types::TcKind;

use super::tree::Content;
use super::{DynAny, DynAnyError, DynAnyResult, image};

/// # Navigating parts
///
/// Parts are the members of structs, exceptions and valuetypes, the elements of sequences and
/// arrays, and a union's discriminator and member.
impl DynAny {
    /// The number of parts: `component_count`.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn component_count(&mut self) -> DynAnyResult<usize> {
        if !self.type_code.has_parts() {
            return Ok(0);
        }
        match (&self.content, self.kind()) {
            (Content::Image(image), _) => {
                return image::count(&self.type_code, &mut image.reader());
            }
            (
                Content::Whole(any),
                TcKind::Struct | TcKind::Except | TcKind::Sequence | TcKind::Array,
            ) => {
                return image::count(&self.type_code, &mut any.reader());
            }
            _ => self.expand()?,
        }
        Ok(match &mut self.content {
            Content::Parts(parts) => parts.len(),
            Content::Value(Some(state)) => state.parts.len(),
            Content::Union(union) => {
                union.settle(&self.type_code)?;
                1 + usize::from(union.member.is_some())
            }
            Content::Whole(_) | Content::Image(_) | Content::Value(None) => 0,
        })
    }

    /// Makes the part with this index the current one: `seek`. If there is none, returns `false`, and no part
    /// is current.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn seek(&mut self, index: usize) -> DynAnyResult<bool> {
        let exists = index < self.component_count()?;
        self.position = exists.then_some(index);
        Ok(exists)
    }

    /// Makes the first part the current one: `rewind`.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn rewind(&mut self) -> DynAnyResult<bool> {
        self.seek(0)
    }

    /// Makes the next part the current one, or the first one if no part is current: `next`.
    ///
    /// # Errors
    /// The value cannot be decoded.
    pub fn next_component(&mut self) -> DynAnyResult<bool> {
        let next = self.position.map_or(0, |position| position.saturating_add(1));
        self.seek(next)
    }

    /// The index of the current part.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// The current part, if there is one: `current_component`.
    ///
    /// # Errors
    /// `TypeMismatch` for types without parts.
    pub fn current_component(&mut self) -> DynAnyResult<Option<&mut Self>> {
        if !self.type_code.has_parts() {
            return Err(DynAnyError::TypeMismatch);
        }
        let count = self.component_count()?;
        match self.position.filter(|&position| position < count) {
            Some(position) => self.component(position).map(Some),
            None => Ok(None),
        }
    }

    /// The part with this index.
    ///
    /// # Errors
    /// `TypeMismatch` for types without parts, `InvalidValue` beyond the last part.
    pub fn component(&mut self, index: usize) -> DynAnyResult<&mut Self> {
        if !self.type_code.has_parts() {
            return Err(DynAnyError::TypeMismatch);
        }
        if self.image().is_none() {
            self.expand()?;
        }
        let type_code = &self.type_code;
        match &mut self.content {
            Content::Image(image) => image.part(type_code, index),
            Content::Union(union) => {
                union.settle(type_code)?;
                match index {
                    0 => Ok(&mut union.discriminator),
                    1 => union.member.as_mut().ok_or(DynAnyError::InvalidValue),
                    _ => Err(DynAnyError::InvalidValue),
                }
            }
            Content::Parts(parts) => parts.get_mut(index).ok_or(DynAnyError::InvalidValue),
            Content::Value(Some(state)) => {
                state.parts.get_mut(index).ok_or(DynAnyError::InvalidValue)
            }
            Content::Value(None) => Err(DynAnyError::InvalidValue),
            Content::Whole(_) => Err(DynAnyError::TypeMismatch),
        }
    }
}
