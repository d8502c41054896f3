//! The priorities of the system.

use std::fmt;

/// A priority of this machine's scheduler (`RTCORBA::NativePriority`): 0 for threads that share the
/// processor, 1 to 99 for real-time threads, 99 being the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NativePriority(pub i16);

impl NativePriority {
    /// The priority of threads by default.
    pub const SHARED: Self = Self(0);
    /// The highest that the ORB assigns by default; those above are reserved for watchdogs.
    pub const DEFAULT_MAX: Self = Self(89);
    /// The highest.
    pub const MAX: Self = Self(zorb_os::priority::MAX_PRIORITY as i16);
}

impl fmt::Display for NativePriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
