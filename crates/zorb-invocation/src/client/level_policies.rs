//! The policies of one level of a client, and the parameters of calls that they set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb_base::options::Options;
use zorb_base::policy::{
    ConnectionTimeout, Deadline, MaxHops, Policies, Rebind, RelativeRequestTimeout,
    RelativeRoundtripTimeout, ReplyEndTime, RequestEndTime, SetOverrideType, SyncScope,
};
use zorb_types::{CompletionStatus, MinorCode, SystemException, minor};

use super::connection_policies::ConnectionPolicies;
use super::oneway_queue::OnewayQueue;

/// Whether policies of an ORB or a thread have ever been set in this process, or adapters look at the end times of
/// requests: until then calls do not look for them.
static IN_USE: AtomicBool = AtomicBool::new(false);

#[inline]
pub(super) fn in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// Makes calls look for policies of their ORB and thread, and for the end time of the upcall that makes them.
pub fn look_for_policies() {
    IN_USE.store(true, Ordering::Relaxed);
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
    pub(super) reply_end: Option<Deadline>,
    pub(super) request_end: Option<Deadline>,
    connect: Option<Duration>,
    sync_scope: Option<SyncScope>,
    rebind: Option<Rebind>,
    max_hops: Option<u16>,
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
    /// The maximum number of forwards.
    pub(crate) max_hops: u32,
    /// Whether policies may select other connections than the reference has, or queue the call.
    pub(crate) is_redirected: bool,
}

impl GivenParameters {
    fn of(policies: &Policies) -> Self {
        Self {
            round_trip: policies.value().map(|RelativeRoundtripTimeout(limit)| *limit),
            request: policies.value().map(|RelativeRequestTimeout(limit)| *limit),
            reply_end: policies.value().map(|ReplyEndTime(end)| *end),
            request_end: policies.value().map(|RequestEndTime(end)| *end),
            connect: policies.value().map(|ConnectionTimeout(limit)| *limit),
            sync_scope: policies.value().copied(),
            rebind: policies.value().copied(),
            max_hops: policies.value().map(|MaxHops(most)| *most),
            queued: policies.value::<OnewayQueue>().is_some(),
        }
    }

    pub(super) fn or(self, weaker: Self) -> Self {
        Self {
            round_trip: self.round_trip.or(weaker.round_trip),
            request: self.request.or(weaker.request),
            reply_end: self.reply_end.or(weaker.reply_end),
            request_end: self.request_end.or(weaker.request_end),
            connect: self.connect.or(weaker.connect),
            sync_scope: self.sync_scope.or(weaker.sync_scope),
            rebind: self.rebind.or(weaker.rebind),
            max_hops: self.max_hops.or(weaker.max_hops),
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
            max_hops: self.max_hops.map_or(options.max_forwards, u32::from),
            is_redirected: self.queued,
        }
    }
}

impl ClientPolicies {
    /// These policies, with what calls need of them.
    pub fn new(policies: Policies) -> Self {
        look_for_policies();
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

    /// The parameters of a call that must also have sent its request by one of these times, and end by the other.
    ///
    /// # Errors
    /// `TIMEOUT`, completed NO, if that time has passed.
    pub(super) fn until(
        self,
        request: Option<Deadline>,
        reply: Option<Deadline>,
    ) -> Result<Self, SystemException> {
        let request = earlier(self.request, request, minor::timeout::REQUEST_EXPIRED)?;
        let round_trip = earlier(self.round_trip, reply, minor::timeout::REPLY_EXPIRED)?;
        Ok(Self { round_trip, request, ..self })
    }
}

/// The shorter of a limit and the time until `end`.
fn earlier(
    limit: Option<Duration>,
    end: Option<Deadline>,
    expired: MinorCode,
) -> Result<Option<Duration>, SystemException> {
    match end.map(Deadline::time_left) {
        Some(left) if left.is_zero() => {
            Err(SystemException::timeout(expired, CompletionStatus::No))
        }
        left => Ok(limit.into_iter().chain(left).min()),
    }
}
