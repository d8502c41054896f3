//! The object adapters of an ORB.

mod activation;
mod activators;
mod current;
mod groups;
mod mapping;
mod pools;
mod servants;
mod weak;

use std::fmt;
use std::sync::{Arc, Weak};

use zorb_base::policy::{BidirectionalPolicy, ConnectionProperties, served_properties};
use zorb_base::upcall_thread::{about_to_block, check_may_wait};
use zorb_giop::ProfileTag;
use zorb_poa::{
    Lifespan, MAX_PATH, NewAdapter, ObjectAdapter, PoaError, PoaManager, PoaManagerFactory,
    PoaPolicies, PreparedPolicies,
};
use zorb_serving::PoolUse;
use zorb_types::{CompletionStatus, SystemException, minor};

pub use self::current::PoaCurrent;
use self::pools::pool_of;
use super::inner::OrbInner;

/// A handle to an object adapter. Clones are the same adapter.
///
/// The root adapter is part of the ORB; [`Poa::create`] creates children. The root adapter's manager starts in the
/// state active, unlike the standard's, which starts holding. Call [`PoaManager::hold_requests`] to make requests
/// wait.
#[derive(Clone)]
#[doc(alias = "POA")]
pub struct Poa {
    adapter: Arc<ObjectAdapter>,
    orb: Weak<OrbInner>,
}

impl Poa {
    /// The root adapter of an ORB; the first call creates it.
    pub(super) fn root(orb: &Arc<OrbInner>) -> Self {
        let root = match orb.root.get() {
            Some(root) => root,
            None => {
                // Before the initialization, for which other threads wait: these call functions of the program.
                let (policies, pool) = Self::root_policies(orb);
                let policies = PreparedPolicies::new(&orb.core, policies);
                orb.root.get_or_init(|| Self::new_root(orb, policies, pool).adapter)
            }
        };
        Self { adapter: Arc::clone(root), orb: Arc::downgrade(orb) }
    }

    fn new_root(orb: &Arc<OrbInner>, policies: PreparedPolicies, pool: Option<PoolUse>) -> Self {
        let manager = orb.adapters.managers().root();
        let new = NewAdapter { name: "RootPOA", parent: None, policies, manager };
        let root = Self { adapter: orb.adapters.register_root(new), orb: Arc::downgrade(orb) };
        root.join(pool);
        root.accept_offers(orb);
        root
    }

    /// The policies of the root adapter, and its use of a thread pool.
    fn root_policies(orb: &Arc<OrbInner>) -> (PoaPolicies, Option<PoolUse>) {
        let mut policies = PoaPolicies::root();
        let configured = orb.adapter_policies.lock().clone();
        if let Some(configured) = configured {
            match configured(orb, "/") {
                Ok(configured) => policies = policies.with_defaults(&configured),
                Err(error) => {
                    tracing::warn!(%error, "ignoring the configured policies of the root adapter");
                }
            }
        }
        let inherited = policies.inheriting(&orb.client.policies().load().policies);
        match pool_of(orb, &inherited.others) {
            Ok(pool) => (inherited, pool),
            Err(error) => {
                tracing::warn!(%error, "ignoring the ORB's policies for the root adapter");
                (PoaPolicies::root(), None)
            }
        }
    }

    /// A handle to another adapter of the same ORB.
    fn with_adapter(&self, adapter: Arc<ObjectAdapter>) -> Self {
        Self { adapter, orb: Weak::clone(&self.orb) }
    }

    fn orb(&self) -> Result<Arc<OrbInner>, SystemException> {
        self.orb.upgrade().ok_or_else(|| {
            SystemException::object_not_exist(
                minor::object_not_exist::POA_NOT_FOUND,
                CompletionStatus::No,
            )
        })
    }

    /// Checks that the adapter has not been destroyed.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` (OMG 4) once its destruction is complete; `BAD_INV_ORDER` (OMG 4) after a shutdown.
    fn check_exists(&self) -> Result<(), PoaError> {
        if self.adapter.has_ended() { Err(self.destroyed()) } else { Ok(()) }
    }

    #[cold]
    fn destroyed(&self) -> PoaError {
        let ended = self.orb.upgrade().and_then(|orb| orb.core.check_running().err());
        let gone = || {
            let code = minor::object_not_exist::BEING_DEACTIVATED;
            SystemException::object_not_exist(code, CompletionStatus::No)
        };
        PoaError::System(ended.unwrap_or_else(gone))
    }

    /// Assigns the adapter to `pool`, whose connections get the adapter's connection properties.
    fn join(&self, pool: Option<PoolUse>) {
        if let Some(pool) = pool {
            pool.set_up_by(self.adapter.setup().cloned());
            self.adapter.join(pool.number(), Box::new(pool));
        }
    }

