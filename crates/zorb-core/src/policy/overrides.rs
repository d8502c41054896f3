//! Overrides at the levels of a client, and what they come to.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb_giop::{PolicyValue, ResponseFlags};
use zorb_transport::StreamOptions;
use zorb_types::SystemException;

use super::current::overrides_of_thread;
use super::{
    AdapterPolicies, AnyShape, ConnectionTimeout, NetworkPriorities, Policies, Rebind,
    RelativeRequestTimeout, RelativeRoundtripTimeout, RequestContext, RestingPriorities, SetsUp,
    SyncScope, TypedPolicy,
};
use crate::gather::WriteBody;
use crate::object::ObjectRef;
use crate::options::Options;
use crate::orb::OrbCore;
use crate::poa::{Poa, PoaPolicies};
use crate::serving::PoolUse;

/// What becomes of the overrides that a level has when others are set (`CORBA::SetOverrideType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetOverrideType {
    /// They go (`SET_OVERRIDE`).
    SetOverride,
    /// They stay, but for those of the same types (`ADD_OVERRIDE`).
    AddOverride,
}

/// Whether overrides of an ORB or a thread have ever been set in this process: until then calls do
/// not look for them.
static IN_USE: AtomicBool = AtomicBool::new(false);

#[inline]
fn in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// Makes of an ORB's policies those of the root adapter.
type BeginRoot = fn(&Arc<OrbCore>, &Overrides) -> (PoaPolicies, Option<PoolUse>);

/// The policies of one level, and what calls need of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overrides {
    pub(crate) policies: Policies,
    terms: SomeTerms,
    /// What goes along with every request; of an ORB only.
    pub(crate) accompanying: Vec<Arc<dyn RequestContext>>,
    /// The classes of connections in the network; of an ORB only.
    network: Option<Arc<dyn NetworkPriorities>>,
    /// Policies of adapters by their names; of an ORB only.
    pub(crate) adapters: Option<Arc<dyn AdapterPolicies>>,
    /// The priorities at which serving threads rest; of an ORB only.
    pub(crate) resting: Option<Arc<dyn RestingPriorities>>,
    pub(super) shape: Option<Arc<dyn AnyShape>>,
    /// What sets connections up that are accepted; of an ORB only.
    pub(crate) sets_up: Option<Arc<dyn SetsUp>>,
    /// Makes of the policies what the root adapter begins with; of an ORB only, and not where nobody
    /// has set any.
    pub(crate) begin_root: Option<BeginRoot>,
}

/// The overrides of a reference: those of the calls it was made for, and its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectOverrides {
    pub(crate) call: Policies,
    pub(crate) object: Policies,
    terms: SomeTerms,
    shape: Option<Arc<dyn AnyShape>>,
}

/// What is asked of an object, for who sees to a call before it goes there.
pub(crate) struct Asked<'a> {
    pub(crate) operation: &'a str,
    pub(crate) response: ResponseFlags,
    pub(crate) is_one_way: bool,
    pub(crate) arguments: WriteBody<'a>,
    pub(crate) terms: Terms,
}

/// Sees to a call: finds the reference by which it goes, which policies of the thread or the ORB may
/// have go other ways, or does what is asked itself, and then there is none. Questions about the object
/// itself ask nothing of it.
pub(crate) type Detour = for<'o> fn(
    &'o ObjectRef,
    Option<&Asked<'_>>,
) -> Result<Option<Cow<'o, ObjectRef>>, SystemException>;

/// What policies say about a call, as far as they do.
#[derive(Clone, Copy, Debug, Default)]
struct SomeTerms {
    round_trip: Option<Duration>,
    request: Option<Duration>,
    connect: Option<Duration>,
    sync_scope: Option<SyncScope>,
    rebind: Option<Rebind>,
    accompanied: bool,
    detour: Option<Detour>,
}

/// What holds for one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) round_trip: Option<Duration>,
    pub(crate) request: Option<Duration>,
    pub(crate) connect: Duration,
    pub(crate) sync_scope: SyncScope,
    pub(crate) asides: Asides,
    /// Sees to the call first, where policies want that.
    pub(crate) elsewhere: Option<Detour>,
}

/// What is seldom asked of a call once it has ended, all in one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asides(u8);

impl Asides {
    const NO_REBIND: u8 = 1;
    const NO_RECONNECT: u8 = 2;
    const ACCOMPANIED: u8 = 4;

