//! Waiting for an event.

use std::time::{Duration, Instant};

/// How long a test waits for an event that no machine needs so long for.
const LIMIT: Duration = Duration::from_secs(300);

/// Waits until `condition` is true, and fails after five minutes.
#[track_caller]
pub fn until(mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < LIMIT, "it does not happen within five minutes");
        std::thread::yield_now();
    }
}
