//! Distributable threads, as a node knows them.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use zorb_giop::Ior;
use zorb_os::lock::Lock;

use super::node::Node;

/// The id of a distributable thread (`IdType`), which no other has, and which it keeps wherever it
/// goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId([u8; 16]);

impl ThreadId {
    /// A new one: what the process has been given at random, and a count.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut octets = [0; 16];
        let halves = [RandomState::new().hash_one(count), RandomState::new().hash_one(!count)];
        for (place, octet) in
            octets.iter_mut().zip(halves.iter().flat_map(|half| half.to_be_bytes()))
        {
            *place = octet;
        }
        Self(octets)
    }

    /// The id of these octets.
    #[must_use]
    pub const fn from_octets(octets: [u8; 16]) -> Self {
        Self(octets)
    }

    /// Its octets.
    #[must_use]
    pub const fn octets(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ThreadId({self})")
    }
}

/// Whether a distributable thread has been cancelled (`DT_STATE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadState {
    /// It has not.
    Active,
    /// It has: wherever it is, `THREAD_CANCELLED` is raised at its next scheduling point.
    Cancelled,
}

/// What a node knows of a distributable thread that is here, or has gone on from here.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) id: ThreadId,
    cancelled: AtomicBool,
    /// Where it has gone to from here, the last last.
    away: Lock<Vec<Ior>>,
}

impl Known {
    pub(crate) fn new(id: ThreadId, cancelled: bool) -> Self {
        Self { id, cancelled: AtomicBool::new(cancelled), away: Lock::default() }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Whether this is the first that hears of it.
    pub(crate) fn cancel(&self) -> bool {
        !self.cancelled.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn goes_to(&self, target: &Ior) {
        self.away.lock().push(target.clone());
    }

    pub(crate) fn comes_back(&self) {
        self.away.lock().pop();
    }

    pub(crate) fn away(&self) -> Vec<Ior> {
        self.away.lock().clone()
    }
}

/// A distributable thread that is known here (`RTScheduling::DistributableThread`).
#[derive(Clone, Debug)]
pub struct DistributableThread {
    pub(crate) node: Arc<Node>,
    pub(crate) known: Arc<Known>,
}

impl DistributableThread {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> ThreadId {
        self.known.id
    }

    /// Whether it has been cancelled.
    #[must_use]
    pub fn state(&self) -> ThreadState {
        if self.known.is_cancelled() { ThreadState::Cancelled } else { ThreadState::Active }
    }

    /// Cancels it, here and wherever it has gone to from here: at its next scheduling point, which is
    /// a call, the end of one, or a step of a segment, it meets `THREAD_CANCELLED`. Servants that
    /// compute for long ask [`Current::check`](super::Current::check).
    ///
    /// It is told on by one-way calls to the objects that it has called: a lane whose threads are all
    /// busy hears of it when one is free.
    pub fn cancel(&self) {
        self.node.cancel(&self.known.id);
    }
}
