//! Processes and their parents.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::{check, signal};

/// The id of the process that started this one.
pub(crate) fn parent_id() -> libc::pid_t {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::getppid() }
}

/// Makes the system kill this process when the thread that started it ends.
pub(crate) fn die_with_parent() -> io::Result<()> {
    // SAFETY: this prctl takes a signal number and no memory.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
    Ok(())
}

/// Registers a function for the normal end of the process.
pub(crate) fn at_exit(function: extern "C" fn()) -> io::Result<()> {
    // SAFETY: a function lives as long as the program.
    match unsafe { libc::atexit(function) } {
        0 => Ok(()),
        _ => Err(io::ErrorKind::OutOfMemory.into()),
    }
}

/// Makes all threads allocate from one arena.
pub(crate) fn use_one_arena() {
    #[cfg(target_env = "gnu")]
    // SAFETY: takes two numbers. It only has an effect on arenas that are created later.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Whether the process can map `octets` more. Maps and unmaps them.
pub(crate) fn can_map(octets: usize) -> bool {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
    let (access, kind) = (ProtFlags::empty(), MapFlags::PRIVATE | MapFlags::NORESERVE);
    // SAFETY: the system chooses an unused address range.
    let mapped = unsafe { mmap_anonymous(std::ptr::null_mut(), octets, access, kind) };
    let Ok(base) = mapped else { return false };
    // SAFETY: the range was just mapped, and nothing refers to it.
    unsafe { munmap(base, octets) }.is_ok()
}

/// Locks all present and future memory of the process.
pub(crate) fn lock_memory() -> io::Result<()> {
    // SAFETY: takes flags only, and changes no value in memory.
    check(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) })?;
    Ok(())
}

/// Makes the child call [`die_with_parent`] and unblock all signals before its program starts.
pub(crate) fn prepare_child(command: &mut Command) {
    let parent = std::process::id();
    let in_child = move || {
        die_with_parent()?;
        // The parent may have ended before the line above; then nothing would end this process.
        if parent_id().cast_unsigned() != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        signal::SignalSet::none().replace_mask()
    };
    // SAFETY: the closure runs between fork and exec and makes system calls only: it neither
    // allocates nor takes a lock, and an error made from an OS code holds no memory.
    unsafe { command.pre_exec(in_child) };
}

/// The effective user of this process.
pub(crate) fn effective_user() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}
