//! The policies of an ORB.

use std::fmt;
use std::sync::Arc;

use zorb_base::policy::{Levels, Policies, SetOverrideType, TypedPolicy};
use zorb_types::SystemException;

use super::inner::OrbInner;

/// The policies of an ORB, for all of its calls by threads and references without policies of the same
/// types (`CORBA::PolicyManager`, the initial reference `ORBPolicyManager`).
///
/// Object adapters inherit policies of servers when they are created. The connection properties apply to
/// connections that clients open from then on, until an adapter's properties replace them.
#[derive(Clone)]
#[doc(alias = "ORBPolicyManager")]
pub struct PolicyManager {
    orb: Arc<OrbInner>,
}

impl PolicyManager {
    pub(crate) fn new(orb: &Arc<OrbInner>) -> Self {
        Self { orb: Arc::clone(orb) }
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
        self.orb.client.policies().rcu(|known| known.changed(policies, how));
        self.orb.server.set_default_connection_setup(&self.orb.client.policies().load().policies);
        Ok(())
    }

    /// The ORB's policies (`get_policy_overrides`).
    #[doc(alias = "get_policy_overrides")]
    pub fn policy_overrides(&self) -> Policies {
        self.orb.client.policies().load().policies.clone()
    }

    /// Lets the ORB read policies of type `P` from references (`register_policy_factory`). References that
    /// have been called already do not change.
    #[doc(alias = "register_policy_factory")]
    pub fn register_policy<P: TypedPolicy>(&self) {
        self.orb.core.extend(|extensions| extensions.readers.add::<P>());
    }

    /// The ORB's policy of type `P`, else the default.
    pub fn policy<P: TypedPolicy>(&self) -> Option<P> {
        let known = self.orb.client.policies().load();
        known.policies.value().cloned().or_else(|| P::default_of(self.orb.core.options()))
    }
}

impl fmt::Debug for PolicyManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PolicyManager").field(&self.policy_overrides()).finish()
    }
}
