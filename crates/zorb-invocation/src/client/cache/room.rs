//! Makes room for a connection when the clients of the process have reached their limit: closes the least recently used
//! idle one.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use zorb_base::connection_count::{ConnectionCount, Counted};
use zorb_os::lock::Lock;

use super::super::endpoint_cache::{EndpointCache, Wanted};
use super::super::wait_queue::{WaitLimits, Waiter};
use super::EndpointCaches;

/// The connections of all ORBs of the process.
static OF_PROCESS: Lock<Vec<Weak<EndpointCaches>>> = Lock::new(Vec::new());

/// Held by the thread that looks for an idle connection. Looking takes idle connections out of their slots for a moment.
static LOOKING: Lock<()> = Lock::new(());

/// How often the first of the callers that wait looks for an idle connection. Calls end without a notification, which each
/// of them would pay for.
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

    /// Counts another connection once there is room, for which idle ones close. While calls use all, waits in the queue
    /// of this ORB, and within the time to connect; `None` if none became idle.
    pub(super) fn wait_for_room(&self, most: usize, wanted: Wanted<'_>) -> Option<Counted> {
        let is_next = self.waiting.lock().is_empty();
        let counted = is_next.then(|| ConnectionCount::of_clients().enter_below(most)).flatten();
        counted.or_else(|| self.wait_in_queue(most, wanted))
    }

    #[cold]
    fn wait_in_queue(&self, most: usize, wanted: Wanted<'_>) -> Option<Counted> {
        let (begun, limit) = (Instant::now(), wanted.time_left());
        let deadline = begun.checked_add(limit);
        let limits = WaitLimits { deadline, max_waiting: usize::MAX, max_wait: None };
        let mut waiter = Waiter::new(limits);
        let mut queue = self.waiting.lock();
        waiter.join(&mut queue);
        let counted = loop {
            let is_next = waiter.is_next(&queue);
            if is_next {
                drop(queue);
                let counted = Self::replace_least_used(ConnectionCount::of_clients(), most);
                queue = self.waiting.lock();
                if counted.is_some() {
                    break counted;
                }
            }
            if waiter.is_late() {
                break None;
            }
            let most = is_next.then(|| INTERVAL.min(limit.saturating_sub(begun.elapsed())));
            queue = waiter.wait(queue, most);
        };
        waiter.leave(&mut queue);
        drop(queue);
        wanted.connect_time.spend(begun.elapsed());
        counted
    }

    /// Closes the connections of `count` that no calls have used for longest until there is room for another, which is
    /// counted.
    pub(super) fn replace_least_used(
        count: &'static ConnectionCount,
        most: usize,
    ) -> Option<Counted> {
        if let Some(counted) = count.enter_below(most) {
            return Some(counted);
        }
        let _looking = LOOKING.lock();
        loop {
            let counted = count.enter_below(most);
            if counted.is_some() {
                return counted;
            }
            if !close_least_used(count) {
                return count.enter_for_accepted(most);
            }
        }
    }
}

/// Closes the connection of `count` that no call has used for longest. Returns whether there was one.
fn close_least_used(count: &'static ConnectionCount) -> bool {
    let all = EndpointCaches::of_process().into_iter().flat_map(|of_orb| of_orb.all());
    let caches: Vec<Arc<EndpointCache>> = all.flat_map(|cache| cache.and_of_lanes()).collect();
    let idle = caches.iter().filter_map(|cache| Some((cache.idle_since(count)?, cache)));
    let Some((since, cache)) = idle.min_by_key(|(since, _)| *since) else { return false };
    cache.close_idle_since(count, since)
}
