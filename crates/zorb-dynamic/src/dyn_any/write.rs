//! Encoding a DynAny.

use std::sync::Arc;

use zorb_cdr::{CdrErrorKind, CdrResult, CdrWriter};
use zorb_types::{Any, TcKind, ValueTypes};

use super::tree::Content;
use super::{DynAny, DynAnyResult};

impl DynAny {
    /// The value as an any: `to_any`.
    ///
    /// # Errors
    /// The value cannot be encoded: it is too long, or nested too deeply.
    pub fn to_any(&self) -> DynAnyResult<Any> {
        if let Content::Value(Some(state)) = &self.content
            && let Some(whole) = state.unchanged(&self.type_code)?
        {
            return Ok(whole.clone());
        }
        match &self.content {
            Content::Whole(any) => Ok(any.clone()),
            _ => {
                let mut types = ValueTypes::default();
                self.value_types(&mut types);
                let types = (!types.is_empty()).then(|| Arc::new(types));
                let layout = self.type_code.layout();
                Ok(Any::build_of(&layout, types, |writer| self.write_value(writer))?)
            }
        }
    }

    /// Appends the value to a stream, without its TypeCode.
    ///
    /// # Errors
    /// The stream cannot represent the value.
    pub fn write_value(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let each = |parts: &[Self], writer: &mut CdrWriter<'_>| {
            parts.iter().try_for_each(|part| part.write_value(writer))
        };
        match &self.content {
            Content::Whole(any) => any.write_with(&self.type_code.layout(), writer),
            Content::Image(image) => image.write(&self.type_code, writer),
            Content::Parts(parts) => {
                match self.kind() {
                    TcKind::Sequence => writer.write_count(parts.len(), "sequence")?,
                    TcKind::Except => writer.write_latin1(self.type_code.resolved().id())?,
                    _ => {}
                }
                each(parts, writer)
            }
            Content::Union(union) => {
                let settled = union
                    .settled(&self.type_code)
                    .map_err(|_| writer.error(CdrErrorKind::BadDiscriminator, "union"))?;
                settled.discriminator.write_value(writer)?;
                match &settled.member {
                    Some(member) => member.write_value(writer),
                    None => Ok(()),
                }
            }
            Content::Value(None) => {
                writer.write_u32(0);
                Ok(())
            }
            Content::Value(Some(state)) => state.write(&self.type_code, writer),
        }
    }

    /// Collects the types of contained valuetypes, which its own type may not describe.
    pub(super) fn value_types(&self, types: &mut ValueTypes) {
        let mut each = |parts: &[Self]| parts.iter().for_each(|part| part.value_types(types));
        match &self.content {
            Content::Whole(any) => {
                if let Some(known) = any.value_types() {
                    types.extend(known);
                }
            }
            Content::Parts(parts) => each(parts),
            Content::Union(union) => {
                if let Some(member) = &union.member {
                    member.value_types(types);
                }
            }
            Content::Value(Some(state)) => {
                each(&state.parts);
                types.add(&state.type_code);
            }
            Content::Value(None) | Content::Image(_) => {}
        }
    }
}
