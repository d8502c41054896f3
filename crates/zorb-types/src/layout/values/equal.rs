//! Comparing valuetypes: their states are equal, and share values in the same way.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, ValueHeader, ValueTag};

use super::choice::{Choice, WHAT};
use crate::TypeCode;
use crate::layout::walk::{Known, TableHost};

impl TableHost<'_, '_> {
    /// Whether two streams have the same value of a type of the table, or of a derived type.
    pub(in crate::layout) fn equal_values(
        &mut self,
        index: u32,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
    ) -> CdrResult<bool> {
        let (one, other) = match (left.read_value_header()?, right.read_value_header()?) {
            (ValueHeader::New(one), ValueHeader::New(other)) => (one, other),
            (ValueHeader::Null, ValueHeader::Null) => return Ok(true),
            (ValueHeader::Shared(one), ValueHeader::Shared(other)) => {
                return Ok(self.walk.pairs.get(&one) == Some(&other));
            }
            _ => return Ok(false),
        };
        let Some(known) = self.common(index, &one, left, &other, right)? else {
            return Ok(false);
        };
        self.walk.pairs.insert(one.offset, other.offset);
        left.begin_value(&one)?;
        right.begin_value(&other)?;
        let mut host = TableHost::of(&known.table, self.walk);
        let same = known.table.program.equal(known.state, left, right, &mut host)?;
        if same {
            left.end_value(&one)?;
            right.end_value(&other)?;
        }
        Ok(same)
    }

    /// The type of both values; `None` if they have different types.
    #[inline(never)]
    fn common(
        &mut self,
        index: u32,
        one: &ValueTag<'_>,
        left: &CdrReader<'_>,
        other: &ValueTag<'_>,
        right: &CdrReader<'_>,
    ) -> CdrResult<Option<Known>> {
        match (self.choose(index, one, left)?, self.choose(index, other, right)?) {
            (Choice::Known(known, 0), Choice::Known(same, 0)) => {
                let is_same =
                    known.type_code().map(TypeCode::id) == same.type_code().map(TypeCode::id);
                Ok(is_same.then_some(known))
            }
            // Unknown state may differ.
            _ => Err(left.error(CdrErrorKind::UnknownValue, WHAT)),
        }
    }
}
