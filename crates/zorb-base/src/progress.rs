//! Time limits for incomplete messages, and how recently a connection was used.
//!
//! A peer that sends a message octet by octet, or nothing, must not keep its connection. Serving threads read
//! no clock: they record which message they wait for, and a thread that checks all connections compares that with
//! what it saw before.

mod timed;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use zorb_giop::Inbound;

pub use timed::{MessageLimits, Timed};

/// An incomplete message that a connection waits for, as one word: a tag and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Incomplete(u64);

impl Incomplete {
    /// No part of the next message has arrived.
    pub const NONE: Self = Self(0);
    /// Nothing has ever arrived.
    pub const FIRST: Self = Self(1 << 32);
    const PART: u64 = 2 << 32;
    const FRAGMENTED: u64 = 3 << 32;

    /// Part of a message has arrived after `messages` whole ones.
    pub fn part(messages: u32) -> Self {
        Self(Self::PART | u64::from(messages))
    }

    /// A fragmented message, which began with this one, is incomplete.
    pub fn fragmented(ordinal: u32) -> Self {
        Self(Self::FRAGMENTED | u64::from(ordinal))
    }

    /// What a connection still waits for after a whole message.
    fn beside_message(inbound: &Inbound) -> Self {
        let fragmented = inbound.oldest_fragmented();
        fragmented.map_or(Self::NONE, Self::fragmented)
    }

    /// What `inbound` waits for after `messages` whole messages.
    fn of(inbound: &Inbound, messages: u32) -> Self {
        match Self::beside_message(inbound) {
            Self::NONE if inbound.has_buffered() => Self::part(messages),
            Self::NONE if messages == 0 => Self::FIRST,
            fragmented_or_none => fragmented_or_none,
        }
    }
}

/// What one connection has received and waits for.
#[derive(Debug)]
pub struct Progress {
    /// Whole messages received. Written only by the reading thread.
    messages: AtomicU32,
    incomplete: AtomicU64,
    /// The number of messages at the lane's last search for a connection to close.
    seen: AtomicU32,
    /// The lane's accept count when that search last found new messages.
    last_used: AtomicU64,
}

impl Progress {
    /// The progress of the lane's connection number `accepted`.
    pub fn new(accepted: u64) -> Self {
        Self {
            messages: AtomicU32::new(0),
            incomplete: AtomicU64::new(Incomplete::FIRST.0),
            seen: AtomicU32::new(0),
            last_used: AtomicU64::new(accepted),
        }
    }

    /// Counts a whole message. Called by the reading thread.
    #[inline]
    pub fn count_message(&self) {
        let messages = self.messages.load(Ordering::Relaxed);
        self.messages.store(messages.wrapping_add(1), Ordering::Relaxed);
    }

    /// Records and returns what the reading thread waits for.
    #[cold]
    pub fn wait_for_rest(&self, inbound: &Inbound) -> Incomplete {
        self.note(Incomplete::of(inbound, self.messages.load(Ordering::Relaxed)))
    }

    /// Records that a message is whole. Returns what the connection still waits for.
    #[cold]
    pub fn message_complete(&self, inbound: &Inbound) -> Incomplete {
        self.note(Incomplete::beside_message(inbound))
    }

    /// Records what the reading thread waits for.
    pub fn note(&self, incomplete: Incomplete) -> Incomplete {
        self.incomplete.store(incomplete.0, Ordering::SeqCst);
        incomplete
    }

    /// Whether part of a message has arrived.
    pub fn has_part(&self) -> bool {
        ![Incomplete::NONE, Incomplete::FIRST].contains(&self.incomplete())
    }

    /// The whole messages received, modulo 2³².
    pub fn messages(&self) -> u32 {
        self.messages.load(Ordering::Relaxed)
    }

    fn incomplete(&self) -> Incomplete {
        Incomplete(self.incomplete.load(Ordering::SeqCst))
    }

    /// An LRU stamp: the lane's accept count (`accepted` is the current one) at the last message. Exact only
    /// if all connections are asked together.
    pub fn last_used(&self, accepted: u64) -> u64 {
        let messages = self.messages.load(Ordering::Relaxed);
        if self.seen.swap(messages, Ordering::Relaxed) != messages {
            self.last_used.store(accepted, Ordering::Relaxed);
        }
        self.last_used.load(Ordering::Relaxed)
    }
}
