//! Waiting until an endpoint that could not be reached is tried again.

use std::io;
use std::time::Instant;

use zorb_transport::{ConnectError, ConnectPhase};

use super::{EndpointCache, NoConnection, Wanted};

impl EndpointCache {
    /// Begins to connect. If the endpoint could not be reached before, it waits for its next turn, which is a part of the
    /// time to connect. The caller has counted the connection as open; if it may not connect, it is not counted any more.
    pub(super) fn begin_connecting(&self, wanted: Wanted<'_>) -> Result<(), NoConnection> {
        let mut state = self.state();
        let refused = loop {
            if state.closed {
                break NoConnection::Closed;
            }
            let now = Instant::now();
            let Err(wait) = state.reconnecting.begin(now, self.settings.reconnect) else {
                return Ok(());
            };
            if !wanted.waits {
                break NoConnection::NotYet;
            }
            let left = wanted.deadline.map(|deadline| deadline.saturating_duration_since(now));
            if left.is_some_and(|left| left < wait) || wanted.time_to_connect() < wait {
                let text = format!("it could not be reached; the next attempt is in {wait:.1?}");
                let error = io::Error::other(text);
                let error = ConnectError::single(&self.endpoint, ConnectPhase::Connect, error)
                    .with_hint("the options ReconnectDelay and MaxReconnectDelay set the time");
                break NoConnection::Unreachable(error);
            }
            state = self.changed.wait_for(state, wait);
            wanted.connect_time.spend(now.elapsed());
        };
        drop(state);
        self.lost_one();
        Err(refused)
    }

    /// Notes that the endpoint has been reached. Those who wait may try, too.
    pub(super) fn connected(&self) {
        if self.state().reconnecting.succeeded() {
            self.changed.notify_all();
        }
    }
}
