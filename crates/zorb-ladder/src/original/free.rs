//! The visitor that frees what a value points to.

use zorb_types::TcKind;

use super::traverse::{Visitor, elements_traverse, traverse};
use crate::Result;
use crate::memory::{Heap, load, load_sequence};
use crate::type_code::TypeCode;

pub(super) struct Liberator<'a> {
    memory: &'a [u8],
    heap: &'a mut Heap,
}

/// Frees all that a value points to.
#[inline(never)]
pub(super) fn deep_free(type_code: TypeCode<'_>, memory: &[u8], heap: &mut Heap) -> Result<()> {
    Liberator { memory, heap }.visit(type_code, 0)
}

impl Visitor for Liberator<'_> {
    #[inline(never)]
    fn visit(&mut self, type_code: TypeCode<'_>, at: usize) -> Result<()> {
        match type_code.kind {
            TcKind::Struct | TcKind::Array | TcKind::Alias => traverse(type_code, at, self),
            TcKind::Sequence => {
                let (length, pointer) = load_sequence(self.memory, at)?;
                let block = self.heap.take(pointer)?;
                let mut elements = Liberator { memory: &block, heap: self.heap };
                elements_traverse(type_code.content()?, 0, length as usize, &mut elements)
            }
            TcKind::String => {
                let pointer = u64::from_ne_bytes(load(self.memory, at)?);
                self.heap.take(pointer).map(drop)
            }
            // Primitives own nothing, but each element is visited.
            _ => Ok(()),
        }
    }
}
