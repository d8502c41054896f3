//! Waiting for termination signals.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::os::fd::AsFd;

use crate::event::EventFd;
use crate::poll::wait_readable;
use crate::sys;

/// A signal that asks the process to terminate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signal(i32);

impl Signal {
    /// `SIGINT`: Ctrl-C at the terminal.
    pub const INTERRUPT: Self = Self(libc::SIGINT);
    /// `SIGTERM`: sent by `kill` and service managers.
    pub const TERMINATE: Self = Self(libc::SIGTERM);
    /// `SIGHUP`: the terminal was closed.
    pub const HANG_UP: Self = Self(libc::SIGHUP);
    /// `SIGKILL`: ends a process that cannot refuse.
    pub const KILL: Self = Self(libc::SIGKILL);

    /// The number of the signal.
    #[must_use]
    pub fn number(self) -> i32 {
        self.0
    }

    /// The exit status that shells report for a program ended by this signal: 128 plus the number.
    #[must_use]
    pub fn exit_status(self) -> i32 {
        128 + self.0
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::INTERRUPT => f.pad("SIGINT"),
            Self::TERMINATE => f.pad("SIGTERM"),
            Self::HANG_UP => f.pad("SIGHUP"),
            Self::KILL => f.pad("SIGKILL"),
            Self(number) => write!(f, "signal {number}"),
        }
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Blocks the termination signals, so that a thread can wait for them and shut the process down.
///
/// ```no_run
/// use std::sync::Arc;
/// use zorb_os::signal::TerminationSignal;
///
/// let termination = Arc::new(TerminationSignal::block()?); // first thing in `main`
/// let waiter = std::thread::spawn({
///     let termination = Arc::clone(&termination);
///     move || termination.wait() // Some(signal): shut down now; None: stopped below
/// });
/// // ... the program ...
/// termination.stop();
/// waiter.join().ok();
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct TerminationSignal {
    set: BlockedSet,
    arrivals: File,
    stopped: EventFd,
}

/// A set of signals with a readable `Debug`.
struct BlockedSet(sys::signal::SignalSet);

impl fmt::Debug for BlockedSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [Signal::INTERRUPT, Signal::TERMINATE, Signal::HANG_UP];
        f.debug_set().entries(all.iter().filter(|signal| self.0.contains(signal.0))).finish()
    }
}

impl TerminationSignal {
    /// Blocks `SIGINT`, `SIGTERM` and (unless the process ignores it, as under `nohup`) `SIGHUP` in
    /// the calling thread and in all threads that it starts later.
    ///
    /// Call it in `main` before any thread is started: a signal is delivered to any thread that
    /// does not block it. Child processes inherit blocked signals; see
    /// [`unblock_signals`](crate::process::unblock_signals).
    ///
    /// # Errors
    /// The process or the system is out of descriptors.
    pub fn block() -> io::Result<Self> {
        let mut set = sys::signal::SignalSet::none();
        set.insert(libc::SIGINT)?;
        set.insert(libc::SIGTERM)?;
        if !sys::signal::is_ignored(libc::SIGHUP)? {
            set.insert(libc::SIGHUP)?;
        }
        let stopped = EventFd::new()?;
        let arrivals = set.descriptor()?.into();
        set.block()?;
        Ok(Self { set: BlockedSet(set), arrivals, stopped })
    }

    /// Waits for one of the signals; `None` after [`stop`](Self::stop). Each signal wakes one
    /// waiting thread.
    ///
    /// # Errors
    /// The system call fails.
    pub fn wait(&self) -> io::Result<Option<Signal>> {
        loop {
            let ready = wait_readable(&[self.stopped.as_fd(), self.arrivals.as_fd()], None)?;
            if ready.contains(0) {
                return Ok(None);
            }
            // A record of 128 bytes that starts with the signal's number.
            let mut record = [0; size_of::<libc::signalfd_siginfo>()];
            match (&self.arrivals).read(&mut record) {
                Ok(_) => {
                    let number = record.first_chunk().map_or(0, |n| i32::from_ne_bytes(*n));
                    return Ok(Some(Signal(number)));
                }
                // Another thread has read it.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes every current and later [`wait`](Self::wait) return `None`.
    pub fn stop(&self) {
        self.stopped.notify();
    }

    /// Unblocks the signals in the calling thread, so that the next one ends the process at once:
    /// for a second Ctrl-C during shutdown.
    ///
    /// # Errors
    /// The system call fails.
    pub fn unblock(&self) -> io::Result<()> {
        self.set.0.unblock()
    }
}

/// Blocks all signals in the calling thread, and in the threads that it starts meanwhile, until
/// dropped.
///
/// For helper threads of libraries: otherwise they would receive the signals of a program that
/// starts to wait for them later.
///
/// ```
/// let held = zorb_os::signal::AllSignalsBlocked::new()?;
/// let helper = std::thread::spawn(|| { /* takes no signals */ });
/// drop(held);
/// # helper.join().ok();
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct AllSignalsBlocked {
    before: sys::signal::SignalSet,
    /// The mask belongs to this thread.
    _here: PhantomData<*const ()>,
}

impl AllSignalsBlocked {
    /// Blocks all signals in the calling thread.
    ///
    /// # Errors
    /// The system call fails.
    pub fn new() -> io::Result<Self> {
        let before = sys::signal::SignalSet::blocked()?;
        sys::signal::SignalSet::all().block()?;
        Ok(Self { before, _here: PhantomData })
    }
}

impl Drop for AllSignalsBlocked {
    fn drop(&mut self) {
        // The mask is the thread's former one, which the system accepts.
        let _ = self.before.replace_mask();
    }
}

impl fmt::Debug for AllSignalsBlocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllSignalsBlocked").finish_non_exhaustive()
    }
}

/// Whether the calling thread blocks `signal`.
///
/// # Errors
/// The system call fails.
pub fn is_blocked(signal: Signal) -> io::Result<bool> {
    Ok(sys::signal::SignalSet::blocked()?.contains(signal.0))
}
