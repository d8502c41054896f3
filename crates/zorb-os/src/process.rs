//! Memory usage, and child processes that end with their parent.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::{machine, sys};

/// Makes the system kill this process (`SIGKILL`) when its parent ends for any reason, so that no
/// helper process is left behind.
///
/// Returns the parent's process id. The parent may have ended just before the call; if that
/// matters, compare the id with the expected one. The system actually watches the *thread* that
/// started this process, so start such children from a thread that lives as long as the parent.
///
/// # Errors
/// The system call fails.
pub fn die_with_parent() -> io::Result<u32> {
    sys::process::die_with_parent()?;
    Ok(sys::process::parent_id().cast_unsigned())
}

/// Prepares `command` so that its child ends with this process (like [`die_with_parent`], but
/// without its race), and receives signals even if this process has blocked them
/// ([`signal`](crate::signal)), since a child inherits blocked signals.
pub fn bind_to_this_process(command: &mut Command) -> &mut Command {
    sys::process::prepare_child(command);
    command
}

/// Makes the child of `command` start without blocked signals, as programs expect: it would inherit those that the calling
/// thread has blocked ([`signal`](crate::signal)), and could not be asked to terminate.
pub fn unblock_signals(command: &mut Command) -> &mut Command {
    sys::process::unblock_signals_in_child(command);
    command
}

/// Makes the system call `function` when this process ends normally: when `main` returns, or by
/// [`exit`](std::process::exit). Other threads still run then. A child made by `fork` inherits it.
///
/// # Errors
/// Out of memory.
pub fn at_exit(function: extern "C" fn()) -> io::Result<()> {
    sys::process::at_exit(function)
}

/// Whether this process is the child of a fork after its parent had called [`know_forked_children`].
static IS_FORKED_CHILD: AtomicBool = AtomicBool::new(false);

/// Makes the children of later forks know that they are: see [`is_forked_child`]. Programs that they execute are not
/// concerned.
pub fn know_forked_children() {
    static KNOWS: OnceLock<bool> = OnceLock::new();
    extern "C" fn in_child() {
        IS_FORKED_CHILD.store(true, Ordering::Relaxed);
    }
    // Without memory for it, a child does not know.
    KNOWS.get_or_init(|| sys::process::at_fork_in_child(in_child).is_ok());
}

/// Whether this process was forked by one that had called [`know_forked_children`]. Then it has none of the threads of
/// that process, and locks that these held stay locked.
#[inline]
#[must_use]
pub fn is_forked_child() -> bool {
    IS_FORKED_CHILD.load(Ordering::Relaxed)
}

/// Forks this process, runs `work` in the child, and returns the number with which the child has ended: the result of
/// `work`, or 1 after a panic. For tests of what a child may do: it has only the calling thread.
///
/// # Errors
/// The system cannot create a process, or the child was killed.
#[doc(hidden)]
pub fn run_in_forked_child(work: impl FnOnce() -> u8) -> io::Result<i32> {
    sys::process::run_in_child(work)
}

/// The effective user of this process, who owns the files that it creates.
#[must_use]
pub fn effective_user() -> u32 {
    sys::process::effective_user()
}

/// Locks all present and future memory of the process (`mlockall`), including the stacks of
/// threads, so that no access waits for a page.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] or [`io::ErrorKind::OutOfMemory`] without `CAP_IPC_LOCK` or
/// a sufficient `RLIMIT_MEMLOCK`.
pub fn lock_memory() -> io::Result<()> {
    sys::process::lock_memory()
}

/// The resident memory of the process in bytes (RSS).
///
/// # Errors
/// `/proc` is not available.
pub fn resident_bytes() -> io::Result<u64> {
    status_bytes("VmRSS:")
}

/// The maximum resident memory of the process so far in bytes (the RSS's high-water mark).
///
/// # Errors
/// `/proc` is not available.
pub fn peak_resident_bytes() -> io::Result<u64> {
    status_bytes("VmHWM:")
}

/// The value of a line `Key:   123 kB` of the process's status, in bytes.
fn status_bytes(key: &str) -> io::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kibibytes = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse().ok());
    let kibibytes: u64 = kibibytes.ok_or(io::ErrorKind::InvalidData)?;
    Ok(kibibytes.saturating_mul(1024))
}

/// Makes all threads allocate from one arena. Otherwise glibc reserves 64 MiB of address space for each of
/// many threads, which exceeds a limit of the process (`RLIMIT_AS`). No effect with other C libraries.
pub fn use_one_arena() {
    sys::process::use_one_arena();
}

