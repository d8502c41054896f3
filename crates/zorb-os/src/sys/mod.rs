//! Raw system calls: every `unsafe` block of the ORB, one operation each.
//!
//! Functions here take and return plain types, turn error codes into [`io::Error`] at once and
//! raw descriptors into [`OwnedFd`]. Anything cleverer belongs in the safe modules above.

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
pub(crate) mod signal;
pub(crate) mod slot;
pub(crate) mod thread;

/// Turns the -1 of a system call into the error it left behind.
fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Takes over the descriptor that a system call has just made.
fn own(result: libc::c_int) -> io::Result<OwnedFd> {
    let fd = check(result)?;
    // SAFETY: the system has just opened this descriptor for us, so nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
