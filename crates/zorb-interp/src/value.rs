//! Valuetypes of the plain sort: null, or one value of exactly the type, in one piece.
//!
//! Everything else that a stream may say of a value (chunks, derived types, values that were there
//! before) is the [`Host`]'s.

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use crate::compare::Comparison;
use crate::host::{Host, HostValue};
use crate::program::{Program, ValueStep};

/// No value.
const NULL: u32 = 0;
/// A value of the type that is expected, and one with its repository id.
const TAG: u32 = 0x7fff_ff00;
const TAG_ID: u32 = 0x7fff_ff02;
/// In place of a length: the string was there before.
const INDIRECTION: u32 = 0xffff_ffff;

/// What stands in the stream.
enum Head {
    Null,
    Plain,
    Other,
}

impl Program {
    pub(crate) fn value<H: Host>(
        &self,
        value: ValueStep,
        reader: &mut CdrReader<'_>,
        mut writer: Option<&mut CdrWriter<'_>>,
        host: &mut H,
    ) -> CdrResult<()> {
        reader.descend("valuetype")?;
        match self.head(value, reader)? {
            Head::Null => {
                if let Some(writer) = writer.as_deref_mut() {
                    writer.write_u32(NULL);
                }
            }
            Head::Plain => {
                if let Some(writer) = writer.as_deref_mut() {
                    writer.write_u32(TAG_ID);
                    writer.write_latin1(self.id(value.id))?;
                }
                self.execute(self.entry(value.state), reader, writer, host)?;
            }
            Head::Other => host.foreign(value.foreign, reader, writer)?,
        }
        reader.ascend();
        Ok(())
    }

    /// Takes a value's head, if it is one of the plain sort.
    fn head(&self, value: ValueStep, reader: &mut CdrReader<'_>) -> CdrResult<Head> {
        let mut ahead = reader.clone();
        let head = match ahead.read_u32()? {
            NULL => Head::Null,
            TAG if value.has_state => Head::Plain,
            TAG_ID if value.has_state => {
                if ahead.clone().read_u32()? == INDIRECTION
                    || ahead.read_latin1("repository id")? != self.id(value.id)
                {
                    return Ok(Head::Other);
                }
                Head::Plain
            }
            _ => return Ok(Head::Other),
        };
        *reader = ahead;
        Ok(head)
    }
}

impl<H: Host> Comparison<'_, '_, '_, H> {
    pub(crate) fn values(&mut self, value: ValueStep) -> CdrResult<bool> {
        let (mut left, mut right) = (self.left.clone(), self.right.clone());
        match (self.program.head(value, &mut left)?, self.program.head(value, &mut right)?) {
            (Head::Null, Head::Null) => {
                (*self.left, *self.right) = (left, right);
                Ok(true)
            }
            (Head::Plain, Head::Plain) => {
                (*self.left, *self.right) = (left, right);
                self.nested(value.state)
            }
            (Head::Null | Head::Plain, Head::Null | Head::Plain) => Ok(false),
            _ => self.host.equal(HostValue::Foreign(value.foreign), self.left, self.right),
        }
    }
}
