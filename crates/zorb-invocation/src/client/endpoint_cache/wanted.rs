//! What a caller requires of a connection, and why it gets none.

use std::time::{Duration, Instant};

use zorb_base::options::Options;
use zorb_transport::ConnectError;

use super::super::connect_time::ConnectTime;

/// How much too early attempts time out, at most: the system counts their time in whole milliseconds.
const EARLIEST: Duration = Duration::from_millis(1);

/// The time limits for a connection.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct Wanted<'a> {
    /// The maximum time to connect to one address.
    pub(in crate::client) connect_timeout: Duration,
    /// The maximum time to connect to all addresses together.
    pub(in crate::client) max_connect_time: Duration,
    /// What the call has spent of that.
    pub(in crate::client) connect_time: &'a ConnectTime,
    /// When it must be open.
    pub(in crate::client) deadline: Option<Instant>,
    /// Whether it waits until an endpoint that could not be reached is to be tried again.
    pub(in crate::client) waits: bool,
}

impl<'a> Wanted<'a> {
    /// The limits of a call that connects to one address within `connect_timeout`, and waits where it has to.
    pub(in crate::client) fn new(
        connect_timeout: Duration,
        options: &Options,
        connect_time: &'a ConnectTime,
        deadline: Option<Instant>,
    ) -> Self {
        let max_connect_time = options.max_connect_time;
        Self { connect_timeout, max_connect_time, connect_time, deadline, waits: true }
    }

    /// The time that is left to connect to the next address.
    pub(in crate::client) fn time_to_connect(&self) -> Duration {
        self.connect_time.left(self.connect_timeout, self.max_connect_time)
    }

    /// The time that is left to connect, or until the deadline.
    pub(in crate::client) fn time_left(&self) -> Duration {
        let most = self.time_to_connect();
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(most, |left| left.min(most))
    }

    /// Whether the deadline has passed.
    pub(in crate::client) fn is_late(&self) -> bool {
        self.is_late_in(Duration::ZERO)
    }

    /// Whether the deadline has ended an attempt to connect that has failed so.
    #[cold]
    pub(in crate::client) fn is_late_after(&self, error: &ConnectError) -> bool {
        self.is_late_in(if error.is_timed_out() { EARLIEST } else { Duration::ZERO })
    }

    fn is_late_in(&self, time: Duration) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= Instant::now() + time)
    }
}

/// Why there is no connection.
#[derive(Debug)]
pub(crate) enum NoConnection {
    /// The ORB has shut down.
    Closed,
    /// All connections were in use until the deadline, or for too long, or too many callers wait for one.
    Busy,
    /// The endpoint could not be reached, and it is too early to try again; the caller does not wait.
    NotYet,
    /// The endpoint could not be reached.
    Unreachable(ConnectError),
    /// Upcalls have as many connections as they may.
    TooManyOfUpcalls,
    /// The maximum number of requests of pending calls have no reply yet.
    TooManyPending,
}

#[cfg(test)]
mod tests {
    use std::io;

    use zorb_transport::{ConnectPhase, Endpoint};

    use super::*;

    #[test]
    fn a_deadline_ends_attempts_that_time_out_just_before_it() {
        let endpoint = Endpoint::new("iiop", "127.0.0.1:1").unwrap();
        let failed = |kind: io::ErrorKind| {
            ConnectError::single(&endpoint, ConnectPhase::Connect, kind.into())
        };
        let (options, connect_time) = (Options::default(), ConnectTime::default());
        let is_late = |left, kind| {
            let deadline = Some(Instant::now() + left);
            let wanted = Wanted::new(Duration::MAX, &options, &connect_time, deadline);
            wanted.is_late_after(&failed(kind))
        };
        let hour = Duration::from_secs(3600);
        assert!(is_late(EARLIEST, io::ErrorKind::TimedOut));
        assert!(!is_late(hour, io::ErrorKind::TimedOut));
        assert!(is_late(Duration::ZERO, io::ErrorKind::ConnectionRefused));
        assert!(!is_late(hour, io::ErrorKind::ConnectionRefused));
    }
}