    /// Makes the ORB accept that clients are called over their connections, if the adapter's policy is that.
    fn accept_offers(&self, orb: &OrbInner) {
        let policy = self.adapter.policies().others.value();
        if policy == Some(&BidirectionalPolicy::Both) {
            orb.core.bidirection().accept_for_adapter();
        }
    }

    /// Creates a child adapter with the same manager (`create_POA`).
    ///
    /// # Errors
    /// `AdapterAlreadyExists`, also while the destruction of that adapter is not complete; `InvalidPolicy` for policies
    /// that contradict each other, or a name that is empty, too long or contains a NUL; `BAD_INV_ORDER` (OMG 17) while this adapter is being destroyed;
    /// `BAD_INV_ORDER` (OMG 4) after a shutdown; `OBJECT_NOT_EXIST` if the ORB has been dropped.
    #[doc(alias = "create_POA")]
    pub fn create(&self, name: &str, policies: PoaPolicies) -> Result<Self, PoaError> {
        self.create_with_manager(name, policies, self.manager())
    }

    /// Creates a child adapter with the given manager, or with `None` one of its own (`create_POA` with a nil
    /// `a_POAManager`): a new manager in the holding state, whose [id](PoaManager::id) the ORB makes up.
    ///
    /// # Errors
    /// As [`create`](Self::create); `ManagerAlreadyExists` if the manager's last adapter has been destroyed, and another
    /// manager has got its id since; `InvalidPolicy` for a manager of another ORB.
    #[doc(alias = "create_POA")]
    pub fn create_with_manager(
        &self,
        name: &str,
        policies: PoaPolicies,
        manager: impl Into<Option<PoaManager>>,
    ) -> Result<Self, PoaError> {
        self.create_child(name, policies, manager.into())
    }

    fn create_child(
        &self,
        name: &str,
        policies: PoaPolicies,
        manager: Option<PoaManager>,
    ) -> Result<Self, PoaError> {
        policies.check()?;
        if name.is_empty()
            || name.contains('\0')
            || self.adapter.path().len() + name.len() > MAX_PATH
        {
            return Err(PoaError::invalid_policy("the adapter's name is invalid"));
        }
        let orb = self.orb()?;
        let mut policies = self.configured(&orb, name, policies)?;
        if let Some(manager) = &manager {
            policies = policies.with_defaults(manager.policies());
        }
        let policies = policies.inheriting(&orb.client.policies().load().policies);
        let pool = pool_of(&orb, &policies.others)?;
        let policies = PreparedPolicies::new(&orb.core, policies);
        let mut children = self.adapter.lock_children()?;
        // Checked under the lock with which a shutdown collects the managers that hold requests.
        orb.core.check_running()?;
        if children.contains_key(name) {
            return Err(PoaError::AdapterAlreadyExists);
        }
        let parent = Some(&self.adapter);
        let manager = manager.unwrap_or_else(|| orb.adapters.managers().create_unnamed());
        let new = NewAdapter { name, parent, policies, manager };
        let child = orb.adapters.register(new)?;
        children.insert(name.to_owned(), Arc::clone(&child));
        drop(children);
        let child = self.with_adapter(child);
        child.join(pool);
        child.accept_offers(&orb);
        if orb.core.options().use_imr && orb.core.is_serving() {
            self.register_in_repository(&orb, &child)?;
        }
        Ok(child)
    }

    /// Tells the implementation repository of a child that has been created while the program serves, if its references
    /// lead there.
    ///
    /// # Errors
    /// The exception of the call to it; then the child has been destroyed.
    #[cold]
    fn register_in_repository(&self, orb: &Arc<OrbInner>, child: &Self) -> Result<(), PoaError> {
        if self.parent().is_some() || child.adapter.policies().lifespan != Lifespan::Persistent {
            return Ok(());
        }
        orb.register_adapters(Some(child.name())).map_err(|error| {
            child.destroy();
            let no = CompletionStatus::No;
            let exception = SystemException::initialize(minor::initialize::ENDPOINT, no);
            PoaError::System(error.into_exception(exception))
        })
    }

    /// The policies of a child, with the configured ones as defaults.
    fn configured(
        &self,
        orb: &Arc<OrbInner>,
        name: &str,
        policies: PoaPolicies,
    ) -> Result<PoaPolicies, PoaError> {
        let configured = orb.adapter_policies.lock().clone();
        let Some(configured) = configured else { return Ok(policies) };
        let mut path = name.to_owned();
        let mut above = Some(self.clone());
        while let Some(poa) = above.filter(|poa| poa.parent().is_some()) {
            path = format!("{}/{path}", poa.name());
            above = poa.parent();
        }
        let policies = policies.with_defaults(&configured(orb, &path).map_err(|error| {
            let no = CompletionStatus::No;
            let code = minor::inv_policy::CONFLICT;
            error.into_exception(SystemException::inv_policy(code, no))
        })?);
        policies.check()?;
        Ok(policies)
    }

