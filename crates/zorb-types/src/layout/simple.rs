//! Types that need no program: numbers, strings, sequences of numbers.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::traits::Traits;
use crate::TcKind;
use crate::type_code::TypeRef;

/// A type that needs no program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Simple {
    /// `null` or `void`.
    Nothing,
    /// A number of this size in octets.
    Number(u8),
    Boolean,
    Char,
    /// An `enum` with this number of values.
    Enumeration(u32),
    Reference,
    /// A `string` with this bound.
    String(u32),
    /// A `wstring` with this bound.
    WString(u32),
    /// A sequence of numbers: their size in octets, and the bound.
    Numbers(u8, u32),
}

impl Simple {
    #[inline(always)] // 40 instructions of a dynamic call
    pub(super) fn of(type_ref: TypeRef<'_>) -> Option<Self> {
        let type_ref = type_ref.resolved();
        let number = |kind: TcKind| kind.number_size().and_then(|size| u8::try_from(size).ok());
        Some(match type_ref.kind() {
            TcKind::Null if type_ref.is_placeholder() => return None,
            TcKind::Null | TcKind::Void => Self::Nothing,
            TcKind::Boolean => Self::Boolean,
            TcKind::Char => Self::Char,
            TcKind::Enum => {
                Self::Enumeration(u32::try_from(type_ref.member_count()).unwrap_or(u32::MAX))
            }
            TcKind::ObjRef | TcKind::Component | TcKind::Home => Self::Reference,
            TcKind::String => Self::String(type_ref.bound()),
            TcKind::WString => Self::WString(type_ref.bound()),
            TcKind::Sequence => {
                let element = type_ref.content()?.resolved();
                Self::Numbers(number(element.kind())?, type_ref.bound())
            }
            kind => Self::Number(number(kind)?),
        })
    }

    pub(super) fn traits(self) -> Traits {
        let (alignment, has_text) = match self {
            Self::Nothing | Self::Boolean => (1, false),
            Self::Char => (1, true),
            Self::Enumeration(_) | Self::Reference => (4, false),
            Self::Number(size) => (size, false),
            Self::Numbers(size, _) => (size.max(4), false),
            Self::String(_) | Self::WString(_) => (4, true),
        };
        Traits { alignment, has_text }
    }

    pub(crate) fn copy(
        self,
        reader: &mut CdrReader<'_>,
        mut writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Number(size) => numbers(size.into(), 1, reader, writer),
            Self::Boolean => {
                reader.step(1);
                let value = reader.read_bool()?;
                if let Some(writer) = writer {
                    writer.write_bool(value);
                }
                Ok(())
            }
            Self::Char => {
                reader.step(1);
                let value = reader.read_char()?;
                writer.map_or(Ok(()), |writer| writer.write_char(value))
            }
            Self::Enumeration(values) => {
                reader.step(4);
                let value = reader.read_u32()?;
                if value >= values {
                    return Err(reader.error(CdrErrorKind::BadEnum, "enum"));
                }
                if let Some(writer) = writer {
                    writer.write_u32(value);
                }
                Ok(())
            }
            Self::Reference => zorb_interp::copy_reference(reader, writer),
            Self::String(bound) => zorb_interp::copy_string(bound, reader, writer),
            Self::WString(bound) => zorb_interp::copy_wstring(bound, reader, writer),
            Self::Numbers(size, bound) => {
                reader.step(4);
                let count = reader.read_count(1, "sequence")?;
                if u32::try_from(count).map_or(true, |count| count > bound) {
                    return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence"));
                }
                if let Some(writer) = writer.as_deref_mut() {
                    writer.write_count(count, "sequence")?;
                }
                numbers(size.into(), count, reader, writer)
            }
        }
    }
}

fn numbers(
    size: usize,
    count: usize,
    reader: &mut CdrReader<'_>,
    writer: Option<&mut CdrWriter<'_>>,
) -> CdrResult<()> {
    let number = match size {
        1 => zorb_interp::Number::One,
        2 => zorb_interp::Number::Two,
        4 => zorb_interp::Number::Four,
        _ => zorb_interp::Number::Eight,
    };
    zorb_interp::copy_numbers(number, count, reader, writer)
}
