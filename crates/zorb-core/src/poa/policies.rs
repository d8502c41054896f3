//! The policies of an object adapter (CORBA 3.3 part 1, 15.3.8).

use std::sync::Arc;

use super::PoaError;
use crate::interceptor::ServerRequestInterceptor;
use crate::loan;
use crate::orb::OrbCore;
use crate::policy::{
    self, Levels, Policies, PriorityModel, ThreadpoolPolicy, TypedPolicy, may_be_served_in_lane,
};
use crate::serving::{Pool, PoolUse};

/// Whether references outlive the adapter that made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Lifespan {
    /// References end with the adapter (`TRANSIENT`).
    #[default]
    Transient,
    /// References stay good over restarts of the program (`PERSISTENT`).
    Persistent,
}

/// Who chooses object ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum IdAssignment {
    /// The adapter (`SYSTEM_ID`).
    #[default]
    System,
    /// The program (`USER_ID`).
    User,
}

/// Whether one servant may be active under several ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum IdUniqueness {
    /// One id a servant (`UNIQUE_ID`).
    #[default]
    Unique,
    /// Any number of ids a servant (`MULTIPLE_ID`).
    Multiple,
}

/// Whether asking for a servant's reference activates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ImplicitActivation {
    /// It does (`IMPLICIT_ACTIVATION`); the root adapter's way.
    Implicit,
    /// It does not (`NO_IMPLICIT_ACTIVATION`).
    #[default]
    Explicit,
}

/// The policies of an adapter, with the standard's defaults for a child adapter.
///
/// ```
/// use zorb_core::poa::PoaPolicies;
///
/// let policies = PoaPolicies::new().persistent().user_ids();
/// # let _ = policies;
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct PoaPolicies {
    /// Default: transient.
    pub lifespan: Lifespan,
    /// Default: system ids.
    pub id_assignment: IdAssignment,
    /// Default: unique ids.
    pub id_uniqueness: IdUniqueness,
    /// Default: explicit activation (the root adapter: implicit).
    pub implicit_activation: ImplicitActivation,
    /// Policies beyond those of the adapter's own module. Default: those of servers that the ORB's
    /// [policy manager](crate::PolicyManager) has.
    pub others: Policies,
}

impl PoaPolicies {
    /// The standard's defaults for a child adapter.
    pub fn new() -> Self {
        Self::default()
    }

    /// The standard's policies of the root adapter.
    pub(crate) fn root() -> Self {
        Self { implicit_activation: ImplicitActivation::Implicit, ..Self::default() }
    }

    /// With references that outlive the program.
    #[must_use]
    pub fn persistent(mut self) -> Self {
        self.lifespan = Lifespan::Persistent;
        self
    }

    /// With object ids that the program chooses.
    #[must_use]
    pub fn user_ids(mut self) -> Self {
        self.id_assignment = IdAssignment::User;
        self
    }

    /// With any number of ids a servant.
    #[must_use]
    pub fn multiple_ids(mut self) -> Self {
        self.id_uniqueness = IdUniqueness::Multiple;
        self
    }

    /// With activation when a servant's reference is asked for.
    #[must_use]
    pub fn implicit_activation(mut self) -> Self {
        self.implicit_activation = ImplicitActivation::Implicit;
        self
    }

    /// With a policy beyond those of the adapter's own module. Those that clients have to know stand
    /// in the adapter's references.
    #[must_use]
    pub fn with<P: TypedPolicy>(mut self, policy: P) -> Self {
        self.others = self.others.with(policy);
        self
    }

    /// With those of `others` that are for adapters, where the adapter has none of their types.
    pub(super) fn with_defaults(mut self, others: &Policies) -> Self {
        for policy in others {
            if policy.levels().contains(Levels::ADAPTER)
                && self.others.policy(policy.policy_type()).is_none()
            {
                self.others.put(policy.clone());
            }
        }
        self
    }

    /// With the ORB's policies of servers, where the adapter has none of their types.
    pub(super) fn inheriting(mut self, orb: &Policies) -> Self {
        let own = self.others.clone();
        for policy in orb {
            let is_servers = !policy.levels().contains(Levels::OBJECT);
            let merged = policy.merged_under(&own);
            if let Some(merged) = merged {
                self.others.put(merged);
            } else if is_servers
                && policy.levels().contains(Levels::ADAPTER)
                && self.others.policy(policy.policy_type()).is_none()
            {
                self.others.put(policy.clone());
            }
        }
        self
    }

    /// Refuses combinations that the standard forbids.
    pub(super) fn check(&self) -> Result<(), PoaError> {
        if self.implicit_activation == ImplicitActivation::Implicit
            && self.id_assignment == IdAssignment::User
        {
            return Err(PoaError::InvalidPolicy { reason: "implicit activation needs system ids" });
        }
        check_policies(&self.others)
    }
}

/// Refuses policies that are not for adapters, or have no encoding.
pub(super) fn check_policies(policies: &Policies) -> Result<(), PoaError> {
    if policies.check(Levels::ADAPTER).is_err() {
        return Err(PoaError::InvalidPolicy { reason: "the policy is not one of adapters" });
    }
    match policy::component(policies) {
        Ok(_) => Ok(()),
        Err(_) => Err(PoaError::InvalidPolicy { reason: "a policy has no encoding" }),
    }
}

/// The interceptors of requests to objects with `policies`.
pub(super) fn interceptors(
    orb: &OrbCore,
    policies: &Policies,
) -> Vec<Arc<dyn ServerRequestInterceptor>> {
    let mut interceptors = orb.extensions().load().interceptors.server.of(policies);
    interceptors.extend(loan::interceptor(policies));
    interceptors
}

/// The thread pool that policies assign an object adapter to.
pub(crate) fn named_pool(orb: &OrbCore, policies: &Policies) -> Result<Option<Pool>, PoaError> {
    let Some(policy) = policies.value::<ThreadpoolPolicy>() else { return Ok(None) };
    let unknown = PoaError::InvalidPolicy { reason: "the thread pool does not exist any more" };
    orb.pool(policy.threadpool()).ok_or(unknown).map(Some)
}

/// An adapter's part in the pool that its policies name.
pub(super) fn pool_of(orb: &OrbCore, policies: &Policies) -> Result<Option<PoolUse>, PoaError> {
    let Some(pool) = named_pool(orb, policies)? else { return Ok(None) };
    check_lanes(&pool, policies)?;
    let ended = PoaError::InvalidPolicy { reason: "the thread pool has ended" };
    PoolUse::of(pool).ok_or(ended).map(Some)
}

/// Refuses policies of an object that no lane of the pool would serve.
pub(super) fn check_lanes(pool: &Pool, policies: &Policies) -> Result<(), PoaError> {
    let lanes = pool.priorities();
    let needed = policies.value().map(|model: &PriorityModel| model.server_priority().value());
    let serves = |priority| may_be_served_in_lane(policies, priority);
    let has = |priority| lanes.iter().any(|lane| lane.is_none_or(|lane| lane == priority));
    if lanes.iter().any(|lane| lane.is_none_or(serves)) && needed.is_none_or(has) {
        return Ok(());
    }
    Err(PoaError::InvalidPolicy { reason: "no lane of the thread pool has that priority" })
}
