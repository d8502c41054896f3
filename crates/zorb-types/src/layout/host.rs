//! Values that bring their type along, or that no table describes.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};
use zorb_interp::{Host, HostValue};

use super::Layout;
use crate::TypeCode;

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
        _: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
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
                Err(left.error(CdrErrorKind::Unsupported, self.foreign_name(index)))
            }
        }
    }
}
