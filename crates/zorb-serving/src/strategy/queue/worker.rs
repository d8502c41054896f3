//! The threads that make upcalls, and what they are called for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use zorb_os::futex;

/// A thread that makes upcalls.
#[derive(Debug)]
pub(in crate::strategy) struct Worker {
    /// Its id in the system.
    pub(in crate::strategy) thread: u32,
    /// Its call; 0 while it waits.
    called: AtomicU32,
}

/// What a waiting thread is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::strategy) enum Call {
    /// A request of its own lane.
    Own,
    /// Check for requests.
    Check,
    /// A request of the lane with this rank, which borrows the thread.
    Borrowed(usize),
}

impl Call {
    fn to_word(self) -> u32 {
        match self {
            Self::Own => 1,
            Self::Check => 2,
            Self::Borrowed(rank) => u32::try_from(rank).unwrap_or(u32::MAX - 3) + 3,
        }
    }

    fn from_word(word: u32) -> Option<Self> {
        Some(match word {
            0 => return None,
            1 => Self::Own,
            2 => Self::Check,
            rank => Self::Borrowed(rank as usize - 3),
        })
    }
}

impl Worker {
    pub(in crate::strategy) fn new() -> Arc<Self> {
        let called = AtomicU32::new(Call::Check.to_word());
        Arc::new(Self { thread: zorb_os::thread::id(), called })
    }

    /// Notes that it waits for a call.
    pub(in crate::strategy) fn begin_wait(&self) {
        self.called.store(0, Ordering::Release);
    }

    /// Wakes it.
    pub(in crate::strategy) fn call(&self, call: Call) {
        self.called.store(call.to_word(), Ordering::Release);
        futex::wake(&self.called);
    }

    /// Waits at most `limit` for a call.
    #[inline(always)] // into the loop of a thread: 14 instructions for each request
    pub(in crate::strategy) fn wait(&self, limit: Option<Duration>) -> Option<Call> {
        // A limit beyond the range of the clock is no limit.
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        loop {
            if let Some(call) = Call::from_word(self.called.load(Ordering::Acquire)) {
                return Some(call);
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            futex::wait(&self.called, 0, left);
        }
    }
}
