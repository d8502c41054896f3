//! Running a program: copying and skipping values.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use crate::host::Host;
use crate::label::{read_label, write_label};
use crate::program::{Label, Program, Step, UnionStep};
use crate::{run, text};

type Target<'w, 'b> = Option<&'w mut CdrWriter<'b>>;

impl Program {
    /// Copies one value of the type `label` from one stream to another.
    ///
    /// Byte order, alignment, code sets and GIOP version of the streams may differ. The value is validated
    /// as by a decoder of the type.
    ///
    /// # Errors
    /// The errors of decoding the type; those of encoding its text, when the code sets differ; `TooDeep`;
    /// `Unsupported` for types without values.
    pub fn copy(
        &self,
        label: Label,
        reader: &mut CdrReader<'_>,
        writer: &mut CdrWriter<'_>,
        host: &mut impl Host,
    ) -> CdrResult<()> {
        self.execute(self.entry(label), reader, Some(writer), host)
    }

    /// Validates and skips one value of the type `label`.
    ///
    /// # Errors
    /// The errors of decoding the type.
    pub fn skip(
        &self,
        label: Label,
        reader: &mut CdrReader<'_>,
        host: &mut impl Host,
    ) -> CdrResult<()> {
        self.execute(self.entry(label), reader, None, host)
    }

    /// [Copies](Self::copy) a value, or [skips](Self::skip) it if there is no writer.
    ///
    /// # Errors
    /// As [`copy`](Self::copy) and [`skip`](Self::skip).
    pub fn run<H: Host>(
        &self,
        label: Label,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
        host: &mut H,
    ) -> CdrResult<()> {
        self.execute(self.entry(label), reader, writer, host)
    }

    fn execute<H: Host>(
        &self,
        entry: usize,
        reader: &mut CdrReader<'_>,
        mut writer: Target<'_, '_>,
        host: &mut H,
    ) -> CdrResult<()> {
        let mut at = entry;
        loop {
            match self.step(at) {
                Step::End => return Ok(()),
                // Valuetypes nest deepest. They are handled here to keep the stack frame small.
                Step::Foreign(index) => host.foreign(index, reader, writer.as_deref_mut())?,
                step => self.one(step, reader, writer.as_deref_mut(), host)?,
            }
            at += 1;
        }
    }

    fn one<H: Host>(
        &self,
        step: Step,
        reader: &mut CdrReader<'_>,
        mut writer: Target<'_, '_>,
        host: &mut H,
    ) -> CdrResult<()> {
        match step {
            Step::Run(index) => match self.members(index) {
                Some((members, items)) => run::copy(members, items, 1, reader, writer),
                None => Err(reader.error(CdrErrorKind::Unsupported, "type")),
            },
            Step::String(bound) => text::copy_string(bound, reader, writer),
            Step::WString(bound) => text::copy_wstring(bound, reader, writer),
            Step::WChar => text::wchar(reader, writer),
            Step::Sequence { bound, element } => {
                reader.step(4);
                let count = reader.read_count(1, "sequence")?;
                if u32::try_from(count).map_or(true, |count| count > bound) {
                    return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence"));
                }
                if let Some(writer) = writer.as_deref_mut() {
                    writer.write_count(count, "sequence")?;
                }
                self.elements(element, count, reader, writer, host)
            }
            Step::Array { length, element } => {
                // Every element has at least one octet.
                let length = length as usize;
                if length > reader.remaining_in_all() && !reader.enter_tail(length) {
                    return Err(reader.error(CdrErrorKind::LengthBeyondEnd, "array"));
                }
                self.elements(element, length, reader, writer, host)
            }
            Step::Union(union) => self.union(union, reader, writer, host),
            Step::Call(label) => {
                reader.descend("value")?;
                self.execute(self.entry(label), reader, writer, host)?;
                reader.ascend();
                Ok(())
            }
            Step::ExceptionId(index) => self.exception_id(index, reader, writer, host),
            Step::Reference => copy_reference(reader, writer),
            Step::Any => {
                reader.descend("any")?;
                host.any(reader, writer)?;
                reader.ascend();
                Ok(())
            }
            Step::TypeCode => host.type_code(reader, writer),
            Step::Foreign(index) => host.foreign(index, reader, writer),
            Step::Refuse(what) => Err(reader.error(CdrErrorKind::Unsupported, what)),
            Step::End => Ok(()),
        }
    }

