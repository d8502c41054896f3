//! Cached timeouts.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The timeout of a direction of a stream, cached so that setting the same value again makes no
/// system call.
#[derive(Debug)]
pub struct Timeout(AtomicU64); // in nanoseconds; 0 for none

impl Timeout {
    /// The minimum timeout of a socket: it counts microseconds, and 0 means none.
    const SHORTEST: u64 = 1_000;

    /// No timeout.
    #[must_use]
    pub const fn none() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The timeout; never zero.
    #[inline]
    #[must_use]
    pub fn current(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            nanos => Some(Duration::from_nanos(nanos)),
        }
    }

    /// Calls `apply` if the timeout changes. Zero is replaced by the minimum of sockets, a
    /// microsecond.
    ///
    /// # Errors
    /// The error of `apply`.
    pub fn change(
        &self,
        timeout: Option<Duration>,
        apply: impl FnOnce(Option<Duration>) -> io::Result<()>,
    ) -> io::Result<()> {
        let nanos = timeout.map_or(0, |timeout| {
            u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX).max(Self::SHORTEST)
        });
        if self.0.load(Ordering::Relaxed) != nanos {
            apply(timeout.map(|_| Duration::from_nanos(nanos)))?;
            self.0.store(nanos, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_timeout_that_is_set_is_not_set_again() {
        let applied = RefCell::new(Vec::new());
        let timeout = Timeout::none();
        let set = |wanted| {
            let record = |value| {
                applied.borrow_mut().push(value);
                Ok(())
            };
            timeout.change(wanted, record).unwrap();
        };
        let second = Duration::from_secs(1);
        for wanted in [None, Some(second), Some(second), None, None, Some(Duration::ZERO)] {
            set(wanted);
        }
        assert_eq!(*applied.borrow(), [Some(second), None, Some(Duration::from_micros(1))]);
        set(Some(Duration::MAX));
        assert_eq!(timeout.current(), Some(Duration::from_nanos(u64::MAX)));
    }

    #[test]
    fn a_timeout_that_could_not_be_set_is_tried_again() {
        let timeout = Timeout::none();
        let wanted = Some(Duration::from_secs(1));
        assert!(timeout.change(wanted, |_| Err(io::ErrorKind::Other.into())).is_err());
        let mut tried = false;
        timeout
            .change(wanted, |_| {
                tried = true;
                Ok(())
            })
            .unwrap();
        assert!(tried);
    }
}
