//! The policies of an object adapter (CORBA 3.3 part 1, 15.3.8).

mod order;
#[cfg(test)]
mod tests;

use zorb_base::policy::{self, Levels, Policies, PolicyType, TypedPolicy};

use self::order::Order;
use crate::error::PoaError;

/// Which threads make the upcalls of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ThreadModel {
    /// Those that the ORB chooses, several at the same time (`ORB_CTRL_MODEL`).
    #[default]
    OrbControlled,
    /// Those that the ORB chooses, one upcall at a time (`SINGLE_THREAD_MODEL`). The next begins when an upcall has
    /// ended, in the order of their requests.
    SingleThread,
    /// The main thread, which is the one in `Orb::run` or `Orb::perform_work` (`MAIN_THREAD_MODEL`).
    MainThread,
}

/// Whether references outlive the adapter that created them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Lifespan {
    /// References are valid until the adapter is destroyed (`TRANSIENT`).
    #[default]
    Transient,
    /// References remain valid when the program is restarted (`PERSISTENT`).
    Persistent,
}

/// How object ids are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum IdAssignment {
    /// The adapter (`SYSTEM_ID`).
    #[default]
    System,
    /// The program (`USER_ID`).
    User,
}

/// Whether one servant may have several object ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum IdUniqueness {
    /// One id per servant (`UNIQUE_ID`).
    #[default]
    Unique,
    /// Any number of ids per servant (`MULTIPLE_ID`).
    Multiple,
}

/// Whether creating a reference to a servant activates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ImplicitActivation {
    /// It does (`IMPLICIT_ACTIVATION`). The root adapter's policy.
    Implicit,
    /// It does not (`NO_IMPLICIT_ACTIVATION`).
    #[default]
    Explicit,
}

/// Whether an adapter keeps a map of its active objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ServantRetention {
    /// It does (`RETAIN`).
    #[default]
    Retain,
    /// It does not (`NON_RETAIN`): a default servant or a servant locator serves each request.
    NonRetain,
}

