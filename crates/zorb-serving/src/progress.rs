//! Time limits for incomplete messages, and how recently a connection was used.
//!
//! A peer that sends a message octet by octet, or nothing, must not keep its connection. Serving threads read
//! no clock: they record which message they wait for, and the [watchdog](super::watchdog) compares that with
//! what it saw before.

use std::collections::HashMap;
use std::fmt;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use zorb_base::options::Options;
use zorb_giop::Inbound;
use zorb_os::poll::is_readable;
use zorb_transport::{Stream, log_limited};

/// The number of checks within the shorter one of the limits.
const CHECKS: u32 = 4;

/// An incomplete message that a connection waits for, as one word: a tag and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Incomplete(u64);

impl Incomplete {
    /// No part of the next message has arrived.
    pub(crate) const NONE: Self = Self(0);
    /// Nothing has ever arrived.
    pub(crate) const FIRST: Self = Self(1 << 32);
    const PART: u64 = 2 << 32;
    const FRAGMENTED: u64 = 3 << 32;

    /// What a connection still waits for after a whole message.
    fn beside_message(inbound: &Inbound) -> Self {
        let fragmented = inbound.oldest_fragmented();
        fragmented.map_or(Self::NONE, |ordinal| Self(Self::FRAGMENTED | u64::from(ordinal)))
    }

    /// What `inbound` waits for after `messages` whole messages.
    fn of(inbound: &Inbound, messages: u32) -> Self {
        match Self::beside_message(inbound) {
            Self::NONE if inbound.has_buffered() => Self(Self::PART | u64::from(messages)),
            Self::NONE if messages == 0 => Self::FIRST,
            fragmented_or_none => fragmented_or_none,
        }
    }
}

/// What one connection has received and waits for.
#[derive(Debug)]
pub(crate) struct Progress {
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
    pub(crate) fn new(accepted: u64) -> Self {
        Self {
            messages: AtomicU32::new(0),
            incomplete: AtomicU64::new(Incomplete::FIRST.0),
            seen: AtomicU32::new(0),
            last_used: AtomicU64::new(accepted),
        }
    }

    /// Counts a whole message. Called by the reading thread.
    #[inline]
    pub(crate) fn count_message(&self) {
        let messages = self.messages.load(Ordering::Relaxed);
        self.messages.store(messages.wrapping_add(1), Ordering::Relaxed);
    }

    /// Records and returns what the reading thread waits for.
    #[cold]
    pub(crate) fn wait_for_rest(&self, inbound: &Inbound) -> Incomplete {
        self.note(Incomplete::of(inbound, self.messages.load(Ordering::Relaxed)))
    }

    /// Records that a message is whole. Returns what the connection still waits for.
    #[cold]
    pub(crate) fn message_complete(&self, inbound: &Inbound) -> Incomplete {
        self.note(Incomplete::beside_message(inbound))
    }

    fn note(&self, incomplete: Incomplete) -> Incomplete {
        self.incomplete.store(incomplete.0, Ordering::SeqCst);
        incomplete
    }

    /// Whether part of a message has arrived.
    #[cfg(test)]
    pub(crate) fn has_part(&self) -> bool {
        ![Incomplete::NONE, Incomplete::FIRST].contains(&self.incomplete())
    }

    fn incomplete(&self) -> Incomplete {
        Incomplete(self.incomplete.load(Ordering::SeqCst))
    }

    /// An LRU stamp: the lane's accept count (`accepted` is the current one) at the last message. Exact only
    /// if all connections are asked together.
    pub(crate) fn last_used(&self, accepted: u64) -> u64 {
        let messages = self.messages.load(Ordering::Relaxed);
        if self.seen.swap(messages, Ordering::Relaxed) != messages {
            self.last_used.store(accepted, Ordering::Relaxed);
        }
        self.last_used.load(Ordering::Relaxed)
    }
}

