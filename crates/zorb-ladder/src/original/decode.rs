//! The visitor that decodes.

use std::marker::PhantomData;

use zorb_types::TcKind;

use super::traverse::{Visitor, elements_traverse, traverse};
use crate::memory::{Heap, store, store_sequence};
use crate::stream::{Access, Reader};
use crate::type_code::TypeCode;
use crate::{Error, Result};

pub(super) struct Decoder<'a, 'b, A> {
    memory: &'a mut [u8],
    heap: &'a mut Heap,
    reader: &'a mut Reader<'b>,
    access: PhantomData<A>,
}

impl<'a, 'b, A: Access> Decoder<'a, 'b, A> {
    /// A decoder to `memory`, which is zero.
    pub(super) fn new(
        memory: &'a mut [u8],
        heap: &'a mut Heap,
        reader: &'a mut Reader<'b>,
    ) -> Self {
        Self { memory, heap, reader, access: PhantomData }
    }
}

impl<A: Access> Visitor for Decoder<'_, '_, A> {
    #[inline(never)]
    fn visit(&mut self, type_code: TypeCode<'_>, at: usize) -> Result<()> {
        match type_code.kind {
            TcKind::Octet | TcKind::Char | TcKind::Boolean => {
                store(self.memory, at, A::get_octet(self.reader)?)
            }
            TcKind::Short | TcKind::UShort => store(self.memory, at, A::get_short(self.reader)?),
            TcKind::Long | TcKind::ULong | TcKind::Float | TcKind::Enum => {
                store(self.memory, at, A::get_long(self.reader)?)
            }
            TcKind::LongLong | TcKind::ULongLong | TcKind::Double => {
                store(self.memory, at, A::get_long_long(self.reader)?)
            }
            TcKind::String => self.string(at),
            TcKind::Sequence => self.sequence(type_code, at),
            _ => traverse(type_code, at, self),
        }
    }
}

impl<A: Access> Decoder<'_, '_, A> {
    #[inline(never)]
    fn sequence(&mut self, type_code: TypeCode<'_>, at: usize) -> Result<()> {
        let element = type_code.content()?;
        let (size, _) = element.size_and_alignment()?;
        let length = self.reader.get_length(size)?;
        let mut block = vec![0; length * size];
        let mut elements = Decoder::<A>::new(&mut block, self.heap, self.reader);
        let decoded = elements_traverse(element, 0, length, &mut elements);
        // Also after an error: what has been decoded is freed with the value.
        let pointer = self.heap.insert(block);
        store_sequence(self.memory, at, length as u32, pointer)?;
        decoded
    }

    #[inline(never)]
    fn string(&mut self, at: usize) -> Result<()> {
        let length = self.reader.get_length(1)?;
        let length = length.checked_sub(1).ok_or(Error::Truncated)?;
        let mut text = Vec::with_capacity(length.min(self.reader.remaining()));
        for _ in 0..length {
            text.extend(A::get_octet(self.reader)?);
        }
        A::get_octet(self.reader)?;
        let pointer = self.heap.insert(text);
        store(self.memory, at, pointer.to_ne_bytes())
    }
}
