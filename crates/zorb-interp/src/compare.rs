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
        self.compare(self.entry(label), left, right, host)
    }

    fn compare<H: Host>(
        &self,
        entry: usize,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
        host: &mut H,
    ) -> CdrResult<bool> {
        let mut at = entry;
        loop {
            let same = match self.step(at) {
                Step::End => return Ok(true),
                Step::Run(index) => match self.run(index) {
                    Some((_, items)) => run::equal(items, left, right)?,
                    None => return Err(left.error(CdrErrorKind::Unsupported, "type")),
                },
                Step::String(bound) => left.read_str(bound)? == right.read_str(bound)?,
                Step::WString(bound) => left.read_wstring(bound)? == right.read_wstring(bound)?,
                Step::WChar => left.read_wchar()? == right.read_wchar()?,
                Step::Sequence { element, .. } => {
                    let count = left.read_count(1, "sequence")?;
                    right.read_count(1, "sequence")? == count
                        && self.elements_equal(element, count, left, right, host)?
                }
                Step::Array { length, element } => {
                    let length = length as usize;
                    if length > left.remaining().min(right.remaining()) {
                        return Err(left.error(CdrErrorKind::LengthBeyondEnd, "array"));
                    }
                    self.elements_equal(element, length, left, right, host)?
                }
                Step::Union(union) => {
                    let label = read_label(union.discriminator, left)?;
                    read_label(union.discriminator, right)? == label
                        && match self.case(union, label) {
                            Some(member) => self.nested(member, left, right, host)?,
                            None => true,
                        }
                }
                Step::Call(label) => self.nested(label, left, right, host)?,
                Step::ExceptionId(index) => {
                    skip_exception_id(self.id(index), left);
                    skip_exception_id(self.id(index), right);
                    true
                }
                Step::Reference => references(left, right)?,
                Step::Any => self.hosted(HostValue::Any, left, right, host)?,
                Step::TypeCode => host.equal(HostValue::TypeCode, left, right)?,
                Step::Value(value) => self.values_equal(value, left, right, host)?,
                Step::Foreign(index) => {
                    self.hosted(HostValue::Foreign(index), left, right, host)?
                }
                Step::Refuse(what) => return Err(left.error(CdrErrorKind::Unsupported, what)),
            };
            if !same {
                return Ok(false);
            }
            at += 1;
        }
    }

    pub(crate) fn nested<H: Host>(
        &self,
        label: Label,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
        host: &mut H,
    ) -> CdrResult<bool> {
        left.descend("value")?;
        let same = self.compare(self.entry(label), left, right, host)?;
        left.ascend();
        Ok(same)
    }

    fn hosted<H: Host>(
        &self,
        what: HostValue,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
        host: &mut H,
    ) -> CdrResult<bool> {
        left.descend("value")?;
        let same = host.equal(what, left, right)?;
        left.ascend();
        Ok(same)
    }

    fn elements_equal<H: Host>(
        &self,
        element: Label,
        count: usize,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
        host: &mut H,
    ) -> CdrResult<bool> {
        for _ in 0..count {
            let same = match self.whole_run(element) {
                Some((_, items)) => run::equal(items, left, right)?,
                None => self.nested(element, left, right, host)?,
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
