//! The requests in a queue of held requests, and what each peer has in it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::held_counts::HeldCounts;
use zorb_base::orb_core::OrbCore;

/// The limits of a queue of held requests. A peer may use half of its requests and octets.
#[derive(Clone, Debug)]
pub(crate) struct HoldLimits {
    /// The maximum number of requests; option `MaxHeldRequests`.
    pub(crate) requests: usize,
    /// The maximum total size of their messages in octets; option `MaxHeldOctets`.
    pub(crate) octets: usize,
    /// The maximum time that they wait; option `MaxHeldTime`.
    pub(crate) time: Option<Duration>,
    /// What the ORB counts in all of its queues.
    pub(crate) counts: Arc<HeldCounts>,
}

impl HoldLimits {
    /// The limits in the ORB's options.
    pub(crate) fn of(orb: &OrbCore) -> Self {
        let options = orb.options();
        Self {
            requests: options.max_held_requests,
            octets: options.max_held_octets,
            time: options.max_held_time,
            counts: Arc::clone(orb.held()),
        }
    }
}

/// What a request uses of a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) octets: usize,
    /// The number of its peer.
    pub(super) peer: usize,
}

/// A held request.
pub(super) struct Waiting<R> {
    /// The time when it was first held.
    pub(super) since: Instant,
    pub(super) request: R,
    /// Whether it has already waited in a queue of a forwarder.
    pub(super) forwarder_held: bool,
    /// `None` if it waits as long as it must, whatever the limits are.
    weight: Option<Weight>,
}

/// A part of the queue.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    requests: usize,
    octets: usize,
}

/// The requests of a queue: those that wait, in the order in which they were first held, and those that have been
/// resumed and have not asked again.
pub(super) struct WaitingRequests<R> {
    limited: VecDeque<Waiting<R>>,
    /// Those without a weight, which the limits do not concern.
    unlimited: VecDeque<Waiting<R>>,
    /// The total size of the limited ones.
    octets: usize,
    by_peer: HashMap<usize, Share>,
    /// How many requests that were first held at a time are resuming.
    resuming: BTreeMap<Instant, usize>,
}

impl<R> Default for WaitingRequests<R> {
    fn default() -> Self {
        Self {
            limited: VecDeque::new(),
            unlimited: VecDeque::new(),
            octets: 0,
            by_peer: HashMap::new(),
            resuming: BTreeMap::new(),
        }
    }
}

impl<R> std::fmt::Debug for WaitingRequests<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WaitingRequests")
            .field("requests", &self.len())
            .field("octets", &self.octets)
            .finish_non_exhaustive()
    }
}

impl<R> WaitingRequests<R> {
    pub(super) fn len(&self) -> usize {
        self.limited.len() + self.unlimited.len()
    }

    /// The number of those that count for the limits.
    pub(super) fn limited(&self) -> usize {
        self.limited.len()
    }

