//! How a thread waits for octets: it looks again and again for a while, then it sleeps.

#[cfg(test)]
mod tests;

use std::hint::spin_loop;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::Stream;

/// For about how long a thread looks without looking at the clock, which takes as long as dozens of
/// looks into shared memory: what comes meanwhile would be seen late.
const UNWATCHED: Duration = Duration::from_micros(1);

/// The most looks without one at the clock.
const MOST_LOOKS: u32 = 1024;

/// About how many times as long as a look that costs little takes the pause before one.
const PAUSE: u32 = 4;

/// How often in a row the time to look is halved when waits end in sleep, before it is not spent at all.
const HALVINGS: u8 = 4;

/// Each how many of the waits after that one spends all of it, to find out whether it would be of use again.
const RARELY: u8 = 32;

/// After so many waits that have ended in sleep one does.
const ALL_AGAIN: u8 = HALVINGS + RARELY - 1;

/// For how long at most a thread looks before it sleeps: the ORB's option `Spin`. Default: not at all.
///
/// To be put to sleep and woken again takes the system longer than a short call does, on machines
/// where a processor has nothing else to do much longer. A thread that goes on looking is there when
/// the octets come, and keeps its processor busy meanwhile.
///
/// Each connection has [waits](Self::waits) of its own, which make less of it where it is of no use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitPolicy {
    spin: Duration,
}

impl WaitPolicy {
    /// Looks for `spin` at most, then sleeps.
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

/// The waits for what one connection brings, which adapt to it.
///
/// Where octets come while the thread looks, it looks for all of the time that its [policy](WaitPolicy)
/// gives it. Each wait that ends in sleep halves what the next one spends, and after four of them it is a
/// microsecond or so (one look, where looks are system calls). Then one wait in 32 spends all of it again;
/// and as soon as octets come while the thread looks, each does.
#[derive(Debug)]
pub struct Waits {
    spin: Duration,
    /// How many of the last waits have ended in sleep, as far as it matters. Of one thread at a time.
    asleep: AtomicU8,
}

impl Waits {
    /// As [`Stream::recv`]; `limit` is the stream's time-out for it.
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
            self.look(stream, buffer, limit, Instant::now)
        }
    }

    /// Looks first.
    #[inline(never)]
    fn look(
        &self,
        stream: &dyn Stream,
        buffer: &mut [u8],
        limit: Option<Duration>,
        now: impl Fn() -> Instant,
    ) -> io::Result<usize> {
        // What is there already is had without a look at the clock, and says nothing of waits.
        if let Some(count) = stream.try_recv(buffer)? {
            return Ok(count);
        }
        let looks = stream.cheap_looks().clamp(1, MOST_LOOKS);
        // The answer to a short call is there before these are over. No pause is between them: it can take
        // as long as a good part of the call, and octets that come meanwhile wait for its end.
        for _ in 0..looks {
            if let Some(count) = stream.try_recv(buffer)? {
                return Ok(self.was_awake(count));
            }
        }
        let spin = self.spends();
        if !spin.is_zero() {
            let spin = limit.map_or(spin, |limit| limit.min(spin));
            if let Some(count) = look_for(spin, looks, stream, buffer, now)? {
                return Ok(self.was_awake(count));
            }
            if limit.is_some_and(|limit| limit <= spin) {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        self.falls_asleep();
        stream.recv(buffer)
    }

    /// How long the thread looks in a wait that begins now, the first looks aside.
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

/// Looks for so long, the more often without a look at the clock the less `looks` of them take.
fn look_for(
    spin: Duration,
    looks: u32,
    stream: &dyn Stream,
    buffer: &mut [u8],
    now: impl Fn() -> Instant,
) -> io::Result<Option<usize>> {
    let mut looks = (looks / PAUSE).max(1);
    let started = now();
    let mut before = started;
    loop {
        let received = look_often(looks, stream, buffer)?;
        if received.is_some() {
            return Ok(received);
        }
        let now = now();
        if now - started >= spin {
            return Ok(None);
        }
        // As many as fill the time; fewer when the thread was held up, or looks have become dear.
        looks = match now - before {
            passed if passed < UNWATCHED / 2 => (looks * 2).min(MOST_LOOKS),
            passed if passed > UNWATCHED => (looks / 2).max(1),
            _ => looks,
        };
        before = now;
    }
}

/// Looks so many times with a pause before each, which leaves the processor to others that share it, and
/// without a look at the clock.
#[inline]
fn look_often(looks: u32, stream: &dyn Stream, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    for _ in 0..looks {
        spin_loop();
        let received = stream.try_recv(buffer)?;
        if received.is_some() {
            return Ok(received);
        }
    }
    Ok(None)
}
