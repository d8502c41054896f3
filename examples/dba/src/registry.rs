//! The registry: knows the graph, tells nodes their neighbors, and collects how they have ended.

use std::net::IpAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dba_algorithm::{Graph, NodeId, Settings as StateSettings};
use zorb::{Interface as _, Orb};
use zorb_os::clock::MonotonicTime;

use crate::Failure;
use crate::dba::registry::{EnterError, FinishedError};
use crate::dba::{Neighbor, Node, Refused, RegistryServant, Report, Settings};
use crate::node::orb_at;

/// The key of the registry in its URL.
const KEY: &str = "dba";
/// How often the nodes' processes are checked while the registry waits for them.
const CHECK: Duration = Duration::from_millis(50);

/// A registry that nodes can call.
pub(crate) struct Coordinator {
    orb: Orb,
    state: Arc<Shared>,
    url: String,
}

/// What the registry knows about the nodes.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The object and the address of each node that is there.
    entered: Vec<Option<(Node, String)>>,
    reports: Vec<Option<Report>>,
    failure: Option<String>,
}

impl Coordinator {
    /// Starts a registry for a graph of so many nodes, at an address.
    pub(crate) fn new(nodes: u32, host: IpAddr) -> Result<Self, Failure> {
        let orb = orb_at(host).build()?;
        let state = State {
            entered: (0..nodes).map(|_| None).collect(),
            reports: (0..nodes).map(|_| None).collect(),
            failure: None,
        };
        let state = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let registry: crate::dba::Registry =
            orb.root_poa().activate(MyRegistry(Arc::clone(&state)))?;
        orb.publish(KEY, &registry)?;
        orb.serve()?;
        let endpoints = orb.endpoints();
        let address = endpoints.iter().find_map(|url| url.strip_prefix("iiop://"));
        let address = address.ok_or("the registry has no address")?;
        Ok(Self { state, url: format!("corbaloc::{address}/{KEY}"), orb })
    }

    /// The URL by which nodes find it.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Lets all nodes run, and returns how they have ended, in the order of their ids. `check` is called now and then; its
    /// error ends the run.
    pub(crate) fn run(
        &self,
        graph: &Graph,
        settings: StateSettings,
        end: MonotonicTime,
        check: &mut dyn FnMut() -> Result<(), Failure>,
    ) -> Result<Vec<Report>, Failure> {
        let nodes = self.wait(end, check, "to enter", |state| &state.entered)?;
        let nodes: Vec<(Node, String)> = nodes
            .into_iter()
            .map(|(node, address)| (node.with_timeout(end.time_left()), address))
            .collect();
        let settings = Settings {
            colors: settings.colors,
            max_distance: settings.max_distance,
            terminates: settings.terminates,
            max_cycles: settings.max_cycles,
            seed: settings.seed,
        };
        for ((node, _), id) in nodes.iter().zip(0..) {
            let neighbors = graph.neighbors(id).iter().filter_map(|&id| {
                let (node, address) = nodes.get(id as usize)?;
                Some(Neighbor { id, target: Some(node.clone()), address: address.clone() })
            });
            let neighbors: Vec<Neighbor> = neighbors.collect();
            node.prepare(&settings, &neighbors)
                .map_err(|error| format!("node {id} cannot be prepared: {error}"))?;
        }
        for (node, _) in &nodes {
            node.start()?;
        }
        let reports = self.wait(end, check, "to finish", |state| &state.reports)?;
        for (node, _) in &nodes {
            // It has reported, and may end without this.
            let _ = node.stop();
        }
        Ok(reports)
    }

    /// Ends the registry.
    pub(crate) fn shutdown(&self) -> Result<(), Failure> {
        Ok(self.orb.shutdown(true)?)
    }

    /// Waits until something is there for all nodes, and returns it.
    fn wait<T: Clone>(
        &self,
        end: MonotonicTime,
        check: &mut dyn FnMut() -> Result<(), Failure>,
        purpose: &str,
        of: fn(&State) -> &[Option<T>],
    ) -> Result<Vec<T>, Failure> {
        let mut state = self.state.lock();
        loop {
            if let Some(failure) = &state.failure {
                return Err(failure.clone().into());
            }
            let all: Option<Vec<T>> = of(&state).iter().cloned().collect();
            if let Some(all) = all {
                return Ok(all);
            }
            let left = end.time_left();
            if left.is_zero() {
                let missing = of(&state).iter().filter(|one| one.is_none()).count();
                let text = format!("time limit: waiting for {missing} nodes {purpose}");
                return Err(text.into());
            }
            drop(state);
            check()?;
            state = self.state.lock();
            let limit = left.min(CHECK);
            let waited = self.state.changed.wait_timeout(state, limit);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct MyRegistry(Arc<Shared>);

impl MyRegistry {
    /// Stores something about a node that is there, once.
    fn store<T>(
        &self,
        id: NodeId,
        content: T,
        of: fn(&mut State) -> &mut Vec<Option<T>>,
    ) -> Result<(), Refused> {
        let mut state = self.0.lock();
        let refused = |reason: &str| Refused::because(format!("node {id} {reason}"));
        let place = of(&mut state).get_mut(id as usize);
        let place = place.ok_or_else(|| refused("is not in the graph"))?;
        if place.is_some() {
            return Err(refused("was here before"));
        }
        *place = Some(content);
        self.0.changed.notify_all();
        Ok(())
    }
}

impl RegistryServant for MyRegistry {
    fn enter(
        &self,
        id: NodeId,
        target: Option<&Node>,
        address: &str,
    ) -> zorb::Result<(), EnterError> {
        let target = target.ok_or_else(|| Refused::because("there is no object".to_owned()))?;
        Ok(self.store(id, (target.clone(), address.to_owned()), |state| &mut state.entered)?)
    }

    fn finished(&self, result: &Report) -> zorb::Result<(), FinishedError> {
        Ok(self.store(result.id, *result, |state| &mut state.reports)?)
    }

    fn failed(&self, id: NodeId, reason: &str) -> zorb::Result<()> {
        let text = format!("node {id} has failed: {reason}");
        self.0.lock().failure.get_or_insert(text);
        self.0.changed.notify_all();
        Ok(())
    }
}
