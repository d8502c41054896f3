//! What policies make of the ways to an object.
//!
//! Most programs have no such policies, and shall not have their code either: it is reached by
//! [`AnyShape`] alone, and that by those policies alone.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zorb_giop::ProfileTag;

use super::current::overrides_of_thread;
use super::{
    ClientProtocols, ConnectionProperties, Detour, LineOptions, Policies, Policy, PolicyType,
    PrivateConnection,
};
use crate::object::ObjectRef;
use crate::options::Options;

/// The number in the shape of a reference whose connections are to be private and that has none yet.
const NOT_NUMBERED: u64 = 0;

/// Makes a shape of the policies of some levels, the strongest first.
pub(crate) type Shaper = fn(&[&Policies]) -> Option<Arc<dyn AnyShape>>;

/// The connections that calls of a band go over, or all calls where there are no bands.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) options: LineOptions,
    /// Only connections where this is the same may be the same.
    pub(crate) distinct: Box<[i64]>,
    pub(crate) band: Option<RangeInclusive<i16>>,
}

impl Lines {
    /// Those where no policy says anything.
    pub(crate) fn plain(options: &Options) -> Self {
        Self { options: LineOptions::plain(options), distinct: Box::default(), band: None }
    }
}

/// A [`Shape`] that is reached only where there is one.
pub(crate) trait AnyShape: fmt::Debug + Send + Sync {
    fn shape(&self) -> &Shape;

    /// This one with what the policies in a reference say beyond it. Those that contradict it are noted.
    fn with_servers(
        &self,
        policies: &Policies,
        conflicts: &mut Vec<PolicyType>,
    ) -> Arc<dyn AnyShape>;

    /// Whether it says which protocols are used.
    fn chooses_protocols(&self) -> bool;

    /// Which of the profiles of these kinds are used, in which order.
    fn order(&self, profiles: &[ProfileTag]) -> Vec<usize>;

    /// The lines to an endpoint of such a profile that serves `priority`, `None` for any.
    fn lines(&self, profile: ProfileTag, priority: Option<i16>, options: &Options) -> Vec<Lines>;

    fn bands(&self) -> &[RangeInclusive<i16>];

    /// Finds the reference by which a call goes, where policies of the thread or the ORB may have it go
    /// other ways.
    fn router(&self) -> Detour;

    /// The reference to the object of `before` with this shape.
    fn reference(&self, before: &ObjectRef) -> ObjectRef;
}

/// What the policies of a level, or of several, make of the ways to an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    protocols: Option<ClientProtocols>,
    /// The properties that levels stronger than that of the protocols have set, or all where no level
    /// has protocols.
    before: ConnectionProperties,
    /// Those of its own level and of weaker ones.
    after: ConnectionProperties,
    /// The bands of priorities, each with connections of its own.
    bands: Vec<RangeInclusive<i16>>,
    /// The number of the reference whose connections are private.
    private: Option<u64>,
}

impl Shape {
    /// The [`Shaper`] of all policies that shape.
    pub(crate) fn shaper(levels: &[&Policies]) -> Option<Arc<dyn AnyShape>> {
        let shape = levels.iter().fold(Self::default(), |shape, level| shape.or(&Self::of(level)));
        (shape != Self::default()).then(|| Arc::new(shape) as Arc<dyn AnyShape>)
    }

    /// What the policies of one level come to.
    fn of(policies: &Policies) -> Self {
        let protocols: Option<&ClientProtocols> = policies.value();
        let properties = policies.value().copied().unwrap_or_default();
        let (before, after) = match protocols {
            Some(_) => (ConnectionProperties::default(), properties),
            None => (properties, ConnectionProperties::default()),
        };
        Self {
            protocols: protocols.cloned(),
            before,
            after,
            bands: policies.iter().find_map(Policy::bands).unwrap_or_default(),
            private: policies.value::<PrivateConnection>().map(|_| NOT_NUMBERED),
        }
    }

    /// This one with what a weaker level says beyond it.
    fn or(self, weaker: &Self) -> Self {
        let (protocols, before, after) = match self.protocols {
            Some(own) => (Some(own), self.before, self.after.or(weaker.before).or(weaker.after)),
            None => (weaker.protocols.clone(), self.before.or(weaker.before), weaker.after),
        };
        Self {
            protocols,
            before,
            after,
            bands: if self.bands.is_empty() { weaker.bands.clone() } else { self.bands },
            private: self.private.or(weaker.private),
        }
    }

