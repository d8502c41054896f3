//! The visitor that copies.

use zorb_types::TcKind;

use super::traverse::{Visitor, elements_traverse, traverse};
use crate::Result;
use crate::memory::{Heap, load, load_sequence, store, store_sequence};
use crate::type_code::TypeCode;

struct Copier<'a> {
    from: &'a [u8],
    to: &'a mut [u8],
    heap: &'a mut Heap,
}

/// A copy of a value and of all that it points to.
#[inline(never)]
pub(super) fn deep_copy(
    type_code: TypeCode<'_>,
    memory: &[u8],
    heap: &mut Heap,
) -> Result<Vec<u8>> {
    let (size, _) = type_code.size_and_alignment()?;
    let mut copy = vec![0; size];
    Copier { from: memory, to: &mut copy, heap }.visit(type_code, 0)?;
    Ok(copy)
}

impl Visitor for Copier<'_> {
    #[inline(never)]
    fn visit(&mut self, type_code: TypeCode<'_>, at: usize) -> Result<()> {
        match type_code.kind {
            TcKind::Octet | TcKind::Char | TcKind::Boolean => self.copy::<1>(at),
            TcKind::Short | TcKind::UShort => self.copy::<2>(at),
            TcKind::Long | TcKind::ULong | TcKind::Float | TcKind::Enum => self.copy::<4>(at),
            TcKind::LongLong | TcKind::ULongLong | TcKind::Double => self.copy::<8>(at),
            TcKind::String => {
                let pointer = u64::from_ne_bytes(load(self.from, at)?);
                let text = self.heap.block(pointer)?.to_vec();
                store(self.to, at, self.heap.insert(text).to_ne_bytes())
            }
            TcKind::Sequence => {
                let (length, pointer) = load_sequence(self.from, at)?;
                // Because elements may add blocks to the heap.
                let from = self.heap.block(pointer)?.to_vec();
                let mut to = vec![0; from.len()];
                let mut elements = Copier { from: &from, to: &mut to, heap: self.heap };
                elements_traverse(type_code.content()?, 0, length as usize, &mut elements)?;
                store_sequence(self.to, at, length, self.heap.insert(to))
            }
            _ => traverse(type_code, at, self),
        }
    }
}

impl Copier<'_> {
    fn copy<const N: usize>(&mut self, at: usize) -> Result<()> {
        store::<N>(self.to, at, load(self.from, at)?)
    }
}
