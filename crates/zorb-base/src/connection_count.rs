//! Counts the connections that the ORBs of the process have accepted, those that they have opened, and those that upcalls
//! have opened. The first two have one limit in common, which leaves some descriptors free; either may use all but an
//! eighth of it, so that none keeps the other out.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::process_limits::{max_called, max_served};

/// The part of a common limit that a count leaves to the other one at least, as a divisor.
const LEFT: usize = 8;

/// The number of connections that are open, and how many there should be.
#[derive(Debug)]
pub struct ConnectionCount {
    open: AtomicUsize,
    most: usize,
    /// The count with which it has the limit in common, if there is one: a function, as each of the two has the other.
    other: Option<fn() -> &'static Self>,
}

/// Closes an accepted connection that is idle, and returns whether there was one. A client that needs room asks for it: calls
/// know no accepted connections, which belong to serving, and a program without a server has none.
type ClosesAccepted = fn() -> bool;

static CLOSES_ACCEPTED: OnceLock<ClosesAccepted> = OnceLock::new();

/// Sets what closes accepted connections of the process. Only the first call has an effect.
pub fn set_closes_accepted(close: ClosesAccepted) {
    let _ = CLOSES_ACCEPTED.set(close);
}

/// Closes an accepted connection of the process, as another one has no descriptors. Returns whether there is one.
#[cold]
fn close_accepted() -> bool {
    CLOSES_ACCEPTED.get().is_some_and(|close| close())
}

/// One of them, until dropped.
#[derive(Debug)]
pub struct Counted {
    count: &'static ConnectionCount,
    excess: usize,
}

impl ConnectionCount {
    /// A count of zero connections, with the limit `most`.
    pub const fn new(most: usize) -> Self {
        Self { open: AtomicUsize::new(0), most, other: None }
    }

    /// The connections that all ORBs of the process have accepted: with those that they have
    /// [opened](Self::of_clients) as many as it has descriptors for.
    pub fn of_servers() -> &'static Self {
        static COUNT: OnceLock<ConnectionCount> = OnceLock::new();
        COUNT.get_or_init(|| Self { other: Some(Self::of_clients), ..Self::new(max_served()) })
    }

    /// The connections to servers that the upcalls of all ORBs of the process have opened.
    pub fn of_upcalls() -> &'static Self {
        static COUNT: OnceLock<ConnectionCount> = OnceLock::new();
        COUNT.get_or_init(|| Self::new(max_called()))
    }

    /// All connections to servers that the ORBs of the process have opened: with those that they have
    /// [accepted](Self::of_servers) as many as it has descriptors for.
    pub fn of_clients() -> &'static Self {
        static COUNT: OnceLock<ConnectionCount> = OnceLock::new();
        COUNT.get_or_init(|| Self { other: Some(Self::of_servers), ..Self::new(max_served()) })
    }

    /// How many there may be now.
    fn limit(&self) -> usize {
        let Some(other) = self.other else { return self.most };
        let others = other().open.load(Ordering::Relaxed).max(self.most / LEFT);
        self.most.saturating_sub(others)
    }

    /// As [`enter_below`](Self::enter_below), when that failed because the process has accepted too many connections: closes
    /// one of them, and counts one more, as the descriptor will be free in a moment.
    #[cold]
    pub fn enter_for_accepted(&'static self, most: usize) -> Option<Counted> {
        let most = if most == 0 { self.most } else { most };
        let own = self.most - self.most / LEFT;
        let has_own_room = self.open.load(Ordering::Relaxed) < most.min(own);
        let closes = has_own_room && close_accepted();
        closes.then(|| self.enter())
    }

    /// Counts one more if there are fewer than `most`; 0 for as many as there should be.
    pub fn enter_below(&'static self, most: usize) -> Option<Counted> {
        let most = if most == 0 { self.most } else { most }.min(self.limit());
        let more = |open| (open < most).then_some(open + 1);
        let entered = self.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        entered.ok().map(|_| Counted { count: self, excess: 0 })
    }

    /// How many there are above those that there should be.
    pub fn excess(&'static self) -> usize {
        self.open.load(Ordering::Relaxed).saturating_sub(self.limit())
    }

    /// Counts one more.
    pub fn enter(&'static self) -> Counted {
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        Counted { count: self, excess: open.saturating_sub(self.limit()) }
    }
}

impl Counted {
    /// Whether it is one of those that `count` counts.
    pub fn is_of(&self, count: &'static ConnectionCount) -> bool {
        std::ptr::eq(self.count, count)
    }

    /// Whether there were more than there should be when it was counted.
    pub const fn is_excess(&self) -> bool {
        self.excess > 0
    }

    /// How many there were above those that there should be when it was counted, this one included.
    pub const fn excess(&self) -> usize {
        self.excess
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.count.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_above_the_limit_are_counted_and_known() {
        static COUNT: ConnectionCount = ConnectionCount::new(2);
        let mut open: Vec<_> = (0..3).map(|_| COUNT.enter()).collect();
        assert_eq!(open.iter().map(Counted::is_excess).collect::<Vec<_>>(), [false, false, true]);
        open.remove(0);
        assert!(open[0].is_of(&COUNT) && !open[0].is_of(ConnectionCount::of_upcalls()));
        assert!(COUNT.enter().is_excess());
        open.remove(0);
        assert!(!COUNT.enter().is_excess());
        drop(open);
        let open = [0, 1, 3, 0].map(|most| COUNT.enter_below(most));
        assert_eq!(open.each_ref().map(Option::is_some), [true, false, true, false]);
        drop(open);
        assert_eq!(COUNT.open.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn two_counts_have_one_limit_and_neither_keeps_the_other_out() {
        static ONE: ConnectionCount =
            ConnectionCount { other: Some(|| &OTHER), ..ConnectionCount::new(80) };
        static OTHER: ConnectionCount =
            ConnectionCount { other: Some(|| &ONE), ..ConnectionCount::new(80) };
        let all = |count: &'static ConnectionCount, most| {
            std::iter::from_fn(|| count.enter_below(most)).collect::<Vec<_>>()
        };
        let [ones, others] = [&ONE, &OTHER].map(|count| all(count, 0));
        assert_eq!([ones.len(), others.len()], [70, 10]);
        assert!(ONE.enter().is_excess() && OTHER.enter().is_excess());
        drop(ones);
        let more = all(&OTHER, 30);
        assert_eq!(others.len() + more.len(), 30, "a limit of its own");
        assert_eq!(all(&ONE, 0).len(), 50);
        drop((others, more));
        assert_eq!(all(&OTHER, 0).len(), 70);
    }
}