    /// The child adapter of that name (`find_POA`).
    ///
    /// # Errors
    /// `AdapterNonExistent`; `OBJECT_NOT_EXIST` (OMG 4) if this adapter has been [destroyed](Self::destroy).
    #[doc(alias = "find_POA")]
    pub fn find(&self, name: &str) -> Result<Self, PoaError> {
        self.check_exists()?;
        let child = self.adapter.child(name).ok_or(PoaError::AdapterNonExistent)?;
        Ok(self.with_adapter(child))
    }

    /// The adapter's name; `"RootPOA"` for the root.
    pub fn name(&self) -> &str {
        self.adapter.name()
    }

    /// The names of the adapters from below the root down to this one, separated by `/`; `"/"` for the root.
    pub fn path(&self) -> String {
        let path = self.adapter.path();
        match path.strip_suffix(b"\0") {
            Some(names) => String::from_utf8_lossy(names).replace('\0', "/"),
            None => "/".to_owned(),
        }
    }

    /// The adapter's id, octets that no other adapter of its ORB has (attribute `id`). A persistent adapter with this path
    /// has the same one in each run of the program; a transient adapter has one of its own.
    pub fn id(&self) -> Vec<u8> {
        self.adapter.key(&[])
    }

    /// The adapter's policies.
    pub fn policies(&self) -> PoaPolicies {
        self.adapter.policies().clone()
    }

    /// The properties of connections to this adapter's objects over profiles of this kind. Each is taken
    /// from the adapter's policies, otherwise from the ORB's policies when the adapter was created,
    /// otherwise from the server's options; a property that none of them sets is left to the system. The
    /// limits, from `max_connections` on, apply to clients and are not read from policies of servers.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if the ORB has been dropped.
    pub fn connection_properties(
        &self,
        profile: ProfileTag,
    ) -> Result<ConnectionProperties, SystemException> {
        let own = served_properties(&self.adapter.policies().others, profile);
        Ok(own.or(ConnectionProperties::of_served(self.orb()?.core.options())))
    }

    /// The adapter's manager.
    #[doc(alias = "the_POAManager")]
    pub fn manager(&self) -> PoaManager {
        self.adapter.manager().clone()
    }

    /// What creates the POA managers of the ORB, and finds them by id.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if the ORB has been dropped.
    #[doc(alias = "the_POAManagerFactory")]
    pub fn manager_factory(&self) -> Result<PoaManagerFactory, SystemException> {
        Ok(self.orb()?.adapters.managers().clone())
    }

    /// The adapter's parent; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.adapter.parent().map(|parent| self.with_adapter(parent))
    }

    /// The adapter's children.
    pub fn children(&self) -> Vec<Self> {
        self.adapter.children().into_iter().map(|child| self.with_adapter(child)).collect()
    }

    /// The number of active objects in this adapter.
    pub fn active_objects(&self) -> usize {
        self.adapter.active_objects()
    }

    /// Destroys the adapter and its children: their objects no longer exist, and servant activators etherealize them,
    /// those of the children first. Requests in progress complete, which this does not wait for. Then the adapter's name
    /// can be used again, and its operations that return a `Result` fail with `OBJECT_NOT_EXIST` (OMG 4);
    /// [`create`](Self::create) fails with `BAD_INV_ORDER` (OMG 17).
    pub fn destroy(&self) {
        self.destroy_now(true);
    }

    /// As [`destroy`](Self::destroy), with the standard's parameters. Without `etherealize_objects`, servant activators
    /// do not learn of the end of the objects. With `wait_for_completion`, returns when all requests in progress have
    /// completed, and all objects have been etherealized.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 3) with `wait_for_completion` on a thread of the ORB, which would wait for itself, for
    /// example in an upcall; then nothing is destroyed.
    pub fn destroy_with(
        &self,
        etherealize_objects: bool,
        wait_for_completion: bool,
    ) -> Result<(), PoaError> {
        if wait_for_completion && let Some(orb) = self.orb.upgrade() {
            check_may_wait(&orb.core)?;
        }
        self.destroy_now(etherealize_objects);
        if wait_for_completion {
            about_to_block();
            self.adapter.wait_for_completion();
        }
        Ok(())
    }

    fn destroy_now(&self, etherealize: bool) {
        let orb = self.orb.upgrade();
        self.adapter.destroy(etherealize, &|adapter| {
            if let Some(orb) = &orb {
                orb.adapters.unregister(adapter);
            }
        });
    }
}

impl fmt::Debug for Poa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poa")
            .field("name", &self.name())
            .field("policies", self.adapter.policies())
            .field("manager", &self.adapter.manager().state())
            .finish_non_exhaustive()
    }
}
