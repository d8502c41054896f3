//! Policies as values, and sets of them.

use std::any::Any;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};
use zorb_giop::PolicyValue;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{
    AroundUpcall, CallPriority, Detour, Levels, PolicyType, RequestContext, ServedOf, SetsUp,
    Shape, Shaper,
};
use crate::client::enqueue;
use crate::options::Options;
use crate::serving::Pool;

/// A type of policy: what `CORBA::Policy` is derived for.
///
/// Programs and crates above the core have policies of their own by implementing it.
pub trait TypedPolicy: Any + Clone + PartialEq + fmt::Debug + Send + Sync {
    /// Its number on the wire.
    const POLICY_TYPE: PolicyType;
    /// Where it can be set.
    const LEVELS: Levels;
    /// Whether clients have to know it, so that an adapter's references tell of it.
    const EXPOSED: bool = false;

    /// Writes the value, as it stands in references and service contexts (`PolicyValue::pvalue`).
    ///
    /// # Errors
    /// When the value has no encoding.
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Reads a value that [`write`](Self::write), or another ORB, has written.
    ///
    /// # Errors
    /// When the octets are no such value.
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self>;

    /// What holds where nothing has been set; `None` for a policy without a default.
    fn default_of(options: &Options) -> Option<Self> {
        let _ = options;
        None
    }

    /// What a client's policy and the server's come to; `None` when they cannot both be kept. By
    /// default they must be equal.
    fn reconcile(client: Self, server: Self) -> Option<Self> {
        (client == server).then_some(client)
    }

    /// What is to be done around each upcall of an adapter that has this policy.
    fn around_upcalls(&self) -> Option<Arc<dyn AroundUpcall>> {
        None
    }

    /// The pool whose threads serve an adapter that has this policy.
    fn pool(&self) -> Option<Pool> {
        None
    }

    /// Whether objects of an adapter that has this policy are served in a lane of `priority`; their
    /// references have the endpoints of such lanes only.
    fn serves_in(&self, priority: i16) -> bool {
        let _ = priority;
        true
    }

    /// A priority of which the pool of an adapter that has this policy must have a lane, if it has any.
    fn needs_lane(&self) -> Option<i16> {
        None
    }

    /// Makes of policies, this one among them, what they come to for the ways to an object.
    #[doc(hidden)]
    fn shaper() -> Option<ShaperOf> {
        None
    }

    /// Sees to calls that policies, this one among them, keep from going straight to their object.
    #[doc(hidden)]
    fn detour() -> Option<DetourOf> {
        None
    }

    /// Makes of an adapter's policies, this one among them, what is done around upcalls that come over
    /// connections.
    #[doc(hidden)]
    fn served() -> Option<ServedOf> {
        None
    }

    /// What it comes to beneath the policies of a stronger level of a server, where that level does not
    /// simply take its place.
    #[doc(hidden)]
    fn beneath(&self, stronger: &Policies) -> Option<Policy> {
        let _ = stronger;
        None
    }

    /// The bands of priorities that it divides calls into, each with connections of its own, if it is
    /// about that.
    fn bands(&self) -> Option<Vec<RangeInclusive<i16>>> {
        None
    }

    /// What tells the priority of calls by a reference with this policy, if the client's ORB has been
    /// told to [understand](super::PolicyManager::understand) it.
    fn call_priority(&self) -> Option<Arc<dyn CallPriority>> {
        None
    }

    /// What requests are to say that go by a reference with this policy, if the client's ORB has been
    /// told to [understand](super::PolicyManager::understand) it.
    fn request_context(&self) -> Option<Arc<dyn RequestContext>> {
        None
    }
}

/// What [`TypedPolicy::shaper`] returns.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ShaperOf(Shaper);

impl ShaperOf {
    /// That of policies which the ORB's own code for the ways to objects knows: protocols, properties,
    /// bands and privacy of connections.
    #[doc(hidden)]
    pub const WAYS: Self = Self(Shape::shaper);
}

/// What [`TypedPolicy::detour`] returns.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct DetourOf(Detour);

impl DetourOf {
    /// That of queues for one-way calls.
    #[doc(hidden)]
    pub const QUEUE: Self = Self(enqueue);
}

/// A policy of any type (`CORBA::Policy`). Clones are the same policy, which never changes.
#[derive(Clone)]
pub struct Policy(Arc<dyn AnyPolicy>);

/// A [`TypedPolicy`] without its type.
trait AnyPolicy: Any + fmt::Debug + Send + Sync {
    fn policy_type(&self) -> PolicyType;
    fn levels(&self) -> Levels;
    fn is_exposed(&self) -> bool;
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;
    fn equals(&self, other: &dyn Any) -> bool;
    fn around_upcalls(&self) -> Option<Arc<dyn AroundUpcall>>;
    fn request_context(&self) -> Option<Arc<dyn RequestContext>>;
    fn shaper(&self) -> Option<ShaperOf>;
    fn detour(&self) -> Option<DetourOf>;
    fn served(&self) -> Option<ServedOf>;
    fn beneath(&self, stronger: &Policies) -> Option<Policy>;
    fn bands(&self) -> Option<Vec<RangeInclusive<i16>>>;
    fn call_priority(&self) -> Option<Arc<dyn CallPriority>>;
    fn pool(&self) -> Option<Pool>;
    fn serves_in(&self, priority: i16) -> bool;
    fn needs_lane(&self) -> Option<i16>;
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

    fn around_upcalls(&self) -> Option<Arc<dyn AroundUpcall>> {
        P::around_upcalls(self)
    }

