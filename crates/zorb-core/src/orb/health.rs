//! Whether a server is ready for requests, and alive: the object that probes ask.

mod liveness;

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use zorb_base::error::{Error, Result};
use zorb_base::upcall_thread::{ProbeUpcall, served_connection};
use zorb_invocation::object::ObjectRef;
use zorb_os::lock::Lock;
use zorb_poa::{ManagerState, ObjectAdapter, PoaManager, PoaPolicies};
use zorb_serving::Listener;

use super::handle::Orb;
use super::inner::OrbInner;
use crate::codegen;
use liveness::Liveness;

/// The name of the adapter of the object.
const ADAPTER: &str = "zorb::Health";

/// The health of a server, for probes of an orchestrator such as Kubernetes: see [`Orb::publish_health`].
///
/// ```idl
/// #pragma prefix "zorb"
/// interface Health {
///   boolean ready(out string why_not);
///   boolean live(out string why_not);
/// };
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Health(ObjectRef);

codegen::interface!(Health(ObjectRef), "IDL:zorb/Health:1.0", "Health", []);

impl Health {
    /// Whether the server is ready for requests: it serves, is not [draining](Orb::drain), all POA managers are active,
    /// and nothing that its program [requires](Orb::add_readiness_check) is missing. Otherwise also why not. A server that
    /// shuts down refuses the call.
    ///
    /// # Errors
    /// The system exception of the call: the server is not ready.
    pub fn ready(&self) -> Result<(bool, String)> {
        codegen::invoke!(self, ready, [], [bool, String])
    }

    /// Whether the threads of all lanes make progress. Otherwise also why not.
    ///
    /// # Errors
    /// The system exception of the call.
    pub fn live(&self) -> Result<(bool, String)> {
        codegen::invoke!(self, live, [], [bool, String])
    }
}

/// A servant of [`Health`].
pub trait HealthServant: Send + Sync + 'static {
    /// See [`Health::ready`].
    ///
    /// # Errors
    /// None.
    fn ready(&self) -> Result<(bool, String)>;

    /// See [`Health::live`].
    ///
    /// # Errors
    /// None.
    fn live(&self) -> Result<(bool, String)>;
}

codegen::skeleton!(Health, HealthServant, {
    0 "ready" ready() [result: bool, why_not: String],
    1 "live" live() [result: bool, why_not: String],
});

impl Orb {
    /// Publishes an object under a plain key, which tells probes whether this server is [ready](Health::ready) and
    /// [live](Health::live): `zorb ping --ready corbaloc::host:port/KEY` and `--live`. It has an adapter and a POA
    /// manager of its own, so that it answers while other managers hold requests.
    ///
    /// A lane of a thread pool is stuck if all of its threads have been busy since a probe at least `stuck_after` ago,
    /// and none has completed anything. Where connections have threads of their own, as at the ORB's own endpoints, a
    /// lane is stuck if an upcall has been running whenever it was asked since then, and no request has ended but those of
    /// probes. Choose a multiple of your longest upcall and of the time between probes.
    ///
    /// # Errors
    /// Those of [`publish`](Self::publish); `INITIALIZE` if no endpoint can be opened; the object has been published
    /// before.
    pub fn publish_health(&self, key: &str, stuck_after: Duration) -> Result<Health, Error> {
        let probed = Probed {
            orb: Arc::downgrade(&self.inner),
            liveness: Lock::new(Liveness::new(stuck_after)),
        };
        let manager = self.create_poa_manager();
        manager.activate()?;
        let policies = PoaPolicies::new();
        let poa = self.root_poa().create_with_manager(ADAPTER, policies, manager)?;
        let health: Health = poa.activate(probed)?;
        match self.publish(key, &health) {
            Ok(()) => Ok(health),
            Err(error) => {
                poa.destroy();
                Err(error)
            }
        }
    }

    /// Adds a condition of readiness: [`Health::ready`] asks it at each probe, and reports the text of its error. It
    /// should not block.
    pub fn add_readiness_check(
        &self,
        check: impl Fn() -> std::result::Result<(), String> + Send + Sync + 'static,
    ) {
        self.inner.readiness.lock().push(Arc::new(check));
    }
}

/// The servant.
struct Probed {
    orb: Weak<OrbInner>,
    liveness: Lock<Liveness>,
}

impl HealthServant for Probed {
    fn ready(&self) -> Result<(bool, String)> {
        // The upcall of a collocated caller is no probe.
        let _probe = served_connection().map(ProbeUpcall::of);
        let problems = match self.orb.upgrade() {
            Some(orb) => obstacles(&orb),
            None => vec!["the ORB has ended".to_owned()],
        };
        Ok((problems.is_empty(), problems.join("; ")))
    }

    fn live(&self) -> Result<(bool, String)> {
        let _probe = served_connection().map(ProbeUpcall::of);
        let lanes = self.orb.upgrade().map(|orb| orb.server.progress()).unwrap_or_default();
        let stuck = self.liveness.lock().stuck(&lanes, Instant::now());
        Ok((stuck.is_empty(), stuck.join("; ")))
    }
}

/// Why a server is not ready for requests.
fn obstacles(orb: &OrbInner) -> Vec<String> {
    let mut obstacles = Vec::new();
    if !orb.core.is_running() {
        obstacles.push("the ORB is shutting down".to_owned());
    } else if orb.core.is_draining() {
        obstacles.push("the server is draining".to_owned());
    } else if !orb.core.is_serving() {
        obstacles.push("the program is starting".to_owned());
    }
    let listens = orb.server.with_listeners(|all| all.iter().any(Listener::is_for_objects));
    if !listens {
        obstacles.push("no endpoint is open".to_owned());
    }
    if let Some(root) = orb.root.get() {
        look_at_manager(root, None, &mut obstacles);
    }
    let checks = orb.readiness.lock().clone();
    obstacles.extend(checks.iter().filter_map(|check| check().err()));
    obstacles
}

/// Adds what the managers of an adapter and its descendants prevent; `above` is its parent's manager.
fn look_at_manager(
    adapter: &ObjectAdapter,
    above: Option<&PoaManager>,
    obstacles: &mut Vec<String>,
) {
    let manager = adapter.manager();
    // A manager is reported with the first adapter of a subtree.
    if above != Some(manager) && manager.state() != ManagerState::Active {
        let (name, state) = (adapter.name(), manager.state());
        obstacles.push(format!("the POA manager of {name} is {}", word(state)));
    }
    for child in adapter.children() {
        look_at_manager(&child, Some(manager), obstacles);
    }
}

fn word(state: ManagerState) -> &'static str {
    match state {
        ManagerState::Holding => "holding",
        ManagerState::Active => "active",
        ManagerState::Discarding => "discarding",
        ManagerState::Inactive => "inactive",
    }
}
