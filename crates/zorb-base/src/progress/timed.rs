//! The connections whose incomplete messages are timed.

use std::collections::HashMap;
use std::fmt;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use zorb_os::poll::is_readable;
use zorb_transport::{Stream, log_limited};

use super::{Incomplete, Progress};
use crate::options::Options;

/// The number of checks within the shorter one of the limits.
const CHECKS: u32 = 4;

/// The time limits of incomplete messages; `None` for none.
#[derive(Clone, Copy, Debug)]
pub struct MessageLimits {
    message: Option<Duration>,
    first: Option<Duration>,
}

impl MessageLimits {
    /// Those of the options `MessageTimeout` and `FirstMessageTimeout`.
    pub fn of(options: &Options) -> Self {
        Self { message: options.message_timeout, first: options.first_message_timeout }
    }

    /// `message` from the first octet of a message on, and `first` for the first message of a connection.
    pub fn new(message: Option<Duration>, first: Option<Duration>) -> Self {
        Self { message, first }
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
pub struct Timed {
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
    /// No connections yet.
    pub fn new(limits: MessageLimits) -> Self {
        Self { limits, connections: HashMap::new(), next_check: None }
    }

    /// Adds a connection that has just been accepted. The caller resumes the checks.
    pub fn add(&mut self, progress: &Arc<Progress>, stream: &Arc<dyn Stream>, now: Instant) {
        let entry = Entry {
            progress: Arc::clone(progress),
            stream: Arc::downgrade(stream),
            incomplete: Incomplete::FIRST,
            since: now,
        };
        self.connections.insert(Arc::as_ptr(progress).addr(), entry);
    }

    /// Stops timing a connection.
    pub fn remove(&mut self, progress: &Arc<Progress>) {
        self.connections.remove(&Arc::as_ptr(progress).addr());
    }

    /// Resumes the checks, which are suspended while no connection waits for the rest of a message.
    pub fn resume(&mut self, now: Instant) {
        if self.next_check.is_none() {
            self.next_check = self.limits.period().map(|period| now + period);
        }
    }

    /// The time of the next check; `None` if they are suspended.
    pub fn next_check(&self) -> Option<Instant> {
        self.next_check
    }

    /// Checks all connections, if that is due, and shuts down the input of those that exceed the limit, so
    /// that their threads end them. Clears `are_checked` if no check is needed until a thread sets it again.
    pub fn check(&mut self, now: Instant, are_checked: &AtomicBool) {
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
