//! How many upcalls run at the same time, where connections have threads of their own.

use std::sync::atomic::{AtomicU32, Ordering};

use zorb_os::futex;

/// How many threads may make upcalls at the same time, where connections have threads of their own.
#[derive(Debug)]
pub(super) struct Permits {
    free: AtomicU32,
    /// How many threads wait for one, so that nobody is woken in vain.
    waiting: AtomicU32,
}

/// A permit, until dropped.
#[derive(Debug)]
pub(crate) struct Permit<'p>(&'p Permits);

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        let free = AtomicU32::new(u32::try_from(count).unwrap_or(u32::MAX));
        Self { free, waiting: AtomicU32::new(0) }
    }

    /// Waits for a permit.
    pub(super) fn take(&self) -> Permit<'_> {
        if !self.try_take() {
            self.wait();
        }
        Permit(self)
    }

    fn try_take(&self) -> bool {
        let less = |free: u32| free.checked_sub(1);
        self.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok()
    }

    #[cold]
    fn wait(&self) {
        // Said before it looks again, as who gives one back looks afterwards: one of the two sees the
        // other.
        self.waiting.fetch_add(1, Ordering::SeqCst);
        while !self.try_take() {
            futex::wait(&self.free, 0, None);
        }
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::SeqCst);
        if self.0.waiting.load(Ordering::SeqCst) > 0 {
            futex::wake(&self.0.free);
        }
    }
}
