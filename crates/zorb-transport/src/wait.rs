//! How a thread waits for octets: it looks again and again for a while, then it sleeps.

#[cfg(test)]
mod tests;

use std::hint::spin_loop;
use std::io;
use std::time::{Duration, Instant};

use crate::Stream;

/// For about how long a thread looks without looking at the clock, which takes as long as dozens of
/// looks into shared memory: what comes meanwhile would be seen late.
const UNWATCHED: Duration = Duration::from_micros(1);

/// The most looks without one at the clock.
const MOST_LOOKS: u32 = 1024;

/// About how many times as long as a look that costs little takes the pause before one.
const PAUSE: u32 = 4;

/// For how long a thread looks before it sleeps: the ORB's option `Spin`. Default: not at all.
///
/// To be put to sleep and woken again takes the system longer than a short call does, on machines
/// where a processor has nothing else to do much longer. A thread that goes on looking is there when
/// the octets come, and keeps its processor busy meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitPolicy {
    spin: Duration,
}

impl WaitPolicy {
    /// Looks for `spin`, then sleeps.
    #[must_use]
    pub const fn new(spin: Duration) -> Self {
        Self { spin }
    }

    /// As [`Stream::recv`]; `limit` is the stream's time-out for it.
    ///
    /// # Errors
    /// As [`Stream::recv`].
    #[inline]
    pub fn recv(
        self,
        stream: &dyn Stream,
        buffer: &mut [u8],
        limit: Option<Duration>,
    ) -> io::Result<usize> {
        if self.spin.is_zero() { stream.recv(buffer) } else { self.look(stream, buffer, limit) }
    }

    /// Looks first.
    #[inline(never)]
    fn look(
        self,
        stream: &dyn Stream,
        buffer: &mut [u8],
        limit: Option<Duration>,
    ) -> io::Result<usize> {
        // What is there already is had without a look at the clock.
        if let Some(count) = stream.try_recv(buffer)? {
            return Ok(count);
        }
        let mut looks = stream.cheap_looks().clamp(1, MOST_LOOKS);
        // The answer to a short call is there before these are over. No pause is between them: it can take
        // as long as a good part of the call, and octets that come meanwhile wait for its end.
        for _ in 0..looks {
            if let Some(count) = stream.try_recv(buffer)? {
                return Ok(count);
            }
        }
        looks = (looks / PAUSE).max(1);
        let spin = limit.map_or(self.spin, |limit| limit.min(self.spin));
        let started = Instant::now();
        let mut before = started;
        loop {
            if let Some(count) = look_often(looks, stream, buffer)? {
                return Ok(count);
            }
            let now = Instant::now();
            if now - started >= spin {
                break;
            }
            // As many as fill the time; fewer when the thread was held up, or looks have become dear.
            looks = match now - before {
                passed if passed < UNWATCHED / 2 => (looks * 2).min(MOST_LOOKS),
                passed if passed > UNWATCHED => (looks / 2).max(1),
                _ => looks,
            };
            before = now;
        }
        if limit.is_some_and(|limit| limit <= self.spin) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.recv(buffer)
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
