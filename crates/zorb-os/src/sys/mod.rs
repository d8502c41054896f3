//! System calls: every `unsafe` block of the ORB, one operation each.
//!
//! The functions take and return plain types, and convert error codes to [`io::Error`] and raw
//! descriptors to [`OwnedFd`] at once. All other logic is in the safe modules above.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

pub(crate) mod alloc;
pub(crate) mod buffers;
pub(crate) mod clock;
pub(crate) mod fd;
pub(crate) mod interface;
pub(crate) mod lock;
pub(crate) mod memory;
pub(crate) mod process;
pub(crate) mod scoped;
pub(crate) mod signal;
pub(crate) mod slot;
pub(crate) mod thread;
mod thread_safe;
pub(crate) mod typed;

/// Converts the result -1 of a system call to its error.
fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Takes ownership of the descriptor that a system call has just created.
fn own(result: libc::c_int) -> io::Result<OwnedFd> {
    let fd = check(result)?;
    // SAFETY: the system has just opened this descriptor, so nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
