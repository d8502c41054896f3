//! Creates POA managers and finds them by id (CORBA 3.3 part 1, 15.3.3).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

use zorb_base::orb_core::OrbCore;
use zorb_base::policy::Policies;
use zorb_os::lock::Lock;

use crate::error::PoaError;
use crate::manager::{ManagerState, PoaManager};
use crate::policies::check_policies;

/// The id of the root adapter's manager.
const ROOT: &str = "RootPOAManager";

/// Creates the POA managers of an ORB, and finds them by id: `PortableServer::POAManagerFactory` (CORBA 3.3 part 1,
/// 15.3.3), the initial reference `POAManagerFactory`.
///
/// It knows a manager until the last adapter of the manager has been destroyed. It knows managers whose ids the ORB
/// generates from their first adapter on. Clones are the same factory.
#[derive(Clone)]
#[doc(alias = "POAManagerFactory")]
pub struct PoaManagerFactory(Arc<Factory>);

struct Factory {
    orb: Arc<OrbCore>,
    root: PoaManager,
    known: Lock<Known>,
}

struct Known {
    managers: BTreeMap<String, PoaManager>,
    /// The number of ids that the ORB has made up.
    made_up: u64,
}

impl PoaManagerFactory {
    /// A factory that knows the manager of the root adapter, which is active.
    pub(crate) fn new(orb: &Arc<OrbCore>) -> Self {
        let id = ROOT.to_owned();
        let root = PoaManager::new(orb, id.clone(), Policies::new(), ManagerState::Active);
        let managers = BTreeMap::from([(id, root.clone())]);
        let known = Lock::new(Known { managers, made_up: 0 });
        Self(Arc::new(Factory { orb: Arc::clone(orb), root, known }))
    }

    /// Creates a manager in the holding state (`create_POAManager`). The `policies` are those of its adapters, such as a
    /// thread pool, unless an adapter has one of the same type.
    ///
    /// # Errors
    /// `ManagerAlreadyExists`; `PolicyError` for a policy that adapters cannot have.
    #[doc(alias = "create_POAManager")]
    pub fn create(&self, id: &str, policies: &Policies) -> Result<PoaManager, PoaError> {
        check_policies(policies).map_err(|error| match error {
            PoaError::InvalidPolicy { reason, .. } => PoaError::PolicyError { reason },
            other => other,
        })?;
        match self.0.known.lock().managers.entry(id.to_owned()) {
            Entry::Occupied(_) => Err(PoaError::ManagerAlreadyExists),
            Entry::Vacant(free) => Ok(free.insert(self.holding(id, policies.clone())).clone()),
        }
    }

    /// Creates a manager in the holding state, whose id the ORB generates. It is [known](Self::know) as soon as it gets
    /// an adapter.
    #[doc(hidden)]
    pub fn create_unnamed(&self) -> PoaManager {
        let mut known = self.0.known.lock();
        let id = loop {
            known.made_up += 1;
            let id = format!("POAManager-{}", known.made_up);
            if !known.managers.contains_key(&id) {
                break id;
            }
        };
        self.holding(&id, Policies::new())
    }

    /// All managers, in the order of their ids (`list`).
    pub fn list(&self) -> Vec<PoaManager> {
        self.0.known.lock().managers.values().cloned().collect()
    }

    /// The manager with this id (`find`); `None` if there is none.
    pub fn find(&self, id: &str) -> Option<PoaManager> {
        self.0.known.lock().managers.get(id).cloned()
    }

    /// The manager of the root adapter.
    #[doc(hidden)]
    pub fn root(&self) -> PoaManager {
        self.0.root.clone()
    }

    /// Knows a manager, which is to get an adapter; its earlier ones may have been destroyed.
    ///
    /// # Errors
    /// `ManagerAlreadyExists` if another manager has its id by now; `InvalidPolicy` if it is a manager of another ORB.
    pub(crate) fn know(&self, manager: &PoaManager) -> Result<(), PoaError> {
        if !manager.is_of(&self.0.orb) {
            return Err(PoaError::invalid_policy("the POA manager is one of another ORB"));
        }
        let managers = &mut self.0.known.lock().managers;
        match managers.entry(manager.id().to_owned()).or_insert_with(|| manager.clone()) {
            known if known == manager => Ok(()),
            _ => Err(PoaError::ManagerAlreadyExists),
        }
    }

    /// The adapter with this index, which has this manager, is being destroyed.
    pub(crate) fn leave(&self, manager: &PoaManager, index: u32) {
        if manager.leave(index) {
            let mut known = self.0.known.lock();
            if known.managers.get(manager.id()) == Some(manager) {
                known.managers.remove(manager.id());
            }
        }
    }

    fn holding(&self, id: &str, policies: Policies) -> PoaManager {
        PoaManager::new(&self.0.orb, id.to_owned(), policies, ManagerState::Holding)
    }
}

impl fmt::Debug for PoaManagerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<_> = self.0.known.lock().managers.keys().cloned().collect();
        f.debug_tuple("PoaManagerFactory").field(&ids).finish()
    }
}
