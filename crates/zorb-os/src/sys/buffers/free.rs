//! When a buffer is free: the rules, apart from the words that they are kept in, so that they can be run
//! over words of which a test decides who sees what when.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A flag that one of many threads has.
pub(super) trait Flag: Default {
    /// Takes it; whether it was free. What was done before it was put back can be seen.
    fn take(&self) -> bool;
    /// Has others take it, who see what was done by then.
    fn put_back(&self);
}

/// A number that goes up.
pub(super) trait Count: Default {
    /// What it is. What was done before it became that can be seen.
    fn read(&self) -> u32;
    /// Has it go up, for others who see what was done by then.
    fn raise(&self);
    /// Has it go down, unless it is 0; whether it did. Others see what was done by then, and this
    /// thread what they did before they had it go down.
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

/// Who of the reading process has a buffer that was lent to it: how many more than one for each time
/// that it was lent. It does not matter for which of several times somebody has it, as the sender only
/// looks whether it has come back as often as it was sent.
#[derive(Debug, Default)]
pub(super) struct Holds<C>(C);

impl<C: Count> Holds<C> {
    /// One more has it. Called by one who does.
    #[inline]
    pub(super) fn hold(&self) {
        self.0.raise();
    }

    /// One has it no more; whether it is to be given back for that.
    #[inline]
    pub(super) fn let_go(&self) -> bool {
        !self.0.lower()
    }
}

/// What the sending process keeps of a buffer. How often its reader has given it back is beside it, in
/// memory that both see.
#[derive(Debug, Default)]
pub(super) struct State<F, C> {
    taken: F,
    sent: C,
}

impl<F: Flag, C: Count> State<F, C> {
    /// Whether the reader may be reading it.
    #[inline]
    pub(super) fn is_out(&self, given_back: &C) -> bool {
        self.sent.read() != given_back.read()
    }

    /// Takes it for a thread of the sender's, if nobody has it and the reader does not read it.
    #[inline]
    pub(super) fn take(&self, given_back: &C) -> bool {
        if self.is_out(given_back) || !self.taken.take() {
            return false;
        }
        // It may have been sent by another thread since the first look.
        let is_free = !self.is_out(given_back);
        if !is_free {
            self.taken.put_back();
        }
        is_free
    }

    /// Says that the reader is about to be shown it. Called by who has taken it.
    #[inline]
    pub(super) fn will_send(&self) {
        self.sent.raise();
    }

    /// Lets go of it, whether it was sent or not.
    #[inline]
    pub(super) fn put_back(&self) {
        self.taken.put_back();
    }
}

#[cfg(test)]
mod tests;
