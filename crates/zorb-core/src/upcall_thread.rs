//! What the calling thread is doing: callers that are about to block tell the serving side, which lets
//! another thread read on from the connection of the present upcall.

use std::cell::Cell;
use std::sync::OnceLock;

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Anything but an upcall.
    Other,
    /// An upcall, during which another thread may take the connection's input.
    Upcall,
    /// An upcall for whose length the input has been handed to another thread.
    Relieved,
}

thread_local! {
    static DOING: Cell<Doing> = const { Cell::new(Doing::Other) };
}

/// Hands the input of the present upcall's connection to another thread.
static HAND_OVER: OnceLock<fn()> = OnceLock::new();

/// Sets how a thread hands over the input of its upcall's connection before it blocks.
pub(crate) fn set_hand_over(hand_over: fn()) {
    // It is the same for all ORBs of the process.
    let _ = HAND_OVER.set(hand_over);
}

/// Whether the calling thread is in an upcall.
pub(crate) fn in_upcall() -> bool {
    DOING.get() != Doing::Other
}

/// To be called before a thread may block for long: if it is in an upcall, another thread reads on from
/// the connection of its request.
#[inline]
pub(crate) fn about_to_block() {
    if DOING.get() == Doing::Upcall
        && let Some(hand_over) = HAND_OVER.get()
    {
        hand_over();
    }
}

/// Notes that the calling thread begins an upcall.
#[inline]
pub(crate) fn begin_upcall() {
    DOING.set(Doing::Upcall);
}

/// Notes that it is over.
#[inline]
pub(crate) fn end_upcall() {
    DOING.set(Doing::Other);
}

/// Notes that the input has been handed over for the length of the present upcall.
pub(crate) fn relieve_upcall() {
    DOING.set(Doing::Relieved);
}
