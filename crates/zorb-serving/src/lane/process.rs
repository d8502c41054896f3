//! The lanes of the process, which make room for one another when it has too many connections.

use std::cmp::Reverse;
use std::sync::{Arc, Weak};

use zorb_os::lock::Lock;

/// A lane, as others see it that look for a connection to close.
pub(super) trait MakesRoom: Send + Sync {
    /// The number of its connections.
    fn connections(&self) -> usize;

    /// Closes one that is idle, or whose client does not read. Returns whether there is one.
    fn close_one(&self) -> bool;
}

/// All lanes of all ORBs.
static LANES: Lock<Vec<Weak<dyn MakesRoom>>> = Lock::new(Vec::new());

/// Remembers a new lane.
pub(super) fn add(lane: Weak<dyn MakesRoom>) {
    let mut lanes = LANES.lock();
    lanes.retain(|lane| lane.strong_count() > 0);
    lanes.push(lane);
}

/// Closes a connection of the lane that has most, or of another one if that has none to close: whoever floods one
/// endpoint keeps nobody out of others. Returns whether there is one.
#[cold]
pub(super) fn close_one() -> bool {
    let mut lanes: Vec<Arc<dyn MakesRoom>> =
        LANES.lock().iter().filter_map(Weak::upgrade).collect();
    lanes.sort_by_key(|lane| Reverse(lane.connections()));
    lanes.iter().any(|lane| lane.close_one())
}
