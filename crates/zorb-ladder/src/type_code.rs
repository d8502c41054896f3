//! TypeCodes as the engine was found to keep them: a kind, and the parameters as octets, which are parsed wherever one of
//! them is needed.

use zorb_cdr::{ByteOrder, CdrWriter, Wire};
use zorb_types::TcKind;

use crate::memory::SEQUENCE;
use crate::{Error, Result};

/// The octets of a TypeCode.
#[derive(Clone, Debug)]
pub struct OwnedTypeCode(Vec<u8>);

impl OwnedTypeCode {
    /// The same type as octets, in the machine's byte order.
    ///
    /// # Errors
    /// It is recursive, or has a part that these engines do not interpret: they know numbers, enums, strings, structs,
    /// sequences, arrays and typedefs.
    pub fn new(type_code: &zorb_types::TypeCode) -> Result<Self> {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE);
        let written = zorb_types::TypeCode::write(type_code, &mut writer);
        written.and_then(|()| writer.finish()).map_err(|_| Error::BadTypeCode)?;
        let owned = Self(octets);
        check(owned.view()?)?;
        Ok(owned)
    }

    /// A TypeCode that points to the octets.
    ///
    /// # Errors
    /// None that [`new`](Self::new) has not found.
    pub fn view(&self) -> Result<TypeCode<'_>> {
        Parameters { octets: &self.0, position: 0 }.get_type_code()
    }
}

/// Finds parts that the engines do not know before they come to them.
fn check(type_code: TypeCode<'_>) -> Result<()> {
    match type_code.kind {
        TcKind::Struct => {
            let mut parameters = type_code.struct_parameters()?;
            for _ in 0..parameters.get_ulong()? {
                parameters.skip_string()?;
                check(parameters.get_type_code()?)?;
            }
            Ok(())
        }
        TcKind::Sequence | TcKind::Array | TcKind::Alias => check(type_code.content()?),
        _ => calc_nested_size_and_alignment(type_code).map(|_| ()),
    }
}

/// A TypeCode. It points to octets.
#[derive(Clone, Copy, Debug)]
pub struct TypeCode<'a> {
    pub(crate) kind: TcKind,
    parameters: &'a [u8],
}

impl<'a> TypeCode<'a> {
    fn parameters(self) -> Result<Parameters<'a>> {
        // The first octet is the byte order.
        match self.parameters.first() {
            Some(&flag) if flag == ByteOrder::NATIVE.flag() => {
                Ok(Parameters { octets: self.parameters, position: 1 })
            }
            _ => Err(Error::BadTypeCode),
        }
    }

    /// The parameters of a struct from the number of its members on.
    pub(crate) fn struct_parameters(self) -> Result<Parameters<'a>> {
        let mut parameters = self.parameters()?;
        parameters.skip_string()?;
        parameters.skip_string()?;
        Ok(parameters)
    }

    /// The type of elements, or the original type of a typedef.
    pub(crate) fn content(self) -> Result<Self> {
        let mut parameters = self.parameters()?;
        if self.kind == TcKind::Alias {
            parameters.skip_string()?;
            parameters.skip_string()?;
        }
        parameters.get_type_code()
    }

    /// The type of elements of an array, and their number.
    pub(crate) fn array(self) -> Result<(Self, usize)> {
        let mut parameters = self.parameters()?;
        let content = parameters.get_type_code()?;
        Ok((content, parameters.get_ulong()? as usize))
    }

    /// Size and alignment in memory: by a table for basic types, calculated for others.
    #[inline(never)]
    pub(crate) fn size_and_alignment(self) -> Result<(usize, usize)> {
        match basic_size(self.kind) {
            Some(size) => Ok((size, size)),
            None => calc_nested_size_and_alignment(self),
        }
    }
}

/// A cursor over the parameters of a TypeCode.
#[derive(Debug)]
pub(crate) struct Parameters<'a> {
    octets: &'a [u8],
    position: usize,
}

impl<'a> Parameters<'a> {
    #[inline(never)]
    pub(crate) fn get_ulong(&mut self) -> Result<u32> {
        let start = self.position.next_multiple_of(4);
        let octets = self.octets.get(start..).and_then(|octets| octets.first_chunk());
        let octets = octets.ok_or(Error::BadTypeCode)?;
        self.position = start + 4;
        Ok(u32::from_ne_bytes(*octets))
    }

