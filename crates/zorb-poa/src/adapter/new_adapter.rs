//! Creates adapters.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, OnceLock, Weak};

use zorb_base::interceptor::ServerRequestInterceptor;
use zorb_base::orb_core::OrbCore;
use zorb_base::policy;
use zorb_giop::TaggedComponent;
use zorb_os::lock::Lock;

use super::ObjectAdapter;
use crate::active_object::DirectCalls;
use crate::completion::Completion;
use crate::connection_setup::ConnectionSetup;
use crate::hold_queue::{HoldLimits, HoldQueue};
use crate::manager::PoaManager;
use crate::objects::Objects;
use crate::policies::{IdAssignment, Lifespan, PoaPolicies, RequestProcessing, ThreadModel};
use crate::provider::Provider;
use crate::reference_profiles::ReferenceProfiles;

/// The parameters of a new adapter.
pub struct NewAdapter<'a> {
    /// Its name, unique among the children of its parent.
    pub name: &'a str,
    /// The parent; `None` for a root.
    pub parent: Option<&'a Arc<ObjectAdapter>>,
    /// The adapter's policies.
    pub policies: PreparedPolicies,
    /// The manager that controls its requests.
    pub manager: PoaManager,
}

/// The policies of a new adapter, and what follows from them.
pub struct PreparedPolicies {
    pub(super) policies: PoaPolicies,
    pub(super) exposed: Option<TaggedComponent>,
    pub(super) interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    pub(super) setup: Option<ConnectionSetup>,
}

impl std::fmt::Debug for PreparedPolicies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedPolicies").field("policies", &self.policies).finish_non_exhaustive()
    }
}

impl PreparedPolicies {
    pub(crate) fn thread_model(&self) -> ThreadModel {
        self.policies.thread_model
    }

    /// For an adapter of `orb`. Calls the factories of interceptors, which may call the ORB: hold no lock.
    pub fn new(orb: &OrbCore, policies: PoaPolicies) -> Self {
        Self {
            exposed: policy::component(&policies.others).ok().flatten(),
            interceptors: orb.extensions().interceptors.server.of(&policies.others),
            setup: ConnectionSetup::of(&policies.others),
            policies,
        }
    }
}

impl std::fmt::Debug for NewAdapter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewAdapter").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A number that no thread pool has.
const NO_POOL: usize = usize::MAX;

impl ObjectAdapter {
    /// Creates an adapter. `index` is its index in the ORB's tables; `stamp` distinguishes it from earlier and later
    /// adapters with this index.
    ///
    /// `serializer` admits its requests one at a time; `this` will refer to the adapter.
    pub(crate) fn new(
        core: &Arc<OrbCore>,
        new: NewAdapter<'_>,
        serializer: Option<HoldQueue>,
        index: u32,
        stamp: u32,
        this: &Weak<Self>,
    ) -> Self {
        let NewAdapter { name, parent, policies, manager } = new;
        let PreparedPolicies { policies, exposed, interceptors, setup } = policies;
        let mut path = Vec::new();
        if let Some(parent) = parent {
            path.extend_from_slice(&parent.path);
            path.extend_from_slice(name.as_bytes());
            path.push(0);
        }
        let ids_are_slots = policies.lifespan == Lifespan::Transient
            && policies.id_assignment == IdAssignment::System;
        let direct_calls = match (&serializer, policies.request_processing) {
            (Some(_), _) => DirectCalls::Never,
            // An activator waits for the end of objects, which references must not delay.
            (None, RequestProcessing::ServantManager) => DirectCalls::WhileActive,
            (None, _) => DirectCalls::Always,
        };
        let erased: Weak<Self> = Weak::clone(this);
        Self {
            core: Arc::clone(core),
            name: name.to_owned(),
            path,
            this: Weak::clone(this),
            parent: parent.map(Arc::downgrade),
            exposed,
            reference_profiles: ReferenceProfiles::default(),
            interceptors,
            setup: setup.map(Arc::new),
            declared_priorities: Lock::default(),
            provider: Provider::of(&policies, HoldLimits::of(core)),
            policies,
            manager,
            index,
            stamp,
            children: Lock::default(),
            objects: Objects::new(erased, ids_are_slots, direct_calls),
            servants: Lock::default(),
            next_id: AtomicU64::new(0),
            destroyed: OnceLock::new(),
            has_ended: AtomicBool::new(false),
            completion: Completion::default(),
            activator: Lock::default(),
            membership: Lock::default(),
            pool_number: AtomicUsize::new(0),
            unchecked_pool: AtomicUsize::new(if serializer.is_some() { NO_POOL } else { 0 }),
            serializer,
        }
    }
}
