//! The lanes of the process, which make room for one another when it has too many connections.

use std::cmp::Reverse;
use std::sync::{Arc, Weak};

use zorb_os::lock::Lock;

use super::Lane;

/// All lanes of all ORBs.
static LANES: Lock<Vec<Weak<Lane>>> = Lock::new(Vec::new());

/// Remembers a new lane.
pub(super) fn add(lane: &Arc<Lane>) {
    let mut lanes = LANES.lock();
    lanes.retain(|lane| lane.strong_count() > 0);
    lanes.push(Arc::downgrade(lane));
}

/// Closes a connection of the lane that has most, or of another one if that has none to close: whoever floods one
/// endpoint keeps nobody out of others. Returns whether there is one.
#[cold]
pub(super) fn close_one() -> bool {
    let mut lanes: Vec<_> = LANES.lock().iter().filter_map(Weak::upgrade).collect();
    lanes.sort_by_key(|lane| Reverse(lane.connections.count()));
    lanes.iter().any(|lane| lane.close_one(None))
}
