//! Running the programs of compiled types, and their callbacks: anys, TypeCodes, valuetypes and abstract
//! interfaces.

use alloc::sync::Arc;

use zorb_cdr::{CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};
use zorb_interp::{Host, HostValue, copy_reference, equal_references};

use super::compile::compile;
use super::plan::{Layout, Plan};
use super::walk::{TableHost, Walk};
use crate::{TcKind, TypeCode};

impl Layout {
    /// Copies a value; without a writer, checks and skips it.
    pub(super) fn copy_in(
        &self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
        walk: &mut Walk,
    ) -> CdrResult<()> {
        match &self.plan {
            Plan::Simple(simple) => simple.copy(reader, writer),
            Plan::Table(table) => {
                table.program.run(table.root, reader, writer, &mut TableHost::of(table, walk))
            }
            Plan::OutOfMemory => Err(out_of_memory(reader)),
        }
    }

    /// Whether two streams have the same value.
    pub(super) fn equal_in(
        &self,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
        walk: &mut Walk,
    ) -> CdrResult<bool> {
        match &self.plan {
            Plan::Table(table) => {
                table.program.equal(table.root, left, right, &mut TableHost::of(table, walk))
            }
            Plan::Simple(_) => {
                let table = compile(&self.type_code).ok_or_else(|| out_of_memory(left))?;
                let table = Arc::new(table);
                table.program.equal(table.root, left, right, &mut TableHost::of(&table, walk))
            }
            Plan::OutOfMemory => Err(out_of_memory(left)),
        }
    }
}

#[cold]
pub(super) fn out_of_memory(reader: &CdrReader<'_>) -> CdrError {
    reader.error(CdrErrorKind::OutOfMemory, "TypeCode")
}

impl TableHost<'_, '_> {
    fn is_abstract_interface(&self, index: u32) -> bool {
        let foreign = self.table.foreign.get(index as usize);
        foreign.is_some_and(|foreign| foreign.type_code.kind() == TcKind::AbstractInterface)
    }

    /// Copies the boolean that says whether an abstract interface is an object reference.
    #[inline(never)]
    fn is_reference(
        &self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<bool> {
        reader.step(1);
        let is_reference = reader.read_bool()?;
        if let Some(writer) = writer {
            writer.write_bool(is_reference);
        }
        Ok(is_reference)
    }

    #[inline(never)]
    fn equal_anys(
        &mut self,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
    ) -> CdrResult<bool> {
        let type_code = TypeCode::read(left)?;
        Ok(TypeCode::read(right)?.equivalent(&type_code)
            && Layout::of(&type_code).equal_in(left, right, self.walk)?)
    }
}

#[inline(never)]
fn equal_type_codes(left: &mut CdrReader<'_>, right: &mut CdrReader<'_>) -> CdrResult<bool> {
    Ok(TypeCode::read(left)? == TypeCode::read(right)?)
}

impl Host for TableHost<'_, '_> {
    fn any(
        &mut self,
        reader: &mut CdrReader<'_>,
        mut writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        let type_code = TypeCode::read(reader)?;
        if let Some(writer) = writer.as_deref_mut() {
            TypeCode::write(&type_code, writer)?;
        }
        Layout::of(&type_code).copy_in(reader, writer, self.walk)
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
        if self.is_abstract_interface(index) && self.is_reference(reader, writer.as_deref_mut())? {
            return copy_reference(reader, writer);
        }
        self.value(index, reader, writer)
    }

    fn exception_without_id(&mut self) {
        self.walk.verbatim = false;
    }

    fn equal(
        &mut self,
        what: HostValue,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
    ) -> CdrResult<bool> {
        match what {
            HostValue::Any => self.equal_anys(left, right),
            HostValue::TypeCode => equal_type_codes(left, right),
            HostValue::Foreign(index) if self.is_abstract_interface(index) => {
                match (self.is_reference(left, None)?, self.is_reference(right, None)?) {
                    (true, true) => equal_references(left, right),
                    (false, false) => self.equal_values(index, left, right),
                    _ => Ok(false),
                }
            }
            HostValue::Foreign(index) => self.equal_values(index, left, right),
        }
    }
}
