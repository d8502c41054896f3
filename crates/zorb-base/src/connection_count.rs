//! Counts the connections that the ORBs of the process have accepted, those that they have opened, and those that upcalls
//! have opened. Each count has its own limit, which leaves some descriptors free. Together the connections can still need
//! more descriptors than the process has; idle ones are then closed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::process_limits::{max_called, max_served};

/// The number of connections that are open, and how many there should be.
#[derive(Debug)]
pub struct ConnectionCount {
    open: AtomicUsize,
    most: usize,
}

/// One of them, until dropped.
#[derive(Debug)]
pub struct Counted {
    count: &'static ConnectionCount,
    is_excess: bool,
}

impl ConnectionCount {
    /// A count of zero connections, with the limit `most`.
    pub const fn new(most: usize) -> Self {
        Self { open: AtomicUsize::new(0), most }
    }

    /// The connections that all ORBs of the process have accepted: as many as it has descriptors for.
    pub fn of_process() -> &'static Self {
        static COUNT: OnceLock<ConnectionCount> = OnceLock::new();
        COUNT.get_or_init(|| Self::new(max_served()))
    }

    /// The connections to servers that the upcalls of all ORBs of the process have opened.
    pub fn of_upcalls() -> &'static Self {
        static COUNT: OnceLock<ConnectionCount> = OnceLock::new();
        COUNT.get_or_init(|| Self::new(max_called()))
    }

    /// All connections to servers that the ORBs of the process have opened: as many as it has descriptors for.
    pub fn of_clients() -> &'static Self {
        static COUNT: OnceLock<ConnectionCount> = OnceLock::new();
        COUNT.get_or_init(|| Self::new(max_served()))
    }

    /// Counts one more if there are fewer than `most`; 0 for as many as there should be.
    pub fn enter_below(&'static self, most: usize) -> Option<Counted> {
        let most = if most == 0 { self.most } else { most };
        let more = |open| (open < most).then_some(open + 1);
        let entered = self.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        entered.ok().map(|_| Counted { count: self, is_excess: false })
    }

    /// Counts one more.
    pub fn enter(&'static self) -> Counted {
        let before = self.open.fetch_add(1, Ordering::Relaxed);
        Counted { count: self, is_excess: before >= self.most }
    }
}

impl Counted {
    /// Whether it is one of those that `count` counts.
    pub fn is_of(&self, count: &'static ConnectionCount) -> bool {
        std::ptr::eq(self.count, count)
    }

    /// Whether there were more than there should be when it was counted.
    pub const fn is_excess(&self) -> bool {
        self.is_excess
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
}
