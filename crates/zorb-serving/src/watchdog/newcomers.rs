//! New connections that wait until others have ended.

use std::fmt;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use zorb_base::peer_threads::{ShareInUse, ThreadPeer};
use zorb_os::thread_count::ThreadEnds;

/// How often they try again while the system refuses threads: of its other processes, and of threads that have ended and
/// are still its own, it tells nothing.
const BEGIN_AGAIN: Duration = Duration::from_millis(10);

/// Whether a thread was refused because there are as many as there may be.
pub(crate) fn is_one_too_many(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::QuotaExceeded | ErrorKind::WouldBlock)
}

/// A new connection that waits for a slot or a thread: see [`Watched`](super::Watched) for why this is a trait.
pub(crate) trait Begins: Send {
    /// When it gives up.
    fn end(&self) -> Instant;

    /// Whether it gives up before that.
    fn is_over(&self) -> bool;

    /// Tries to begin. `refused` are the threads that those before it did not get.
    fn begin(&mut self, refused: &mut Refused) -> Begun;

    /// Ends it without having served it.
    fn give_up(&mut self);
}

// Formatting a connection and its lane would add 115 KB to programs.
impl fmt::Debug for dyn Begins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Begins")
    }
}

/// Whether a connection that waits has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    Yes,
    /// It has ended.
    Never,
    /// It waits on.
    Later,
}

/// The threads that connections have been refused. Those that came later do not try to get them first.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    /// For a thread of any peer.
    all: Option<ErrorKind>,
    peers: Vec<ThreadPeer>,
}

impl Refused {
    /// Notes why a thread for a peer was refused. That there is no room for its stack says nothing about those of other
    /// lanes.
    pub(crate) fn note(&mut self, peer: ThreadPeer, error: &io::Error) {
        if ShareInUse::is_cause_of(error) {
            self.peers.push(peer);
        } else if is_one_too_many(error) {
            self.all = Some(error.kind());
        }
    }

    /// Why a thread for a peer would be refused, if one was.
    pub(crate) fn reason(&self, peer: ThreadPeer) -> Option<io::Error> {
        let of_peer = || io::Error::new(ErrorKind::QuotaExceeded, ShareInUse);
        match self.all {
            Some(kind) => Some(kind.into()),
            None => self.peers.contains(&peer).then(of_peer),
        }
    }
}

/// The connections that wait, in their order.
#[derive(Debug, Default)]
pub(super) struct Newcomers {
    waiting: Vec<Box<dyn Begins>>,
    /// Whether something has ended since they tried.
    is_due: bool,
    /// When to try again because the system has refused a thread.
    again: Option<Instant>,
    /// While some wait.
    ends: Option<ThreadEnds>,
}

impl Newcomers {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a connection; `ends` tells when to [try again](Self::try_again).
    pub(super) fn add(&mut self, newcomer: Box<dyn Begins>, ends: impl FnOnce() -> ThreadEnds) {
        self.waiting.push(newcomer);
        self.ends.get_or_insert_with(ends);
        self.is_due = true;
    }

    /// Something that they wait for has ended. Returns whether that is news.
    pub(super) fn try_again(&mut self) -> bool {
        !std::mem::replace(&mut self.is_due, true)
    }

    /// When they try next.
    pub(super) fn next_try(&self, now: Instant) -> Option<Instant> {
        let first_end = self.waiting.iter().map(|it| it.end()).min()?;
        match self.again {
            // Not before, whatever has ended: a thread that the system refuses was counted, and its end is told, too.
            Some(again) => Some(again.min(first_end)),
            None if self.is_due => Some(now),
            None => Some(first_end),
        }
    }

    /// Takes all, to let them [try](try_all).
    pub(super) fn take(&mut self) -> Vec<Box<dyn Begins>> {
        self.is_due = false;
        std::mem::take(&mut self.waiting)
    }

    /// Puts those back that wait on, of those that tried at `now` with this result. Others may have come since.
    pub(super) fn put_back(
        &mut self,
        mut waiting: Vec<Box<dyn Begins>>,
        refused: &Refused,
        now: Instant,
    ) {
        waiting.append(&mut self.waiting);
        self.waiting = waiting;
        self.again = (refused.all == Some(ErrorKind::WouldBlock)).then(|| now + BEGIN_AGAIN);
        if self.waiting.is_empty() {
            self.ends = None;
        }
    }
}

/// Lets connections begin, unless they give up at `now` or because the ORB `is_stopping`. Those that wait on remain.
pub(super) fn try_all(
    waiting: &mut Vec<Box<dyn Begins>>,
    is_stopping: bool,
    now: Instant,
) -> Refused {
    let mut refused = Refused::default();
    waiting.retain_mut(|newcomer| {
        if is_stopping || newcomer.is_over() || newcomer.end() <= now {
            newcomer.give_up();
            return false;
        }
        newcomer.begin(&mut refused) == Begun::Later
    });
    refused
}
