//! The memory of sequences, which is allocated as that of a `Vec`.

use alloc::alloc::{alloc, dealloc, realloc};
use core::alloc::Layout;
use core::mem::ManuallyDrop;

use super::table::{Parts, Sequence};

/// The elements of a sequence, while it is read or dropped. They are dropped with it, also if reading panics.
#[derive(Debug)]
pub(super) struct Elements<'s> {
    pub(super) sequence: &'s Sequence,
    pub(super) parts: Parts,
}

impl<'s> Elements<'s> {
    pub(super) fn none(sequence: &'s Sequence) -> Self {
        let data = core::ptr::without_provenance_mut(sequence.alignment);
        Self { sequence, parts: Parts { data, length: 0, capacity: 0 } }
    }

    /// The elements of a value.
    ///
    /// # Safety
    /// The parts are those of a value of the sequence, which is not used again.
    pub(super) unsafe fn of(sequence: &'s Sequence, parts: Parts) -> Self {
        Self { sequence, parts }
    }

    /// The memory of `capacity` elements.
    fn layout(&self, capacity: usize) -> Option<Layout> {
        let size = capacity.checked_mul(self.sequence.stride)?;
        Layout::from_size_align(size, self.sequence.alignment).ok()
    }

    /// The parts, to make a value of.
    pub(super) fn into_parts(self) -> Parts {
        ManuallyDrop::new(self).parts
    }

    /// Increases the capacity, which is less; `false` without the memory.
    pub(super) fn grow(&mut self, capacity: usize) -> bool {
        let (Some(old), Some(new)) = (self.layout(self.parts.capacity), self.layout(capacity))
        else {
            return false;
        };
        let data = match self.parts.capacity {
            // SAFETY: the layout has a size, since stride and capacity are at least 1.
            0 => unsafe { alloc(new) },
            // SAFETY: the elements were allocated with the old layout; the new size is valid and not 0.
            _ => unsafe { realloc(self.parts.data, old, new.size()) },
        };
        if data.is_null() {
            return false;
        }
        self.parts.data = data;
        self.parts.capacity = capacity;
        true
    }

    /// Frees the memory of the elements, which are dropped or need not be.
    ///
    /// # Safety
    /// They are not used again.
    pub(super) unsafe fn free(&self) {
        // Elements that are borrowed have no capacity.
        if let Some(layout) = self.layout(self.parts.capacity).filter(|layout| layout.size() > 0) {
            // SAFETY: a `Vec` of this capacity was allocated with this layout.
            unsafe { dealloc(self.parts.data, layout) };
        }
    }
}
