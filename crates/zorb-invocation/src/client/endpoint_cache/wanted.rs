//! What a caller requires of a connection, and why it gets none.

use std::time::{Duration, Instant};

use zorb_base::options::Options;
use zorb_transport::ConnectError;

use super::super::connect_time::ConnectTime;

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
        self.deadline.is_some_and(|deadline| deadline <= Instant::now())
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
    /// As many requests whose callers do not wait have no reply yet as may.
    TooManyPending,
}
