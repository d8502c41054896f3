//! The connections whose resumed requests wait for threads, with the strategy thread per connection.
//!
//! Each peer has threads of its own, which count in its share and serve no other peer. The first one may
//! exceed the share, which the threads of the peer's connections may use up for as long as these are open. If the system
//! cannot start that thread, the requests are refused: requests that wait always have a thread.

use std::collections::{BTreeMap, VecDeque};

use zorb_base::peer_threads::ThreadPeer;
use zorb_os::lock::Lock;

/// The maximum number of threads that serve the resumed requests of one peer in a lane.
const MAX_THREADS: usize = 64;

/// The waiting connections of each peer, in order.
#[derive(Debug)]
pub(super) struct ResumedConnections<R>(Lock<BTreeMap<ThreadPeer, OfPeer<R>>>);

#[derive(Debug)]
struct OfPeer<R> {
    waiting: VecDeque<R>,
    /// Threads that serve them, those that are about to start included.
    threads: usize,
}

impl<R> Default for ResumedConnections<R> {
    fn default() -> Self {
        Self(Lock::new(BTreeMap::new()))
    }
}

impl<R> ResumedConnections<R> {
    /// Adds a connection. Returns whether another thread may start for those of this peer, which counts from now on: its
    /// [`next`](Self::next), [`leave`](Self::leave) or [`give_up`](Self::give_up) ends that.
    pub(super) fn put(&self, peer: ThreadPeer, connection: R) -> bool {
        let mut peers = self.0.lock();
        let none = || OfPeer { waiting: VecDeque::new(), threads: 0 };
        let of_peer = peers.entry(peer).or_insert_with(none);
        of_peer.waiting.push_back(connection);
        let wants_thread = of_peer.threads < MAX_THREADS;
        of_peer.threads += usize::from(wants_thread);
        wants_thread
    }

    /// Adds again what a thread of this peer has taken, which takes the next one now.
    pub(super) fn put_back(&self, peer: ThreadPeer, connection: R) {
        if let Some(of_peer) = self.0.lock().get_mut(&peer) {
            of_peer.waiting.push_back(connection);
        }
    }

    /// Takes the next connection of `peer` for one of its threads. `None` if the thread is no longer needed.
    pub(super) fn next(&self, peer: ThreadPeer) -> Option<R> {
        let mut peers = self.0.lock();
        let of_peer = peers.get_mut(&peer)?;
        let next = of_peer.waiting.pop_front();
        if next.is_none() {
            of_peer.threads -= 1;
            if of_peer.threads == 0 {
                peers.remove(&peer);
            }
        }
        next
    }

    /// A thread does not start, because the share of its peer is in use. Returns `false` if it has to, because no other
    /// would serve those that wait.
    pub(super) fn leave(&self, peer: ThreadPeer) -> bool {
        let mut peers = self.0.lock();
        let Some(of_peer) = peers.get_mut(&peer) else { return true };
        if of_peer.threads == 1 && !of_peer.waiting.is_empty() {
            return false;
        }
        of_peer.threads -= 1;
        if of_peer.threads == 0 {
            peers.remove(&peer);
        }
        true
    }

    /// A thread could not be started. Returns the connections that no other thread serves.
    pub(super) fn give_up(&self, peer: ThreadPeer) -> VecDeque<R> {
        let mut peers = self.0.lock();
        match peers.get_mut(&peer) {
            Some(of_peer) if of_peer.threads > 1 => {
                of_peer.threads -= 1;
                VecDeque::new()
            }
            _ => peers.remove(&peer).map(|of_peer| of_peer.waiting).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn peer(last: u8) -> ThreadPeer {
        ThreadPeer::Address(Ipv4Addr::new(10, 0, 0, last).into())
    }

    #[test]
    fn a_peer_has_threads_of_its_own_up_to_a_limit() {
        let resumed = ResumedConnections::default();
        let wanted = (0..100).filter(|number| resumed.put(peer(1), *number)).count();
        assert_eq!(wanted, MAX_THREADS);
        assert!(resumed.put(peer(2), 100), "another peer's do not wait for these");
        assert_eq!(resumed.next(peer(2)), Some(100));
        resumed.put_back(peer(2), 101);
        assert_eq!(resumed.next(peer(2)), Some(101));
        assert_eq!(resumed.next(peer(2)), None);
        // All but the last leave; in order.
        assert!((1..MAX_THREADS).all(|_| resumed.leave(peer(1))));
        assert!(!resumed.leave(peer(1)));
        let served: Vec<_> = std::iter::from_fn(|| resumed.next(peer(1))).collect();
        assert!(served.into_iter().eq(0..100));
        assert!(resumed.0.lock().is_empty());
    }

    #[test]
    fn what_gets_no_thread_waits_for_no_other_peer() {
        let resumed = ResumedConnections::default();
        assert!(resumed.put(peer(1), 1) && resumed.put(peer(2), 2) && resumed.put(peer(2), 3));
        assert_eq!(resumed.next(peer(1)), Some(1), "in an upcall from now on");
        assert!(resumed.give_up(peer(2)).is_empty(), "it has another thread");
        assert_eq!(resumed.give_up(peer(2)), [2, 3]);
        assert!(resumed.give_up(peer(1)).is_empty());
        assert!(resumed.0.lock().is_empty());
    }

    #[test]
    fn a_thread_that_was_about_to_start_may_be_needed_after_all() {
        let resumed = ResumedConnections::default();
        assert!(resumed.put(peer(1), 1) && resumed.put(peer(1), 2));
        // The first thread serves both and ends before the second one learns that the share is in use.
        assert!(resumed.next(peer(1)).is_some() && resumed.next(peer(1)).is_some());
        assert_eq!(resumed.next(peer(1)), None);
        assert!(resumed.put(peer(1), 3) && resumed.leave(peer(1)));
        assert!(!resumed.leave(peer(1)), "the third waits");
    }
}
