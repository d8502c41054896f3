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

/// Registers a function that the child of each later fork calls before anything else.
pub(crate) fn at_fork_in_child(function: unsafe extern "C" fn()) -> io::Result<()> {
    // SAFETY: a function lives as long as the program; the caller's does only what a signal handler may.
    match unsafe { libc::pthread_atfork(None, None, Some(function)) } {
        0 => Ok(()),
        _ => Err(io::ErrorKind::OutOfMemory.into()),
    }
}

/// Forks this process. The child runs `work`, and ends with its result.
///
/// # Errors
/// The system cannot create a process, or the child was killed.
pub(crate) fn run_in_child(work: impl FnOnce() -> u8) -> io::Result<i32> {
    // SAFETY: takes nothing. What the child does is the caller's responsibility.
    let child = check(unsafe { libc::fork() })?;
    if child == 0 {
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // SAFETY: ends the process without running anything of the parent's.
        unsafe { libc::_exit(ended.map_or(libc::EXIT_FAILURE, i32::from)) };
    }
    let mut status = 0;
    loop {
        // SAFETY: `status` outlives the call.
        match check(unsafe { libc::waitpid(child, &raw mut status, 0) }) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            ended => {
                ended?;
                break;
            }
        }
    }
    match libc::WIFEXITED(status) {
        true => Ok(libc::WEXITSTATUS(status)),
        false => Err(io::Error::other("the child was killed")),
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

/// Makes the child unblock all signals before its program starts.
pub(crate) fn unblock_signals_in_child(command: &mut Command) {
    let in_child = || signal::SignalSet::none().replace_mask();
    // SAFETY: the closure runs between fork and exec and makes one system call only: it neither allocates nor takes a
    // lock, and an error made from an OS code holds no memory.
    unsafe { command.pre_exec(in_child) };
}

/// Sends a signal to a process group.
pub(crate) fn signal_group(leader: u32, signal: i32) -> io::Result<()> {
    // 0 would be the group of this process, and 1 all processes.
    let group = libc::pid_t::try_from(leader).ok().filter(|group| *group > 1);
    let group = group.ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: takes two numbers.
    check(unsafe { libc::kill(-group, signal) })?;
    Ok(())
}

/// The effective user of this process.
pub(crate) fn effective_user() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}
