//! The calling side of an ORB.

use std::any::{Any, TypeId};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use zorb_base::orb_core::OrbCore;
use zorb_base::upcall_thread::connection_of_upcall;
use zorb_cdr::ReadContext;
use zorb_poa::Adapters;
use zorb_transport::PeerShares;

use super::cache::ConnectionCache;
use super::jobs::Jobs;
use super::level_policies::{CallParameters, ClientPolicies};
use super::pending::PendingWatch;
use crate::flow::{FlowEvent, FlowLimits};
use crate::value::ValueRegistry;

/// The calling side of an ORB, which is the context for decoding references and values.
pub struct ClientCore {
    orb: Arc<OrbCore>,
    /// The parameters of calls without policies. Computing them takes 6 % of a call.
    plain_parameters: CallParameters,
    policies: ArcSwap<ClientPolicies>,
    connections: ConnectionCache,
    /// The objects of this ORB, for collocated calls.
    adapters: Arc<Adapters>,
    values: ValueRegistry,
    /// Calls to send again, which threads that receive replies must not do.
    resends: Jobs,
    /// Upcalls of such calls, which may wait for others.
    upcalls: Jobs,
    /// Functions of the program for results, which may wait for such calls.
    handlers: Jobs,
    /// What tells the program of many pending calls, once it wants that.
    pending_watch: OnceLock<Arc<PendingWatch>>,
}

impl ClientCore {
    /// The calling side of an ORB whose own objects are in `adapters`.
    pub fn new(orb: &Arc<OrbCore>, adapters: &Arc<Adapters>) -> Arc<Self> {
        let core = Arc::new(Self {
            orb: Arc::clone(orb),
            plain_parameters: CallParameters::of_options(orb.options()),
            policies: ArcSwap::default(),
            connections: ConnectionCache::default(),
            adapters: Arc::clone(adapters),
            values: ValueRegistry::default(),
            resends: Jobs::new("zorb-resend"),
            upcalls: Jobs::new("zorb-upcalls"),
            handlers: Jobs::new("zorb-handlers"),
            pending_watch: OnceLock::new(),
        });
        let weak = Arc::downgrade(&core);
        orb.on_lane_end(Box::new(move |lane| {
            if let Some(core) = weak.upgrade() {
                core.connections.close_lane(lane);
            }
        }));
        let weak = Arc::downgrade(&core);
        orb.on_descriptor_shortage(Box::new(move || {
            weak.upgrade().is_some_and(|core| core.connections.close_idle())
        }));
        core
    }

    /// The calling side of an ORB with nothing but options.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Arc<Self> {
        Self::with_options(zorb_base::options::Options::default())
    }

    /// The same with these.
    #[cfg(test)]
    pub(crate) fn with_options(options: zorb_base::options::Options) -> Arc<Self> {
        let orb = OrbCore::new(options);
        Self::new(&orb, &Arc::new(Adapters::new(&orb)))
    }

    /// The parameters of calls without policies.
    #[inline]
    pub(crate) fn plain_parameters(&self) -> &CallParameters {
        &self.plain_parameters
    }

    /// The policies that the program has given to the ORB.
    pub fn policies(&self) -> &ArcSwap<ClientPolicies> {
        &self.policies
    }

    /// The connections to servers.
    pub fn connections(&self) -> &ConnectionCache {
        &self.connections
    }

    /// Sends pending calls again. These jobs make no upcalls.
    pub(super) fn resends(&self) -> &Jobs {
        &self.resends
    }

    /// Makes the upcalls of such calls if they are sent again to objects of this ORB.
    pub(super) fn upcalls(&self) -> &Jobs {
        &self.upcalls
    }

    /// Calls functions of the program with results. They have threads of their own: all may wait for calls that need
    /// one for their upcall.
    pub(super) fn handlers(&self) -> &Jobs {
        &self.handlers
    }

    /// Calls `on_event` when the pending calls reach the high watermark of `limits`, and when they are at the low one
    /// again; without limits with those of the options. Only the first such function of an ORB is called: `false` for
    /// another one.
    pub fn watch_pending(
        self: &Arc<Self>,
        limits: Option<FlowLimits>,
        on_event: impl Fn(&FlowEvent) + Send + Sync + 'static,
    ) -> bool {
        let options = self.options();
        let max_calls = options.max_pending_calls.min(options.max_pending_calls_per_connection);
        let max_octets = options.max_pending_octets;
        let of_options = FlowLimits { max_calls, max_octets, ..FlowLimits::default() };
        let core = Arc::downgrade(self);
        let run_later = move |job| {
            if let Some(core) = core.upgrade() {
                core.handlers().add(core.threads(), job);
            }
        };
        let limits = limits.unwrap_or(of_options);
        let watch = PendingWatch::new(limits, Box::new(run_later), on_event);
        self.pending_watch.set(watch).is_ok()
    }

    #[inline]
    pub(super) fn pending_watch(&self) -> Option<&Arc<PendingWatch>> {
        self.pending_watch.get()
    }

    pub(crate) fn adapters(&self) -> &Adapters {
        &self.adapters
    }

    /// The valuetypes that were registered.
    pub fn values(&self) -> &ValueRegistry {
        &self.values
    }
}

impl Deref for ClientCore {
    type Target = Arc<OrbCore>;

    #[inline]
    fn deref(&self) -> &Arc<OrbCore> {
        &self.orb
    }
}

impl std::fmt::Debug for ClientCore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientCore").field("orb", &self.orb).finish_non_exhaustive()
    }
}

impl ReadContext for ClientCore {
    fn part(&self, part: TypeId) -> Option<&dyn Any> {
        (part == TypeId::of::<ValueRegistry>()).then_some(&self.values)
    }

    fn value_type(&self, id: &str) -> Option<Box<dyn Any>> {
        self.values.value_type(id)
    }

    fn allows_extra_octets(&self) -> bool {
        self.options().allow_extra_octets
    }

    fn charge(&self, octets: usize) -> Option<Arc<dyn Any + Send + Sync>> {
        // Arguments, and the results that the upcall gets from others, are the memory of its client.
        let client = connection_of_upcall();
        let share = |shares: &PeerShares| Some(client.as_ref()?.share(shares));
        Some(Arc::new(self.orb.charge_decoded(octets, share)?))
    }
}
