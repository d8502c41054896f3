//! An ORB's part in dynamic scheduling.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_core::policy::{Levels, PolicyType, TypedPolicy};
use zorb_core::{Orb, WeakOrb};
use zorb_os::lock::{Lock, Locked};

use super::current::Current;
use super::interceptors::{Propagation, UpcallVisit};
use super::scheduler::Scheduler;
use super::thread::{DistributableThread, Known, ThreadId};
use super::visit::Entered;

/// The operation by which nodes tell each other of a cancelled thread: `in sequence<octet> id`.
pub(crate) const CANCEL: &str = "_cancel_distributable_thread";

/// How many ids of cancelled threads that are not here are remembered: their requests may still be on
/// the way.
const MAX_REMEMBERED: usize = 128;

/// The distributable threads that are here, and who schedules them.
pub(crate) struct Node {
    pub(crate) scheduler: Arc<dyn Scheduler>,
    orb: WeakOrb,
    threads: Lock<Threads>,
}

#[derive(Default)]
struct Threads {
    /// With how often each is here.
    here: HashMap<ThreadId, (Arc<Known>, usize)>,
    cancelled: VecDeque<ThreadId>,
}

impl Node {
    fn threads(&self) -> Locked<'_, Threads> {
        self.threads.lock()
    }

    /// A thread comes here, or comes here once more.
    pub(crate) fn arrive(&self, id: ThreadId) -> Arc<Known> {
        let mut threads = self.threads();
        let Threads { here, cancelled } = &mut *threads;
        let (known, visits) = here.entry(id).or_insert_with(|| {
            let place = cancelled.iter().position(|other| *other == id);
            let was_cancelled = place.and_then(|place| cancelled.remove(place)).is_some();
            (Arc::new(Known::new(id, was_cancelled)), 0)
        });
        *visits += 1;
        Arc::clone(known)
    }

    /// It leaves again.
    pub(crate) fn depart(&self, id: &ThreadId) {
        let mut threads = self.threads();
        if let Some((_, visits)) = threads.here.get_mut(id) {
            *visits -= 1;
            if *visits == 0 {
                threads.here.remove(id);
            }
        }
    }

    pub(crate) fn lookup(&self, id: &ThreadId) -> Option<Arc<Known>> {
        self.threads().here.get(id).map(|(known, _)| Arc::clone(known))
    }

    /// How many are here.
    pub(crate) fn count(&self) -> usize {
        self.threads().here.len()
    }

    /// Cancels a thread, and tells those nodes that it has gone to from here.
    pub(crate) fn cancel(&self, id: &ThreadId) {
        let known = {
            let mut threads = self.threads();
            match threads.here.get(id) {
                Some((known, _)) => Arc::clone(known),
                None => {
                    if !threads.cancelled.contains(id) {
                        if threads.cancelled.len() == MAX_REMEMBERED {
                            threads.cancelled.pop_front();
                        }
                        threads.cancelled.push_back(*id);
                    }
                    return;
                }
            }
        };
        // Where threads go in circles, so would their cancellation.
        if !known.cancel() {
            return;
        }
        self.scheduler.cancel(id);
        // These calls are not those of a distributable thread, whoever cancels.
        let _none = Entered::new(None);
        let Some(orb) = self.orb.upgrade() else { return };
        for target in known.away() {
            // If this fails, the thread is cancelled when it returns.
            let _ =
                orb.object(target).invoke_oneway(CANCEL, |writer| writer.write_octets(id.octets()));
        }
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("scheduler", &self.scheduler).finish_non_exhaustive()
    }
}

/// An ORB's part in dynamic scheduling (`RTScheduling`'s initial references `RTScheduler` and
/// `RTScheduler_Current`). Clones are the same.
#[derive(Clone, Debug)]
pub struct RtScheduling {
    node: Arc<Node>,
}

impl RtScheduling {
    /// Has `scheduler` schedule the distributable threads of `orb`: from now on their requests carry
    /// them on, and [`Orb::initial_local`] has the standard's two names. References that calls have been
    /// made by stay as they are.
    #[must_use]
    pub fn attach(orb: &Orb, scheduler: Arc<dyn Scheduler>) -> Self {
        let node = Arc::new(Node { scheduler, orb: orb.downgrade(), threads: Lock::default() });
        let name = "RTScheduling";
        orb.add_client_request_interceptor(name, |_| Some(Arc::new(Propagation)));
        orb.add_server_request_interceptor(name, |policies| {
            let node = policies.value::<Distributable>()?.node.clone()?;
            Some(Arc::new(UpcallVisit { node }))
        });
        let [whole, current] = [(); 2].map(|()| Arc::clone(&node));
        // Where a program has given these names to objects of its own, they stay theirs.
        let _ =
            orb.register_initial_local("RTScheduler", move |_| Self { node: Arc::clone(&whole) });
        let _ = orb.register_initial_local("RTScheduler_Current", move |_| Current::new(&current));
        Self { node }
    }

    /// The distributable thread that the calling thread is at the moment (`RTScheduler_Current`).
    #[must_use]
    pub fn current(&self) -> Current {
        Current::new(&self.node)
    }

    /// The policy of adapters by which distributable threads are taken up.
    #[must_use]
    pub fn policy(&self) -> Distributable {
        Distributable { node: Some(Arc::clone(&self.node)) }
    }

    /// The thread of this id, if it is here or has gone on from here (`lookup`).
    #[must_use]
    pub fn lookup(&self, id: &ThreadId) -> Option<DistributableThread> {
        let known = self.node.lookup(id)?;
        Some(DistributableThread { node: Arc::clone(&self.node), known })
    }

    /// How many distributable threads are here, or have gone on from here.
    #[must_use]
    pub fn count(&self) -> usize {
        self.node.count()
    }
}

/// The policy of an adapter whose upcalls take up the distributable threads of their requests. Those
/// of requests without one are none. Made by [`RtScheduling::policy`].
#[derive(Clone, Debug)]
pub struct Distributable {
    /// `None` for one that has only been read.
    node: Option<Arc<Node>>,
}

impl Distributable {
    #[cfg(test)]
    pub(crate) fn node(&self) -> Arc<Node> {
        self.node.clone().unwrap()
    }
}

impl PartialEq for Distributable {
    fn eq(&self, other: &Self) -> bool {
        match (&self.node, &other.node) {
            (Some(node), Some(other)) => Arc::ptr_eq(node, other),
            (None, None) => true,
            _ => false,
        }
    }
}

impl TypedPolicy for Distributable {
    const POLICY_TYPE: PolicyType = PolicyType(0x5a52_4206);
    const LEVELS: Levels = Levels::SERVER;

    fn write(&self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ok(())
    }

    fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self { node: None })
    }
}