/// The octets of address space that a thread needs besides its stack: guard pages, the stack for its signals, and what it
/// allocates first.
const BESIDES_STACK: usize = 1 << 20;
/// The default size of stacks, of [`std::thread`].
const STACK: usize = 2 << 20;

/// Whether there is address space for a thread with a stack of `stack` octets; `None` for the default size.
///
/// A thread that starts without memory for the stack of its signals ends the process. So this tries to map the memory
/// if the address space is limited (`RLIMIT_AS`), and somewhat more, for threads that start at the same time.
#[must_use]
pub fn has_room_for_thread(stack: Option<usize>) -> bool {
    let needed = stack.unwrap_or(STACK).saturating_add(BESIDES_STACK);
    machine::max_address_space().is_none() || sys::process::can_map(needed)
}

/// A process that may be no child of this one, and that is not mistaken for a later one with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProcessId {
    id: u32,
    /// When it was started, in clock ticks since the system was.
    started: u64,
}

impl ProcessId {
    /// The process that has this id now; `None` if there is none, or if it has ended and waits for its parent.
    #[must_use]
    pub fn of(id: u32) -> Option<Self> {
        Self::parse(id, &Self::read(id).ok()?)
    }

    /// The system's description of the process that has this id now.
    fn read(id: u32) -> io::Result<Vec<u8>> {
        std::fs::read(format!("/proc/{id}/stat"))
    }

    fn parse(id: u32, line: &[u8]) -> Option<Self> {
        let line = String::from_utf8_lossy(line);
        // The name of the program, in parentheses, may contain anything.
        let (_, fields) = line.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        let is_alive = fields.next().is_some_and(|state| !matches!(state, "Z" | "X" | "x"));
        let started = fields.nth(18)?.parse().ok()?;
        is_alive.then_some(Self { id, started })
    }

    /// A process that an earlier program has noted.
    #[must_use]
    pub fn from_parts(id: u32, started: u64) -> Self {
        Self { id, started }
    }

    /// The process's id.
    #[must_use]
    pub fn id(self) -> u32 {
        self.id
    }

    /// When it was started, in clock ticks since the system was.
    #[must_use]
    pub fn started(self) -> u64 {
        self.started
    }

    /// A descriptor (pidfd) for [`HangupWatch::add_process`](crate::poll::HangupWatch::add_process). The process is a child
    /// of this one that nobody has waited for: the id of another one may be that of a later process.
    ///
    /// # Errors
    /// The process or the system is out of descriptors, or has none for processes.
    pub fn descriptor(self) -> io::Result<OwnedFd> {
        let id = i32::try_from(self.id).ok().and_then(Pid::from_raw);
        let id = id.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(pidfd_open(id, PidfdFlags::empty())?)
    }

    /// Whether it still runs. A process that the system says nothing about, for lack of descriptors or memory, has not
    /// ended.
    #[must_use]
    pub fn is_alive(self) -> bool {
        match Self::read(self.id) {
            Ok(line) => Self::parse(self.id, &line) == Some(self),
            // It may end while the file is read.
            Err(error) => {
                error.kind() != io::ErrorKind::NotFound
                    && error.raw_os_error() != Some(rustix::io::Errno::SRCH.raw_os_error())
            }
        }
    }

    /// Sends a signal to its process group, which it leads.
    ///
    /// # Errors
    /// It has ended, does not lead a group, or belongs to another user; there is no such signal.
    pub fn signal_group(self, signal: i32) -> io::Result<()> {
        if !self.is_alive() {
            return Err(io::ErrorKind::NotFound.into());
        }
        sys::process::signal_group(self.id, signal)
    }
}

/// Whether a call failed because the process or the system is out of descriptors.
#[must_use]
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

/// Whether a call failed because the system, not only the process, is out of descriptors: then the limit of the process
/// (`ulimit -n`) does not matter, but that of the system (`fs.file-max`).
#[must_use]
pub fn is_system_out_of_descriptors(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::NFILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_in_use_is_seen() {
        let peak_before = peak_resident_bytes().unwrap();
        let block = vec![1_u8; 64 << 20];
        let resident = resident_bytes().unwrap();
        assert!(resident > 64 << 20, "{resident}");
        assert!(peak_resident_bytes().unwrap() >= peak_before.max(64 << 20));
        drop(std::hint::black_box(block));
    }
}
