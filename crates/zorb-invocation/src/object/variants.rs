//! The same object with other connections, where policies select them.

use std::borrow::Cow;
use std::sync::Arc;

use zorb_os::thread_safe::ThreadSafe;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{ObjectRef, Shared, Variant, Variants};
use crate::client::{ConnectionPolicies, connection_policies};

/// The maximum number of variants of a reference, which exist as long as it does.
const MAX_VARIANTS: usize = 64;

impl ObjectRef {
    /// The reference that a call of the calling thread uses: this one, or its variant with the policies of the
    /// thread and the ORB.
    pub(crate) fn as_wanted(&self) -> Result<Cow<'_, Self>, SystemException> {
        let wanted = connection_policies(self);
        if self.satisfies(&wanted) {
            return Ok(Cow::Borrowed(self));
        }
        let variant = self.variant(&wanted).ok_or_else(|| {
            let code = minor::imp_limit::TOO_MANY_WAYS;
            SystemException::imp_limit(code, CompletionStatus::No)
        })?;
        Ok(match &*self.overrides {
            None => Cow::Borrowed(variant),
            Some(_) => Cow::Owned(Self { overrides: self.overrides.clone(), ..variant.clone() }),
        })
    }

    /// The reference to the same object whose own policies about connections are `policies`.
    pub(crate) fn with_connection_policies(&self, policies: &ConnectionPolicies) -> Self {
        if self.satisfies(policies) {
            return self.clone();
        }
        // Private connections are not shared with another reference.
        let known = if policies.is_private() { None } else { self.variant(policies) };
        known.cloned().unwrap_or_else(|| self.another(policies))
    }

    fn satisfies(&self, wanted: &ConnectionPolicies) -> bool {
        match self.shared.connection_policies() {
            Some(policies) => policies.satisfies(wanted),
            None => wanted.satisfies(&ConnectionPolicies::default()),
        }
    }

    fn another(&self, policies: &ConnectionPolicies) -> Self {
        let policies = (*policies != ConnectionPolicies::default())
            .then(|| Arc::new(policies.clone().numbered()));
        let shared = Arc::new(Shared::new(self.core(), self.ior().clone(), policies));
        Self {
            shared: ThreadSafe::new(shared),
            overrides: ThreadSafe::new(None),
            collocation: self.collocation,
        }
    }

    /// The variant of this reference with these policies, created on first use; `None` if there are too many.
    fn variant(&self, wanted: &ConnectionPolicies) -> Option<&Self> {
        let mut cell = &self.shared.variants.0;
        for _ in 0..MAX_VARIANTS {
            let known = cell.get_or_init(|| {
                Box::new(Variant { object: self.another(wanted), next: Variants::default() })
            });
            if known.object.satisfies(wanted) {
                return Some(&known.object);
            }
            cell = &known.next.0;
        }
        None
    }
}
