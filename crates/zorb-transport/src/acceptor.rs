//! A bound endpoint that hands out connections.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::{Endpoint, Stream};

/// A bound endpoint that hands out the connections that clients make to it.
///
/// Any number of threads may wait in [`accept`](Self::accept). Dropping the last reference
/// closes the acceptor.
///
/// The loop around it:
///
/// ```
/// # use zorb_transport::{AcceptError, Acceptor};
/// fn accept_loop(acceptor: &dyn Acceptor, wait: impl Fn(std::time::Duration)) {
///     loop {
///         match acceptor.accept() {
///             Ok(stream) => { /* serve it */ }
///             Err(AcceptError::Closed) => break,
///             Err(AcceptError::Busy { retry_after, .. }) => wait(retry_after),
///             Err(AcceptError::Failed(error)) => break, // report it
///         }
///     }
/// }
/// ```
pub trait Acceptor: Send + Sync + fmt::Debug {
    /// Waits for the next connection.
    ///
    /// A connection that dies before it is handed out (`ECONNABORTED`, `EPROTO` and the
    /// network errors that Linux passes through `accept`) is skipped, and interrupted waits
    /// are taken up again: none of them is reported.
    ///
    /// # Errors
    /// See [`AcceptError`]; its variants say what the caller does next.
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError>;

    /// Stops accepting: every [`accept`](Self::accept), waiting now or called later, returns
    /// [`AcceptError::Closed`] at once, and new clients are refused. Connections already
    /// handed out live on. Doing it twice is harmless.
    fn close(&self);

    /// The endpoint that is bound, with the port that the system chose.
    fn endpoint(&self) -> &Endpoint;

    /// What goes into object references, at least one endpoint, the preferred one first.
    ///
    /// The same as [`endpoint`](Self::endpoint), except: a host given by name is published
    /// by that name; a published host set in the options or the URL is used as it stands; an
    /// acceptor bound to all interfaces publishes the machine's first address that is not a
    /// loopback address (the loopback address if it has no other).
    fn published(&self) -> &[Endpoint];
}

/// Why [`Acceptor::accept`] handed out no connection.
#[derive(Debug)]
pub enum AcceptError {
    /// The acceptor was closed. Leave the loop.
    Closed,
    /// The system is short of descriptors or memory (`EMFILE`, `ENFILE`, `ENOBUFS`,
    /// `ENOMEM`). The client stays in the backlog; try again after the time given, which
    /// doubles from 10 ms to 1 s while the shortage lasts.
    Busy {
        /// How long to wait before the next try.
        retry_after: Duration,
        /// What the system said.
        source: io::Error,
    },
    /// The acceptor cannot go on. Report it and leave the loop.
    Failed(io::Error),
}

impl fmt::Display for AcceptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the acceptor is closed"),
            Self::Busy { retry_after, source } => {
                write!(f, "no connection accepted for now ({source}); again in {retry_after:?}")
            }
            Self::Failed(source) => write!(f, "accepting connections failed: {source}"),
        }
    }
}

impl std::error::Error for AcceptError {}

/// The waiting times of an acceptor that the system has no resources for: 10 ms, doubling to
/// 1 s, and back to the start with each success. For authors of transports.
#[derive(Debug, Default)]
pub struct Backoff {
    failures: AtomicU32,
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(10);
    const LONGEST: Duration = Duration::from_secs(1);

    /// Notes a success.
    pub fn reset(&self) {
        // The common case writes nothing, so accepting threads do not share a dirty line.
        if self.failures.load(Ordering::Relaxed) != 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
    }

    /// Notes a failure and says how long to wait before the next try.
    pub fn next_wait(&self) -> Duration {
        let failures = self.failures.load(Ordering::Relaxed);
        self.failures.store(failures.saturating_add(1), Ordering::Relaxed);
        let factor = 1_u32.checked_shl(failures.min(16)).unwrap_or(u32::MAX);
        Self::FIRST.saturating_mul(factor).min(Self::LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_off_doubles_up_to_its_bound_and_starts_over() {
        let backoff = Backoff::default();
        let waits: Vec<_> = (0..9).map(|_| backoff.next_wait().as_millis()).collect();
        assert_eq!(waits, [10, 20, 40, 80, 160, 320, 640, 1000, 1000]);
        for _ in 0..100 {
            assert_eq!(backoff.next_wait(), Duration::from_secs(1));
        }
        backoff.reset();
        assert_eq!(backoff.next_wait(), Duration::from_millis(10));
    }
}
