//! Step 2 begins with TypeCodes that know what has been calculated once.

use zorb_types::TcKind;

use crate::type_code::{TypeCode, calc_nested_size_and_alignment};
use crate::{Error, Result};

/// A TypeCode with its size, its alignment, and its parts, which are never parsed again.
#[derive(Clone, Debug)]
pub(crate) struct Cached {
    /// Never that of a typedef.
    pub(crate) kind: TcKind,
    pub(crate) size: usize,
    /// Whether values point to something, so that there is something to be freed.
    pub(crate) owns: bool,
    /// The members of a struct, or the elements of a sequence or an array.
    pub(crate) parts: Box<[Part]>,
    /// The number of elements of an array.
    pub(crate) length: usize,
}

/// A part of a type.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Of a member, from the start of the struct.
    pub(crate) offset: usize,
    pub(crate) type_code: Cached,
}

impl Cached {
    /// Calculates what the type's users would.
    pub(crate) fn new(type_code: TypeCode<'_>) -> Result<Self> {
        let (size, _) = calc_nested_size_and_alignment(type_code)?;
        let kind = type_code.kind;
        let (mut parts, mut length) = (Vec::new(), 0);
        match kind {
            TcKind::Alias => return Self::new(type_code.content()?),
            TcKind::Struct => {
                let mut parameters = type_code.struct_parameters()?;
                let mut offset = 0_usize;
                for _ in 0..parameters.get_ulong()? {
                    parameters.skip_string()?;
                    let member = parameters.get_type_code()?;
                    let (size, alignment) = member.size_and_alignment()?;
                    offset = offset.next_multiple_of(alignment);
                    parts.push(Part { offset, type_code: Self::new(member)? });
                    offset += size;
                }
            }
            TcKind::Array => {
                let (element, count) = type_code.array()?;
                length = count;
                parts.push(Part { offset: 0, type_code: Self::new(element)? });
            }
            TcKind::Sequence => {
                parts.push(Part { offset: 0, type_code: Self::new(type_code.content()?)? });
            }
            _ => {}
        }
        let points = matches!(kind, TcKind::Sequence | TcKind::String);
        let owns = points || parts.iter().any(|part| part.type_code.owns);
        Ok(Self { kind, size, owns, parts: parts.into(), length })
    }

    /// The type of elements.
    #[inline]
    pub(crate) fn element(&self) -> Result<&Self> {
        self.parts.first().map(|part| &part.type_code).ok_or(Error::BadTypeCode)
    }
}