    #[inline]
    fn new(rebind: Option<Rebind>, accompanied: bool) -> Self {
        let rebind = match rebind {
            None | Some(Rebind::Transparent) => 0,
            Some(Rebind::NoRebind) => Self::NO_REBIND,
            Some(Rebind::NoReconnect) => Self::NO_RECONNECT,
        };
        Self(rebind | if accompanied { Self::ACCOMPANIED } else { 0 })
    }

    /// Whether there is nothing to be done.
    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether the object may be reached in another way than before.
    pub(crate) fn rebind(self) -> Rebind {
        match self.0 & (Self::NO_REBIND | Self::NO_RECONNECT) {
            0 => Rebind::Transparent,
            Self::NO_REBIND => Rebind::NoRebind,
            _ => Rebind::NoReconnect,
        }
    }

    /// Whether something that goes along with requests wants to know when the call has ended.
    pub(crate) fn is_accompanied(self) -> bool {
        self.0 & Self::ACCOMPANIED != 0
    }
}

impl SomeTerms {
    fn of(policies: &Policies) -> Self {
        Self {
            round_trip: policies.value().map(|RelativeRoundtripTimeout(limit)| *limit),
            request: policies.value().map(|RelativeRequestTimeout(limit)| *limit),
            connect: policies.value().map(|ConnectionTimeout(limit)| *limit),
            sync_scope: policies.value().copied(),
            rebind: policies.value().copied(),
            accompanied: false,
            detour: policies.detour(),
        }
    }

    fn or(self, weaker: Self) -> Self {
        Self {
            round_trip: self.round_trip.or(weaker.round_trip),
            request: self.request.or(weaker.request),
            connect: self.connect.or(weaker.connect),
            sync_scope: self.sync_scope.or(weaker.sync_scope),
            rebind: self.rebind.or(weaker.rebind),
            accompanied: self.accompanied || weaker.accompanied,
            detour: self.detour.or(weaker.detour),
        }
    }

    fn or_options(self, options: &Options) -> Terms {
        Terms {
            round_trip: self.round_trip.or(options.round_trip_timeout),
            request: self.request,
            connect: self.connect.unwrap_or(options.connect_timeout),
            sync_scope: self.sync_scope.unwrap_or_default(),
            asides: Asides::new(self.rebind, self.accompanied),
            elsewhere: None,
        }
    }
}

impl Overrides {
    pub(super) fn new(policies: Policies) -> Self {
        IN_USE.store(true, Ordering::Relaxed);
        let terms = SomeTerms::of(&policies);
        let shape = policies.shaper().and_then(|shaper| shaper(&[&policies]));
        Self { policies, terms, shape, ..Self::default() }
    }

    /// These overrides after others were set.
    pub(super) fn changed(&self, policies: &Policies, how: SetOverrideType) -> Self {
        let mut changed = Self::new(change(&self.policies, policies, how));
        changed.terms.accompanied = self.terms.accompanied;
        changed.accompanying.clone_from(&self.accompanying);
        changed.network.clone_from(&self.network);
        changed.adapters.clone_from(&self.adapters);
        changed.resting.clone_from(&self.resting);
        changed
    }

    /// These overrides, with what they say of connections that are accepted.
    pub(super) fn for_servers(mut self) -> Self {
        self.sets_up = self.policies.sets_up();
        self.begin_root = Some(Poa::root_policies);
        self
    }

    /// These overrides, with classes of connections in the network.
    pub(super) fn with_network(&self, network: &Arc<dyn NetworkPriorities>) -> Self {
        Self { network: Some(Arc::clone(network)), ..self.clone() }
    }

    /// These overrides, with policies of adapters by their names.
    pub(super) fn furnishing(&self, adapters: &Arc<dyn AdapterPolicies>) -> Self {
        let begin_root: Option<BeginRoot> = Some(Poa::root_policies);
        Self { adapters: Some(Arc::clone(adapters)), begin_root, ..self.clone() }
    }

    /// These overrides, with priorities at which serving threads rest.
    pub(super) fn resting_by(&self, resting: &Arc<dyn RestingPriorities>) -> Self {
        Self { resting: Some(Arc::clone(resting)), ..self.clone() }
    }

