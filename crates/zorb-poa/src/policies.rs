//! The policies of an object adapter (CORBA 3.3 part 1, 15.3.8).

use zorb_base::policy::{self, Levels, Policies, TypedPolicy};

use crate::error::PoaError;

/// Whether references outlive the adapter that created them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Lifespan {
    /// References end with the adapter (`TRANSIENT`).
    #[default]
    Transient,
    /// References stay good over restarts of the program (`PERSISTENT`).
    Persistent,
}

/// Who assigns object ids.
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

/// Whether creating a reference to a servant activates it.
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
/// # mod zorb { pub mod poa { pub use zorb_poa::PoaPolicies; } }
/// use zorb::poa::PoaPolicies;
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
    /// policy manager (`PolicyManager`) has.
    pub others: Policies,
}

impl PoaPolicies {
    /// The standard's defaults for a child adapter.
    pub fn new() -> Self {
        Self::default()
    }

    /// The standard's policies of the root adapter.
    #[doc(hidden)]
    pub fn root() -> Self {
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
    #[doc(hidden)]
    pub fn with_defaults(mut self, others: &Policies) -> Self {
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
    #[doc(hidden)]
    pub fn inheriting(mut self, orb: &Policies) -> Self {
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
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), PoaError> {
        if self.implicit_activation == ImplicitActivation::Implicit
            && self.id_assignment == IdAssignment::User
        {
            return Err(PoaError::InvalidPolicy { reason: "implicit activation needs system ids" });
        }
        check_policies(&self.others)
    }
}

/// Refuses policies that are not for adapters, or have no encoding.
pub fn check_policies(policies: &Policies) -> Result<(), PoaError> {
    if policies.check(Levels::ADAPTER).is_err() {
        return Err(PoaError::InvalidPolicy { reason: "the policy is not one of adapters" });
    }
    match policy::component(policies) {
        Ok(_) => Ok(()),
        Err(_) => Err(PoaError::InvalidPolicy { reason: "a policy has no encoding" }),
    }
}
