//! Threads that pending calls need to end: they receive replies, or send requests again. While such a thread calls a
//! function of the program, that must not wait for a pending call, which might wait for the thread.

use std::cell::Cell;

thread_local! {
    static IS_NEEDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `run`, which does not panic, on a thread that pending calls need.
pub(super) fn on_needed_thread<T>(run: impl FnOnce() -> T) -> T {
    let before = IS_NEEDED.replace(true);
    let result = run();
    IS_NEEDED.set(before);
    result
}

/// Whether pending calls may need the calling thread.
pub(super) fn is_needed_thread() -> bool {
    IS_NEEDED.get()
}
