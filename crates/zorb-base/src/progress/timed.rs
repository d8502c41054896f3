//! The connections whose incomplete messages are timed.

use std::collections::HashMap;
use std::fmt;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use zorb_giop::{Activity, ConnectionTimer, Incomplete, TimeLimits};
use zorb_os::poll::is_readable;
use zorb_transport::{Stream, log_limited};

use super::Progress;
use crate::options::Options;

/// The number of checks within the shorter one of the limits.
const CHECKS: u32 = 4;

/// The limits of the options `MessageTimeout` and `FirstMessageTimeout`. Idle connections are ended by those who wait for
/// their messages.
pub fn message_limits(options: &Options) -> TimeLimits {
    TimeLimits {
        message: options.message_timeout,
        first: options.first_message_timeout,
        ..TimeLimits::default()
    }
}

/// The period of checks; `None` for never.
fn period(limits: &TimeLimits) -> Option<Duration> {
    let shortest = limits.message.into_iter().chain(limits.first).min()?;
    Some(shortest / CHECKS)
}

/// The connections whose incomplete messages are timed.
#[derive(Debug)]
pub struct Timed {
    limits: TimeLimits,
    /// The moment from which timers count.
    epoch: Instant,
    connections: HashMap<usize, Entry>,
    next_check: Option<Instant>,
}

/// A connection and its timer.
struct Entry {
    progress: Arc<Progress>,
    stream: Weak<dyn Stream>,
    timer: ConnectionTimer,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("timer", &self.timer).finish_non_exhaustive()
    }
}

impl Timed {
    /// No connections yet.
    pub fn new(limits: TimeLimits) -> Self {
        Self { limits, epoch: Instant::now(), connections: HashMap::new(), next_check: None }
    }

    /// Adds a connection that has just been accepted. The caller resumes the checks.
    pub fn add(&mut self, progress: &Arc<Progress>, stream: &Arc<dyn Stream>, now: Instant) {
        let entry = Entry {
            progress: Arc::clone(progress),
            stream: Arc::downgrade(stream),
            timer: ConnectionTimer::new(now.saturating_duration_since(self.epoch)),
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
            self.next_check = period(&self.limits).map(|period| now + period);
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
        let (limits, time) = (self.limits, now.saturating_duration_since(self.epoch));
        self.connections.retain(|_, entry| entry.check(time, &limits));
        if self.connections.values().any(|entry| entry.timer.incomplete() != Incomplete::NONE) {
            are_checked.store(true, Ordering::SeqCst);
            self.resume(now);
        }
    }
}

impl Entry {
    /// Checks it. Returns whether to continue timing it.
    fn check(&mut self, now: Duration, limits: &TimeLimits) -> bool {
        let Some(stream) = self.stream.upgrade() else { return false };
        let (incomplete, messages) = (self.progress.incomplete(), self.progress.messages());
        let activity = Activity { incomplete, messages, is_busy: false };
        let is_over = self.timer.check(activity, now, limits).is_some();
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
