//! From parts to octets.

use zorb_cdr::{CdrErrorKind, CdrResult, CdrWriter};
use zorb_types::{Any, TcKind};

use super::{Content, DynAny, DynAnyResult, value};

impl DynAny {
    /// The value as an any: `to_any`.
    ///
    /// # Errors
    /// When it has no encoding: a part that is itself too long, or nested too deep.
    pub fn to_any(&self) -> DynAnyResult<Any> {
        match &self.content {
            Content::Whole(any) => Ok(any.clone()),
            _ => Ok(Any::build_with(self.type_code.layout(), |writer| self.write_value(writer))?),
        }
    }

    /// Appends the value to a stream, without its TypeCode.
    ///
    /// # Errors
    /// When it has no encoding there.
    pub fn write_value(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let each = |parts: &[Self], writer: &mut CdrWriter<'_>| {
            parts.iter().try_for_each(|part| part.write_value(writer))
        };
        match &self.content {
            Content::Whole(any) => any.write_with(self.type_code.layout(), writer),
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
            Content::Value(Some(state)) => {
                value::write_head(&self.type_code.resolved(), writer)?;
                each(state, writer)
            }
        }
    }
}
