//! Octets of values that are as short or as long as their types allow, or random.

use zorb_cdr::{CdrResult, CdrWriter, WideForm};
use zorb_engines_tests::sample::Seed;
use zorb_types::{TcKind, TypeCode};

/// Which values.
#[derive(Clone, Debug)]
pub(crate) enum Pick {
    /// The shortest, with this case of unions.
    Least(usize),
    /// The longest, with this case of unions.
    Most(usize),
    Random(Seed),
}

/// A source of values.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pick: Pick,
    /// Makes numbers differ, for they are keys of maps.
    number: u64,
}

type Fault = Box<dyn std::error::Error>;

impl Values {
    pub(crate) const fn new(pick: Pick) -> Self {
        Self { pick, number: 0 }
    }

    /// A number up to `most`.
    fn up_to(&mut self, most: u32) -> usize {
        match &mut self.pick {
            Pick::Least(_) => 0,
            Pick::Most(_) => most as usize,
            Pick::Random(seed) => seed.below(most as usize + 1),
        }
    }

    /// Writes a value, and returns its elements.
    pub(crate) fn write(
        &mut self,
        type_code: &TypeCode,
        writer: &mut CdrWriter<'_>,
    ) -> Result<u64, Fault> {
        let ty = type_code.resolved();
        self.number += 1;
        let number = self.number;
        match ty.kind() {
            TcKind::Boolean => writer.write_bool(number % 2 == 1),
            TcKind::Octet => writer.write_u8(number as u8),
            TcKind::Char => writer.write_char('x')?,
            TcKind::WChar => self.wide_char(writer)?,
            TcKind::Short | TcKind::UShort => writer.write_u16(number as u16),
            TcKind::Long | TcKind::ULong | TcKind::Float => writer.write_u32(number as u32),
            TcKind::LongLong | TcKind::ULongLong | TcKind::Double => writer.write_u64(number),
            TcKind::LongDouble => {
                writer.write_u64(number);
                writer.write_u64(number);
            }
            TcKind::String => {
                let text = "x".repeat(self.up_to(ty.length()?));
                writer.write_str(&text, u32::MAX)?;
            }
            TcKind::WString => {
                // The first one makes the writer add a byte-order mark in either byte order.
                let length = self.up_to(ty.length()?);
                let text: String = "\u{feff}xxxxxxx".chars().take(length).collect();
                writer.write_wstring(&text, u32::MAX)?;
            }
            TcKind::Fixed => {
                let (digits, _) = ty.digits_and_scale()?;
                (0..digits / 2).for_each(|_| writer.write_u8(0));
                writer.write_u8(0x0c);
            }
            TcKind::Enum => writer.write_u32(self.up_to(ty.member_count() as u32 - 1) as u32),
            TcKind::Struct | TcKind::Except => {
                let members = 0..ty.member_count();
                let types = members.map(|index| ty.member_type(index));
                return self.write_all(&types.collect::<Result<Vec<_>, _>>()?, writer);
            }
            TcKind::Union => return self.union(&ty, writer),
            TcKind::Sequence => {
                let count = self.up_to(ty.length()?);
                writer.write_u32(count as u32);
                return Ok(1 + self.write_all(&vec![ty.content_type()?; count], writer)?);
            }
            TcKind::Array => {
                return self.write_all(&vec![ty.content_type()?; ty.length()? as usize], writer);
            }
            kind => return Err(format!("no values of {kind:?}").into()),
        }
        Ok(1)
    }

    fn write_all(&mut self, types: &[TypeCode], writer: &mut CdrWriter<'_>) -> Result<u64, Fault> {
        types.iter().try_fold(0, |elements, ty| Ok(elements + self.write(ty, writer)?))
    }

    fn wide_char(&mut self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        // Two code units, where the GIOP version has them.
        let is_long = self.up_to(1) == 1 && writer.text().wide_form == WideForm::Octets;
        writer.write_wchar(if is_long { '\u{1f600}' } else { 'x' })
    }

    fn union(&mut self, ty: &TypeCode, writer: &mut CdrWriter<'_>) -> Result<u64, Fault> {
        let count = ty.member_count();
        let index = match &mut self.pick {
            Pick::Least(index) | Pick::Most(index) => *index,
            Pick::Random(seed) => seed.below(count + 1),
        };
        let unlisted = ty.unlisted_label()?;
        let label = match unlisted {
            Some(label) if index >= count || ty.default_index()? == Some(index) => label,
            _ => ty.member_label(index.min(count - 1))?,
        };
        ty.discriminator_type()?.write_label(label, writer)?;
        match ty.case_of(label)? {
            Some(case) => Ok(1 + self.write(&ty.member_type(case)?, writer)?),
            None => Ok(1),
        }
    }
}
