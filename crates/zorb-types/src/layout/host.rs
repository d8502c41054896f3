//! Values that bring their type along, or that no table describes.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};
use zorb_interp::{Host, HostValue, copy_reference};

use super::Layout;
use crate::{TcKind, TypeCode};

/// Moves anys, TypeCodes and valuetypes for a table.
pub(super) struct Types<'t> {
    foreign: &'t [TypeCode],
    /// Whether all octets were as Zorb would write them.
    pub(super) verbatim: bool,
}

impl<'t> Types<'t> {
    pub(super) fn of(foreign: &'t [TypeCode]) -> Self {
        Self { foreign, verbatim: true }
    }

    fn foreign_name(&self, index: u32) -> &'static str {
        let type_code = self.foreign.get(index as usize);
        type_code.map_or("value", |type_code| type_code.kind().idl_name())
    }
}

impl Host for Types<'_> {
    fn any(
        &mut self,
        reader: &mut CdrReader<'_>,
        mut writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        let type_code = TypeCode::read(reader)?;
        if let Some(writer) = writer.as_deref_mut() {
            TypeCode::write(&type_code, writer)?;
        }
        self.verbatim &= Layout::of(&type_code).run(reader, writer)?;
        Ok(())
    }

    fn type_code(
        &mut self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        let type_code = TypeCode::read(reader)?;
        match writer {
            Some(writer) => TypeCode::write(&type_code, writer),
            None => Ok(()),
        }
    }

    fn foreign(
        &mut self,
        index: u32,
        reader: &mut CdrReader<'_>,
        mut writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        // An abstract interface: a reference, or a value, of which null is known to all.
        let mut ahead = reader.clone();
        let is_abstract = self
            .foreign
            .get(index as usize)
            .is_some_and(|type_code| type_code.kind() == TcKind::AbstractInterface);
        if is_abstract {
            let is_reference = ahead.read_bool()?;
            if is_reference || ahead.read_u32()? == 0 {
                *reader = ahead;
                if let Some(writer) = writer.as_deref_mut() {
                    writer.write_bool(is_reference);
                }
                if is_reference {
                    return copy_reference(reader, writer);
                }
                if let Some(writer) = writer {
                    writer.write_u32(0);
                }
                return Ok(());
            }
        }
        Err(reader.error(CdrErrorKind::Unsupported, self.foreign_name(index)))
    }

    fn nameless_exception(&mut self) {
        self.verbatim = false;
    }

    fn equal(
        &mut self,
        what: HostValue,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
    ) -> CdrResult<bool> {
        match what {
            HostValue::Any => {
                let type_code = TypeCode::read(left)?;
                Ok(TypeCode::read(right)?.equivalent(&type_code)
                    && Layout::of(&type_code).equal(left, right)?)
            }
            HostValue::TypeCode => Ok(TypeCode::read(left)? == TypeCode::read(right)?),
            HostValue::Foreign(index) => {
                // What can be moved can be compared as it is written.
                let form = |reader: &mut CdrReader<'_>, types: &mut Self| {
                    let mut octets = alloc::vec::Vec::new();
                    let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
                    types.foreign(index, reader, Some(&mut writer)).map(|()| octets)
                };
                if self.foreign_name(index) == TcKind::AbstractInterface.idl_name() {
                    return Ok(form(left, self)? == form(right, self)?);
                }
                Err(left.error(CdrErrorKind::Unsupported, self.foreign_name(index)))
            }
        }
    }
}
