//! Busy-waiting before blocking.

#[cfg(test)]
mod tests;

use std::hint::spin_loop;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::Stream;

/// The approximate duration of polling between two looks at the clock: a look takes as long as
/// dozens of polls of shared memory, during which octets would be noticed late.
const CLOCK_INTERVAL: Duration = Duration::from_micros(1);

/// The maximum number of polls between two looks at the clock.
const MAX_POLLS: u32 = 1024;

/// The cost of a pause, in multiples of a cheap poll.
const PAUSE: u32 = 4;

/// How often in a row the busy-wait is halved after waits that ended in blocking, before it is
/// skipped.
const HALVINGS: u8 = 4;

/// The interval, in waits, at which a skipped busy-wait is tried again in full.
const RARELY: u8 = 32;

/// The number of waits ending in blocking after which one is tried.
const ALL_AGAIN: u8 = HALVINGS + RARELY - 1;

/// The longest time by which a wait may end after its limit. Setting the timeout of a stream anew for
/// a shorter time is not worth its system call.
pub const MAX_LATENESS: Duration = Duration::from_millis(1);

/// The maximum busy-wait before blocking: the ORB's option `Spin`. Default: none.
///
/// Blocking and waking up takes longer than a short call, on machines with idle processors much
/// longer. A busy-waiting thread notices octets at once, and occupies its processor meanwhile.
///
/// Each connection has its own [`Waits`], which reduce the busy-wait if it is of no use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitPolicy {
    spin: Duration,
}

impl WaitPolicy {
    /// Busy-waits up to `spin`, then blocks.
    #[must_use]
    pub const fn new(spin: Duration) -> Self {
        Self { spin }
    }

    /// The waits of a new connection.
    #[must_use]
    pub const fn waits(self) -> Waits {
        Waits { spin: self.spin, asleep: AtomicU8::new(0) }
    }
}

/// The adaptive waits of one connection.
///
/// While octets arrive during the busy-wait, it has the full duration of the [policy](WaitPolicy).
/// Each wait that ends in blocking halves the next busy-wait, and after four of them it takes about
/// a microsecond (one poll, if polls are system calls). Then one wait in 32 uses the full duration;
/// as soon as octets arrive during a busy-wait, all do.
#[derive(Debug)]
pub struct Waits {
    spin: Duration,
    /// The number of recent waits that ended in blocking, as far as it matters. Used by one thread
    /// at a time.
    asleep: AtomicU8,
}

impl Waits {
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
        if self.spin.is_zero() {
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
        // Available data is read without a look at the clock, and does not count as a wait.
        if let Some(count) = stream.try_recv(buffer)? {
            return Ok(count);
        }
        let polls = stream.cheap_polls().clamp(1, MAX_POLLS);
        // The reply to a short call arrives during these polls. There is no pause between them: a
        // pause can take a good part of the call's duration, and delays octets that arrive
        // meanwhile.
        for _ in 0..polls {
            if let Some(count) = stream.try_recv(buffer)? {
                return Ok(self.was_awake(count));
            }
        }
        let spin = self.spends();
        if !spin.is_zero() {
            let spin = limit.map_or(spin, |limit| limit.min(spin));
            if let Some(count) = poll_for(spin, polls, stream, buffer, now)? {
                return Ok(self.was_awake(count));
            }
            if limit.is_some_and(|limit| limit <= spin) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if let Some(limit) = limit.filter(|_| spin > MAX_LATENESS) {
                self.falls_asleep();
                stream.set_recv_timeout(Some(limit - spin))?;
                let received = stream.recv(buffer);
                stream.set_recv_timeout(Some(limit))?;
                return received;
            }
        }
        self.falls_asleep();
        stream.recv(buffer)
    }

    /// The duration of the next busy-wait, without the initial polls.
    fn spends(&self) -> Duration {
        match self.asleep.load(Ordering::Relaxed) {
            asleep @ 0..HALVINGS => self.spin / (1 << asleep),
            ALL_AGAIN => self.spin,
            _ => Duration::ZERO,
        }
    }

    #[inline]
    fn was_awake(&self, count: usize) -> usize {
        if self.asleep.load(Ordering::Relaxed) != 0 {
            self.asleep.store(0, Ordering::Relaxed);
        }
        count
    }

    fn falls_asleep(&self) {
        let asleep = match self.asleep.load(Ordering::Relaxed) {
            ALL_AGAIN => HALVINGS,
            asleep => asleep.saturating_add(1),
        };
        self.asleep.store(asleep, Ordering::Relaxed);
    }
}

/// Polls for this duration. The cheaper polls are (`polls`), the fewer looks at the clock.
fn poll_for(
    spin: Duration,
    polls: u32,
    stream: &dyn Stream,
    buffer: &mut [u8],
    now: impl Fn() -> Instant,
) -> io::Result<Option<usize>> {
    let mut polls = (polls / PAUSE).max(1);
    let started = now();
    let mut before = started;
    loop {
        let received = poll_often(polls, stream, buffer)?;
        if received.is_some() {
            return Ok(received);
        }
        let now = now();
        if now - started >= spin {
            return Ok(None);
        }
        // As many polls as fill the time; fewer if the thread was preempted, or polls have become
        // expensive.
        polls = match now - before {
            passed if passed < CLOCK_INTERVAL / 2 => (polls * 2).min(MAX_POLLS),
            passed if passed > CLOCK_INTERVAL => (polls / 2).max(1),
            _ => polls,
        };
        before = now;
    }
}

/// Polls this often with a pause before each, which leaves the processor to hyperthreads, without a
/// look at the clock.
#[inline]
fn poll_often(polls: u32, stream: &dyn Stream, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    for _ in 0..polls {
        spin_loop();
        let received = stream.try_recv(buffer)?;
        if received.is_some() {
            return Ok(received);
        }
    }
    Ok(None)
}
