//! Connections whose clients do not read, at the end of the ORB.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::{LANES, Lane};
use crate::context::ServerContext;
use crate::output::state::OutputWaits;

/// The number of clients that the log names.
const NAMED: usize = 8;

/// How long replies may wait for clients that do not read them, at the end of an ORB.
#[derive(Clone, Copy, Debug)]
pub struct UnreadLimits {
    /// The maximum time in which a client reads nothing. A thread of the connection's own detects only that it has read
    /// a whole message.
    pub pause: Duration,
    /// The maximum time since `from`, however much the client reads.
    pub total: Duration,
    /// The beginning of the ORB's shutdown.
    pub from: Instant,
}

impl UnreadLimits {
    fn are_exceeded(&self, waits: OutputWaits, now: Instant) -> bool {
        let has_passed = |limit, since| now.saturating_duration_since(since) >= limit;
        has_passed(self.pause, waits.progress) || has_passed(self.total, waits.begun.max(self.from))
    }
}

/// Closes the connections of all lanes of an ORB whose clients have left replies unread beyond `limits` at `now`, and
/// logs their number and peers. Returns the number.
pub(crate) fn close_unread(
    context: &Arc<ServerContext>,
    limits: UnreadLimits,
    now: Instant,
) -> usize {
    let lanes: Vec<Arc<Lane>> = LANES.lock().iter().filter_map(Weak::upgrade).collect();
    let (mut closed, mut peers) = (0, Vec::new());
    for lane in lanes.iter().filter(|lane| Weak::as_ptr(&lane.context) == Arc::as_ptr(context)) {
        for connection in lane.connections.all() {
            let waits = connection.waiting_output();
            if waits.is_some_and(|waits| limits.are_exceeded(waits, now)) {
                connection.give_up_output("closed at the end of the ORB");
                closed += 1;
                if peers.len() < NAMED {
                    peers.push(connection.peer().to_owned());
                }
            }
        }
    }
    if closed > 0 {
        let peers = peers.join(", ");
        tracing::warn!(
            closed,
            peers,
            "closed connections whose clients have not read all of their replies"
        );
    }
    closed
}