    fn request_context(&self) -> Option<Arc<dyn RequestContext>> {
        P::request_context(self)
    }

    fn shaper(&self) -> Option<ShaperOf> {
        P::shaper()
    }

    fn detour(&self) -> Option<DetourOf> {
        P::detour()
    }

    fn served(&self) -> Option<ServedOf> {
        P::served()
    }

    fn beneath(&self, stronger: &Policies) -> Option<Policy> {
        P::beneath(self, stronger)
    }

    fn bands(&self) -> Option<Vec<RangeInclusive<i16>>> {
        P::bands(self)
    }

    fn call_priority(&self) -> Option<Arc<dyn CallPriority>> {
        P::call_priority(self)
    }

    fn pool(&self) -> Option<Pool> {
        P::pool(self)
    }

    fn serves_in(&self, priority: i16) -> bool {
        P::serves_in(self, priority)
    }

    fn needs_lane(&self) -> Option<i16> {
        P::needs_lane(self)
    }
}

impl Policy {
    /// The policy that `value` is (`create_policy`).
    #[doc(alias = "create_policy")]
    pub fn new<P: TypedPolicy>(value: P) -> Self {
        Self(Arc::new(value))
    }

    /// Its type (`policy_type`).
    pub fn policy_type(&self) -> PolicyType {
        self.0.policy_type()
    }

    /// Where it can be set.
    pub fn levels(&self) -> Levels {
        self.0.levels()
    }

    /// Whether references of an adapter that has it tell of it.
    pub fn is_exposed(&self) -> bool {
        self.0.is_exposed()
    }

    /// Its value, when it is a `P`.
    pub fn value<P: TypedPolicy>(&self) -> Option<&P> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    pub(crate) fn beneath(&self, stronger: &Policies) -> Option<Self> {
        self.0.beneath(stronger)
    }

    pub(crate) fn around_upcalls(&self) -> Option<Arc<dyn AroundUpcall>> {
        self.0.around_upcalls()
    }

    pub(crate) fn request_context(&self) -> Option<Arc<dyn RequestContext>> {
        self.0.request_context()
    }

    pub(crate) fn bands(&self) -> Option<Vec<RangeInclusive<i16>>> {
        self.0.bands()
    }

    pub(crate) fn call_priority(&self) -> Option<Arc<dyn CallPriority>> {
        self.0.call_priority()
    }

    pub(crate) fn pool(&self) -> Option<Pool> {
        self.0.pool()
    }

    pub(crate) fn serves_in(&self, priority: i16) -> bool {
        self.0.serves_in(priority)
    }

    pub(crate) fn needs_lane(&self) -> Option<i16> {
        self.0.needs_lane()
    }

    /// The policy as references and service contexts have it.
    ///
    /// # Errors
    /// When its value has no encoding.
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
/// use zorb_core::policy::{Policies, RelativeRoundtripTimeout, SyncScope};
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

    /// This set with `policy`, in place of one of its type.
    #[must_use]
    pub fn with<P: TypedPolicy>(mut self, policy: P) -> Self {
        self.put(Policy::new(policy));
        self
    }

    /// The policies of a list.
    ///
    /// # Errors
    /// `BAD_PARAM` (OMG 30) when it has two of one type.
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

    /// Adds `policy`, in place of one of its type.
    pub fn put(&mut self, policy: Policy) {
        let policy_type = policy.policy_type();
        match self.0.iter_mut().find(|known| known.policy_type() == policy_type) {
            Some(known) => *known = policy,
            None => self.0.push(policy),
        }
    }

    /// This set with those of `others`, each in place of one of its type.
    #[must_use]
    pub fn overridden_by(mut self, others: &Self) -> Self {
        others.iter().for_each(|policy| self.put(policy.clone()));
        self
    }

    /// The policy of this type.
    pub fn policy(&self, policy_type: PolicyType) -> Option<&Policy> {
        self.0.iter().find(|known| known.policy_type() == policy_type)
    }

    /// The value of the policy that is a `P`.
    pub fn value<P: TypedPolicy>(&self) -> Option<&P> {
        self.policy(P::POLICY_TYPE)?.value()
    }

    /// The policies, in the order in which they were added.
    pub fn iter(&self) -> std::slice::Iter<'_, Policy> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What makes of those among them that are about the ways to objects what they come to; `None`
    /// when none is.
    pub(crate) fn shaper(&self) -> Option<Shaper> {
        self.iter().find_map(|policy| policy.0.shaper()).map(|ShaperOf(shaper)| shaper)
    }

    /// What sees to calls before they go to their object; `None` when nothing does.
    pub(super) fn detour(&self) -> Option<Detour> {
        self.iter().find_map(|policy| policy.0.detour()).map(|DetourOf(detour)| detour)
    }

    /// These policies, and beneath them those of a weaker level of a server, of which each says for
    /// itself what becomes of it where that is not simply what the stronger one says.
    #[must_use]
    pub(crate) fn over(&self, weaker: &Self) -> Self {
        let mut merged = weaker.clone().overridden_by(self);
        weaker.iter().filter_map(|policy| policy.beneath(self)).for_each(|it| merged.put(it));
        merged
    }

    /// What sets connections up by which objects with these policies are called.
    pub(crate) fn sets_up(&self) -> Option<Arc<dyn SetsUp>> {
        self.iter().find_map(|policy| policy.0.served())?.sets_up(self)
    }

    /// Refuses policies that cannot be set at `level`.
    pub(crate) fn check(&self, level: Levels) -> Result<(), SystemException> {
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
