//! Busy-waiting before blocking.

#[cfg(test)]
mod tests;

use std::hint::spin_loop;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::Stream;

/// The approximate duration of polling between two readings of the clock. Reading it takes as long
/// as dozens of polls of shared memory, and delays the detection of octets.
const CLOCK_INTERVAL: Duration = Duration::from_micros(1);

/// The maximum number of polls between two readings of the clock.
const MAX_POLLS: u32 = 1024;

/// The cost of a pause, in multiples of a cheap poll.
const PAUSE: u32 = 4;

/// The number of consecutive waits ending in blocking that halve the busy-wait; after them it is
/// skipped.
const HALVINGS: u8 = 4;

/// After this many waits without one, a busy-wait of the full duration is tried again.
const RETRY_INTERVAL: u8 = 32;

/// The number of consecutive waits ending in blocking before that attempt.
const RETRY_AT: u8 = HALVINGS + RETRY_INTERVAL - 1;

/// The maximum time by which a wait may exceed its limit: a smaller correction of the stream's
/// timeout is not worth its system call.
pub const MAX_LATENESS: Duration = Duration::from_millis(1);

/// The maximum busy-wait before blocking: the ORB's option `BusyWait`. Default: none.
///
/// Blocking and waking up takes longer than a short call, on machines with idle processors much
/// longer. A busy-waiting thread notices octets at once, but occupies its processor.
///
/// Each connection has a [`BusyWait`] of its own, which becomes shorter while it is in vain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitPolicy {
    maximum: Duration,
}

impl WaitPolicy {
    /// Busy-waits up to `maximum`, then blocks.
    #[must_use]
    pub const fn new(maximum: Duration) -> Self {
        Self { maximum }
    }

    /// The busy-wait of a new connection.
    #[must_use]
    pub const fn busy_wait(self) -> BusyWait {
        BusyWait { maximum: self.maximum, blocked: AtomicU8::new(0) }
    }
}

/// The adaptive busy-wait of one connection.
///
/// While octets arrive during the busy-wait, it has the full duration of the [policy](WaitPolicy).
/// Each wait that ends in blocking halves the next busy-wait, and after four of them it takes about
/// a microsecond (one poll, if polls are system calls). Then one wait in 32 uses the full duration;
/// as soon as octets arrive during a busy-wait, all do.
#[derive(Debug)]
pub struct BusyWait {
    maximum: Duration,
    /// The number of consecutive waits that ended in blocking, up to [`RETRY_AT`]. Used by one
    /// thread at a time.
    blocked: AtomicU8,
}

impl BusyWait {
    /// Like [`Stream::recv`]; `limit` is the stream's timeout. It includes the busy-wait; the wait ends
    /// at most [`MAX_LATENESS`] later.
    ///
    /// # Errors
    /// As [`Stream::recv`].
    #[inline]
    pub fn recv(
        &self,
        stream: &dyn Stream,
        buffer: &mut [u8],
        limit: Option<Duration>,
    ) -> io::Result<usize> {
        if self.maximum.is_zero() {
            stream.recv(buffer)
        } else {
            self.poll(stream, buffer, limit, Instant::now)
        }
    }

    /// Busy-waits first.
    #[inline(never)]
    fn poll(
        &self,
        stream: &dyn Stream,
        buffer: &mut [u8],
        limit: Option<Duration>,
        now: impl Fn() -> Instant,
    ) -> io::Result<usize> {
        // Available data is read without reading the clock, and does not count as a wait.
        if let Some(count) = stream.try_recv(buffer)? {
            return Ok(count);
        }
        let polls = stream.cheap_polls().clamp(1, MAX_POLLS);
        // The reply to a short call arrives during these polls. They have no pause between them: it
        // could take a good part of the call's duration and delay the detection of octets.
        for _ in 0..polls {
            if let Some(count) = stream.try_recv(buffer)? {
                return Ok(self.record_arrival(count));
            }
        }
        let duration = self.duration();
        if !duration.is_zero() {
            let duration = limit.map_or(duration, |limit| limit.min(duration));
            if let Some(count) = poll_for(duration, polls, stream, buffer, now)? {
                return Ok(self.record_arrival(count));
            }
            if limit.is_some_and(|limit| limit <= duration) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if let Some(limit) = limit.filter(|_| duration > MAX_LATENESS) {
                self.record_block();
                stream.set_recv_timeout(Some(limit - duration))?;
                let received = stream.recv(buffer);
                stream.set_recv_timeout(Some(limit))?;
                return received;
            }
        }
        self.record_block();
        stream.recv(buffer)
    }

    /// The duration of the next busy-wait, without the initial polls.
    fn duration(&self) -> Duration {
        match self.blocked.load(Ordering::Relaxed) {
            blocked @ 0..HALVINGS => self.maximum / (1 << blocked),
            RETRY_AT => self.maximum,
            _ => Duration::ZERO,
        }
    }

    #[inline]
    fn record_arrival(&self, count: usize) -> usize {
        if self.blocked.load(Ordering::Relaxed) != 0 {
            self.blocked.store(0, Ordering::Relaxed);
        }
        count
    }

    fn record_block(&self) {
        let blocked = match self.blocked.load(Ordering::Relaxed) {
            RETRY_AT => HALVINGS,
            blocked => blocked.saturating_add(1),
        };
        self.blocked.store(blocked, Ordering::Relaxed);
    }
}

/// Polls for the duration `duration`. The cheaper polls are (`polls`), the more of them follow each
/// reading of the clock.
fn poll_for(
    duration: Duration,
    polls: u32,
    stream: &dyn Stream,
    buffer: &mut [u8],
    now: impl Fn() -> Instant,
) -> io::Result<Option<usize>> {
    let mut polls = (polls / PAUSE).max(1);
    let started = now();
    let mut before = started;
    loop {
        let received = poll_times(polls, stream, buffer)?;
        if received.is_some() {
            return Ok(received);
        }
        let now = now();
        if now - started >= duration {
            return Ok(None);
        }
        // As many polls as fill the interval; fewer if the thread was preempted, or polls have
        // become more expensive.
        polls = match now - before {
            passed if passed < CLOCK_INTERVAL / 2 => (polls * 2).min(MAX_POLLS),
            passed if passed > CLOCK_INTERVAL => (polls / 2).max(1),
            _ => polls,
        };
        before = now;
    }
}

/// Polls this many times without reading the clock. The pause before each poll leaves the processor
/// to its other hyperthread.
#[inline]
fn poll_times(polls: u32, stream: &dyn Stream, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    for _ in 0..polls {
        spin_loop();
        let received = stream.try_recv(buffer)?;
        if received.is_some() {
            return Ok(received);
        }
    }
    Ok(None)
}
