//! The policies of one level of a client, and the parameters of calls that they set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb_base::options::Options;
use zorb_base::policy::{
    ConnectionTimeout, Policies, Rebind, RelativeRequestTimeout, RelativeRoundtripTimeout,
    SetOverrideType, SyncScope,
};

use super::connection_policies::ConnectionPolicies;
use super::oneway_queue::OnewayQueue;

/// Whether policies of an ORB or a thread have ever been set in this process: until then calls do not
/// look for them.
static IN_USE: AtomicBool = AtomicBool::new(false);

#[inline]
pub(super) fn in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// The policies of an ORB or a thread, and what calls need of them.
#[derive(Clone, Debug, Default)]
pub struct ClientPolicies {
    /// The policies.
    pub policies: Policies,
    pub(super) parameters: GivenParameters,
    pub(crate) connections: Option<Arc<ConnectionPolicies>>,
}

/// The policies of a reference: those of the calls it was made for, and its own.
#[derive(Clone, Debug, Default)]
pub struct ObjectPolicies {
    pub(crate) call: Policies,
    pub(crate) object: Policies,
    pub(super) parameters: GivenParameters,
    connections: Option<Arc<ConnectionPolicies>>,
}

/// The parameters that policies set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GivenParameters {
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

    pub(super) fn or(self, weaker: Self) -> Self {
        Self {
            round_trip: self.round_trip.or(weaker.round_trip),
            request: self.request.or(weaker.request),
            connect: self.connect.or(weaker.connect),
            sync_scope: self.sync_scope.or(weaker.sync_scope),
            rebind: self.rebind.or(weaker.rebind),
            queued: self.queued || weaker.queued,
        }
    }

    pub(super) fn or_options(self, options: &Options) -> CallParameters {
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
