//! The dynamic scheduling of an ORB.

use std::sync::Arc;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_core::Orb;
use zorb_core::policy::{Levels, PolicyType, TypedPolicy};

use super::current::Current;
use super::interceptors::{Propagation, UpcallVisit};
use super::node::Node;
use super::scheduler::Scheduler;
use super::thread::DistributableThread;
use super::thread_id::ThreadId;

/// The dynamic scheduling of an ORB (the initial references `RTScheduler` and `RTScheduler_Current`).
/// Clones are the same.
#[derive(Clone, Debug)]
pub struct RtScheduling {
    node: Arc<Node>,
}

impl RtScheduling {
    /// Adds distributable threads to `orb`, scheduled by `scheduler`. Their requests then carry their ids and parameters,
    /// and [`Orb::initial_local`] returns the standard's two initial references. References that have been called
    /// already do not change.
    #[must_use]
    pub fn attach(orb: &Orb, scheduler: Arc<dyn Scheduler>) -> Self {
        let node = Arc::new(Node::new(orb, scheduler));
        let name = "RTScheduling";
        orb.add_client_request_interceptor(name, |_| Some(Arc::new(Propagation)));
        orb.add_server_request_interceptor(name, |policies| {
            let node = policies.value::<Distributable>()?.node.clone()?;
            Some(Arc::new(UpcallVisit { node }))
        });
        let [scheduling, current] = [(); 2].map(|()| Arc::clone(&node));
        // Objects that the program has registered under these names remain.
        let _ = orb
            .register_initial_local("RTScheduler", move |_| Self { node: Arc::clone(&scheduling) });
        let _ = orb.register_initial_local("RTScheduler_Current", move |_| Current::new(&current));
        Self { node }
    }

    /// The distributable thread of the calling thread (`RTScheduler_Current`).
    #[must_use]
    pub fn current(&self) -> Current {
        Current::new(&self.node)
    }

    /// The policy of object adapters whose upcalls are part of distributable threads.
    #[must_use]
    pub fn policy(&self) -> Distributable {
        Distributable { node: Some(Arc::clone(&self.node)) }
    }

    /// The thread of this id, if it is on this node or has called another node from here (`lookup`).
    #[must_use]
    pub fn lookup(&self, id: &ThreadId) -> Option<DistributableThread> {
        let entry = self.node.lookup(id)?;
        Some(DistributableThread { node: Arc::clone(&self.node), entry })
    }

    /// The number of distributable threads that are on this node or have called another node from here.
    #[must_use]
    pub fn count(&self) -> usize {
        self.node.count()
    }
}

/// The policy of an object adapter whose upcalls are part of the distributable threads of their requests.
/// Upcalls of requests without one are not part of any. Created by [`RtScheduling::policy`].
#[derive(Clone, Debug)]
pub struct Distributable {
    /// `None` if it was read from a message.
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
