//! Values protected by a mutex with priority inheritance.

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::mutex::{PiGuard, PiMutex};

/// A value that one thread at a time uses, protected by a [`PiMutex`]: the holder runs at least at
/// the priority of the waiting threads.
///
/// It is not poisoned by a panic. Locking and unlocking without contention are one atomic operation
/// each.
///
/// ```
/// use zorb_os::lock::Lock;
///
/// let count = Lock::new(5);
/// *count.lock() += 1;
/// assert_eq!(*count.lock(), 6);
/// ```
#[derive(Default)]
pub struct Lock<T> {
    mutex: PiMutex,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is accessed only through a `Locked`, of which there is one at a time, because its
// `PiGuard` is held by one thread. So the value moves between threads, and no two use it at once.
unsafe impl<T: Send> Sync for Lock<T> {}

/// A guard of a [`Lock`], which is unlocked when this is dropped.
#[must_use = "the lock is released when this is dropped"]
pub struct Locked<'l, T> {
    lock: &'l Lock<T>,
    _held: PiGuard<'l>,
}

impl<T> Lock<T> {
    /// A new, unlocked value.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self { mutex: PiMutex::new(), value: UnsafeCell::new(value) }
    }

    /// Locks the value; waits while another thread holds it. Deadlocks if the calling thread holds
    /// it.
    #[inline]
    pub fn lock(&self) -> Locked<'_, T> {
        Locked { lock: self, _held: self.mutex.take() }
    }

    /// Locks the value if no thread holds it.
    #[inline]
    pub fn try_lock(&self) -> Option<Locked<'_, T>> {
        Some(Locked { lock: self, _held: self.mutex.try_take()? })
    }

    /// The value, which nobody can lock meanwhile.
    #[inline]
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<'l, T> Locked<'l, T> {
    /// The lock of this guard.
    pub(crate) fn origin(&self) -> &'l Lock<T> {
        self.lock
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard is held, so no other `Locked` of this lock exists.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Locked<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard is held, so no other `Locked` of this lock exists, and this one is
        // borrowed for as long.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T: fmt::Debug> fmt::Debug for Lock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lock = f.debug_struct("Lock");
        match self.try_lock() {
            Some(value) => lock.field("value", &*value).finish(),
            None => lock.finish_non_exhaustive(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Locked<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
