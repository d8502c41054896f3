//! Encoding values into a buffer.

mod slow;
mod state;
#[cfg(test)]
mod tests;
mod values;

use alloc::rc::Rc;
use alloc::vec::Vec;

pub use values::ValueId;

use crate::{ByteOrder, CdrError, CdrErrorKind, CdrResult, Gathered, Number, Outlet, TextCoding};

/// Octets that are zeroed at a time, to be overwritten while they are in the cache.
pub(crate) const BLOCK: usize = 4096;

/// A cursor that appends CDR to the caller's buffer.
///
/// A buffer that is used again for messages of the same size needs no allocation. Padding is 0.
///
/// Numbers, padding and short runs are written without a `Result`. If there is no memory for one, the writer frees the
/// buffer and leaves out all that follows; [`finish`](Self::finish) reports it.
pub struct CdrWriter<'b> {
    /// Without capacity once there was no memory for something, so that only the slow path has to look for that.
    buffer: &'b mut Vec<u8>,
    /// Index in `buffer` of the alignment base.
    base: usize,
    order: ByteOrder,
    text: TextCoding,
    /// May take long runs of octets instead of a copy.
    outlet: Option<&'b mut dyn Outlet>,
    /// The valuetypes written so far. An `Rc`, as dropping one takes the least code.
    values: Option<Rc<state::Values>>,
    /// Whether values are written with their repository id even where the receiver expects their type.
    names_values: bool,
}

impl core::fmt::Debug for CdrWriter<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CdrWriter")
            .field("offset", &self.offset())
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}

macro_rules! write_primitive {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(&mut self, value: $type) {
            self.align(size_of::<$type>());
            self.put_number(value.to_octets(self.order));
        }
    )*};
}

impl<'b> CdrWriter<'b> {
    /// A writer that appends to `buffer`, whose current end is the alignment base.
    #[inline]
    pub fn new(buffer: &'b mut Vec<u8>, order: ByteOrder) -> Self {
        let base = buffer.len();
        Self { base, ..Self::resume(buffer, order) }
    }

    /// A writer that appends to `buffer`, whose start is the alignment base.
    #[inline]
    pub fn resume(buffer: &'b mut Vec<u8>, order: ByteOrder) -> Self {
        if buffer.capacity() == 0 {
            slow::begin(buffer);
        }
        Self::continue_in(buffer, order)
    }

    /// As [`resume`](Self::resume), for a buffer that another writer has written to: one without capacity is that of a
    /// writer without memory, and so is this one.
    #[inline]
    pub fn continue_in(buffer: &'b mut Vec<u8>, order: ByteOrder) -> Self {
        Self {
            buffer,
            base: 0,
            order,
            text: TextCoding::default(),
            outlet: None,
            values: None,
            names_values: false,
        }
    }

    /// The same writer with the text coding of its connection and GIOP version.
    #[inline]
    #[must_use]
    pub fn with_text(mut self, text: TextCoding) -> Self {
        self.text = text;
        self
    }

    /// From now on, offers runs of octets outside encapsulations to `outlet` before it copies them.
    pub fn offer_to(&mut self, outlet: &'b mut dyn Outlet) {
        self.outlet = Some(outlet);
    }

    /// The byte order in use.
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// The text coding in use.
    pub fn text(&self) -> TextCoding {
        self.text
    }

    /// Octets from the alignment base to the next octet to be written.
    pub fn offset(&self) -> usize {
        // Without memory, the buffer is empty.
        self.buffer.len().saturating_sub(self.base)
    }

    /// An error of `kind` at the current offset.
    #[cold]
    pub fn error(&self, kind: CdrErrorKind, what: &'static str) -> CdrError {
        CdrError::new(kind, self.offset(), what)
    }

    /// Writes zeros up to a multiple of `alignment` (a power of two) from the alignment base.
    #[inline]
    pub fn align(&mut self, alignment: usize) {
        let padding = self.base.wrapping_sub(self.buffer.len()) & (alignment - 1);
        if padding > 0 {
            self.reserve(padding);
        }
    }

    write_primitive! {
        /// An `octet`.
        write_u8: u8;
        /// An `int8`.
        write_i8: i8;
        /// A `short`.
        write_i16: i16;
        /// An `unsigned short`.
        write_u16: u16;
        /// A `long`.
        write_i32: i32;
        /// An `unsigned long`.
        write_u32: u32;
        /// A `long long`.
        write_i64: i64;
        /// An `unsigned long long`.
        write_u64: u64;
        /// A `float`.
        write_f32: f32;
        /// A `double`.
        write_f64: f64;
    }

    /// A `boolean`.
    #[inline]
    pub fn write_bool(&mut self, value: bool) {
        self.write_u8(u8::from(value));
    }

    /// Octets as they are, without a length or alignment.
    #[inline]
    pub fn put(&mut self, octets: &[u8]) {
        if self.has_room(octets.len()) {
            self.buffer.extend_from_slice(octets);
        } else {
            slow::put(self.buffer, octets);
        }
    }

    #[inline]
    fn put_number<const N: usize>(&mut self, octets: [u8; N]) {
        if self.has_room(N) {
            self.buffer.extend_from_slice(&octets);
        } else {
            // By value: otherwise it would be stored for this path on the fast one, too.
            let mut word = [0; 8];
            if let Some(first) = word.first_chunk_mut() {
                *first = octets;
            }
            slow::put_number(self.buffer, u64::from_ne_bytes(word), N);
        }
    }

