//! The policies of a client at its levels, and the parameters of a call that follow from them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb_base::options::Options;
use zorb_base::policy::{
    ConnectionTimeout, EffectivePolicies, Policies, Rebind, RelativeRequestTimeout,
    RelativeRoundtripTimeout, SetOverrideType, SyncScope, TypedPolicy,
};

use super::connection_policies::ConnectionPolicies;
use super::core::ClientCore;
use super::oneway_queue::OnewayQueue;
use super::thread_policies::policies_of_thread;
use crate::object::ObjectRef;

/// Whether policies of an ORB or a thread have ever been set in this process: until then calls do not
/// look for them.
static IN_USE: AtomicBool = AtomicBool::new(false);

#[inline]
fn in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// The policies of an ORB or a thread, and what calls need of them.
#[derive(Clone, Debug, Default)]
pub struct ClientPolicies {
    /// The policies.
    pub policies: Policies,
    parameters: GivenParameters,
    pub(crate) connections: Option<Arc<ConnectionPolicies>>,
}

/// The policies of a reference: those of the calls it was made for, and its own.
#[derive(Clone, Debug, Default)]
pub struct ObjectPolicies {
    pub(crate) call: Policies,
    pub(crate) object: Policies,
    parameters: GivenParameters,
    connections: Option<Arc<ConnectionPolicies>>,
}

/// The parameters that policies set.
#[derive(Clone, Copy, Debug, Default)]
struct GivenParameters {
    round_trip: Option<Duration>,
    request: Option<Duration>,
    connect: Option<Duration>,
    sync_scope: Option<SyncScope>,
    rebind: Option<Rebind>,
    queued: bool,
}

/// The parameters of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallParameters {
    pub(crate) round_trip: Option<Duration>,
    pub(crate) request: Option<Duration>,
    pub(crate) connect: Duration,
    pub(crate) sync_scope: SyncScope,
    pub(crate) rebind: Rebind,
    /// Whether policies may select other connections than the reference has, or queue the call.
    pub(crate) is_redirected: bool,
}

impl GivenParameters {
    fn of(policies: &Policies) -> Self {
        Self {
            round_trip: policies.value().map(|RelativeRoundtripTimeout(limit)| *limit),
            request: policies.value().map(|RelativeRequestTimeout(limit)| *limit),
            connect: policies.value().map(|ConnectionTimeout(limit)| *limit),
            sync_scope: policies.value().copied(),
            rebind: policies.value().copied(),
            queued: policies.value::<OnewayQueue>().is_some(),
        }
    }

    fn or(self, weaker: Self) -> Self {
        Self {
            round_trip: self.round_trip.or(weaker.round_trip),
            request: self.request.or(weaker.request),
            connect: self.connect.or(weaker.connect),
            sync_scope: self.sync_scope.or(weaker.sync_scope),
            rebind: self.rebind.or(weaker.rebind),
            queued: self.queued || weaker.queued,
        }
    }

    fn or_options(self, options: &Options) -> CallParameters {
        CallParameters {
            round_trip: self.round_trip.or(options.round_trip_timeout),
            request: self.request,
            connect: self.connect.unwrap_or(options.connect_timeout),
            sync_scope: self.sync_scope.unwrap_or_default(),
            rebind: self.rebind.unwrap_or(Rebind::Transparent),
            is_redirected: self.queued,
        }
    }
}

impl ClientPolicies {
    /// These policies, with what calls need of them.
    pub fn new(policies: Policies) -> Self {
        IN_USE.store(true, Ordering::Relaxed);
        let parameters = GivenParameters::of(&policies);
        let connections = ConnectionPolicies::new(&[&policies]);
        Self { policies, parameters, connections }
    }

    /// These policies after others were set.
    pub fn changed(&self, policies: &Policies, how: SetOverrideType) -> Self {
        Self::new(change(&self.policies, policies, how))
    }
}

impl ObjectPolicies {
    /// The policies about connections.
    pub(crate) fn connections(&self) -> Option<&Arc<ConnectionPolicies>> {
        self.connections.as_ref()
    }

    pub(crate) fn with_object(&self, policies: &Policies, how: SetOverrideType) -> Self {
        Self::new(self.call.clone(), change(&self.object, policies, how))
    }

    pub(crate) fn with_call(&self, policies: &Policies) -> Self {
        Self::new(change(&self.call, policies, SetOverrideType::AddOverride), self.object.clone())
    }

    fn new(call: Policies, object: Policies) -> Self {
        let parameters = GivenParameters::of(&call).or(GivenParameters::of(&object));
        let connections = ConnectionPolicies::new(&[&call, &object]);
        Self { call, object, parameters, connections }
    }
}

fn change(before: &Policies, policies: &Policies, how: SetOverrideType) -> Policies {
    match how {
        SetOverrideType::SetOverride => policies.clone(),
        SetOverrideType::AddOverride => before.clone().overridden_by(policies),
    }
}

impl CallParameters {
    /// The parameters of a call without policies.
    pub(crate) fn of_options(options: &Options) -> Self {
        GivenParameters::default().or_options(options)
    }
}

/// The parameters of a call of `object` if no policies can apply to it.
#[inline]
pub(crate) fn plain_parameters(object: &ObjectRef) -> Option<&CallParameters> {
    (object.overrides().is_none() && !in_use()).then(|| object.core().plain_parameters())
}

/// The parameters of a call of `object`.
#[cold]
pub(crate) fn parameters(object: &ObjectRef) -> CallParameters {
    let mut given = object.overrides().map(|policies| policies.parameters).unwrap_or_default();
    let mut selects_connections = false;
    if in_use() {
        let core = object.core();
        let of_orb = core.policies().load();
        selects_connections = of_orb.connections.is_some();
        if let Some(of_thread) = policies_of_thread(core) {
            given = given.or(of_thread.parameters);
            selects_connections |= of_thread.connections.is_some();
        }
        given = given.or(of_orb.parameters);
    }
    let parameters = given.or_options(object.core().options());
    CallParameters { is_redirected: parameters.is_redirected || selects_connections, ..parameters }
}

/// Calls `use_policies` with the policies that apply to calls of `object` by the calling thread.
pub(crate) fn with_policies<T>(
    object: &ObjectRef,
    use_policies: impl FnOnce(EffectivePolicies<'_>) -> T,
) -> T {
    let core = object.core();
    let of_object = object.overrides();
    let (of_thread, of_orb) = (policies_of_thread(core), core.policies().load());
    use_policies(EffectivePolicies::new([
        of_object.map(|policies| &policies.call),
        of_object.map(|policies| &policies.object),
        of_thread.as_ref().map(|known| &known.policies),
        Some(&of_orb.policies),
    ]))
}

/// The policies of type `P` of the calling thread and of the ORB.
pub fn policy_of_thread_and_orb<P: TypedPolicy>(core: &Arc<ClientCore>) -> (Option<P>, Option<P>) {
    let of_thread = policies_of_thread(core).and_then(|known| known.policies.value().cloned());
    (of_thread, core.policies().load().policies.value().cloned())
}

/// The policy of type `P` that applies to calls of `object` by the calling thread, without defaults.
pub fn policy_of<P: TypedPolicy>(object: &ObjectRef) -> Option<P> {
    with_policies(object, |policies| policies.value().cloned())
}