    #[inline(never)]
    pub(crate) fn skip_string(&mut self) -> Result<()> {
        let length = self.get_ulong()?;
        self.position += length as usize;
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn get_type_code(&mut self) -> Result<TypeCode<'a>> {
        let kind = TcKind::from_number(self.get_ulong()?).ok_or(Error::BadTypeCode)?;
        let parameters: &[u8] = match kind {
            TcKind::String => {
                self.get_ulong()?;
                &[]
            }
            TcKind::Struct | TcKind::Enum | TcKind::Sequence | TcKind::Array | TcKind::Alias => {
                let length = self.get_ulong()? as usize;
                let octets = self.octets.get(self.position..).unwrap_or_default();
                let octets = octets.get(..length).ok_or(Error::BadTypeCode)?;
                self.position += length;
                octets
            }
            _ => &[],
        };
        Ok(TypeCode { kind, parameters })
    }
}

/// The size of basic types, which is their alignment, too.
pub(crate) fn basic_size(kind: TcKind) -> Option<usize> {
    Some(match kind {
        TcKind::Octet | TcKind::Char | TcKind::Boolean => 1,
        TcKind::Short | TcKind::UShort => 2,
        TcKind::Long | TcKind::ULong | TcKind::Float | TcKind::Enum => 4,
        TcKind::LongLong | TcKind::ULongLong | TcKind::Double => 8,
        _ => return None,
    })
}

/// Calculates size and alignment from the parameters, and those of the parts in the same way.
#[inline(never)]
pub(crate) fn calc_nested_size_and_alignment(type_code: TypeCode<'_>) -> Result<(usize, usize)> {
    match type_code.kind {
        TcKind::String => Ok((8, 8)),
        TcKind::Sequence => Ok((SEQUENCE, 8)),
        TcKind::Alias => calc_nested_size_and_alignment(type_code.content()?),
        TcKind::Array => {
            let (content, length) = type_code.array()?;
            let (size, alignment) = calc_nested_size_and_alignment(content)?;
            let size = size.checked_mul(length).ok_or(Error::BadTypeCode)?;
            Ok((size, alignment))
        }
        TcKind::Struct => {
            let mut parameters = type_code.struct_parameters()?;
            let (mut end, mut largest) = (0_usize, 1);
            for _ in 0..parameters.get_ulong()? {
                parameters.skip_string()?;
                let member = parameters.get_type_code()?;
                let (size, alignment) = calc_nested_size_and_alignment(member)?;
                largest = alignment.max(largest);
                end =
                    end.next_multiple_of(alignment).checked_add(size).ok_or(Error::BadTypeCode)?;
            }
            Ok((end.next_multiple_of(largest), largest))
        }
        kind => basic_size(kind).map(|size| (size, size)).ok_or(Error::BadTypeCode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(type_code: &zorb_types::TypeCode) -> Result<(usize, usize)> {
        OwnedTypeCode::new(type_code)?.view()?.size_and_alignment()
    }

    #[test]
    fn structs_are_laid_out_as_in_c() {
        let plain = zorb_types::TypeCode::plain;
        let inner = [("c", plain(TcKind::Char)), ("s", plain(TcKind::Short))];
        let inner = zorb_types::TypeCode::structure("IDL:I:1.0", "I", &inner).unwrap();
        let three = zorb_types::TypeCode::array(&inner, 3).unwrap();
        let members = [("c", plain(TcKind::Char)), ("three", three), ("d", plain(TcKind::Double))];
        let outer = zorb_types::TypeCode::structure("IDL:O:1.0", "O", &members).unwrap();
        assert_eq!((size(&inner), size(&outer)), (Ok((4, 2)), Ok((24, 8))));
    }

    #[test]
    fn types_that_the_engines_do_not_know_are_refused() {
        let any = zorb_types::TypeCode::plain(TcKind::Any);
        assert_eq!(size(&any), Err(Error::BadTypeCode));
        let sequence = zorb_types::TypeCode::sequence(&any, 0).unwrap();
        assert_eq!(size(&sequence), Err(Error::BadTypeCode));
    }
}
