//! The visitor that encodes.

use std::marker::PhantomData;

use zorb_types::TcKind;

use super::traverse::{Visitor, elements_traverse, traverse};
use crate::memory::{Heap, load, load_sequence};
use crate::stream::{Access, Writer};
use crate::type_code::TypeCode;
use crate::{Error, Result};

pub(super) struct Encoder<'a, 'b, A> {
    memory: &'a [u8],
    heap: &'a Heap,
    writer: &'a mut Writer<'b>,
    access: PhantomData<A>,
}

impl<'a, 'b, A: Access> Encoder<'a, 'b, A> {
    /// An encoder of values in `memory`.
    pub(super) fn new(memory: &'a [u8], heap: &'a Heap, writer: &'a mut Writer<'b>) -> Self {
        Self { memory, heap, writer, access: PhantomData }
    }
}

impl<A: Access> Visitor for Encoder<'_, '_, A> {
    #[inline(never)]
    fn visit(&mut self, type_code: TypeCode<'_>, at: usize) -> Result<()> {
        match type_code.kind {
            TcKind::Octet | TcKind::Char | TcKind::Boolean => {
                A::put_octet(self.writer, load(self.memory, at)?);
                Ok(())
            }
            TcKind::Short | TcKind::UShort => {
                A::put_short(self.writer, load(self.memory, at)?);
                Ok(())
            }
            TcKind::Long | TcKind::ULong | TcKind::Float | TcKind::Enum => {
                A::put_long(self.writer, load(self.memory, at)?);
                Ok(())
            }
            TcKind::LongLong | TcKind::ULongLong | TcKind::Double => {
                A::put_long_long(self.writer, load(self.memory, at)?);
                Ok(())
            }
            TcKind::String => self.string(at),
            TcKind::Sequence => {
                let (length, pointer) = load_sequence(self.memory, at)?;
                A::put_long(self.writer, length.to_ne_bytes());
                let block = self.heap.block(pointer)?;
                let mut elements = Encoder::<A>::new(block, self.heap, self.writer);
                elements_traverse(type_code.content()?, 0, length as usize, &mut elements)
            }
            _ => traverse(type_code, at, self),
        }
    }
}

impl<A: Access> Encoder<'_, '_, A> {
    #[inline(never)]
    fn string(&mut self, at: usize) -> Result<()> {
        let text = self.heap.block(u64::from_ne_bytes(load(self.memory, at)?))?;
        let length = u32::try_from(text.len() + 1).map_err(|_| Error::TooLong)?;
        A::put_long(self.writer, length.to_ne_bytes());
        for &octet in text {
            A::put_octet(self.writer, [octet]);
        }
        A::put_octet(self.writer, [0]);
        Ok(())
    }
}
