//! Walks a type.

use zorb_types::TcKind;

use crate::type_code::TypeCode;
use crate::{Error, Result};

/// What is done with the parts of a value.
pub(crate) trait Visitor {
    /// Visits the part of this type at an offset of the value's memory.
    fn visit(&mut self, type_code: TypeCode<'_>, at: usize) -> Result<()>;
}

/// Visits the members of a struct, the elements of an array, or what a typedef stands for.
#[inline(never)]
pub(crate) fn traverse(
    type_code: TypeCode<'_>,
    at: usize,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    match type_code.kind {
        TcKind::Struct => struct_traverse(type_code, at, visitor),
        TcKind::Array => {
            let (content, length) = type_code.array()?;
            elements_traverse(content, at, length, visitor)
        }
        TcKind::Alias => visitor.visit(type_code.content()?, at),
        _ => Err(Error::BadTypeCode),
    }
}

#[inline(never)]
fn struct_traverse(type_code: TypeCode<'_>, at: usize, visitor: &mut dyn Visitor) -> Result<()> {
    let mut parameters = type_code.struct_parameters()?;
    let mut offset = 0_usize;
    for _ in 0..parameters.get_ulong()? {
        parameters.skip_string()?;
        let member = parameters.get_type_code()?;
        let (size, alignment) = member.size_and_alignment()?;
        offset = offset.next_multiple_of(alignment);
        visitor.visit(member, at + offset)?;
        offset += size;
    }
    Ok(())
}

/// Visits so many elements that lie one behind the other.
#[inline(never)]
pub(crate) fn elements_traverse(
    element: TypeCode<'_>,
    at: usize,
    count: usize,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    let mut at = at;
    for _ in 0..count {
        visitor.visit(element, at)?;
        let (size, _) = element.size_and_alignment()?;
        at += size;
    }
    Ok(())
}
