//! Ctrl-C and its kin as something a thread waits for.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::os::fd::AsFd;

use crate::event::EventFd;
use crate::poll::wait_readable;
use crate::sys;

/// A signal that asks the process to end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signal(i32);

impl Signal {
    /// `SIGINT`: Ctrl-C at the terminal.
    pub const INTERRUPT: Self = Self(libc::SIGINT);
    /// `SIGTERM`: what `kill` and service managers send.
    pub const TERMINATE: Self = Self(libc::SIGTERM);
    /// `SIGHUP`: the terminal went away.
    pub const HANG_UP: Self = Self(libc::SIGHUP);

    /// The system's number of the signal.
    #[must_use]
    pub fn number(self) -> i32 {
        self.0
    }

    /// The exit status by which shells know a program that this signal ended: 128 and the
    /// number.
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
            Self(number) => write!(f, "signal {number}"),
        }
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The signals that ask a process to end, held back so that a thread can wait for them and end
/// the process in good order.
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

/// The set of signals, with an opaque `Debug`.
struct BlockedSet(sys::signal::SignalSet);

impl fmt::Debug for BlockedSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [Signal::INTERRUPT, Signal::TERMINATE, Signal::HANG_UP];
        f.debug_set().entries(all.iter().filter(|signal| self.0.contains(signal.0))).finish()
    }
}

impl TerminationSignal {
    /// Holds back `SIGINT`, `SIGTERM` and (unless the process ignores it, as under `nohup`)
    /// `SIGHUP` in the calling thread and in all threads that it starts from now on.
    ///
    /// Call it in `main` before any thread is started: a signal goes to any thread that does not
    /// hold it back. Child processes inherit what is held back; see
    /// [`bind_to_this_process`](crate::process::bind_to_this_process).
    ///
    /// # Errors
    /// When the process or system is out of descriptors.
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

    /// Waits for one of the signals. `None` once [`stop`](Self::stop) was called. Each arrival is
    /// given to one waiting thread.
    ///
    /// # Errors
    /// What the system says.
    pub fn wait(&self) -> io::Result<Option<Signal>> {
        loop {
            let ready = wait_readable(&[self.stopped.as_fd(), self.arrivals.as_fd()], None)?;
            if ready.contains(0) {
                return Ok(None);
            }
            // A record of 128 bytes that begins with the signal's number.
            let mut record = [0; size_of::<libc::signalfd_siginfo>()];
            match (&self.arrivals).read(&mut record) {
                Ok(_) => {
                    let number = record.first_chunk().map_or(0, |n| i32::from_ne_bytes(*n));
                    return Ok(Some(Signal(number)));
                }
                // Another thread took it.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Ends every [`wait`](Self::wait), now and later, with `None`.
    pub fn stop(&self) {
        self.stopped.notify();
    }

    /// Lets the signals through to the calling thread again: the next one ends the process at
    /// once. For a second Ctrl-C while the first is being obeyed.
    ///
    /// # Errors
    /// What the system says.
    pub fn release(&self) -> io::Result<()> {
        self.set.0.unblock()
    }
}

/// While it lives, no signal comes to the calling thread, nor ever to those that it starts meanwhile.
///
/// For helper threads of libraries: a program that begins to wait for a signal after they were started
/// would lose it to them.
///
/// ```
/// let held = zorb_os::signal::AllHeldBack::here()?;
/// let helper = std::thread::spawn(|| { /* takes no signals */ });
/// drop(held);
/// # helper.join().ok();
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct AllHeldBack {
    before: sys::signal::SignalSet,
    /// The mask is this thread's.
    _here: PhantomData<*const ()>,
}

impl AllHeldBack {
    /// Holds them back from the calling thread.
    ///
    /// # Errors
    /// What the system says.
    pub fn here() -> io::Result<Self> {
        let before = sys::signal::SignalSet::blocked()?;
        sys::signal::SignalSet::all().block()?;
        Ok(Self { before, _here: PhantomData })
    }
}

impl Drop for AllHeldBack {
    fn drop(&mut self) {
        // It is the mask that the thread had, which the system takes again.
        let _ = self.before.replace_mask();
    }
}

impl fmt::Debug for AllHeldBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllHeldBack").finish_non_exhaustive()
    }
}

/// Whether the calling thread holds `signal` back.
///
/// # Errors
/// What the system says.
pub fn is_blocked(signal: Signal) -> io::Result<bool> {
    Ok(sys::signal::SignalSet::blocked()?.contains(signal.0))
}
