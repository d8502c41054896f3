//! Calls of the program's functions on threads of the ORB.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls a function of the program. A panic is logged with the name `what`, and does not end the thread, which
/// serves others, too: the result is then `None`.
#[inline]
pub fn call_back<T>(what: &str, function: impl FnOnce() -> T) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(function));
    result.map_err(|panic| panicked(what, panic)).ok()
}

#[cold]
fn panicked(what: &str, panic: Box<dyn Any + Send>) {
    tracing::error!(what, "a function of the program panicked");
    discard(panic);
}

/// Drops what [`catch_unwind`] returns of a panic: a value of the program, whose drop may panic, too.
#[cold]
pub fn discard(panic: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        // There may be no end of them.
        std::mem::forget(again);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_only_the_function() {
        assert_eq!(call_back("a sum", || 1 + 1), Some(2));
        assert_eq!(call_back::<()>("a panic", || panic!("on purpose")), None);
    }

    #[test]
    fn what_a_panic_is_thrown_with_may_panic_when_it_is_dropped() {
        struct Panics(u8);
        impl Drop for Panics {
            fn drop(&mut self) {
                if let Some(left) = self.0.checked_sub(1) {
                    std::panic::panic_any(Self(left));
                }
            }
        }
        for panics in 0..3 {
            let function = || std::panic::panic_any(Panics(panics));
            assert_eq!(call_back::<()>("a panic", function), None);
        }
    }
}