/// How an adapter finds the servant of an object that is not active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum RequestProcessing {
    /// It does not: requests are answered with `OBJECT_NOT_EXIST` (`USE_ACTIVE_OBJECT_MAP_ONLY`).
    #[default]
    ActiveObjectMapOnly,
    /// One servant serves all such objects (`USE_DEFAULT_SERVANT`).
    DefaultServant,
    /// A servant manager provides it (`USE_SERVANT_MANAGER`): a servant activator if the adapter retains servants,
    /// otherwise a servant locator.
    ServantManager,
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
    /// Default: the ORB chooses the threads.
    pub thread_model: ThreadModel,
    /// Default: transient.
    pub lifespan: Lifespan,
    /// Default: system ids.
    pub id_assignment: IdAssignment,
    /// Default: unique ids.
    pub id_uniqueness: IdUniqueness,
    /// Default: explicit activation (the root adapter: implicit).
    pub implicit_activation: ImplicitActivation,
    /// Default: servants are retained.
    pub servant_retention: ServantRetention,
    /// Default: only active objects.
    pub request_processing: RequestProcessing,
    /// Policies of other modules than `PortableServer`. Default: the server policies of the ORB's `PolicyManager`.
    pub others: Policies,
    /// The order in which the program set the policies.
    order: Order,
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

    /// Makes one upcall at a time.
    #[must_use]
    pub fn single_thread(mut self) -> Self {
        self.thread_model = ThreadModel::SingleThread;
        self.order.add(PolicyType::THREAD);
        self
    }

    /// Makes upcalls on the main thread alone.
    #[must_use]
    pub fn main_thread(mut self) -> Self {
        self.thread_model = ThreadModel::MainThread;
        self.order.add(PolicyType::THREAD);
        self
    }

    /// Makes references outlive the program.
    #[must_use]
    pub fn persistent(mut self) -> Self {
        self.lifespan = Lifespan::Persistent;
        self.order.add(PolicyType::LIFESPAN);
        self
    }

    /// Lets the program assign object ids.
    #[must_use]
    pub fn user_ids(mut self) -> Self {
        self.id_assignment = IdAssignment::User;
        self.order.add(PolicyType::ID_ASSIGNMENT);
        self
    }

    /// Allows any number of ids per servant.
    #[must_use]
    pub fn multiple_ids(mut self) -> Self {
        self.id_uniqueness = IdUniqueness::Multiple;
        self.order.add(PolicyType::ID_UNIQUENESS);
        self
    }

    /// Activates a servant when its reference is created.
    #[must_use]
    pub fn implicit_activation(mut self) -> Self {
        self.implicit_activation = ImplicitActivation::Implicit;
        self.order.add(PolicyType::IMPLICIT_ACTIVATION);
        self
    }

    /// Keeps no map of active objects. Requires a [default servant](Self::default_servant) or a
    /// [servant manager](Self::servant_manager).
    #[must_use]
    pub fn non_retain(mut self) -> Self {
        self.servant_retention = ServantRetention::NonRetain;
        self.order.add(PolicyType::SERVANT_RETENTION);
        self
    }

    /// Lets one servant serve all objects that are not active. Requires [multiple ids](Self::multiple_ids).
    #[must_use]
    pub fn default_servant(mut self) -> Self {
        self.request_processing = RequestProcessing::DefaultServant;
        self.order.add(PolicyType::REQUEST_PROCESSING);
        self
    }

    /// Lets a servant manager provide the servants of objects that are not active.
    #[must_use]
    pub fn servant_manager(mut self) -> Self {
        self.request_processing = RequestProcessing::ServantManager;
        self.order.add(PolicyType::REQUEST_PROCESSING);
        self
    }

    /// Adds a policy of another module than `PortableServer`. The adapter's references contain those that clients
    /// must know.
    #[must_use]
    pub fn with<P: TypedPolicy>(mut self, policy: P) -> Self {
        self.others = self.others.with(policy);
        self.order.add(P::POLICY_TYPE);
        self
    }

    /// Adds those of `others` that adapters can have, unless there is one of the same type.
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

    /// Adds the ORB's server policies, unless there is one of the same type; merges those that can be merged.
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

    /// Checks that the standard allows the combination.
    ///
    /// # Errors
    /// `InvalidPolicy` with the index of the policy that was set last of those that contradict each other.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), PoaError> {
        const RETENTION: PolicyType = PolicyType::SERVANT_RETENTION;
        const PROCESSING: PolicyType = PolicyType::REQUEST_PROCESSING;
        const ACTIVATION: PolicyType = PolicyType::IMPLICIT_ACTIVATION;
        let is_implicit = self.implicit_activation == ImplicitActivation::Implicit;
        let retains = self.servant_retention == ServantRetention::Retain;
        let rules = [
            (
                is_implicit && self.id_assignment == IdAssignment::User,
                [ACTIVATION, PolicyType::ID_ASSIGNMENT],
                "implicit activation requires system ids",
            ),
            (
                is_implicit && !retains,
                [ACTIVATION, RETENTION],
                "implicit activation requires an adapter that retains servants",
            ),
            (
                !retains && self.request_processing == RequestProcessing::ActiveObjectMapOnly,
                [RETENTION, PROCESSING],
                "an adapter that does not retain servants requires a default servant or a servant manager",
            ),
            (
                self.request_processing == RequestProcessing::DefaultServant
                    && self.id_uniqueness == IdUniqueness::Unique,
                [PROCESSING, PolicyType::ID_UNIQUENESS],
                "a default servant requires multiple ids",
            ),
        ];
        for (is_violated, types, reason) in rules {
            if is_violated {
                return Err(PoaError::InvalidPolicy { index: self.order.last_of(&types), reason });
            }
        }
        check_policies(&self.others).map_err(|error| match error {
            PoaError::InvalidPolicy { reason, .. } => {
                let refused = |policy: &&policy::Policy| !policy.levels().contains(Levels::ADAPTER);
                let policy = self.others.iter().find(refused);
                let index = policy.and_then(|policy| self.order.last_of(&[policy.policy_type()]));
                PoaError::InvalidPolicy { index, reason }
            }
            other => other,
        })
    }
}

/// Checks that adapters can have these policies.
///
/// # Errors
/// `InvalidPolicy` for a policy of another level, or without an encoding.
pub fn check_policies(policies: &Policies) -> Result<(), PoaError> {
    if policies.check(Levels::ADAPTER).is_err() {
        return Err(PoaError::invalid_policy("an object adapter cannot have this policy"));
    }
    match policy::component(policies) {
        Ok(_) => Ok(()),
        Err(_) => Err(PoaError::invalid_policy("a policy has no encoding")),
    }
}
