//! The acceptor of an endpoint.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::{Endpoint, Stream};

/// A bound endpoint that accepts connections.
///
/// Any number of threads may wait in [`accept`](Self::accept). Dropping the last reference
/// closes the acceptor.
///
/// An accept loop:
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
    /// Starts listening, if the endpoint was [only bound](crate::ListenOptions::bind_only). Until then clients are
    /// refused, or wait if the transport cannot bind without listening. Calling again has no effect. Default: does
    /// nothing.
    ///
    /// # Errors
    /// A system call fails.
    fn listen(&self) -> io::Result<()> {
        Ok(())
    }

    /// Waits for the next connection.
    ///
    /// A connection that fails before it is accepted (`ECONNABORTED`, `EPROTO` and the network
    /// errors that Linux reports through `accept`) is skipped, and interrupted waits are continued;
    /// neither is reported.
    ///
    /// # Errors
    /// See [`AcceptError`]: its variants define the caller's next action.
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError>;

    /// Lets no further clients wait to be accepted, shortly before the acceptor is [closed](Self::close): they connect
    /// again after a second, and are then refused. Those that wait can still be accepted. Default: does nothing.
    fn close_backlog(&self) {}

    /// A connection that waits to be accepted, before the acceptor is [closed](Self::close) or, where closing does not
    /// disconnect it, also afterwards: does not block. `None` if none waits. After the first call,
    /// [`accept`](Self::accept) returns [`AcceptError::Closed`] when none waits. Default: `None`; then closing resets such
    /// connections.
    fn accept_waiting(&self) -> Option<Arc<dyn Stream>> {
        None
    }

    /// Stops accepting: new clients are refused, and every current and later [`accept`](Self::accept) returns
    /// [`AcceptError::Closed`] at once, or a connection that it has accepted meanwhile. Accepted connections are not
    /// affected. Closing again has no effect.
    fn close(&self);

    /// The bound endpoint, with the port that the system chose.
    fn endpoint(&self) -> &Endpoint;

    /// The endpoints for object references, at least one, the preferred one first.
    ///
    /// The same as [`endpoint`](Self::endpoint), with these exceptions: a host given by name is
    /// published by name; published hosts and ports in the URL, or the host in the options, are used
    /// unchanged; an acceptor bound to all interfaces publishes the machine's first non-loopback
    /// address (the loopback address if it has no other) or, with [rules](crate::PublishRules), the
    /// addresses that they allow. No address is published that the rules exclude.
    fn published(&self) -> &[Endpoint];
}

/// The reasons why [`Acceptor::accept`] returned no connection.
#[derive(Debug)]
pub enum AcceptError {
    /// The acceptor was closed. Leave the loop.
    Closed,
    /// The system is short of descriptors or memory (`EMFILE`, `ENFILE`, `ENOBUFS`, `ENOMEM`). The
    /// client stays in the backlog, or has been disconnected if its connection needs more than its
    /// socket (acceptors of local sockets try it again before); try again after the given time, which doubles from 10 ms to 1 s while the shortage
    /// lasts.
    Busy {
        /// How long to wait before the next try.
        retry_after: Duration,
        /// The error of the system call.
        source: io::Error,
        /// Whether a client waits or has been disconnected: `accept` fails without one, too.
        has_client: bool,
    },
    /// The acceptor has failed. Report it and leave the loop.
    Failed(io::Error),
}

impl fmt::Display for AcceptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the acceptor is closed"),
            Self::Busy { retry_after, source, .. } => {
                write!(f, "cannot accept connections now ({source}); retrying in {retry_after:?}")
            }
            Self::Failed(source) => write!(f, "accepting connections failed: {source}"),
        }
    }
}

impl std::error::Error for AcceptError {}

/// The backoff of an acceptor when the system is short of resources: 10 ms, doubled up to 1 s, and
/// reset by a success. For authors of transports.
#[derive(Debug, Default)]
pub struct Backoff {
    failures: AtomicU32,
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(10);
    const LONGEST: Duration = Duration::from_secs(1);

    /// Records a success.
    pub fn reset(&self) {
        // The common case writes nothing, so that accepting threads do not share a modified cache
        // line.
        if self.failures.load(Ordering::Relaxed) != 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
    }

    /// Records a failure; returns the time to wait before the next attempt.
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
