//! Mappings of CORBA priorities to native priorities.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use zorb_core::poa::ObjectId;

use super::{NativePriority, Priority};

/// Maps CORBA priorities to native ones and back (`RTCORBA::PriorityMapping`).
///
/// The two directions are consistent: [`to_native`](Self::to_native) of the result of [`to_corba`](Self::to_corba) is the
/// original native priority.
pub trait PriorityMapping: fmt::Debug + Send + Sync + 'static {
    /// The native priority; `None` if there is none, so that the call fails with `DATA_CONVERSION`.
    fn to_native(&self, priority: Priority) -> Option<NativePriority>;

    /// The CORBA priority; `None` if there is none.
    fn to_corba(&self, native: NativePriority) -> Option<Priority>;
}

/// Changes the priorities in requests (`RTCORBA::PriorityTransform`): on arrival, before the upcall, and when a request
/// is sent. With `None` the call fails with `DATA_CONVERSION`. By default priorities are not changed.
pub trait PriorityTransform: fmt::Debug + Send + Sync + 'static {
    /// The priority of the upcall to the object `id`, for the priority in a request. In a pool that queues requests by
    /// priority it is also called when a request is read.
    fn inbound(&self, priority: Priority, id: &ObjectId) -> Option<Priority> {
        let _ = id;
        Some(priority)
    }

    /// The priority in a request, for the priority of the calling thread.
    fn outbound(&self, priority: Priority) -> Option<Priority> {
        Some(priority)
    }
}

/// The native priorities of a mapping.
fn range(lowest: i16, highest: i16) -> RangeInclusive<i16> {
    lowest.clamp(0, NativePriority::MAX.0)..=highest.clamp(0, NativePriority::MAX.0)
}

/// Spreads all CORBA priorities evenly over native ones (TAO's `linear`). The default, over 0 to 89.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear(RangeInclusive<i16>);

impl Linear {
    /// A mapping to the native priorities from `lowest` to `highest`, limited to existing ones.
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
        // Rounded up, so that `to_native` returns `native` again.
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
    /// A mapping of the priorities from `lowest` to `highest`, limited to existing ones.
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

/// CORBA priorities from 0 on are consecutive native ones (TAO's `continuous`); others have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuous(RangeInclusive<i16>);

impl Continuous {
    /// A mapping from `lowest`, which is CORBA priority 0, to `highest`, limited to existing ones.
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

/// The priority mapping of an ORB (`RTCORBA::PriorityMappingManager`, the initial reference of that name). It is set
/// once, by [`RtOrbBuilder::mapping`](super::RtOrbBuilder::mapping) or the option `RtMapping`, because running threads
/// would not follow a change.
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