    /// What the policies of all levels make of the ways to `object`.
    pub(crate) fn wanted(object: &ObjectRef) -> Self {
        let core = object.core();
        let copy = |shape: &Arc<dyn AnyShape>| shape.shape().clone();
        let own = object.overrides().and_then(|overrides| overrides.shape().map(copy));
        let of_thread = overrides_of_thread(core, |overrides| overrides.shape.as_ref().map(copy));
        let of_orb = core.overrides().load().shape.as_ref().map(copy);
        let [own, of_thread, of_orb] =
            [own, of_thread.flatten(), of_orb].map(Option::unwrap_or_default);
        own.or(&of_thread).or(&of_orb)
    }

    /// Whether a reference of this shape is as one that `wanted` is said of.
    pub(crate) fn is_as(&self, wanted: &Self) -> bool {
        let Self { protocols, before, after, bands, private } = self;
        private.is_some() == wanted.private.is_some()
            && *protocols == wanted.protocols
            && (*before, *after) == (wanted.before, wanted.after)
            && *bands == wanted.bands
    }

    /// The shape of a new reference: with a number if its connections are private.
    pub(crate) fn numbered(mut self) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(NOT_NUMBERED + 1);
        self.private = self.private.map(|_| NEXT.fetch_add(1, Ordering::Relaxed));
        self
    }

    pub(crate) fn is_private(&self) -> bool {
        self.private.is_some()
    }

    /// What is said of connections by profiles of this kind.
    pub(crate) fn properties(&self, profile: ProfileTag) -> ConnectionProperties {
        let of_protocol = self.protocols.as_ref().map(|chosen| chosen.properties(profile));
        self.before.or(of_protocol.unwrap_or_default()).or(self.after)
    }
}

impl AnyShape for Shape {
    fn shape(&self) -> &Shape {
        self
    }

    fn with_servers(
        &self,
        policies: &Policies,
        conflicts: &mut Vec<PolicyType>,
    ) -> Arc<dyn AnyShape> {
        let servers = Self::of(policies);
        if let (Some(own), Some(servers)) = (&self.protocols, &servers.protocols)
            && !own.says_the_same(servers)
        {
            conflicts.push(PolicyType::CLIENT_PROTOCOL);
        }
        if !self.bands.is_empty() && !servers.bands.is_empty() {
            conflicts.push(PolicyType::PRIORITY_BANDED_CONNECTION);
        }
        Arc::new(self.clone().or(&servers))
    }

    fn chooses_protocols(&self) -> bool {
        self.protocols.is_some()
    }

    fn order(&self, profiles: &[ProfileTag]) -> Vec<usize> {
        let Some(chosen) = &self.protocols else { return (0..profiles.len()).collect() };
        let at = |place: usize| {
            let numbered = profiles.iter().enumerate();
            numbered.filter(move |(_, tag)| chosen.place(**tag) == Some(place))
        };
        (0..=chosen.choices().len()).flat_map(at).map(|(number, _)| number).collect()
    }

    fn lines(&self, profile: ProfileTag, priority: Option<i16>, options: &Options) -> Vec<Lines> {
        let properties = self.properties(profile);
        let line = |band: Option<&RangeInclusive<i16>>| {
            let private = self.private.map_or(-1, |number| number.cast_signed());
            let band_words = band.map_or([-1, -1], |band| [*band.start(), *band.end()]);
            let mut distinct = properties.words().to_vec();
            distinct.push(private);
            distinct.extend(band_words.map(i64::from));
            Lines {
                options: properties.over(options),
                distinct: distinct.into(),
                band: band.cloned(),
            }
        };
        if self.bands.is_empty() {
            return vec![line(None)];
        }
        let fits = |band: &&RangeInclusive<i16>| priority.is_none_or(|it| band.contains(&it));
        self.bands.iter().filter(fits).map(|band| line(Some(band))).collect()
    }

    fn bands(&self) -> &[RangeInclusive<i16>] {
        &self.bands
    }

    fn router(&self) -> Detour {
        |object, _| object.as_wanted().map(Some)
    }

    fn reference(&self, before: &ObjectRef) -> ObjectRef {
        before.shaped(self)
    }
}
