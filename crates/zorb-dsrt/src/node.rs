//! The distributable threads on an ORB.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use zorb_core::{Orb, WeakOrb};
use zorb_giop::Ior;
use zorb_os::lock::{Lock, Locked};

use super::scheduler::Scheduler;
use super::thread_entry::ThreadEntry;
use super::thread_id::ThreadId;

/// The maximum number of stored ids of cancelled threads that are not on this node, but whose requests may arrive later.
const MAX_CANCELLED: usize = 128;

/// The distributable threads on an ORB, and their scheduler.
pub(crate) struct Node {
    pub(crate) scheduler: Arc<dyn Scheduler>,
    orb: WeakOrb,
    threads: Lock<Threads>,
}

#[derive(Default)]
struct Threads {
    /// The threads on this node, each with the number of its visits.
    present: HashMap<ThreadId, (Arc<ThreadEntry>, usize)>,
    cancelled: VecDeque<ThreadId>,
}

impl Node {
    pub(crate) fn new(orb: &Orb, scheduler: Arc<dyn Scheduler>) -> Self {
        Self { scheduler, orb: orb.downgrade(), threads: Lock::default() }
    }

    /// The ORB, unless it has been dropped.
    pub(crate) fn orb(&self) -> Option<Orb> {
        self.orb.upgrade()
    }

    fn threads(&self) -> Locked<'_, Threads> {
        self.threads.lock()
    }

    /// Begins a visit of a thread: an upcall, or its outermost segment.
    pub(crate) fn begin_visit(&self, id: ThreadId) -> Arc<ThreadEntry> {
        let mut threads = self.threads();
        let Threads { present, cancelled } = &mut *threads;
        let (entry, visits) = present.entry(id).or_insert_with(|| {
            let index = cancelled.iter().position(|other| *other == id);
            let was_cancelled = index.and_then(|index| cancelled.remove(index)).is_some();
            (Arc::new(ThreadEntry::new(id, was_cancelled)), 0)
        });
        *visits += 1;
        Arc::clone(entry)
    }

    /// Ends a visit of a thread.
    pub(crate) fn end_visit(&self, id: &ThreadId) {
        let mut threads = self.threads();
        if let Some((_, visits)) = threads.present.get_mut(id) {
            *visits -= 1;
            if *visits == 0 {
                threads.present.remove(id);
            }
        }
    }

    pub(crate) fn lookup(&self, id: &ThreadId) -> Option<Arc<ThreadEntry>> {
        self.threads().present.get(id).map(|(entry, _)| Arc::clone(entry))
    }

    /// The number of threads on this node.
    pub(crate) fn count(&self) -> usize {
        self.threads().present.len()
    }

    /// Cancels a thread on this node. Returns the targets of its pending requests, which must be notified.
    pub(crate) fn cancel(&self, id: &ThreadId) -> Vec<Ior> {
        let entry = {
            let mut threads = self.threads();
            match threads.present.get(id) {
                Some((entry, _)) => Arc::clone(entry),
                None => {
                    if !threads.cancelled.contains(id) {
                        if threads.cancelled.len() == MAX_CANCELLED {
                            threads.cancelled.pop_front();
                        }
                        threads.cancelled.push_back(*id);
                    }
                    return Vec::new();
                }
            }
        };
        // The targets of a thread may form a cycle: each node is notified once.
        if !entry.cancel() {
            return Vec::new();
        }
        self.scheduler.cancel(id);
        entry.targets()
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("scheduler", &self.scheduler).finish_non_exhaustive()
    }
}
