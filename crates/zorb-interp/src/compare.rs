//! Comparing two values of one type in two streams.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult};

use crate::execute::skip_exception_id;
use crate::host::{Host, HostValue};
use crate::label::read_label;
use crate::program::{Label, Program, Step};
use crate::{run, text};

impl Program {
    /// Whether both streams have the same value of the type `label`. Numbers are compared bit by bit, so
    /// that a NaN equals itself.
    ///
    /// # Errors
    /// When either is not a valid value of the type.
    pub fn equal<H: Host>(
        &self,
        label: Label,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
        host: &mut H,
    ) -> CdrResult<bool> {
        Comparison { program: self, left, right, host }.steps(self.entry(label))
    }
}

/// Two streams to compare.
struct Comparison<'c, 'l, 'r, H> {
    program: &'c Program,
    left: &'c mut CdrReader<'l>,
    right: &'c mut CdrReader<'r>,
    host: &'c mut H,
}

impl<H: Host> Comparison<'_, '_, '_, H> {
    fn steps(&mut self, entry: usize) -> CdrResult<bool> {
        let mut at = entry;
        loop {
            let same = match self.program.step(at) {
                Step::End => return Ok(true),
                // Valuetypes nest deepest. They are handled here to keep the stack frame small.
                Step::Foreign(index) => {
                    self.host.equal(HostValue::Foreign(index), self.left, self.right)?
                }
                step => self.one(step)?,
            };
            if !same {
                return Ok(false);
            }
            at += 1;
        }
    }

    fn one(&mut self, one: Step) -> CdrResult<bool> {
        let program = self.program;
        let Self { left, right, .. } = self;
        match one {
            Step::Run(index) => match program.members(index) {
                Some((_, items)) => run::equal(items, left, right),
                None => Err(left.error(CdrErrorKind::Unsupported, "type")),
            },
            Step::String(bound) => {
                step(left, right, 4);
                Ok(left.read_str(bound)? == right.read_str(bound)?)
            }
            Step::WString(bound) => {
                step(left, right, 4);
                Ok(left.read_wstring(bound)? == right.read_wstring(bound)?)
            }
            Step::WChar => {
                text::step_to_wchar(left);
                text::step_to_wchar(right);
                Ok(left.read_wchar()? == right.read_wchar()?)
            }
            Step::Sequence { element, .. } => {
                step(left, right, 4);
                let count = left.read_count(1, "sequence")?;
                Ok(right.read_count(1, "sequence")? == count && self.elements(element, count)?)
            }
            Step::Array { length, element } => {
                let length = length as usize;
                if length > left.remaining_in_all().min(right.remaining_in_all()) {
                    return Err(left.error(CdrErrorKind::LengthBeyondEnd, "array"));
                }
                self.elements(element, length)
            }
            Step::Union(union) => {
                let label = read_label(union.discriminator, left)?;
                Ok(read_label(union.discriminator, right)? == label
                    && match program.case(union, label) {
                        Some(member) => self.nested(member)?,
                        None => true,
                    })
            }
            Step::Call(label) => self.nested(label),
            Step::ExceptionId(index) => {
                skip_exception_id(program.id(index), left);
                skip_exception_id(program.id(index), right);
                Ok(true)
            }
            Step::Reference => equal_references(left, right),
            Step::Any => {
                left.descend("any")?;
                let same = self.host.equal(HostValue::Any, left, right)?;
                left.ascend();
                Ok(same)
            }
            Step::TypeCode => self.host.equal(HostValue::TypeCode, left, right),
            Step::Foreign(index) => self.host.equal(HostValue::Foreign(index), left, right),
            Step::Refuse(what) => Err(left.error(CdrErrorKind::Unsupported, what)),
            Step::End => Ok(true),
        }
    }

    /// A nested value of the type `label`.
    fn nested(&mut self, label: Label) -> CdrResult<bool> {
        self.left.descend("value")?;
        let same = self.steps(self.program.entry(label))?;
        self.left.ascend();
        Ok(same)
    }

    fn elements(&mut self, element: Label, count: usize) -> CdrResult<bool> {
        for _ in 0..count {
            let same = match self.program.whole_run(element) {
                Some((_, items)) => run::equal(items, self.left, self.right)?,
                None => self.nested(element)?,
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// [`CdrReader::step`] in both streams.
fn step(left: &mut CdrReader<'_>, right: &mut CdrReader<'_>, alignment: usize) {
    left.step(alignment);
    right.step(alignment);
}

/// Whether two streams have the same object reference, octet by octet.
///
/// # Errors
/// When either is malformed.
pub fn equal_references(left: &mut CdrReader<'_>, right: &mut CdrReader<'_>) -> CdrResult<bool> {
    const WHAT: &str = "object reference";
    step(left, right, 4);
    if left.read_string_octets(u32::MAX, WHAT)? != right.read_string_octets(u32::MAX, WHAT)? {
        return Ok(false);
    }
    step(left, right, 4);
    let profiles = left.read_count(8, WHAT)?;
    if right.read_count(8, WHAT)? != profiles {
        return Ok(false);
    }
    for _ in 0..profiles {
        step(left, right, 4);
        if left.read_u32()? != right.read_u32()? {
            return Ok(false);
        }
        step(left, right, 4);
        if left.read_octets()? != right.read_octets()? {
            return Ok(false);
        }
    }
    Ok(true)
}
