//! Boxes as pointers in an atomic.

use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::lock::Lock;

/// A place for one box, which threads take out and put in without a lock: one atomic exchange each,
/// in the one order of all sequentially consistent operations.
///
/// ```
/// use zorb_os::slot::Slot;
///
/// let slot = Slot::empty();
/// assert!(slot.put(Box::new(1)).is_none());
/// assert_eq!(slot.put(Box::new(2)), Some(Box::new(1)), "what lay there comes back");
/// assert_eq!(slot.take(), Some(Box::new(2)));
/// assert_eq!(slot.take(), None);
/// ```
pub struct Slot<T> {
    place: AtomicPtr<T>,
    /// It hands values from thread to thread, as a lock does: so it asks of `T` what a lock asks.
    owns: PhantomData<Lock<Box<T>>>,
}

impl<T> Slot<T> {
    /// A slot with nothing in it.
    #[must_use]
    pub const fn empty() -> Self {
        Self { place: AtomicPtr::new(ptr::null_mut()), owns: PhantomData }
    }

    /// Whether nothing is in it at the moment.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.place.load(Ordering::Relaxed).is_null()
    }

    /// Takes out what is in it.
    #[inline]
    #[must_use]
    pub fn take(&self) -> Option<Box<T>> {
        owned(self.place.swap(ptr::null_mut(), Ordering::SeqCst))
    }

    /// Puts `value` in, and gives back what was in it.
    #[inline]
    pub fn put(&self, value: Box<T>) -> Option<Box<T>> {
        owned(self.place.swap(Box::into_raw(value), Ordering::SeqCst))
    }
}

/// The box of a pointer that has just come out of a slot.
#[inline]
fn owned<T>(pointer: *mut T) -> Option<Box<T>> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: only `put` puts pointers into a slot, those of boxes that it owns; the exchange that
    // got this one took it out, so nobody else has it.
    Some(unsafe { Box::from_raw(pointer) })
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self::empty()
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl<T> std::fmt::Debug for Slot<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").finish_non_exhaustive()
    }
}
