//! Decoding values from received octets.

mod allow;
mod chunks;
mod context;
mod enter;
mod memory;
mod nested;
mod parts;
mod primitives;
mod state;
mod tail;
#[cfg(test)]
mod tests;
mod trial;
mod values;

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::{Any, TypeId};

use crate::{ByteOrder, CdrError, CdrErrorKind, CdrResult, TextCoding};

pub use context::ReadContext;
use memory::Memory;
pub use nested::MAX_DEPTH;
use state::Values;
pub use tail::Tail;
use trial::Trial;
pub use values::{Mark, ValueHeader, ValueTag};

/// A cursor over the octets of a message body or an encapsulation.
///
/// Every read aligns the cursor, checks the octets left and advances. Strings and octet sequences are
/// borrowed from the buffer. A reader is cheap to clone: clone it to look ahead.
#[derive(Clone)]
pub struct CdrReader<'a> {
    buffer: &'a [u8],
    position: usize,
    /// Offset of `buffer[0]` from the alignment base.
    origin: usize,
    /// Octets that follow the buffer's. Most messages have no tail.
    tail: Option<&'a Tail<'a>>,
    /// Buffer positions at which the alignment base changes. Almost always empty.
    parts: &'a [u32],
    /// Offset of the first octet of each part from the part's alignment base.
    part_origin: usize,
    order: ByteOrder,
    /// Whether `buffer` is the tail.
    in_tail: bool,
    /// Whether runs of numbers are aligned in each part.
    aligned_per_part: bool,
    depth: u16,
    trial: Trial,
    /// For values that are not decoded yet.
    memory: Memory,
    text: TextCoding,
    context: Option<&'a dyn ReadContext>,
    /// The valuetypes in the stream, if any. An `Arc`, as dropping one takes the least code.
    values: Option<Arc<Values<'a>>>,
}

impl core::fmt::Debug for CdrReader<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CdrReader")
            .field("offset", &self.offset())
            .field("remaining", &self.remaining())
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}

impl<'a> CdrReader<'a> {
    /// A reader at the start of `buffer`, which is also the alignment base.
    #[inline]
    pub fn new(buffer: &'a [u8], order: ByteOrder) -> Self {
        Self {
            buffer,
            position: 0,
            origin: 0,
            tail: None,
            parts: &[],
            part_origin: 0,
            order,
            in_tail: false,
            aligned_per_part: false,
            depth: 0,
            trial: Trial::NONE,
            memory: Memory::of_message(buffer.len()),
            text: TextCoding::default(),
            context: None,
            values: None,
        }
    }

    /// The same reader with the first octet of its buffer `origin` octets after the alignment base.
    #[must_use]
    pub fn with_origin(mut self, origin: usize) -> Self {
        self.origin = origin;
        self
    }

    /// The same reader with the text coding of its connection and GIOP version.
    #[inline]
    #[must_use]
    pub fn with_text(mut self, text: TextCoding) -> Self {
        self.set_text(text);
        self
    }

    /// [`with_text`](Self::with_text) in place.
    pub fn set_text(&mut self, text: TextCoding) {
        self.text = text;
    }

    /// The same reader with a context for types that need one (the ORB, for object references).
    #[inline]
    #[must_use]
    pub fn with_context(mut self, context: &'a dyn ReadContext) -> Self {
        self.set_context(context);
        self
    }

    /// [`with_context`](Self::with_context) in place.
    pub fn set_context(&mut self, context: &'a dyn ReadContext) {
        self.context = Some(context);
    }

    /// The context set by [`with_context`](Self::with_context), if it is a `T` or [has](ReadContext::part)
    /// one.
    pub fn context<T: Any>(&self) -> Option<&'a T> {
        let context = self.context?;
        let whole = (context as &dyn Any).downcast_ref();
        whole.or_else(|| context.part(TypeId::of::<T>())?.downcast_ref())
    }

    /// The TypeCode of a valuetype, from the [context](ReadContext::value_type).
    pub fn value_type(&self, id: &str) -> Option<Box<dyn Any>> {
        self.context?.value_type(id)
    }

    /// The byte order in use.
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// The text coding in use.
    pub fn text(&self) -> TextCoding {
        self.text
    }

    /// Octets from the alignment base to the next octet to be read.
    pub fn offset(&self) -> usize {
        self.origin + self.position
    }

    /// Number of octets not read yet, the tail included.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.buffer.len() - self.position + self.tail.map_or(0, |tail| tail.octets.len())
    }

    /// The octets not read yet, without the [tail](Self::set_tail).
    pub fn rest(&self) -> &'a [u8] {
        self.buffer.get(self.position..).unwrap_or_default()
    }

    /// Checks that a message has no octets behind its last value, unless the
    /// [context](ReadContext::allows_extra_octets) allows them.
    ///
    /// # Errors
    /// `ExtraOctets`.
    #[inline]
    pub fn expect_end(&mut self, what: &'static str) -> CdrResult<()> {
        if self.remaining() == 0 && !self.trial.is_on() { Ok(()) } else { self.leave_octets(what) }
    }

    #[cold]
    fn leave_octets(&mut self, what: &'static str) -> CdrResult<()> {
        self.end_attempt(what)?;
        match self.context {
            Some(context) if context.allows_extra_octets() => Ok(()),
            _ => Err(self.error(CdrErrorKind::ExtraOctets, what)),
        }
    }

    /// An error of `kind` at the current offset.
    #[cold]
    pub fn error(&self, kind: CdrErrorKind, what: &'static str) -> CdrError {
        CdrError::new(kind, self.offset(), what)
    }

    /// Skips padding up to a multiple of `alignment` (a power of two) from the alignment base.
    ///
    /// Padding may have any value. If the stream ends inside the padding, the next read fails.
    #[inline]
    pub fn align(&mut self, alignment: usize) {
        self.position = self.aligned(alignment).min(self.buffer.len());
    }

    /// The next position that is a multiple of `alignment` from the alignment base.
    #[inline]
    fn aligned(&mut self, alignment: usize) -> usize {
        if !self.parts.is_empty() {
            return self.aligned_in_part(alignment);
        }
        self.position + padding(self.offset(), alignment)
    }

    /// Enters the next chunk of a chunked value, if the current one has nothing left but padding to
    /// `alignment`. Implementations of [`Wire`](crate::Wire) call it before everything that may not
    /// span chunks: a primitive, a string, a run of primitives.
    #[inline]
    pub fn step(&mut self, alignment: usize) {
        if self.values.is_some() {
            self.step_in_chunks(alignment);
        }
    }

    /// The next `count` octets, borrowed from the buffer, without alignment.
    ///
    /// # Errors
    /// `Truncated` when fewer are left.
    #[inline]
    pub fn take(&mut self, count: usize, what: &'static str) -> CdrResult<&'a [u8]> {
        match self.rest().split_at_checked(count) {
            Some((taken, _)) => {
                self.position += count;
                Ok(taken)
            }
            None => Err(self.error(CdrErrorKind::Truncated, what)),
        }
    }
}

/// Octets from `offset` to the next multiple of `alignment`, a power of two.
#[inline]
fn padding(offset: usize, alignment: usize) -> usize {
    offset.wrapping_neg() & (alignment - 1)
}
