//! Arguments of calls: those of stubs, of the DII and of the DSI.

use super::copy::deep_copy;
use super::decode::Decoder;
use super::encode::Encoder;
use super::free::deep_free;
use super::traverse::Visitor as _;
use crate::Result;
use crate::memory::Heap;
use crate::stream::{Access, Reader, Writer};
use crate::type_code::TypeCode;

/// Encodes the argument of a stub, from the memory of the caller.
#[inline(never)]
pub(crate) fn do_static_call<A: Access>(
    type_code: TypeCode<'_>,
    memory: &[u8],
    heap: &Heap,
    writer: &mut Writer<'_>,
) -> Result<()> {
    Encoder::<A>::new(memory, heap, writer).visit(type_code, 0)
}

/// An argument with its name and type.
#[derive(Debug)]
struct NamedValue<'a> {
    name: String,
    type_code: TypeCode<'a>,
    memory: Vec<u8>,
}

/// A list of arguments.
#[derive(Debug, Default)]
struct NvList<'a>(Vec<NamedValue<'a>>);

impl<'a> NvList<'a> {
    #[inline(never)]
    fn add_value(&mut self, name: &str, type_code: TypeCode<'a>, memory: Vec<u8>) {
        self.0.push(NamedValue { name: name.to_owned(), type_code, memory });
    }

    #[inline(never)]
    fn free(self, heap: &mut Heap) -> Result<()> {
        self.0.into_iter().try_for_each(|one| deep_free(one.type_code, &one.memory, heap))
    }
}

/// A dynamic request (DII), which owns copies of its arguments.
#[derive(Debug, Default)]
pub(crate) struct Request<'a>(NvList<'a>);

impl<'a> Request<'a> {
    /// Copies an argument.
    pub(crate) fn add_argument(
        &mut self,
        name: &str,
        type_code: TypeCode<'a>,
        memory: &[u8],
        heap: &mut Heap,
    ) -> Result<()> {
        let copy = deep_copy(type_code, memory, heap)?;
        self.0.add_value(name, type_code, copy);
        Ok(())
    }

    /// Encodes the arguments, and frees the copies.
    pub(crate) fn send<A: Access>(self, heap: &mut Heap, writer: &mut Writer<'_>) -> Result<()> {
        for one in &self.0.0 {
            do_static_call::<A>(one.type_code, &one.memory, heap, writer)?;
        }
        self.0.free(heap)
    }
}

/// A request at the server (DSI), which owns its arguments.
#[derive(Debug, Default)]
pub(crate) struct ServerRequest<'a>(NvList<'a>);

impl<'a> ServerRequest<'a> {
    /// Announces an argument of this type.
    pub(crate) fn add_parameter(&mut self, name: &str, type_code: TypeCode<'a>) -> Result<()> {
        let (size, _) = type_code.size_and_alignment()?;
        self.0.add_value(name, type_code, vec![0; size]);
        Ok(())
    }

    /// Decodes the arguments.
    pub(crate) fn params<A: Access>(
        &mut self,
        heap: &mut Heap,
        reader: &mut Reader<'_>,
    ) -> Result<()> {
        self.0.0.iter_mut().try_for_each(|one| {
            Decoder::<A>::new(&mut one.memory, heap, reader).visit(one.type_code, 0)
        })
    }

    /// The memory of the argument of this name.
    pub(crate) fn argument(&self, name: &str) -> &[u8] {
        let named = self.0.0.iter().find(|one| one.name == name);
        named.map(|one| &*one.memory).unwrap_or_default()
    }

    /// Frees the arguments.
    pub(crate) fn free(self, heap: &mut Heap) -> Result<()> {
        self.0.free(heap)
    }
}