    /// Whether no request waits or is resuming.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0 && self.resuming.is_empty()
    }

    pub(super) fn is_resuming(&self) -> bool {
        !self.resuming.is_empty()
    }

    /// The time when the oldest waiting request was first held.
    pub(super) fn oldest(&self) -> Option<Instant> {
        let unlimited = self.unlimited.front().map(|first| first.since);
        self.oldest_limited().into_iter().chain(unlimited).min()
    }

    /// The same of those that can expire.
    pub(super) fn oldest_limited(&self) -> Option<Instant> {
        self.limited.front().map(|first| first.since)
    }

    /// Whether no request precedes one that was first held at `since`: none that waits, and none that is resuming,
    /// unless it `overtakes` those.
    pub(super) fn is_next(&self, since: Instant, overtakes: bool) -> bool {
        self.oldest().is_none_or(|first| first >= since)
            && (overtakes
                || self.resuming.first_key_value().is_none_or(|(first, _)| *first >= since))
    }

    /// Whether the limits allow one more request. A peer may use half of each: nobody else's requests are refused
    /// because of one client's.
    pub(super) fn has_room(&self, added: Weight, callers: usize, limits: &HoldLimits) -> bool {
        let fits = |used: Share, share: usize| {
            used.requests < limits.requests.div_ceil(share)
                && used.octets.saturating_add(added.octets) <= limits.octets.div_ceil(share)
        };
        let all = Share { requests: self.limited() + callers, octets: self.octets };
        fits(all, 1) && fits(self.by_peer.get(&added.peer).copied().unwrap_or_default(), 2)
    }

    /// Adds a request that was first held at `since`, behind those that were first held earlier.
    pub(super) fn add(
        &mut self,
        since: Instant,
        request: R,
        weight: Option<Weight>,
        forwarder_held: bool,
    ) {
        let requests = match weight {
            Some(weight) => {
                self.octets = self.octets.saturating_add(weight.octets);
                let share = self.by_peer.entry(weight.peer).or_default();
                share.requests += 1;
                share.octets = share.octets.saturating_add(weight.octets);
                &mut self.limited
            }
            None => &mut self.unlimited,
        };
        let at = requests.partition_point(|other| other.since <= since);
        requests.insert(at, Waiting { since, request, forwarder_held, weight });
    }

    /// Removes the first request.
    fn take(&mut self) -> Option<Waiting<R>> {
        let unlimited = self.unlimited.front().map(|first| first.since);
        match self.oldest_limited() {
            Some(limited) if unlimited.is_none_or(|first| limited <= first) => self.take_limited(),
            _ => self.unlimited.pop_front(),
        }
    }

    /// Removes the first one that counts for the limits.
    fn take_limited(&mut self) -> Option<Waiting<R>> {
        let first = self.limited.pop_front()?;
        self.uncount(first.weight);
        Some(first)
    }

    /// Gives back what a request has used.
    fn uncount(&mut self, weight: Option<Weight>) {
        let Some(weight) = weight else { return };
        self.octets = self.octets.saturating_sub(weight.octets);
        if let Some(share) = self.by_peer.get_mut(&weight.peer) {
            share.requests -= 1;
            share.octets = share.octets.saturating_sub(weight.octets);
            if share.requests == 0 {
                self.by_peer.remove(&weight.peer);
            }
        }
    }

    /// Removes and returns the limited requests for which `is_taken`.
    pub(super) fn take_where(&mut self, is_taken: impl Fn(&R) -> bool) -> Vec<Waiting<R>> {
        let mut taken = Vec::new();
        if !self.limited.iter().any(|waiting| is_taken(&waiting.request)) {
            return taken;
        }
        let mut kept = VecDeque::with_capacity(self.limited.len());
        for waiting in std::mem::take(&mut self.limited) {
            if is_taken(&waiting.request) {
                self.uncount(waiting.weight);
                taken.push(waiting);
            } else {
                kept.push_back(waiting);
            }
        }
        self.limited = kept;
        taken
    }

    /// Removes the first requests, up to `most`, as resuming ones.
    pub(super) fn resume(&mut self, most: usize) -> Vec<Waiting<R>> {
        let resumed: Vec<_> = std::iter::from_fn(|| self.take()).take(most).collect();
        for waiting in &resumed {
            *self.resuming.entry(waiting.since).or_default() += 1;
        }
        resumed
    }

    /// A resuming request that was first held at `since` has asked again, or has ended.
    pub(super) fn resumed(&mut self, since: Instant) {
        if let Some(count) = self.resuming.get_mut(&since) {
            *count -= 1;
            if *count == 0 {
                self.resuming.remove(&since);
            }
        }
    }

    /// Removes and returns the requests that have waited for at least `limit`.
    pub(super) fn take_older(&mut self, limit: Duration, now: Instant) -> Vec<Waiting<R>> {
        let is_older = |first: Instant| now.saturating_duration_since(first) >= limit;
        let next = || if is_older(self.oldest_limited()?) { self.take_limited() } else { None };
        std::iter::from_fn(next).collect()
    }
}
