//! Room for a connection when the clients of the process have as many as they may: the one that no call has used for
//! longest makes room.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use zorb_base::connection_count::{ConnectionCount, Counted};
use zorb_os::lock::Lock;
use zorb_transport::log_limited;

use super::super::endpoint_cache::{EndpointCache, Wanted};
use super::EndpointCaches;

/// The connections of all ORBs of the process.
static OF_PROCESS: Lock<Vec<Weak<EndpointCaches>>> = Lock::new(Vec::new());

/// How often a caller looks for an idle connection while calls use all: they end without a notification, which each of
/// them would pay for.
const INTERVAL: Duration = Duration::from_millis(5);

impl EndpointCaches {
    /// Makes its connections known to the others of the process.
    pub(super) fn register(self: &Arc<Self>) {
        let mut all = OF_PROCESS.lock();
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(self));
    }

    /// The connections of all ORBs of the process.
    pub(super) fn of_process() -> Vec<Arc<Self>> {
        OF_PROCESS.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Closes the connection that no call has used for longest, and counts another. While calls use all, waits within
    /// the time to connect; `None` if one is used all the time.
    #[cold]
    pub(super) fn replace_least_used(most: usize, wanted: Wanted<'_>) -> Option<Counted> {
        loop {
            let has_closed = close_least_used();
            if let Some(counted) = ConnectionCount::of_clients().enter_below(most) {
                return Some(counted);
            }
            if has_closed {
                continue;
            }
            let left = wanted.time_left();
            if left.is_zero() {
                log_limited!(warn, "calls use all connections that MaxClientConnections permits");
                return None;
            }
            let begun = Instant::now();
            thread::park_timeout(left.min(INTERVAL));
            wanted.connect_time.spend(begun.elapsed());
        }
    }
}

/// Closes the connection of the process that no call has used for longest. Returns whether there was one.
fn close_least_used() -> bool {
    let caches: Vec<Arc<EndpointCache>> =
        EndpointCaches::of_process().iter().flat_map(|of_orb| of_orb.all()).collect();
    let idle = caches.iter().filter_map(|cache| Some((cache.idle_since()?, cache)));
    let Some((since, cache)) = idle.min_by_key(|(since, _)| *since) else { return false };
    cache.close_idle_since(since)
}
