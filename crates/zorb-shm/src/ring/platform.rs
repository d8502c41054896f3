//! What the rings stand on, in one place: their tests put something else there.

pub(super) use std::sync::atomic::{AtomicU64, fence};

#[cfg(feature = "buffers")]
pub(super) use std::sync::atomic::AtomicU32 as Count;
#[cfg(feature = "buffers")]
pub(super) use zorb_os::buffers;
pub(super) use zorb_os::futex;
pub(super) use zorb_os::memory::SharedMemory;
