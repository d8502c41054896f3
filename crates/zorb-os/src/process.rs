//! Memory in use, and children that do not outlive their parent.

use std::io;
use std::process::Command;

use crate::sys;

/// Has the system kill this process (`SIGKILL`) when its parent ends, however that happens: so
/// a helper process is never left behind.
///
/// Returns the parent's process id. The parent may have ended just before the call; where that
/// matters, compare the id with the one expected. Strictly, the system watches the *thread*
/// that started this process, so start such children from a thread that lives as long as the
/// parent does.
///
/// # Errors
/// What the system says.
pub fn die_with_parent() -> io::Result<u32> {
    sys::process::die_with_parent()?;
    Ok(sys::process::parent_id().cast_unsigned())
}

/// Sets up `command` so that its child does not outlive this process (as with
/// [`die_with_parent`], but without its race) and takes signals as usual, although this process
/// may have blocked some ([`signal`](crate::signal)): blocked signals are inherited otherwise.
pub fn bind_to_this_process(command: &mut Command) -> &mut Command {
    sys::process::prepare_child(command);
    command
}

/// Keeps all memory of the process resident (`mlockall`): what it has now, and what it gets from now
/// on, the stacks of threads among it. So no access to it ever waits for a page.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] or [`io::ErrorKind::OutOfMemory`] without `CAP_IPC_LOCK` or a
/// limit `RLIMIT_MEMLOCK` that is high enough.
pub fn lock_memory() -> io::Result<()> {
    sys::process::lock_memory()
}

/// The bytes of memory that are resident now (RSS).
///
/// # Errors
/// When `/proc` is not there.
pub fn resident_bytes() -> io::Result<u64> {
    status_bytes("VmRSS:")
}

/// The most bytes of memory that were ever resident (the RSS's high-water mark).
///
/// # Errors
/// When `/proc` is not there.
pub fn peak_resident_bytes() -> io::Result<u64> {
    status_bytes("VmHWM:")
}

/// A line `Key:   123 kB` of the process's status, in bytes.
fn status_bytes(key: &str) -> io::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kibibytes = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse().ok());
    let kibibytes: u64 = kibibytes.ok_or(io::ErrorKind::InvalidData)?;
    Ok(kibibytes.saturating_mul(1024))
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
