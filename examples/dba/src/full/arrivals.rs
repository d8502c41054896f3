//! When messages arrive: an interceptor notes it before the full ORB looks up the object.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dba_algorithm::{MAX_NODES, NodeId};
use zorb::interceptor::{ServerRequestInfo, ServerRequestInterceptor};
use zorb::{Orb, SystemException};

/// When the last message of each node arrived, by the clock of segments. The messages of a node are served in turn, so its
/// last message is the one being served.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals(Arc<Noted>);

#[derive(Debug)]
struct Noted {
    clock: fn() -> u64,
    /// By the number of the node.
    last: Box<[AtomicU64]>,
}

impl Arrivals {
    /// Notes the messages of the ORB's objects.
    pub(crate) fn of(orb: &Orb, clock: fn() -> u64) -> Self {
        let last = (0..MAX_NODES).map(|_| AtomicU64::new(0)).collect();
        let noted = Arc::new(Noted { clock, last });
        let interceptor = Arc::clone(&noted);
        orb.add_server_request_interceptor("arrival", move |_| {
            Some(Arc::clone(&interceptor) as Arc<dyn ServerRequestInterceptor>)
        });
        Self(noted)
    }

    /// When the message that `from` has sent last arrived; 0 if it has sent none.
    pub(crate) fn time(&self, from: NodeId) -> u64 {
        self.0.of(from).map_or(0, |last| last.load(Ordering::Relaxed))
    }
}

impl Noted {
    fn of(&self, from: NodeId) -> Option<&AtomicU64> {
        self.last.get(usize::try_from(from).ok()?)
    }
}

impl ServerRequestInterceptor for Noted {
    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), SystemException> {
        let now = (self.clock)();
        // Other requests are those of the registry.
        if matches!(info.operation(), "value" | "improvement" | "solved") {
            // What cannot be decoded is reported by the skeleton.
            let from = info.arguments().read_u32().ok();
            if let Some(last) = from.and_then(|from| self.of(from)) {
                last.store(now, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Mutex;

    use zorb::Interface as _;
    use zorb::policy::{Policies, SyncScope};

    use super::*;
    use crate::dba::{Receiver, ReceiverServant};

    /// Counts how often it is read.
    fn clock() -> u64 {
        static READ: AtomicU64 = AtomicU64::new(1);
        READ.fetch_add(1, Ordering::Relaxed)
    }

    /// Of each message, its sender, when it arrived, and when its upcall ran.
    type Told = Arc<Mutex<Vec<(NodeId, u64, u64)>>>;

    /// Notes when it is called, and when its request has arrived.
    struct Called {
        arrivals: Arrivals,
        told: Told,
    }

    impl Called {
        fn note(&self, from: NodeId) {
            let told = (from, self.arrivals.time(from), clock());
            self.told.lock().unwrap().push(told);
        }
    }

    impl ReceiverServant for Called {
        fn value(&self, from: NodeId, _: u32, _: u32) {
            self.note(from);
        }

        fn improvement(&self, from: NodeId, _: u32, _: u32, _: u32, _: u32) {
            self.note(from);
        }

        fn solved(&self, from: NodeId) {
            self.note(from);
        }

        fn hello(&self, from: NodeId, _: &str) {
            self.note(from);
        }
    }

    #[test]
    fn each_node_has_the_arrival_of_its_last_message() {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let (arrivals, told) = (Arrivals::of(&orb, clock), Told::default());
        let called = Called { arrivals: arrivals.clone(), told: Arc::clone(&told) };
        let object: Receiver = orb.root_poa().activate(called).unwrap();
        orb.serve().unwrap();
        let url = object.to_ior_string();
        let client = Orb::new().unwrap();
        let object: Receiver = client.resolve(&url).unwrap();
        // With a reply, so that one is served after the other.
        let replied = Policies::new().with(SyncScope::WithTarget);
        let object = object.with_policies(&replied).unwrap();
        object.value(1, 2, 3).unwrap();
        object.solved(7).unwrap();
        object.improvement(1, 2, 3, 4, 5).unwrap();
        // There is no such node, and it can be told nothing.
        object.solved(MAX_NODES).unwrap();
        let told = told.lock().unwrap();
        assert_eq!(*told, [(1, 1, 2), (7, 3, 4), (1, 5, 6), (MAX_NODES, 0, 8)]);
        assert_eq!([1, 7, 2].map(|node| arrivals.time(node)), [5, 3, 0]);
    }
}
