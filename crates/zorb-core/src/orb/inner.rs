//! The parts of one ORB.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

use zorb_base::buffers::retain_memory_of_large_values;
use zorb_base::error::{Error, Phase};
use zorb_base::options::Options;
use zorb_base::orb_core::OrbCore;
use zorb_base::policy::Policies;
use zorb_invocation::client::ClientCore;
use zorb_invocation::loan;
use zorb_invocation::object::ObjectRef;
use zorb_os::lock::{Condition, Lock};
use zorb_poa::{Adapters, KeyParts, ObjectAdapter};
use zorb_serving::ServerCore;

use super::registration::Registration;

/// A value that another crate has attached to an ORB.
pub(super) type Attached = Box<dyn Any + Send + Sync>;

/// Returns the configured policies of the object adapter at a path: the names from below the root, joined by
/// `/`; the root adapter's path is `/`.
pub(super) type AdapterPolicies =
    dyn Fn(&Arc<OrbInner>, &str) -> Result<Policies, Error> + Send + Sync;

/// Creates the local object of an initial reference. The ORB is a parameter, so that the function need not contain it.
pub(super) type CreateLocal = dyn Fn(&Arc<OrbInner>) -> Box<dyn Any> + Send + Sync;

/// What happens when the shutdown ends.
pub(super) type Ending = Box<dyn FnOnce() + Send>;

/// A condition of readiness besides those of the ORB; an error says why the server is not ready.
pub(super) type ReadinessCheck = dyn Fn() -> Result<(), String> + Send + Sync;

/// The names of the core's own initial references to local objects.
pub(super) const OWN_LOCALS: [&str; 6] = [
    "RootPOA",
    "POACurrent",
    "POAManagerFactory",
    "ORBPolicyManager",
    "PolicyCurrent",
    "PICurrent",
];

/// The parts of one ORB.
pub(crate) struct OrbInner {
    pub(crate) core: Arc<OrbCore>,
    pub(super) adapters: Arc<Adapters>,
    pub(crate) client: Arc<ClientCore>,
    pub(crate) server: Arc<ServerCore>,
    pub(super) adapter_policies: Lock<Option<Arc<AdapterPolicies>>>,
    /// Created by the first call of `root_poa`, with the policies that the ORB has at that time.
    pub(super) root: OnceLock<Arc<ObjectAdapter>>,
    pub(super) initial: Lock<HashMap<String, ObjectRef>>,
    /// See [`Orb::attach`](super::Orb::attach).
    pub(super) attached: Lock<Vec<Attached>>,
    /// The local objects for initial references of other crates, by name.
    pub(super) locals: Lock<Vec<(String, Arc<CreateLocal>)>>,
    pub(super) readiness: Lock<Vec<Arc<ReadinessCheck>>>,
    /// See the option `UseImr`.
    pub(super) registration: Lock<Registration>,
    /// Held while adapters are registered, which takes calls, so that each is registered once.
    pub(super) registering: Lock<()>,
    /// See [`Orb::at_end`](super::Orb::at_end).
    pub(super) endings: Lock<Vec<Ending>>,
    pub(super) ended: Lock<()>,
    pub(super) ending: Condition,
}

impl OrbInner {
    pub(super) fn new(options: Options) -> Arc<Self> {
        retain_memory_of_large_values();
        let core = OrbCore::new(options);
        core.extend(|known| {
            let factory = Arc::new(loan::interceptor);
            known.interceptors.server.add("zorb::BufferStrategy", factory);
        });
        let adapters = Arc::new(Adapters::new(&core));
        let client = ClientCore::new(&core, &adapters);
        let server = ServerCore::new(&core, &adapters, Box::new(Arc::clone(&client)));
        let orb = Arc::new(Self {
            core,
            adapters,
            client,
            server,
            adapter_policies: Lock::default(),
            root: OnceLock::new(),
            initial: Lock::default(),
            attached: Lock::default(),
            locals: Lock::default(),
            readiness: Lock::default(),
            registration: Lock::default(),
            registering: Lock::default(),
            endings: Lock::default(),
            ended: Lock::default(),
            ending: Condition::new(),
        });
        let owner: Weak<Self> = Arc::downgrade(&orb);
        orb.core.set_owner(owner);
        orb
    }

    /// Whether `name` is the initial reference of a local object.
    pub(super) fn has_local(&self, name: &str) -> bool {
        let locals = self.locals.lock();
        OWN_LOCALS.contains(&name) || locals.iter().any(|(known, _)| known == name)
    }

    pub(super) fn publish(&self, key: &str, object: &ObjectRef) -> Result<(), Error> {
        let rejected =
            |why: &str| Err(Error::new(Phase::Application, format!("publishing {key:?}: {why}")));
        if key.is_empty() || !matches!(KeyParts::parse(key.as_bytes()), KeyParts::Name(_)) {
            return rejected("the key is invalid");
        }
        if !self.adapters.publish(key.as_bytes(), object.ior()) {
            return rejected("the key is taken");
        }
        Ok(())
    }
}
