//! The policies of an ORB.

use std::fmt;
use std::sync::Arc;

use zorb_base::policy::{BidirectionalPolicy, Levels, Policies, SetOverrideType, TypedPolicy};
use zorb_types::SystemException;

use super::inner::OrbInner;

/// The policies of an ORB for all of its calls (`CORBA::PolicyManager`, the initial reference
/// `ORBPolicyManager`). Policies of the same types of a thread, a reference or a call take precedence.
///
/// Object adapters inherit the server policies when they are created. Connection properties apply to connections
/// that clients open later, until those of an adapter replace them.
#[derive(Clone)]
#[doc(alias = "ORBPolicyManager")]
pub struct PolicyManager {
    orb: Arc<OrbInner>,
}

impl PolicyManager {
    pub(crate) fn new(orb: &Arc<OrbInner>) -> Self {
        Self { orb: Arc::clone(orb) }
    }

    /// Adds `policies`, each replacing one of the same type.
    ///
    /// # Errors
    /// `NO_PERMISSION`, minor `POLICY_LEVEL`, for a policy that an ORB cannot have.
    pub fn add(&self, policies: &Policies) -> Result<(), SystemException> {
        self.set_policy_overrides(policies, SetOverrideType::AddOverride)
    }

    /// Sets the ORB's policies (`set_policy_overrides`).
    ///
    /// # Errors
    /// `NO_PERMISSION`, minor `POLICY_LEVEL`, for a policy that an ORB cannot have.
    pub fn set_policy_overrides(
        &self,
        policies: &Policies,
        how: SetOverrideType,
    ) -> Result<(), SystemException> {
        policies.check(Levels::ORB)?;
        self.orb.client.policies().rcu(|known| known.changed(policies, how));
        let bidirectional = self.orb.client.policies().load().policies.value().copied();
        let accepts = bidirectional == Some(BidirectionalPolicy::Both);
        self.orb.core.bidirection().accept(accepts);
        self.orb.server.update_default_connection_setup(|| self.policy_overrides());
        Ok(())
    }

    /// The ORB's policies (`get_policy_overrides`).
    #[doc(alias = "get_policy_overrides")]
    pub fn policy_overrides(&self) -> Policies {
        self.orb.client.policies().load().policies.clone()
    }

    /// Makes the ORB read policies of type `P` from references (`register_policy_factory`). References that have
    /// been called already do not change.
    #[doc(alias = "register_policy_factory")]
    pub fn register_policy<P: TypedPolicy>(&self) {
        self.orb.core.extend(|extensions| extensions.readers.add::<P>());
    }

    /// The ORB's policy of type `P`, or the default.
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
