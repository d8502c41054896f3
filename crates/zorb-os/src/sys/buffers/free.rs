//! The rules for free buffers, generic over the words that they use, so that `loom` can check them.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A flag that one thread at a time holds.
pub(super) trait Flag: Default {
    /// Takes the flag; returns whether it was free. Synchronizes with the last `put_back`.
    fn take(&self) -> bool;
    /// Releases the flag.
    fn put_back(&self);
}

/// A counter.
pub(super) trait Count: Default {
    /// Its value. Synchronizes with the operation that stored it.
    fn read(&self) -> u32;
    /// Increments it.
    fn raise(&self);
    /// Decrements it unless it is 0; returns whether it did. Synchronizes with earlier decrements.
    fn lower(&self) -> bool;
}

impl Flag for AtomicBool {
    #[inline]
    fn take(&self) -> bool {
        self.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[inline]
    fn put_back(&self) {
        self.store(false, Ordering::Release);
    }
}

impl Count for AtomicU32 {
    #[inline]
    fn read(&self) -> u32 {
        self.load(Ordering::Acquire)
    }

    #[inline]
    fn raise(&self) {
        self.fetch_add(1, Ordering::AcqRel);
    }

    #[inline]
    fn lower(&self) -> bool {
        let less = |number: u32| number.checked_sub(1);
        self.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok()
    }
}

/// The number of holders of a buffer in the reading process, minus one for each time that it was
/// loaned. It does not matter which loan a holder belongs to, as the sender only compares how often
/// the buffer was sent and returned.
#[derive(Debug, Default)]
pub(super) struct Holds<C>(C);

impl<C: Count> Holds<C> {
    /// Adds a holder. Called by a holder.
    #[inline]
    pub(super) fn acquire(&self) {
        self.0.raise();
    }

    /// Removes a holder; returns whether the buffer is to be returned now.
    #[inline]
    pub(super) fn release(&self) -> bool {
        !self.0.lower()
    }
}

/// The sender's state of a buffer. The number of returns is in memory that both processes see.
#[derive(Debug, Default)]
pub(super) struct State<F, C> {
    taken: F,
    sent: C,
}

impl<F: Flag, C: Count> State<F, C> {
    /// Whether the reader may be reading it.
    #[inline]
    pub(super) fn is_in_use(&self, returned: &C) -> bool {
        self.sent.read() != returned.read()
    }

    /// Takes it for a thread of the sender, if it is free.
    #[inline]
    pub(super) fn take(&self, returned: &C) -> bool {
        if self.is_in_use(returned) || !self.taken.take() {
            return false;
        }
        // Another thread may have sent it since the first check.
        let is_free = !self.is_in_use(returned);
        if !is_free {
            self.taken.put_back();
        }
        is_free
    }

    /// Announces that the reader will see it. Called by the holder.
    #[inline]
    pub(super) fn will_send(&self) {
        self.sent.raise();
    }

    /// Releases it, whether or not it was sent.
    #[inline]
    pub(super) fn put_back(&self) {
        self.taken.put_back();
    }
}

#[cfg(test)]
mod tests;
