//! The beginning of a value, for callers that read its state member by member.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, ValueHeader, ValueTag};

use super::choice::{Choice, WHAT};
use crate::TypeCode;
use crate::layout::plan::{Layout, Plan};
use crate::layout::walk::{TableHost, Walk};

/// The beginning of a value, as [`Layout::begin_value`] reads it.
#[derive(Clone, Debug)]
pub enum ValueHead<'a> {
    /// The null value.
    Null,
    /// The value whose tag is at this offset.
    Shared(usize),
    /// A value of this type, or of an unknown type derived from it. Its state follows: the members of its
    /// bases, then its own members, or the boxed value. Call [`end_value`](CdrReader::end_value) after it.
    State(TypeCode, ValueTag<'a>),
    /// A value whose state is unknown. Call `end_value` to skip it.
    Opaque(ValueTag<'a>),
}

impl Layout {
    /// Reads what comes before the state of a value of this type, a valuetype or value box, and enters the
    /// value. For an abstract interface, the caller has read the boolean before it.
    ///
    /// # Errors
    /// The errors of decoding the type; `BadValue` for other types.
    pub fn begin_value<'a>(&self, reader: &mut CdrReader<'a>) -> CdrResult<ValueHead<'a>> {
        let bad = |reader: &CdrReader<'_>| reader.error(CdrErrorKind::BadValue, WHAT);
        let retried = self.retried();
        let table = match &retried.plan {
            Plan::Table(table) => table,
            Plan::Simple(_) => return Err(bad(reader)),
            Plan::OutOfMemory => return Err(reader.error(CdrErrorKind::OutOfMemory, WHAT)),
        };
        let mut walk = Walk::default();
        // The compiler begins with the type itself.
        match table.foreign.first() {
            Some(first) if first.type_code.resolved() == self.type_code.resolved() => {}
            _ => return Err(bad(reader)),
        }
        let tag = match reader.read_value_header()? {
            ValueHeader::Null => return Ok(ValueHead::Null),
            ValueHeader::Shared(offset) => return Ok(ValueHead::Shared(offset)),
            ValueHeader::New(tag) => tag,
        };
        let choice = TableHost::of(table, &mut walk).choose(0, &tag, reader)?;
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
