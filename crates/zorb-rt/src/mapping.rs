//! What CORBA's priorities are in the system's scheduler.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use zorb_core::poa::ObjectId;

use super::{NativePriority, Priority};

/// How CORBA's priorities and the system's correspond (`RTCORBA::PriorityMapping`).
///
/// The two directions agree: what [`to_corba`](Self::to_corba) makes of a native priority,
/// [`to_native`](Self::to_native) makes the same native priority of.
pub trait PriorityMapping: fmt::Debug + Send + Sync + 'static {
    /// The native priority; `None` for one that has none here, which fails with `DATA_CONVERSION`.
    fn to_native(&self, priority: Priority) -> Option<NativePriority>;

    /// The CORBA priority; `None` for one that has none.
    fn to_corba(&self, native: NativePriority) -> Option<Priority>;
}

/// Changes priorities on their way (`RTCORBA::PriorityTransform`): the one that arrives with a
/// request, before its upcall, and the one that is sent with a request. `None` is a failure, and the
/// call fails with `DATA_CONVERSION`. By default neither is changed.
pub trait PriorityTransform: fmt::Debug + Send + Sync + 'static {
    /// The priority that the upcall runs at, to the object `id`, for one that arrived. In a pool whose
    /// requests wait by priority it is asked when a request is read as well.
    fn inbound(&self, priority: Priority, id: &ObjectId) -> Option<Priority> {
        let _ = id;
        Some(priority)
    }

    /// The priority that is sent, for that of the calling thread.
    fn outbound(&self, priority: Priority) -> Option<Priority> {
        Some(priority)
    }
}

/// The native priorities that a mapping is to.
fn range(lowest: i16, highest: i16) -> RangeInclusive<i16> {
    lowest.clamp(0, NativePriority::MAX.0)..=highest.clamp(0, NativePriority::MAX.0)
}

/// Spreads all CORBA priorities evenly over native ones (TAO's `linear`). The default, over 0 to 89.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear(RangeInclusive<i16>);

impl Linear {
    /// Over the native priorities from `lowest` to `highest`, of those that there are.
    pub fn new(lowest: NativePriority, highest: NativePriority) -> Self {
        Self(range(lowest.0, highest.0))
    }
}

impl Default for Linear {
    fn default() -> Self {
        Self::new(NativePriority::SHARED, NativePriority::DEFAULT_MAX)
    }
}

impl PriorityMapping for Linear {
    fn to_native(&self, priority: Priority) -> Option<NativePriority> {
        let (lowest, highest) = (i32::from(*self.0.start()), i32::from(*self.0.end()));
        let above = (highest - lowest) * i32::from(priority.value()) / i32::from(i16::MAX);
        i16::try_from(lowest + above)
            .ok()
            .filter(|native| self.0.contains(native))
            .map(NativePriority)
    }

    fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        if !self.0.contains(&native.0) {
            return None;
        }
        let (lowest, highest) = (i32::from(*self.0.start()), i32::from(*self.0.end()));
        // Rounded up, so that the way back leads here.
        let scaled = i32::from(i16::MAX) * (i32::from(native.0) - lowest);
        let span = (highest - lowest).max(1);
        let rounded = scaled / span + i32::from(scaled % span != 0);
        Priority::new(i16::try_from(rounded).ok()?).ok()
    }
}

/// CORBA priorities are native ones (TAO's `direct`); others have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direct(RangeInclusive<i16>);

impl Direct {
    /// Between `lowest` and `highest`, of those that there are.
    pub fn new(lowest: NativePriority, highest: NativePriority) -> Self {
        Self(range(lowest.0, highest.0))
    }
}

impl Default for Direct {
    fn default() -> Self {
        Self::new(NativePriority::SHARED, NativePriority::DEFAULT_MAX)
    }
}

impl PriorityMapping for Direct {
    fn to_native(&self, priority: Priority) -> Option<NativePriority> {
        self.0.contains(&priority.value()).then_some(NativePriority(priority.value()))
    }

    fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        let priority = self.0.contains(&native.0).then_some(native.0)?;
        Priority::new(priority).ok()
    }
}

/// CORBA priorities from 0 on are consecutive native ones (TAO's `continuous`); those beyond have
/// none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuous(RangeInclusive<i16>);

impl Continuous {
    /// From `lowest`, which is CORBA's 0, up to `highest`, of those that there are.
    pub fn new(lowest: NativePriority, highest: NativePriority) -> Self {
        Self(range(lowest.0, highest.0))
    }
}

impl Default for Continuous {
    fn default() -> Self {
        Self::new(NativePriority(1), NativePriority::DEFAULT_MAX)
    }
}

impl PriorityMapping for Continuous {
    fn to_native(&self, priority: Priority) -> Option<NativePriority> {
        let native = self.0.start().checked_add(priority.value())?;
        self.0.contains(&native).then_some(NativePriority(native))
    }

    fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        let native = self.0.contains(&native.0).then_some(native.0)?;
        Priority::new(native - self.0.start()).ok()
    }
}

/// The mapping of an ORB (`RTCORBA::PriorityMappingManager`, the initial reference of that name). It is
/// set once, by [`RtOrbBuilder::mapping`](super::RtOrbBuilder::mapping) or the option `RtMapping`:
/// threads that already run would not follow a change.
#[derive(Clone, Debug)]
pub struct PriorityMappingManager(Arc<dyn PriorityMapping>);

impl PriorityMappingManager {
    pub(crate) fn new(mapping: &Arc<dyn PriorityMapping>) -> Self {
        Self(Arc::clone(mapping))
    }

    /// The mapping (`mapping`).
    #[must_use]
    pub fn mapping(&self) -> &dyn PriorityMapping {
        &*self.0
    }
}
