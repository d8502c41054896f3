//! One ORB: the state of its parts, and what joins them.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

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

/// Something that another crate has made of an ORB.
pub(super) type Attached = Box<dyn Any + Send + Sync>;

/// The policies that the configuration gives to the object adapter at a path: the names from below the
/// root, joined by `/`; the root adapter's path is `/`.
pub(super) type AdapterPolicies =
    dyn Fn(&Arc<OrbInner>, &str) -> Result<Policies, Error> + Send + Sync;

/// The names of the core's own initial references to local objects.
pub(super) const OWN_LOCALS: [&str; 3] = ["RootPOA", "ORBPolicyManager", "PolicyCurrent"];

/// The parts of one ORB.
pub(crate) struct OrbInner {
    pub(crate) core: Arc<OrbCore>,
    pub(super) adapters: Arc<Adapters>,
    pub(crate) client: Arc<ClientCore>,
    pub(crate) server: Arc<ServerCore>,
    pub(super) adapter_policies: Lock<Option<Arc<AdapterPolicies>>>,
    /// Made when it is first asked for, with the policies that the ORB has then.
    pub(super) root: OnceLock<Arc<ObjectAdapter>>,
    pub(super) initial: Lock<HashMap<String, ObjectRef>>,
    /// What other crates have made of this ORB.
    pub(super) attached: Lock<Vec<Attached>>,
    /// What makes the local objects that initial references of other crates lead to, by name.
    pub(super) locals: Lock<Vec<(String, Box<dyn Any + Send + Sync>)>>,
    pub(super) ended: Lock<()>,
    pub(super) ending: Condition,
}

impl OrbInner {
    pub(super) fn new(options: Options) -> Arc<Self> {
        let core = OrbCore::new(options);
        core.extend(|known| {
            let factory = Arc::new(loan::interceptor);
            known.interceptors.server.add("zorb::BufferStrategy", factory);
        });
        let adapters = Arc::new(Adapters::new(&core));
        let client = ClientCore::new(&core, &adapters);
        let server = ServerCore::new(&core, &adapters, Box::new(Arc::clone(&client)));
        Arc::new(Self {
            core,
            adapters,
            client,
            server,
            adapter_policies: Lock::default(),
            root: OnceLock::new(),
            initial: Lock::default(),
            attached: Lock::default(),
            locals: Lock::default(),
            ended: Lock::default(),
            ending: Condition::new(),
        })
    }

    /// Whether a local object has that name.
    pub(super) fn has_local(&self, name: &str) -> bool {
        let locals = self.locals.lock();
        OWN_LOCALS.contains(&name) || locals.iter().any(|(known, _)| known == name)
    }

    pub(super) fn publish(&self, key: &str, object: &ObjectRef) -> Result<(), Error> {
        let refused =
            |why: &str| Err(Error::new(Phase::Application, format!("publishing {key:?}: {why}")));
        if key.is_empty() || !matches!(KeyParts::parse(key.as_bytes()), KeyParts::Name(_)) {
            return refused("the key is not usable");
        }
        if !self.adapters.publish(key.as_bytes(), object.ior()) {
            return refused("the key is taken");
        }
        Ok(())
    }
}
