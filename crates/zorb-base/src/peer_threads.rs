//! Counts the threads that serve the connections to each peer, of all ORBs of the process, so that none has them all.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::io;
use std::net::IpAddr;

use zorb_os::lock::Lock;

/// The threads of each peer that has some.
static THREADS: PeerCounts = PeerCounts::new();

#[derive(Debug)]
struct PeerCounts(Lock<BTreeMap<ThreadPeer, usize>>);

/// Whose share a thread counts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadPeer {
    /// The peers at an IP address.
    Address(IpAddr),
    /// All local peers.
    #[default]
    Local,
    /// All senders of datagrams.
    Datagrams,
}

impl From<Option<IpAddr>> for ThreadPeer {
    fn from(address: Option<IpAddr>) -> Self {
        address.map_or(Self::Local, Self::Address)
    }
}

/// One of the threads that serve the connections to a peer, until dropped.
#[derive(Debug)]
pub struct PeerThread {
    counts: &'static PeerCounts,
    peer: ThreadPeer,
}

/// The cause of the error of [`PeerThread::one_of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareInUse;

impl fmt::Display for ShareInUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connections of this address use its share of threads (MaxThreadsPerPeer)")
    }
}

impl Error for ShareInUse {}

impl ShareInUse {
    /// Whether it is the cause of `error`.
    pub fn is_cause_of(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|cause| cause.is::<Self>())
    }
}

impl PeerThread {
    /// Counts a thread that is about to start for `peer`, if there are fewer than `most`.
    ///
    /// # Errors
    /// [`io::ErrorKind::QuotaExceeded`] with the cause [`ShareInUse`]: there are as many.
    pub fn one_of(peer: ThreadPeer, most: usize) -> io::Result<Self> {
        THREADS.enter(peer, most)
    }

    /// Counts a thread for `peer`, though its share may be in use: one without which its requests would not be served.
    pub fn beyond_share(peer: ThreadPeer) -> Self {
        THREADS.enter_beyond(&mut THREADS.0.lock(), peer)
    }
}

impl PeerCounts {
    const fn new() -> Self {
        Self(Lock::new(BTreeMap::new()))
    }

    fn enter(&'static self, peer: ThreadPeer, most: usize) -> io::Result<PeerThread> {
        let mut counts = self.0.lock();
        if counts.get(&peer).is_some_and(|count| *count >= most) {
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, ShareInUse));
        }
        Ok(self.enter_beyond(&mut counts, peer))
    }

    fn enter_beyond(
        &'static self,
        counts: &mut BTreeMap<ThreadPeer, usize>,
        peer: ThreadPeer,
    ) -> PeerThread {
        *counts.entry(peer).or_default() += 1;
        PeerThread { counts: self, peer }
    }
}

impl Drop for PeerThread {
    fn drop(&mut self) {
        let mut counts = self.counts.0.lock();
        if let Some(count) = counts.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn each_peer_has_a_share_and_so_have_all_local_ones_together() {
        static COUNTS: PeerCounts = PeerCounts::new();
        let address = |last| ThreadPeer::from(Some(Ipv4Addr::new(10, 0, 0, last).into()));
        let all = |peer| std::iter::from_fn(|| COUNTS.enter(peer, 3).ok()).collect::<Vec<_>>();
        let mut threads = [address(1), address(2), None.into()].map(all);
        assert_eq!(threads.each_ref().map(Vec::len), [3, 3, 3]);
        let error = COUNTS.enter(address(1), 3).unwrap_err();
        assert!(ShareInUse::is_cause_of(&error), "{error:?}");
        assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
        assert!(!ShareInUse::is_cause_of(&io::ErrorKind::QuotaExceeded.into()));
        threads[0].pop();
        assert_eq!(all(address(1)).len(), 1);
        // That without which nothing would be served counts, too.
        let beyond = COUNTS.enter_beyond(&mut COUNTS.0.lock(), address(2));
        threads[1].pop();
        assert!(all(address(2)).is_empty());
        drop((threads, beyond));
        assert!(COUNTS.0.lock().is_empty());
    }
}
