//! Locks of files, which the system releases when their process ends.

use std::fs::File;
use std::io;

use rustix::fs::{FlockOperation, flock};

/// Locks a file for this process alone, until it is closed. Returns `false` if another process, or another
/// opened `File` of this one, has locked it.
///
/// Only processes that lock the file respect the lock (`flock`). Child processes have the descriptor
/// until they execute their program, and with it the lock: [`unlock`] ends it for them, too.
///
/// # Errors
/// The file system does not support locks.
pub fn try_lock(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Ends the lock of a file.
///
/// # Errors
/// The system call fails.
pub fn unlock(file: &File) -> io::Result<()> {
    Ok(flock(file, FlockOperation::Unlock)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_lasts_until_its_last_descriptor_is_closed_or_it_is_unlocked() {
        let path = std::env::temp_dir().join(format!("zorb-os-lock-{}", std::process::id()));
        let first = File::create(&path).unwrap();
        assert!(try_lock(&first).unwrap());
        assert!(try_lock(&first).unwrap(), "its own lock is no obstacle");
        let second = File::open(&path).unwrap();
        assert!(!try_lock(&second).unwrap());
        let inherited = first.try_clone().unwrap();
        drop(first);
        assert!(!try_lock(&second).unwrap());
        unlock(&inherited).unwrap();
        assert!(try_lock(&second).unwrap());
        std::fs::remove_file(path).unwrap();
    }
}