    /// How a connection is set up that serves `priority`, or what the policies of its reference
    /// declare, or else a band of priorities, whose highest it is then. `wanted` is whether properties
    /// want that, if they speak of it.
    pub(crate) fn in_network(
        &self,
        priority: Option<i16>,
        (policies, band): (&[PolicyValue], Option<&RangeInclusive<i16>>),
        (options, wanted): (StreamOptions, Option<bool>),
    ) -> StreamOptions {
        let class = self.network.as_ref().and_then(|network| {
            if !wanted.unwrap_or_else(|| network.holds_for_all()) {
                return None;
            }
            let priority = priority.or_else(|| network.declared(policies));
            let priority = priority.or_else(|| band.map(|band| *band.end()))?;
            network.class_of(priority)
        });
        match class {
            Some(class) => class.over(options),
            None => options,
        }
    }

    /// These overrides, with something that goes along with every request.
    pub(super) fn accompanied_by(&self, context: &Arc<dyn RequestContext>) -> Self {
        IN_USE.store(true, Ordering::Relaxed);
        let mut with = self.clone();
        with.accompanying.push(Arc::clone(context));
        with.terms.accompanied = true;
        with
    }
}

impl ObjectOverrides {
    /// What they make of the ways to the object.
    pub(crate) fn shape(&self) -> Option<&Arc<dyn AnyShape>> {
        self.shape.as_ref()
    }

    pub(crate) fn with_object(&self, policies: &Policies, how: SetOverrideType) -> Self {
        Self::new(self.call.clone(), change(&self.object, policies, how))
    }

    pub(crate) fn with_call(&self, policies: &Policies) -> Self {
        Self::new(change(&self.call, policies, SetOverrideType::AddOverride), self.object.clone())
    }

    fn new(call: Policies, object: Policies) -> Self {
        let terms = SomeTerms::of(&call).or(SomeTerms::of(&object));
        let shaper = call.shaper().or_else(|| object.shaper());
        let shape = shaper.and_then(|shaper| shaper(&[&call, &object]));
        Self { call, object, terms, shape }
    }
}

fn change(before: &Policies, policies: &Policies, how: SetOverrideType) -> Policies {
    match how {
        SetOverrideType::SetOverride => policies.clone(),
        SetOverrideType::AddOverride => before.clone().overridden_by(policies),
    }
}

impl Terms {
    /// What holds for a call that no policy is about.
    pub(crate) fn of_options(options: &Options) -> Self {
        SomeTerms::default().or_options(options)
    }
}

/// What holds for a call of `object` if no policy may be about it.
#[inline]
pub(crate) fn plain_terms(object: &ObjectRef) -> Option<&Terms> {
    (object.overrides().is_none() && !in_use()).then(|| object.core().plain_terms())
}

/// What holds for a call of `object`.
#[cold]
pub(crate) fn terms(object: &ObjectRef) -> Terms {
    let mut terms = object.overrides().map(|overrides| overrides.terms).unwrap_or_default();
    let mut elsewhere = None;
    if in_use() {
        let core = object.core();
        let router = |shape: &Option<Arc<dyn AnyShape>>| shape.as_ref().map(|it| it.router());
        let of_thread =
            overrides_of_thread(core, |overrides| (overrides.terms, router(&overrides.shape)));
        let (of_thread, by_thread) = of_thread.unwrap_or_default();
        let of_orb = core.overrides().load();
        terms = terms.or(of_thread).or(of_orb.terms);
        elsewhere = by_thread.or_else(|| router(&of_orb.shape));
    }
    let elsewhere = terms.detour.or(elsewhere);
    Terms { elsewhere, ..terms.or_options(object.core().options()) }
}

/// The overrides of type `P` of the calling thread and of the ORB.
pub(crate) fn overrides_here<P: TypedPolicy>(core: &Arc<OrbCore>) -> (Option<P>, Option<P>) {
    let of_thread = overrides_of_thread(core, |known| known.policies.value::<P>().cloned());
    (of_thread.flatten(), core.overrides().load().policies.value::<P>().cloned())
}

/// The override of type `P` that holds for calls of `object`.
pub(crate) fn override_of<P: TypedPolicy>(object: &ObjectRef) -> Option<P> {
    let core = object.core();
    let of_object = object.overrides().and_then(|overrides| {
        overrides.call.value::<P>().or_else(|| overrides.object.value::<P>()).cloned()
    });
    of_object
        .or_else(|| {
            overrides_of_thread(core, |overrides| overrides.policies.value::<P>().cloned())
                .flatten()
        })
        .or_else(|| core.overrides().load().policies.value::<P>().cloned())
}
