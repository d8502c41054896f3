//! Creating adapters.

use std::sync::Arc;

use zorb_base::policy::BidirectionalPolicy;
use zorb_poa::{
    Lifespan, MAX_PATH, NewAdapter, PoaError, PoaManager, PoaPolicies, PreparedPolicies,
};
use zorb_serving::PoolUse;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::Poa;
use super::pools::pool_of;
use crate::orb::inner::OrbInner;

impl Poa {
    /// The root adapter of an ORB; the first call creates it.
    pub(in crate::orb) fn root(orb: &Arc<OrbInner>) -> Self {
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
}
