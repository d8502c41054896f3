//! Native priorities.

use std::fmt;

/// A priority of the operating system's scheduler (`RTCORBA::NativePriority`): 0 for threads without a real-time
/// priority, 1 to 99 for real-time threads, of which 99 is the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NativePriority(pub i16);

impl NativePriority {
    /// The default priority of threads.
    pub const SHARED: Self = Self(0);
    /// The highest priority that the ORB assigns by default; higher ones are reserved for watchdogs.
    pub const DEFAULT_MAX: Self = Self(89);
    /// The highest priority.
    pub const MAX: Self = Self(zorb_os::priority::MAX_PRIORITY as i16);
}

impl fmt::Display for NativePriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
