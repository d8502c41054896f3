//! The platform of the rings in one place, so that tests can replace it.

pub(super) use std::sync::atomic::{AtomicU64, fence};

#[cfg(feature = "buffers")]
pub(super) use std::sync::atomic::AtomicU32 as Count;
#[cfg(feature = "buffers")]
pub(super) use zorb_os::buffers;
pub(super) use zorb_os::futex;
pub(super) use zorb_os::memory::SharedMemory;
