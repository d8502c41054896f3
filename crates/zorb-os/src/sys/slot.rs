//! Boxes as pointers in an atomic.

use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::lock::Lock;

/// A slot for one box. Threads put it in and take it out by one sequentially consistent atomic
/// exchange each, without a lock.
///
/// ```
/// use zorb_os::slot::Slot;
///
/// let slot = Slot::empty();
/// assert!(slot.put(Box::new(1)).is_none());
/// assert_eq!(slot.put(Box::new(2)), Some(Box::new(1)), "the previous box is returned");
/// assert_eq!(slot.take(), Some(Box::new(2)));
/// assert_eq!(slot.take(), None);
/// ```
pub struct Slot<T> {
    value: AtomicPtr<T>,
    /// It moves values between threads, like a lock, and has the same bounds on `T`.
    owns: PhantomData<Lock<Box<T>>>,
}

impl<T> Slot<T> {
    /// An empty slot.
    #[must_use]
    pub const fn empty() -> Self {
        Self { value: AtomicPtr::new(ptr::null_mut()), owns: PhantomData }
    }

    /// Whether it is empty now.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.value.load(Ordering::Relaxed).is_null()
    }

    /// Takes out the box.
    #[inline]
    #[must_use]
    pub fn take(&self) -> Option<Box<T>> {
        owned(self.value.swap(ptr::null_mut(), Ordering::SeqCst))
    }

    /// Puts `value` in; returns the previous box.
    #[inline]
    pub fn put(&self, value: Box<T>) -> Option<Box<T>> {
        owned(self.value.swap(Box::into_raw(value), Ordering::SeqCst))
    }
}

/// The box of a pointer taken from a slot.
#[inline]
fn owned<T>(pointer: *mut T) -> Option<Box<T>> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: only `put` stores pointers in a slot, those of boxes that it owns. The exchange that
    // returned this one removed it, so no other thread has it.
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
