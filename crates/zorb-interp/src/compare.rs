//! Comparing two values of one type, whatever streams they are in.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult};

use crate::execute::skip_exception_id;
use crate::host::{Host, HostValue};
use crate::label::read_label;
use crate::program::{Label, Program, Step};
use crate::run;

impl Program {
    /// Whether both streams hold the same value of the type of `label`. Numbers are compared as
    /// octets, so that a NaN is what it is.
    ///
    /// # Errors
    /// When either is no value of the type.
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

/// Two streams that are compared.
pub(crate) struct Comparison<'c, 'l, 'r, H> {
    pub(crate) program: &'c Program,
    pub(crate) left: &'c mut CdrReader<'l>,
    pub(crate) right: &'c mut CdrReader<'r>,
    pub(crate) host: &'c mut H,
}

impl<H: Host> Comparison<'_, '_, '_, H> {
    fn steps(&mut self, entry: usize) -> CdrResult<bool> {
        let program = self.program;
        let mut at = entry;
        loop {
            let Self { left, right, .. } = self;
            let same = match program.step(at) {
                Step::End => return Ok(true),
                Step::Run(index) => match program.run(index) {
                    Some((_, items)) => run::equal(items, left, right)?,
                    None => return Err(left.error(CdrErrorKind::Unsupported, "type")),
                },
                Step::String(bound) => left.read_str(bound)? == right.read_str(bound)?,
                Step::WString(bound) => left.read_wstring(bound)? == right.read_wstring(bound)?,
                Step::WChar => left.read_wchar()? == right.read_wchar()?,
                Step::Sequence { element, .. } => {
                    let count = left.read_count(1, "sequence")?;
                    right.read_count(1, "sequence")? == count && self.elements(element, count)?
                }
                Step::Array { length, element } => {
                    let length = length as usize;
                    if length > left.remaining().min(right.remaining()) {
                        return Err(left.error(CdrErrorKind::LengthBeyondEnd, "array"));
                    }
                    self.elements(element, length)?
                }
                Step::Union(union) => {
                    let label = read_label(union.discriminator, left)?;
                    read_label(union.discriminator, right)? == label
                        && match program.case(union, label) {
                            Some(member) => self.nested(member)?,
                            None => true,
                        }
                }
                Step::Call(label) => self.nested(label)?,
                Step::ExceptionId(index) => {
                    skip_exception_id(program.id(index), left);
                    skip_exception_id(program.id(index), right);
                    true
                }
                Step::Reference => references(left, right)?,
                Step::Any => self.hosted(HostValue::Any)?,
                Step::TypeCode => self.host.equal(HostValue::TypeCode, left, right)?,
                Step::Value(value) => self.values(value)?,
                Step::Foreign(index) => self.hosted(HostValue::Foreign(index))?,
                Step::Refuse(what) => return Err(left.error(CdrErrorKind::Unsupported, what)),
            };
            if !same {
                return Ok(false);
            }
            at += 1;
        }
    }

    /// A value in another: at the steps of `label`.
    pub(crate) fn nested(&mut self, label: Label) -> CdrResult<bool> {
        self.left.descend("value")?;
        let same = self.steps(self.program.entry(label))?;
        self.left.ascend();
        Ok(same)
    }

    fn hosted(&mut self, what: HostValue) -> CdrResult<bool> {
        self.left.descend("value")?;
        let same = self.host.equal(what, self.left, self.right)?;
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

fn references(left: &mut CdrReader<'_>, right: &mut CdrReader<'_>) -> CdrResult<bool> {
    const WHAT: &str = "object reference";
    if left.read_string_octets(u32::MAX, WHAT)? != right.read_string_octets(u32::MAX, WHAT)? {
        return Ok(false);
    }
    let profiles = left.read_count(8, WHAT)?;
    if right.read_count(8, WHAT)? != profiles {
        return Ok(false);
    }
    for _ in 0..profiles {
        if left.read_u32()? != right.read_u32()? || left.read_octets()? != right.read_octets()? {
            return Ok(false);
        }
    }
    Ok(true)
}
