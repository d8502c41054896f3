//! Counting the steps of the engine.

use core::cell::Cell;

/// What counts the steps of the engine. Calls use `()`, which counts nothing and takes no register.
pub(super) trait Steps: Copy {
    /// One more step.
    fn count(self);
}

impl Steps for () {
    fn count(self) {}
}

impl Steps for &Cell<u64> {
    fn count(self) {
        self.set(self.get() + 1);
    }
}
