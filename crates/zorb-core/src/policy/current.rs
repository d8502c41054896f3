//! The policies of threads.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Weak};

use zorb_types::SystemException;

use super::overrides::Overrides;
use super::{Levels, Policies, SetOverrideType};
use crate::orb::OrbCore;

thread_local! {
    /// The overrides of this thread, by ORB. Few threads call by more than one.
    static CURRENT: RefCell<Vec<(Weak<OrbCore>, Overrides)>> = const { RefCell::new(Vec::new()) };
}

/// The policies of threads: they hold for the calls of one ORB that the thread makes by references
/// without others (`CORBA::PolicyCurrent`, the initial reference `PolicyCurrent`).
///
/// Every method is about the calling thread. An upcall that came from elsewhere begins on a thread
/// with whatever an earlier one left there, so servants use [`during`](Self::during).
#[derive(Clone)]
pub struct PolicyCurrent {
    core: Arc<OrbCore>,
}

impl PolicyCurrent {
    pub(crate) fn new(core: &Arc<OrbCore>) -> Self {
        Self { core: Arc::clone(core) }
    }

    /// Adds `policies`, each in place of one of its type.
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that a thread cannot have.
    pub fn add(&self, policies: &Policies) -> Result<(), SystemException> {
        self.set_policy_overrides(policies, SetOverrideType::AddOverride)
    }

    /// Sets the thread's policies (`set_policy_overrides`).
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that a thread cannot have.
    pub fn set_policy_overrides(
        &self,
        policies: &Policies,
        how: SetOverrideType,
    ) -> Result<(), SystemException> {
        policies.check(Levels::THREAD)?;
        let known = overrides_of_thread(&self.core, Overrides::clone).unwrap_or_default();
        replace(&self.core, known.changed(policies, how));
        Ok(())
    }

    /// The thread's policies (`get_policy_overrides`).
    #[doc(alias = "get_policy_overrides")]
    pub fn policy_overrides(&self) -> Policies {
        overrides_of_thread(&self.core, |known| known.policies.clone()).unwrap_or_default()
    }

    /// Runs `work` with `policies` added to the thread's, which are afterwards what they were.
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that a thread cannot have; `work` is not run.
    pub fn during<T>(
        &self,
        policies: &Policies,
        work: impl FnOnce() -> T,
    ) -> Result<T, SystemException> {
        let before = overrides_of_thread(&self.core, Overrides::clone).unwrap_or_default();
        self.add(policies)?;
        let _back = Back { core: &self.core, before };
        Ok(work())
    }
}

impl fmt::Debug for PolicyCurrent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PolicyCurrent").field(&self.policy_overrides()).finish()
    }
}

/// Gives a thread its policies back, also when what ran meanwhile has panicked.
struct Back<'c> {
    core: &'c Arc<OrbCore>,
    before: Overrides,
}

impl Drop for Back<'_> {
    fn drop(&mut self) {
        replace(self.core, std::mem::take(&mut self.before));
    }
}

/// Looks at the calling thread's overrides for `core`, if it has any.
pub(super) fn overrides_of_thread<T>(
    core: &Arc<OrbCore>,
    look: impl FnOnce(&Overrides) -> T,
) -> Option<T> {
    // A thread on its way out has none.
    CURRENT
        .try_with(|current| {
            let current = current.borrow();
            let is_it = |orb: &Weak<OrbCore>| std::ptr::eq(orb.as_ptr(), Arc::as_ptr(core));
            current.iter().find(|(orb, _)| is_it(orb)).map(|(_, known)| look(known))
        })
        .ok()
        .flatten()
}

fn replace(core: &Arc<OrbCore>, overrides: Overrides) {
    let _ = CURRENT.try_with(|current| {
        let mut current = current.borrow_mut();
        // ORBs that are gone go from here, too.
        current.retain(|(orb, _)| {
            orb.strong_count() > 0 && !std::ptr::eq(orb.as_ptr(), Arc::as_ptr(core))
        });
        if !overrides.policies.is_empty() {
            current.push((Arc::downgrade(core), overrides));
        }
    });
}
