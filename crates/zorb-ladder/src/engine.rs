//! The engines behind one interface.

use crate::cached::Cached;
use crate::memory::Heap;
use crate::original::{Request, ServerRequest, do_static_call};
use crate::stream::{Inlined, Outlined, Reader, Writer};
use crate::type_code::{OwnedTypeCode, TypeCode};
use crate::{Result, merged, split};

/// The name of the one argument.
const ARGUMENT: &str = "data";

/// A type, prepared for all engines.
#[derive(Clone, Debug)]
pub struct Type {
    octets: OwnedTypeCode,
    cached: Cached,
}

impl Type {
    /// A type.
    ///
    /// # Errors
    /// The engines do not interpret it.
    pub fn new(type_code: &zorb_types::TypeCode) -> Result<Self> {
        let octets = OwnedTypeCode::new(type_code)?;
        let cached = Cached::new(octets.view()?)?;
        Ok(Self { octets, cached })
    }

    /// The size of a value in memory.
    #[must_use]
    pub fn size(&self) -> usize {
        self.cached.size
    }

    /// Its TypeCode.
    ///
    /// # Errors
    /// None.
    pub fn type_code(&self) -> Result<TypeCode<'_>> {
        self.octets.view()
    }
}

/// The form of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The offset of the first octet from the alignment base.
    pub start: usize,
    /// Whether the byte order is not the machine's.
    pub swap: bool,
}

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// As found.
    Interp0,
    /// After step 1.
    Interp1,
    /// After step 2.
    Interp2,
    /// After step 3.
    Interp3,
    /// After step 4.
    Interp4,
}

impl Engine {
    /// All, in the order of the steps.
    pub const ALL: [Self; 5] =
        [Self::Interp0, Self::Interp1, Self::Interp2, Self::Interp3, Self::Interp4];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interp0 => "interp0",
            Self::Interp1 => "interp1",
            Self::Interp2 => "interp2",
            Self::Interp3 => "interp3",
            Self::Interp4 => "interp4",
        }
    }

    /// Appends a value, as the stub of an operation does with its argument.
    ///
    /// # Errors
    /// `memory` is not a value of the type.
    pub fn encode(
        self,
        of: &Type,
        memory: &[u8],
        heap: &Heap,
        form: Form,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        let writer = &mut Writer::new(buffer, form.start, form.swap);
        match self {
            Self::Interp0 => do_static_call::<Outlined>(of.type_code()?, memory, heap, writer),
            Self::Interp1 => do_static_call::<Inlined>(of.type_code()?, memory, heap, writer),
            Self::Interp2 | Self::Interp3 => merged::encode(&of.cached, memory, 0, heap, writer),
            Self::Interp4 => split::sender::encode(&of.cached, memory, 0, heap, writer),
        }
    }

    /// Decodes a value, passes its memory to `upcall`, and frees it, as the skeleton of an operation does.
    ///
    /// # Errors
    /// The octets do not begin with a value of the type.
    pub fn serve(
        self,
        of: &Type,
        octets: &[u8],
        form: Form,
        heap: &mut Heap,
        upcall: &mut dyn FnMut(&[u8], &mut Heap),
    ) -> Result<()> {
        let reader = &mut Reader::new(octets, form.start, form.swap);
        if matches!(self, Self::Interp0 | Self::Interp1) {
            let mut request = ServerRequest::default();
            request.add_parameter(ARGUMENT, of.type_code()?)?;
            let decoded = match self {
                Self::Interp0 => request.params::<Outlined>(heap, reader),
                _ => request.params::<Inlined>(heap, reader),
            };
            if decoded.is_ok() {
                upcall(request.argument(ARGUMENT), heap);
            }
            return request.free(heap).and(decoded);
        }
        let mut memory = vec![0; of.size()];
        let decoded = match self {
            Self::Interp2 => merged::decode(&of.cached, &mut memory, 0, heap, reader),
            _ => split::receiver::decode(&of.cached, &mut memory, 0, heap, reader),
        };
        if decoded.is_ok() {
            upcall(&memory, heap);
        }
        let freed = match self {
            Self::Interp2 => merged::deep_free(&of.cached, &memory, 0, heap),
            _ => split::receiver::free(&of.cached, &memory, heap),
        };
        freed.and(decoded)
    }
}

/// Appends a value as a dynamic request of the engine as found does (DII): from a copy, which is freed afterwards.
///
/// # Errors
/// `memory` is not a value of the type.
pub fn encode_dynamically(
    of: &Type,
    memory: &[u8],
    heap: &mut Heap,
    form: Form,
    buffer: &mut Vec<u8>,
) -> Result<()> {
    let mut request = Request::default();
    request.add_argument(ARGUMENT, of.type_code()?, memory, heap)?;
    request.send::<Outlined>(heap, &mut Writer::new(buffer, form.start, form.swap))
}
