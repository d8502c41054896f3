//! The policies of an ORB.

use std::fmt;
use std::sync::{Arc, PoisonError};

use zorb_types::SystemException;

use super::{
    AdapterPolicies, Levels, NetworkPriorities, Policies, RequestContext, RestingPriorities,
    SetOverrideType, TypedPolicy,
};
use crate::orb::OrbCore;

/// The policies of an ORB: they hold for all of its calls that no thread, reference or call has
/// others for (`CORBA::PolicyManager`, the initial reference `ORBPolicyManager`).
///
/// Policies of servers are what object adapters begin with that are made from then on; what they say of
/// connections holds from then on for those that clients make, until an adapter says otherwise.
#[derive(Clone)]
#[doc(alias = "ORBPolicyManager")]
pub struct PolicyManager {
    core: Arc<OrbCore>,
}

impl PolicyManager {
    pub(crate) fn new(core: &Arc<OrbCore>) -> Self {
        Self { core: Arc::clone(core) }
    }

    /// Adds `policies`, each in place of one of its type.
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that an ORB cannot have.
    pub fn add(&self, policies: &Policies) -> Result<(), SystemException> {
        self.set_policy_overrides(policies, SetOverrideType::AddOverride)
    }

    /// Sets the ORB's policies (`set_policy_overrides`).
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that an ORB cannot have.
    pub fn set_policy_overrides(
        &self,
        policies: &Policies,
        how: SetOverrideType,
    ) -> Result<(), SystemException> {
        policies.check(Levels::ORB)?;
        self.core.overrides().rcu(|known| known.changed(policies, how).for_servers());
        Ok(())
    }

    /// The ORB's policies (`get_policy_overrides`).
    #[doc(alias = "get_policy_overrides")]
    pub fn policy_overrides(&self) -> Policies {
        self.core.overrides().load().policies.clone()
    }

    /// Has the ORB understand the policies of type `P` that stand in references, and do in calls what
    /// they say; `prepare` sees each first. References that calls have been made by stay as they are.
    pub fn understand<P: TypedPolicy>(&self, prepare: impl Fn(P) -> P + Send + Sync + 'static) {
        let understood = self.core.understood();
        understood.write().unwrap_or_else(PoisonError::into_inner).add(prepare);
    }

    /// Has `context` accompany every request of the ORB, and know when its call has ended. References
    /// that calls have been made by stay as they are.
    ///
    /// A request has room for eight contexts, of policies and of what accompanies it. Were there more,
    /// none would be left out: calls fail with `IMP_LIMIT`, minor `TOO_MANY_CONTEXTS`.
    pub fn accompany(&self, context: Arc<dyn RequestContext>) {
        self.core.overrides().rcu(|known| known.accompanied_by(&context));
    }

    /// Has the ORB's connections that serve one priority be in the class of the network that
    /// `priorities` says. References that calls have been made by stay as they are, and so do endpoints
    /// that are open.
    pub fn prioritize_network(&self, priorities: Arc<dyn NetworkPriorities>) {
        self.core.overrides().rcu(|known| known.with_network(&priorities));
    }

    /// Has object adapters that are made from now on have the policies that `adapters` says for their
    /// names, below those that the program gives them and above those of the ORB.
    pub fn furnish_adapters(&self, adapters: Arc<dyn AdapterPolicies>) {
        self.core.overrides().rcu(|known| known.furnishing(&adapters));
    }

    /// Has threads outside lanes that serve a connection for a band of priorities rest at the highest of
    /// them, once the client has told the band.
    pub fn rest_threads(&self, resting: Arc<dyn RestingPriorities>) {
        self.core.overrides().rcu(|known| known.resting_by(&resting));
    }

    /// The ORB's policy of type `P`, else the default.
    pub fn policy<P: TypedPolicy>(&self) -> Option<P> {
        let overrides = self.core.overrides().load();
        overrides.policies.value().cloned().or_else(|| P::default_of(self.core.options()))
    }
}

impl fmt::Debug for PolicyManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PolicyManager").field(&self.policy_overrides()).finish()
    }
}