    #[inline]
    fn has_room(&self, count: usize) -> bool {
        self.buffer.capacity() - self.buffer.len() >= count
    }

    /// Checks that all was written.
    ///
    /// # Errors
    /// `OutOfMemory`.
    #[inline]
    pub fn finish(&self) -> CdrResult<()> {
        match self.buffer.capacity() {
            0 => Err(self.error(CdrErrorKind::OutOfMemory, "message")),
            _ => Ok(()),
        }
    }

    /// As [`put`](Self::put), for octets that may be many: they may be sent from where they are. `what` they are is for the
    /// error.
    ///
    /// # Errors
    /// `OutOfMemory`.
    #[inline]
    pub fn put_many(
        &mut self,
        octets: &[u8],
        gathered: Gathered,
        what: &'static str,
    ) -> CdrResult<()> {
        let taken = match &mut self.outlet {
            Some(outlet) => outlet.offer(self.buffer, octets, gathered),
            None => false,
        };
        if taken {
            return Ok(());
        }
        self.copy_many(octets, what)
    }

    #[inline]
    fn copy_many(&mut self, octets: &[u8], what: &'static str) -> CdrResult<()> {
        if self.has_room(octets.len()) {
            self.buffer.extend_from_slice(octets);
        } else if !slow::put_many(self.buffer, octets) {
            return Err(self.error(CdrErrorKind::OutOfMemory, what));
        }
        Ok(())
    }

    /// The element count of a sequence or the length of a string.
    ///
    /// # Errors
    /// `TooLong` above 2³²-1.
    #[inline]
    pub fn write_count(&mut self, count: usize, what: &'static str) -> CdrResult<()> {
        let count = u32::try_from(count).map_err(|_| self.error(CdrErrorKind::TooLong, what))?;
        self.write_u32(count);
        Ok(())
    }

    /// A `sequence<octet>`.
    ///
    /// # Errors
    /// `TooLong`.
    #[inline]
    pub fn write_octets(&mut self, octets: &[u8]) -> CdrResult<()> {
        self.write_count(octets.len(), "sequence<octet>")?;
        self.put_many(octets, Gathered::Run, "sequence<octet>")
    }

    /// An encapsulation as a `sequence<octet>`: its length, its byte order, then what `body` writes.
    /// Its start is its alignment base.
    ///
    /// # Errors
    /// What `body` returns; `TooLong`.
    pub fn write_encapsulation(
        &mut self,
        body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<()> {
        self.write_u32(0);
        let start = self.buffer.len();
        let mut inner = CdrWriter {
            base: start,
            order: self.order,
            text: TextCoding::ENCAPSULATION,
            outlet: None,
            values: None,
            names_values: self.names_values,
            buffer: self.buffer,
        };
        inner.write_u8(inner.order.flag());
        body(&mut inner)?;
        inner.finish()?;
        let length = self.buffer.len() - start;
        self.patch_count(start - 4, length, "encapsulation")
    }

    /// Overwrites the `unsigned long` at buffer index `at` with a length.
    fn patch_count(&mut self, at: usize, length: usize, what: &'static str) -> CdrResult<()> {
        let length = u32::try_from(length).map_err(|_| self.error(CdrErrorKind::TooLong, what))?;
        let octets = length.to_octets(self.order);
        if let Some(count) = self.buffer.get_mut(at..at + 4) {
            count.copy_from_slice(&octets);
        }
        Ok(())
    }

    /// Reserves capacity for `count` more octets, so that writing them cannot fail.
    ///
    /// # Errors
    /// `OutOfMemory`.
    #[inline]
    pub fn reserve_capacity(&mut self, count: usize, what: &'static str) -> CdrResult<()> {
        match self.has_room(count) || slow::grow(self.buffer, count) {
            true => Ok(()),
            false => Err(self.error(CdrErrorKind::OutOfMemory, what)),
        }
    }

    /// The current end, to [truncate](Self::truncate) to.
    pub(crate) fn mark(&self) -> usize {
        self.buffer.len()
    }

    /// Removes what was written since the [mark](Self::mark).
    #[cold]
    pub(crate) fn truncate(&mut self, mark: usize) {
        self.buffer.truncate(mark);
    }

    /// Appends `count` zeros and returns them to be overwritten; returns none without memory for them, unless it was
    /// [reserved](Self::reserve_capacity).
    #[inline]
    pub fn reserve(&mut self, count: usize) -> &mut [u8] {
        if !self.has_room(count) {
            return slow::reserve(self.buffer, count);
        }
        let start = self.buffer.len();
        self.buffer.resize(start + count, 0);
        self.buffer.get_mut(start..).unwrap_or_default()
    }
}

impl CdrWriter<'_> {
    /// The octets of an encapsulation without its length, as in profile and component data.
    ///
    /// # Errors
    /// What `body` returns.
    pub fn encapsulation(
        order: ByteOrder,
        body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Vec<u8>> {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, order).with_text(TextCoding::ENCAPSULATION);
        writer.write_u8(order.flag());
        body(&mut writer)?;
        writer.finish()?;
        Ok(octets)
    }
}
