//! Values that interceptors pass to servants.

use std::cell::Cell;
use std::thread::LocalKey;

use crate::upcall_thread::collocated_upcalls;

/// A value that a server request interceptor passes to the servant: a slot of `PortableInterceptor::Current`. It belongs
/// to one upcall of the calling thread: collocated calls that the servant makes have a value of their own, or none,
/// unless they call another servant without any checks (`CollocationStrategy::Direct`).
///
/// Declare it with `thread_local!`.
#[derive(Debug)]
pub struct UpcallSlot<T: Copy>(Cell<Option<Value<T>>>);

#[derive(Clone, Copy, Debug)]
struct Value<T> {
    value: T,
    /// The number of collocated upcalls that enclose the interceptor.
    depth: usize,
}

impl<T: Copy> UpcallSlot<T> {
    /// An empty slot.
    #[must_use]
    pub const fn new() -> Self {
        Self(Cell::new(None))
    }

    /// The value of the current upcall; `None` if no interceptor has set one.
    #[must_use]
    pub fn value(&self) -> Option<T> {
        let set = self.0.get().filter(|set| set.depth == collocated_upcalls());
        set.map(|set| set.value)
    }

    /// The value that was set last: by the current upcall, or by an upcall around it.
    pub(super) fn enclosing_value(&self) -> Option<T> {
        self.0.get().map(|set| set.value)
    }
}

impl<T: Copy> Default for UpcallSlot<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Sets the value of `slot` while `upcall` is executed, and restores the former one afterwards, also after a panic.
pub fn with_slot<T: Copy, R>(
    slot: &'static LocalKey<UpcallSlot<T>>,
    value: Option<T>,
    upcall: impl FnOnce() -> R,
) -> R {
    struct Restore<T: Copy + 'static>(&'static LocalKey<UpcallSlot<T>>, Option<Value<T>>);
    impl<T: Copy> Drop for Restore<T> {
        fn drop(&mut self) {
            self.0.with(|slot| slot.0.set(self.1));
        }
    }
    let value = value.map(|value| Value { value, depth: collocated_upcalls() });
    let _restore = Restore(slot, slot.with(|slot| slot.0.replace(value)));
    upcall()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::orb_core::OrbCore;
    use crate::upcall_thread::CollocatedUpcall;

    thread_local! {
        static SLOT: UpcallSlot<u32> = const { UpcallSlot::new() };
    }

    fn value() -> Option<u32> {
        SLOT.with(UpcallSlot::value)
    }

    #[test]
    fn a_value_belongs_to_one_upcall() {
        assert_eq!(value(), None);
        let orb = OrbCore::new(Options::default());
        with_slot(&SLOT, Some(1), || {
            assert_eq!(value(), Some(1));
            let nested = CollocatedUpcall::begin(&orb);
            assert_eq!(value(), None);
            with_slot(&SLOT, Some(2), || assert_eq!(value(), Some(2)));
            with_slot(&SLOT, None, || assert_eq!(value(), None));
            drop(nested);
            assert_eq!(value(), Some(1));
        });
        assert_eq!(value(), None);
    }

    #[test]
    fn a_panic_restores_the_former_value() {
        with_slot(&SLOT, Some(1), || {
            let panicked = std::panic::catch_unwind(|| with_slot(&SLOT, Some(2), || panic!()));
            panicked.unwrap_err();
            assert_eq!(value(), Some(1));
        });
    }
}