/// The time limits of incomplete messages; `None` for none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageLimits {
    message: Option<Duration>,
    first: Option<Duration>,
}

impl MessageLimits {
    pub(crate) fn of(options: &Options) -> Self {
        Self { message: options.message_timeout, first: options.first_message_timeout }
    }

    fn limit(&self, incomplete: Incomplete) -> Option<Duration> {
        if incomplete == Incomplete::FIRST { self.first } else { self.message }
    }

    /// The period of checks; `None` for never.
    fn period(&self) -> Option<Duration> {
        let shortest = self.message.into_iter().chain(self.first).min()?;
        Some(shortest / CHECKS)
    }
}

/// The connections whose incomplete messages are timed.
#[derive(Debug)]
pub(crate) struct Timed {
    limits: MessageLimits,
    connections: HashMap<usize, Entry>,
    next_check: Option<Instant>,
}

/// A connection, and what it waited for at the last check.
struct Entry {
    progress: Arc<Progress>,
    stream: Weak<dyn Stream>,
    incomplete: Incomplete,
    since: Instant,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("incomplete", &self.incomplete).finish_non_exhaustive()
    }
}

impl Timed {
    pub(crate) fn new(limits: MessageLimits) -> Self {
        Self { limits, connections: HashMap::new(), next_check: None }
    }

    /// Adds a connection that has just been accepted. The caller resumes the checks.
    pub(crate) fn add(&mut self, progress: &Arc<Progress>, stream: &Arc<dyn Stream>, now: Instant) {
        let entry = Entry {
            progress: Arc::clone(progress),
            stream: Arc::downgrade(stream),
            incomplete: Incomplete::FIRST,
            since: now,
        };
        self.connections.insert(Arc::as_ptr(progress).addr(), entry);
    }

    pub(crate) fn remove(&mut self, progress: &Arc<Progress>) {
        self.connections.remove(&Arc::as_ptr(progress).addr());
    }

    /// Resumes the checks, which are suspended while no connection waits for the rest of a message.
    pub(crate) fn resume(&mut self, now: Instant) {
        if self.next_check.is_none() {
            self.next_check = self.limits.period().map(|period| now + period);
        }
    }

    /// The time of the next check; `None` if they are suspended.
    pub(crate) fn next_check(&self) -> Option<Instant> {
        self.next_check
    }

    /// Checks all connections, if that is due, and shuts down the input of those that exceed the limit, so
    /// that their threads end them. Clears `are_checked` if no check is needed until a thread sets it again.
    pub(crate) fn check(&mut self, now: Instant, are_checked: &AtomicBool) {
        if self.next_check.is_none_or(|next| now < next) {
            return;
        }
        are_checked.store(false, Ordering::SeqCst);
        self.next_check = None;
        let limits = self.limits;
        self.connections.retain(|_, entry| entry.check(now, limits));
        if self.connections.values().any(|entry| entry.incomplete != Incomplete::NONE) {
            are_checked.store(true, Ordering::SeqCst);
            self.resume(now);
        }
    }
}

impl Entry {
    /// Checks it. Returns whether to continue timing it.
    fn check(&mut self, now: Instant, limits: MessageLimits) -> bool {
        let Some(stream) = self.stream.upgrade() else { return false };
        let incomplete = self.progress.incomplete();
        if incomplete != self.incomplete {
            (self.incomplete, self.since) = (incomplete, now);
            return true;
        }
        let is_over = incomplete != Incomplete::NONE
            && limits.limit(incomplete).is_some_and(|limit| now >= self.since + limit);
        // The peer is not slow if no thread has been free to receive its data.
        let has_input = || stream.readiness_fd().is_some_and(|fd| is_readable(fd).unwrap_or(false));
        if !is_over || has_input() {
            return true;
        }
        log_limited!(
            warn,
            peer = stream.peer(),
            "connection closed: a message took too long to arrive"
        );
        let _ = stream.shutdown(Shutdown::Read);
        false
    }
}
