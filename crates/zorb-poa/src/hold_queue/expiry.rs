//! Requests that have been held for too long.

use std::time::Instant;

use super::HoldQueue;

impl HoldQueue {
    /// When a request that was first held at `since` expires; `None` for no limit.
    pub fn expiry(&self, since: Instant) -> Option<Instant> {
        // A time beyond the range of the clock means no limit.
        self.0.limits.time.and_then(|limit| since.checked_add(limit))
    }

    /// Discards the requests that have expired at `now`. Returns the time at which the next one expires.
    #[doc(hidden)]
    pub fn discard_expired(&self, now: Instant) -> Option<Instant> {
        let limit = self.0.limits.time?;
        let mut held = self.0.held.lock();
        let expired = held.requests.take_older(limit, now);
        self.update_is_open(&held);
        let next = held.requests.oldest_limited();
        drop(held);
        self.0.limits.counts.remove(expired.len());
        self.0.limits.counts.expire(expired.len());
        expired.into_iter().for_each(|waiting| waiting.request.discard());
        self.expiry(next?)
    }
}
