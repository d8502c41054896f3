//! Values taken apart by whoever reads them.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, ValueHeader, ValueTag};

use super::{Choice, Types, WHAT, Walk};
use crate::TypeCode;
use crate::layout::{Layout, Plan};

/// How a value begins, as [`Layout::begin_value`] finds it.
#[derive(Clone, Debug)]
pub enum ValueHead<'a> {
    /// There is none.
    Null,
    /// It is the one whose tag is at this offset.
    Shared(usize),
    /// A value of this type, or of one derived from it that is not known. Its state follows: the
    /// members of its bases, then its own, or what is in a box. Then comes
    /// [`end_value`](CdrReader::end_value).
    State(TypeCode, ValueTag<'a>),
    /// A value whose state is not known. `end_value` passes over it.
    Opaque(ValueTag<'a>),
}

impl Layout {
    /// Takes what comes before the state of a value of the type, a valuetype or box, and enters it.
    /// Of an abstract interface, the boolean has been taken before.
    ///
    /// # Errors
    /// As the decoder of the type; `BadValue` for other types.
    pub fn begin_value<'a>(&self, reader: &mut CdrReader<'a>) -> CdrResult<ValueHead<'a>> {
        let bad = |reader: &CdrReader<'_>| reader.error(CdrErrorKind::BadValue, WHAT);
        let Plan::Table(table) = &self.plan else { return Err(bad(reader)) };
        let mut walk = Walk::default();
        // The type itself is the first that the compiler comes to.
        match table.foreign.first() {
            Some(first) if first.type_code.resolved() == self.type_code.resolved() => {}
            _ => return Err(bad(reader)),
        }
        let tag = match reader.read_value_header()? {
            ValueHeader::Null => return Ok(ValueHead::Null),
            ValueHeader::Shared(offset) => return Ok(ValueHead::Shared(offset)),
            ValueHeader::New(tag) => tag,
        };
        let choice = Types::of(table, &mut walk).choose(0, &tag, reader)?;
        reader.begin_value(&tag)?;
        Ok(match choice {
            Choice::Known(known, _) => {
                let type_code = known.type_code().cloned().unwrap_or_default();
                ValueHead::State(type_code, tag)
            }
            Choice::Opaque => ValueHead::Opaque(tag),
        })
    }
}
