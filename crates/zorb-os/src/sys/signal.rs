//! Signal sets, signal masks, and signals read from a descriptor.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::ptr;

use super::{check, own};

/// A set of signals.
#[derive(Clone, Copy)]
pub(crate) struct SignalSet(libc::sigset_t);

impl SignalSet {
    /// The empty set.
    pub(crate) fn none() -> Self {
        let mut set = MaybeUninit::uninit();
        // SAFETY: `set` is a sigset_t that the call may write.
        unsafe { libc::sigemptyset(set.as_mut_ptr()) };
        // SAFETY: sigemptyset has filled it; it cannot fail with a valid pointer.
        Self(unsafe { set.assume_init() })
    }

    /// The set of all signals.
    pub(crate) fn all() -> Self {
        let mut set = MaybeUninit::uninit();
        // SAFETY: `set` is a sigset_t that the call may write.
        unsafe { libc::sigfillset(set.as_mut_ptr()) };
        // SAFETY: sigfillset has filled it; it cannot fail with a valid pointer.
        Self(unsafe { set.assume_init() })
    }

    /// Adds a signal by its number.
    pub(crate) fn insert(&mut self, signal: libc::c_int) -> io::Result<()> {
        // SAFETY: the set is initialized and writable; invalid numbers are rejected.
        check(unsafe { libc::sigaddset(&raw mut self.0, signal) })?;
        Ok(())
    }

    /// Whether a signal is in the set.
    pub(crate) fn contains(&self, signal: libc::c_int) -> bool {
        // SAFETY: the set is initialized; invalid numbers give -1.
        unsafe { libc::sigismember(&raw const self.0, signal) == 1 }
    }

    /// Blocks these signals in the calling thread, in addition to those already blocked.
    pub(crate) fn block(&self) -> io::Result<()> {
        self.change_mask(libc::SIG_BLOCK)
    }

    /// Unblocks these signals in the calling thread.
    pub(crate) fn unblock(&self) -> io::Result<()> {
        self.change_mask(libc::SIG_UNBLOCK)
    }

    /// Makes these the only blocked signals of the calling thread.
    pub(crate) fn replace_mask(&self) -> io::Result<()> {
        self.change_mask(libc::SIG_SETMASK)
    }

    /// The blocked signals of the calling thread.
    pub(crate) fn blocked() -> io::Result<Self> {
        let mut now = Self::none();
        let target = &raw mut now.0;
        // SAFETY: with a null new set the call only writes the old one to `target`.
        code(unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), target) })?;
        Ok(now)
    }

    fn change_mask(&self, how: libc::c_int) -> io::Result<()> {
        // SAFETY: the new set is initialized, and a null old set is allowed.
        code(unsafe { libc::pthread_sigmask(how, &raw const self.0, ptr::null_mut()) })
    }

    /// A descriptor, non-blocking, from which these signals are read while they are blocked.
    pub(crate) fn descriptor(&self) -> io::Result<OwnedFd> {
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        // SAFETY: -1 requests a new descriptor, and the set is initialized.
        own(unsafe { libc::signalfd(-1, &raw const self.0, flags) })
    }
}

/// Converts the error number that pthread functions return.
fn code(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(result)) }
}

/// Whether the process ignores a signal, as SIGHUP under `nohup`.
pub(crate) fn is_ignored(signal: libc::c_int) -> io::Result<bool> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with a null new action the call only writes the current one to `action`.
    check(unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it has filled `action`.
    let action = unsafe { action.assume_init() };
    Ok(action.sa_sigaction == libc::SIG_IGN)
}
