//! Connections whose clients do not read, at the end of the ORB.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::{LANES, Lane};
use crate::context::ServerContext;

/// The number of clients that the log names.
const NAMED: usize = 8;

/// Closes the connections of all lanes of an ORB whose clients have left replies unread for `limit`, and logs their
/// number and peers. Returns the number.
pub(crate) fn close_unread(context: &Arc<ServerContext>, limit: Duration) -> usize {
    let lanes: Vec<Arc<Lane>> = LANES.lock().iter().filter_map(Weak::upgrade).collect();
    let now = Instant::now();
    let (mut closed, mut peers) = (0, Vec::new());
    for lane in lanes.iter().filter(|lane| Weak::as_ptr(&lane.context) == Arc::as_ptr(context)) {
        for connection in lane.connections.all() {
            let since = connection.output_waits_since();
            if since.is_some_and(|since| now.saturating_duration_since(since) >= limit) {
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
