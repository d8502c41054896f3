//! Policies as values, and sets of them.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};
use zorb_giop::PolicyValue;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{Levels, PolicyType};
use crate::options::Options;

/// A type of policy: an interface derived from `CORBA::Policy`.
///
/// A policy is data. Programs and crates above this one implement it for policies of their own, which
/// [request interceptors](crate::interceptor) look up and apply.
pub trait TypedPolicy: Any + Clone + PartialEq + fmt::Debug + Send + Sync {
    /// The policy type's number on the wire.
    const POLICY_TYPE: PolicyType;
    /// The levels at which it can be set.
    const LEVELS: Levels;
    /// Whether clients must know it. The references of an adapter then contain it. Default: no.
    const EXPOSED: bool = false;

    /// Writes the value as references and service contexts contain it (`PolicyValue::pvalue`).
    ///
    /// # Errors
    /// The value has no encoding.
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Reads a value from a reference or service context.
    ///
    /// # Errors
    /// The octets are not a valid value.
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self>;

    /// The default, from `options`; `None` for a policy without one.
    fn default_of(options: &Options) -> Option<Self> {
        let _ = options;
        None
    }

    /// The policy that satisfies both the client's and the server's; `None` if they contradict each
    /// other. Default: they must be equal.
    fn reconcile(client: Self, server: Self) -> Option<Self> {
        (client == server).then_some(client)
    }

    /// Combines this policy of a server's ORB or adapter with those of a `stronger` level, its adapter or object;
    /// `None` if a policy of the same type simply replaces it. Default: `None`.
    fn merged_under(&self, stronger: &Policies) -> Option<Policy> {
        let _ = stronger;
        None
    }
}

/// An immutable policy of any type (`CORBA::Policy`). Clones share it.
#[derive(Clone)]
pub struct Policy(Arc<dyn AnyPolicy>);

/// A [`TypedPolicy`] whose type is erased.
trait AnyPolicy: Any + fmt::Debug + Send + Sync {
    fn policy_type(&self) -> PolicyType;
    fn levels(&self) -> Levels;
    fn is_exposed(&self) -> bool;
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;
    fn equals(&self, other: &dyn Any) -> bool;
    fn merged_under(&self, stronger: &Policies) -> Option<Policy>;
}

impl<P: TypedPolicy> AnyPolicy for P {
    fn policy_type(&self) -> PolicyType {
        P::POLICY_TYPE
    }

    fn levels(&self) -> Levels {
        P::LEVELS
    }

    fn is_exposed(&self) -> bool {
        P::EXPOSED
    }

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        P::write(self, writer)
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<P>() == Some(self)
    }

    fn merged_under(&self, stronger: &Policies) -> Option<Policy> {
        P::merged_under(self, stronger)
    }
}

impl Policy {
    /// Creates a policy with this value.
    pub fn new<P: TypedPolicy>(value: P) -> Self {
        Self(Arc::new(value))
    }

    /// The policy's type (`policy_type`).
    pub fn policy_type(&self) -> PolicyType {
        self.0.policy_type()
    }

    /// The levels at which the policy can be set.
    pub fn levels(&self) -> Levels {
        self.0.levels()
    }

    /// Whether an adapter's references contain the policy.
    pub fn is_exposed(&self) -> bool {
        self.0.is_exposed()
    }

    /// The policy's value, if its type is `P`.
    pub fn value<P: TypedPolicy>(&self) -> Option<&P> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// See [`TypedPolicy::merged_under`](super::TypedPolicy::merged_under).
    #[doc(hidden)]
    pub fn merged_under(&self, stronger: &Policies) -> Option<Self> {
        self.0.merged_under(stronger)
    }

    /// The policy as references and service contexts contain it.
    ///
    /// # Errors
    /// The value has no encoding.
    pub fn to_wire(&self, order: ByteOrder) -> CdrResult<PolicyValue> {
        let value = CdrWriter::encapsulation(order, |writer| self.0.write(writer))?;
        Ok(PolicyValue { policy_type: self.policy_type().0, value })
    }
}

impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.equals(&*other.0)
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of policies with at most one of each type (`CORBA::PolicyList`).
///
/// ```
/// use std::time::Duration;
/// # use zorb_base as zorb;
/// use zorb::policy::{Policies, RelativeRoundtripTimeout, SyncScope};
///
/// let policies = Policies::new()
///     .with(RelativeRoundtripTimeout(Duration::from_millis(50)))
///     .with(SyncScope::WithServer);
/// assert_eq!(policies.value::<SyncScope>(), Some(&SyncScope::WithServer));
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Policies(Vec<Policy>);

impl Policies {
    /// The empty set.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds `policy`, replacing one of the same type.
    #[must_use]
    pub fn with<P: TypedPolicy>(mut self, policy: P) -> Self {
        self.put(Policy::new(policy));
        self
    }

    /// Creates a set from a list.
    ///
    /// # Errors
    /// `BAD_PARAM` (OMG 30) if the list contains two policies of one type.
    pub fn from_list(list: impl IntoIterator<Item = Policy>) -> Result<Self, SystemException> {
        let mut set = Self::new();
        for policy in list {
            if set.policy(policy.policy_type()).is_some() {
                return Err(SystemException::bad_param(
                    minor::bad_param::DUPLICATE_POLICY,
                    CompletionStatus::No,
                ));
            }
            set.0.push(policy);
        }
        Ok(set)
    }

    /// Adds `policy`, replacing one of the same type.
    pub fn put(&mut self, policy: Policy) {
        let policy_type = policy.policy_type();
        match self.0.iter_mut().find(|known| known.policy_type() == policy_type) {
            Some(known) => *known = policy,
            None => self.0.push(policy),
        }
    }

    /// Adds `others`, each replacing one of the same type.
    #[must_use]
    pub fn overridden_by(mut self, others: &Self) -> Self {
        others.iter().for_each(|policy| self.put(policy.clone()));
        self
    }

    /// The policy of this type, if there is one.
    pub fn policy(&self, policy_type: PolicyType) -> Option<&Policy> {
        self.0.iter().find(|known| known.policy_type() == policy_type)
    }

    /// The value of the policy of type `P`, if there is one.
    pub fn value<P: TypedPolicy>(&self) -> Option<&P> {
        self.policy(P::POLICY_TYPE)?.value()
    }

    /// The policies, in the order in which they were added.
    pub fn iter(&self) -> std::slice::Iter<'_, Policy> {
        self.0.iter()
    }

    /// The number of policies.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These policies of a server, combined with those of a `weaker` level.
    #[doc(hidden)]
    #[must_use]
    pub fn over(&self, weaker: &Self) -> Self {
        let mut merged = weaker.clone().overridden_by(self);
        let combined = weaker.iter().filter_map(|policy| policy.merged_under(self));
        combined.for_each(|policy| merged.put(policy));
        merged
    }

    /// Checks that all policies can be set at `level`.
    ///
    /// # Errors
    /// `NO_PERMISSION`, minor `POLICY_LEVEL`, if one cannot; `INV_POLICY` (OMG 3) for one that is not supported at any.
    #[doc(hidden)]
    pub fn check(&self, level: Levels) -> Result<(), SystemException> {
        if self.iter().any(|policy| PolicyType::UNSUPPORTED.contains(&policy.policy_type())) {
            let code = minor::inv_policy::NO_FACTORY;
            return Err(SystemException::inv_policy(code, CompletionStatus::No));
        }
        if self.iter().all(|policy| policy.levels().contains(level)) {
            return Ok(());
        }
        Err(SystemException::no_permission(
            minor::no_permission::POLICY_LEVEL,
            CompletionStatus::No,
        ))
    }
}

impl<'p> IntoIterator for &'p Policies {
    type Item = &'p Policy;
    type IntoIter = std::slice::Iter<'p, Policy>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.0).finish()
    }
}
