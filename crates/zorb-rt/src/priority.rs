//! Priorities: CORBA's, and the system's.

use std::fmt;

use zorb_types::{CompletionStatus, SystemException, minor};

/// A priority as CORBA knows it, the same on every machine (`RTCORBA::Priority`): 0 to 32767, the
/// higher the more urgent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(i16);

impl Priority {
    /// The lowest (`minPriority`).
    pub const MIN: Self = Self(0);
    /// The highest (`maxPriority`).
    pub const MAX: Self = Self(i16::MAX);

    /// The priority of this number.
    ///
    /// # Errors
    /// `BAD_PARAM` for a negative number.
    pub const fn new(value: i16) -> Result<Self, SystemException> {
        if value < 0 {
            return Err(SystemException::bad_param(
                minor::bad_param::PRIORITY_OUT_OF_RANGE,
                CompletionStatus::No,
            ));
        }
        Ok(Self(value))
    }

    /// Its number.
    pub const fn value(self) -> i16 {
        self.0
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A priority of this machine's scheduler (`RTCORBA::NativePriority`): 0 for threads that share the
/// processor in turns, 1 to 99 for real-time ones, the higher the more urgent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NativePriority(pub i16);

impl NativePriority {
    /// What threads have that nobody gave a priority.
    pub const SHARED: Self = Self(0);
    /// The highest that the ORB gives by default: those above are for whatever watches over it.
    pub const DEFAULT_MAX: Self = Self(89);
    /// The highest that there is.
    pub const MAX: Self = Self(zorb_os::priority::MAX_PRIORITY as i16);
}

impl fmt::Display for NativePriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
