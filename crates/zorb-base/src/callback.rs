//! Calls of the program's functions on threads of the ORB.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls a function of the program. A panic is logged with the name `what`, and does not end the thread, which
/// serves others, too: the result is then `None`.
#[inline]
pub fn call_back<T>(what: &str, function: impl FnOnce() -> T) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(function));
    result.map_err(|_| panicked(what)).ok()
}

#[cold]
fn panicked(what: &str) {
    tracing::error!(what, "a function of the program panicked");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_only_the_function() {
        assert_eq!(call_back("a sum", || 1 + 1), Some(2));
        assert_eq!(call_back::<()>("a panic", || panic!("on purpose")), None);
    }
}
