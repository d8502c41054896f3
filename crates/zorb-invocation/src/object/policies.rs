//! The policies of references.

use std::sync::Arc;
use std::time::Duration;

use zorb_base::error::{Error, Phase};
use zorb_base::policy::{
    ConnectionProperties, Levels, Policies, PolicyType, RelativeRoundtripTimeout, SetOverrideType,
    TypedPolicy, exposed_by,
};
use zorb_cdr::CdrError;
use zorb_giop::ProfileTag;
use zorb_os::thread_safe::ThreadSafe;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{ObjectRef, Shared};
use crate::client::{ObjectPolicies, Routes, connection_policies, policy_of, select_endpoint};

impl ObjectRef {
    /// The same object, with calls that take at most `timeout` and then fail with `TIMEOUT`, at most 1 ms
    /// late. It is the policy [`RelativeRoundtripTimeout`] and overrides the option `RoundTripTimeout`. A call
    /// within one ORB runs on the calling thread and does not time out.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        let policies = Policies::new().with(RelativeRoundtripTimeout(timeout));
        self.overridden(&policies, SetOverrideType::AddOverride)
    }

    /// The same object, called with `policies`, which replace the reference's policies of the same types.
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that a reference cannot have.
    pub fn with_policies(&self, policies: &Policies) -> Result<Self, SystemException> {
        self.set_policy_overrides(policies, SetOverrideType::AddOverride)
    }

    /// The same object, called with `policies` (`_set_policy_overrides`).
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that a reference cannot have.
    #[doc(alias = "_set_policy_overrides")]
    pub fn set_policy_overrides(
        &self,
        policies: &Policies,
        how: SetOverrideType,
    ) -> Result<Self, SystemException> {
        policies.check(Levels::OBJECT)?;
        Ok(self.overridden(policies, how))
    }

    /// The same object for one call, whose `policies` override those of the reference.
    ///
    /// ```text
    /// account.for_call(&urgent)?.balance()?;
    /// ```
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that a reference cannot have.
    pub fn for_call(&self, policies: &Policies) -> Result<Self, SystemException> {
        policies.check(Levels::OBJECT)?;
        let known = self.overrides.as_deref();
        Ok(self.with_overrides(known.unwrap_or(&ObjectPolicies::default()).with_call(policies)))
    }

    fn overridden(&self, policies: &Policies, how: SetOverrideType) -> Self {
        let known = self.overrides.as_deref();
        self.with_overrides(known.unwrap_or(&ObjectPolicies::default()).with_object(policies, how))
    }

    fn with_overrides(&self, overrides: ObjectPolicies) -> Self {
        let shared = match overrides.connections() {
            Some(policies) => self.with_connection_policies(policies).shared,
            None if self.shared.connection_policies().is_none() => self.shared.clone(),
            // This reference has no routes of the original one.
            None => ThreadSafe::new(Arc::new(Shared::new(self.core(), self.ior().clone(), None))),
        };
        let overrides = ThreadSafe::new(Some(Arc::new(overrides)));
        Self { shared, overrides, collocation: self.collocation }
    }

    #[inline]
    pub(crate) fn overrides(&self) -> Option<&ObjectPolicies> {
        self.overrides.as_deref()
    }

    /// The reference's own policies (`_get_policy_overrides`).
    #[doc(alias = "_get_policy_overrides")]
    pub fn policy_overrides(&self) -> Policies {
        self.overrides().map(|overrides| overrides.object.clone()).unwrap_or_default()
    }

    /// The client's policy of type `P` for calls by this reference and thread (`_get_client_policy`): that of
    /// the call, of the reference, of the thread, of the ORB, or the default.
    #[doc(alias = "_get_client_policy")]
    pub fn client_policy<P: TypedPolicy>(&self) -> Option<P> {
        policy_of(self).or_else(|| P::default_of(self.core().options()))
    }

    /// The types of the client's policies that prevent calls by this reference and thread: they contradict the
    /// server's policies in the reference, or no route satisfies them. `_validate_connection` returns them. Such
    /// calls fail with `INV_POLICY`.
    ///
    /// # Errors
    /// The system exception of an interceptor; `NO_MEMORY`.
    pub fn inconsistent_policies(&self) -> Result<Vec<PolicyType>, SystemException> {
        let object = self.as_wanted()?;
        let forwarded = object.forwarded();
        let target = forwarded.binding().unwrap_or_else(|| object.binding());
        let routes = target.routes(self.core())?;
        select_endpoint(&object, target, routes, |info| routes.inconsistent(info))
    }

    /// The properties of connections by profiles of this kind for calls by this reference and thread: those of
    /// all levels of policies, then the options. The system chooses properties that neither sets.
    pub fn connection_properties(&self, profile: ProfileTag) -> ConnectionProperties {
        connection_policies(self)
            .properties(profile)
            .or(ConnectionProperties::of(self.core().options()))
    }

    /// The server's policy of type `P` in the reference.
    ///
    /// # Errors
    /// `INV_OBJREF` if it cannot be decoded; `NO_MEMORY`.
    pub fn exposed_policy<P: TypedPolicy>(&self) -> Result<Option<P>, SystemException> {
        let forwarded = self.forwarded();
        let target = forwarded.binding().unwrap_or_else(|| self.binding());
        exposed_by(&target.routes(self.core())?.policies).map_err(unreadable::<P>)
    }

    /// Whether calls by this reference and thread use connections of priority bands.
    pub(crate) fn has_bands(&self) -> bool {
        let Ok(object) = self.as_wanted() else { return false };
        let forwarded = object.forwarded();
        let target = forwarded.binding().unwrap_or_else(|| object.binding());
        target.routes(object.core()).is_ok_and(Routes::has_bands)
    }

    /// The effective policy of type `P` for calls by this reference and thread (`_get_policy`): the client's,
    /// reconciled with the server's in the reference.
    ///
    /// # Errors
    /// `INV_POLICY` (OMG 1) if they contradict each other; `INV_OBJREF` if the server's cannot be decoded.
    #[doc(alias = "_get_policy")]
    pub fn policy<P: TypedPolicy>(&self) -> Result<Option<P>, SystemException> {
        match (policy_of::<P>(self), self.exposed_policy::<P>()?) {
            (Some(client), Some(server)) => {
                P::reconcile(client, server).map(Some).ok_or_else(|| {
                    SystemException::inv_policy(
                        minor::inv_policy::CANNOT_RECONCILE,
                        CompletionStatus::No,
                    )
                })
            }
            (client, server) => {
                Ok(client.or(server).or_else(|| P::default_of(self.core().options())))
            }
        }
    }
}

#[cold]
fn unreadable<P: TypedPolicy>(error: CdrError) -> SystemException {
    let exception = SystemException::inv_objref(minor::inv_objref::MALFORMED, CompletionStatus::No);
    Error::new(Phase::Resolve, format!("{} of the reference", P::POLICY_TYPE))
        .with_source(error)
        .into_exception(exception)
}
