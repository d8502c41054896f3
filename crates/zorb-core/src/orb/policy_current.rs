//! The policies of threads.

use std::fmt;
use std::sync::Arc;

use zorb_base::policy::{Levels, Policies, SetOverrideType};
use zorb_invocation::client::{
    ClientCore, ClientPolicies, policies_of_thread, set_policies_of_thread,
};
use zorb_types::SystemException;

/// The policies of the calling thread for calls through one ORB (`CORBA::PolicyCurrent`, the initial reference
/// `PolicyCurrent`). Policies of the same types in a reference or a call take precedence.
///
/// An upcall may run on a thread that still has policies set by an earlier one, so servants use
/// [`during`](Self::during).
#[derive(Clone)]
pub struct PolicyCurrent {
    core: Arc<ClientCore>,
}

impl PolicyCurrent {
    pub(crate) fn new(core: &Arc<ClientCore>) -> Self {
        Self { core: Arc::clone(core) }
    }

    /// Adds `policies`, each replacing one of the same type.
    ///
    /// # Errors
    /// `NO_PERMISSION`, minor `POLICY_LEVEL`, for a policy that a thread cannot have.
    pub fn add(&self, policies: &Policies) -> Result<(), SystemException> {
        self.set_policy_overrides(policies, SetOverrideType::AddOverride)
    }

    /// Sets the thread's policies (`set_policy_overrides`).
    ///
    /// # Errors
    /// `NO_PERMISSION`, minor `POLICY_LEVEL`, for a policy that a thread cannot have.
    pub fn set_policy_overrides(
        &self,
        policies: &Policies,
        how: SetOverrideType,
    ) -> Result<(), SystemException> {
        policies.check(Levels::THREAD)?;
        let changed = match policies_of_thread(&self.core) {
            Some(known) => known.changed(policies, how),
            None => ClientPolicies::new(policies.clone()),
        };
        set_policies_of_thread(&self.core, Some(Arc::new(changed)));
        Ok(())
    }

    /// The thread's policies (`get_policy_overrides`).
    #[doc(alias = "get_policy_overrides")]
    pub fn policy_overrides(&self) -> Policies {
        policies_of_thread(&self.core).map(|known| known.policies.clone()).unwrap_or_default()
    }

    /// Runs `work` with `policies` added to the thread's, and restores these afterwards.
    ///
    /// # Errors
    /// `NO_PERMISSION`, minor `POLICY_LEVEL`, for a policy that a thread cannot have; `work` is not run.
    pub fn during<T>(
        &self,
        policies: &Policies,
        work: impl FnOnce() -> T,
    ) -> Result<T, SystemException> {
        let before = policies_of_thread(&self.core);
        self.add(policies)?;
        let _restore = Restore { core: &self.core, before };
        Ok(work())
    }
}

impl fmt::Debug for PolicyCurrent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PolicyCurrent").field(&self.policy_overrides()).finish()
    }
}

/// Restores the policies of a thread when dropped, also after a panic.
struct Restore<'c> {
    core: &'c Arc<ClientCore>,
    before: Option<Arc<ClientPolicies>>,
}

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        set_policies_of_thread(self.core, self.before.take());
    }
}
