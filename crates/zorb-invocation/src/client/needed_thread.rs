//! Threads that pending calls need to end: they receive replies, or send requests again. While such a thread calls a
//! function of the program, that must not wait for a pending call, which might wait for the thread.
//!
//! A caller runs wakers of tasks while it still receives for a connection; the reader, before it receives again. The calls of
//! a waker must not wait for another thread that receives, which may run a waker, too, and wait for this one. They use
//! connections for which no thread receives when they begin. So of several wakers that wait, each waits for a thread that
//! began to receive after it, and no circle is possible.

use std::cell::Cell;

thread_local! {
    static IS_NEEDED: Cell<bool> = const { Cell::new(false) };
    static RECEIVES: Cell<bool> = const { Cell::new(false) };
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

/// Calls `run`, which does not panic, on a thread that receives for others, and runs wakers for that.
pub(super) fn while_receiving<T>(run: impl FnOnce() -> T) -> T {
    let before = RECEIVES.replace(true);
    let result = run();
    RECEIVES.set(before);
    result
}

/// Whether the calling thread receives for a connection, and now runs a waker.
pub(super) fn receives() -> bool {
    RECEIVES.get()
}