    fn elements<H: Host>(
        &self,
        element: Label,
        count: usize,
        reader: &mut CdrReader<'_>,
        mut writer: Target<'_, '_>,
        host: &mut H,
    ) -> CdrResult<()> {
        if let Some((members, items)) = self.whole_run(element) {
            return run::copy(members, items, count, reader, writer);
        }
        let entry = self.entry(element);
        reader.descend("sequence")?;
        for _ in 0..count {
            self.execute(entry, reader, writer.as_deref_mut(), host)?;
        }
        reader.ascend();
        Ok(())
    }

    fn union<H: Host>(
        &self,
        union: UnionStep,
        reader: &mut CdrReader<'_>,
        mut writer: Target<'_, '_>,
        host: &mut H,
    ) -> CdrResult<()> {
        let label = read_label(union.discriminator, reader)?;
        if let Some(writer) = writer.as_deref_mut() {
            write_label(union.discriminator, label, writer)?;
        }
        let Some(member) = self.case(union, label) else { return Ok(()) };
        reader.descend("union")?;
        self.execute(self.entry(member), reader, writer, host)?;
        reader.ascend();
        Ok(())
    }

    pub(crate) fn case(&self, union: UnionStep, label: i64) -> Option<Label> {
        let cases = self.cases.get(union.first as usize..)?.get(..union.count as usize)?;
        let index = cases.partition_point(|&(one, _)| one < label);
        let found = cases.get(index).filter(|&&(one, _)| one == label);
        found.map(|&(_, member)| member).or(union.default)
    }

    fn exception_id<H: Host>(
        &self,
        index: u32,
        reader: &mut CdrReader<'_>,
        writer: Target<'_, '_>,
        host: &mut H,
    ) -> CdrResult<()> {
        let id = self.id(index);
        if !skip_exception_id(id, reader) {
            host.exception_without_id();
        }
        match writer {
            Some(writer) => writer.write_latin1(id),
            None => Ok(()),
        }
    }

    pub(crate) fn id(&self, index: u32) -> &str {
        self.ids.get(index as usize).map_or("", |id| id)
    }
}

/// Skips the repository id before the members of an exception. The standard requires it, but some ORBs
/// omit it: then this returns `false`.
pub(crate) fn skip_exception_id(id: &str, reader: &mut CdrReader<'_>) -> bool {
    reader.step(4);
    let mut ahead = reader.clone();
    let is_present = ahead.read_latin1("exception id").is_ok_and(|found| found == id);
    if is_present {
        *reader = ahead;
    }
    is_present
}

/// Copies an object reference, nil or not: the type id and the tagged profiles, whose data is not looked
/// at. Without a writer, checks and skips it.
///
/// # Errors
/// When the reference is malformed.
pub fn copy_reference(
    reader: &mut CdrReader<'_>,
    mut writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    const WHAT: &str = "object reference";
    reader.step(4);
    let type_id = reader.read_string_octets(u32::MAX, WHAT)?;
    if let Some(writer) = writer.as_deref_mut() {
        text::put(type_id, writer)?;
    }
    reader.step(4);
    let profiles = reader.read_count(8, WHAT)?;
    if let Some(writer) = writer.as_deref_mut() {
        writer.write_count(profiles, WHAT)?;
    }
    for _ in 0..profiles {
        reader.step(4);
        let tag = reader.read_u32()?;
        reader.step(4);
        let data = reader.read_octets()?;
        if let Some(writer) = writer.as_deref_mut() {
            writer.write_u32(tag);
            writer.write_octets(data)?;
        }
    }
    Ok(())
}
