//! Permissions of the files of Unix-domain sockets.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, chmod, fchmod, fstat, open};

use crate::sys;

/// Limits the mode (permission bits) of the file that binding `socket` will create, so that it is never more
/// accessible. The umask of the process can remove further bits: [`set_mode`] restores them.
///
/// # Errors
/// The system call fails.
pub fn limit_mode(socket: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
    Ok(fchmod(socket, Mode::from_raw_mode(mode))?)
}

/// Sets the mode (permission bits) of a socket's file, which must belong to this user. It follows no link, and what it
/// changes is what it has checked, even if the path is replaced in the meantime.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if there is another kind of file, or another user's; a system call fails, for example
/// because `/proc` is not mounted.
pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    let file = open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let found = fstat(&file)?;
    let is_socket = FileType::from_raw_mode(found.st_mode) == FileType::Socket;
    if !is_socket || found.st_uid != sys::process::effective_user() {
        let why = "the path of the socket has been replaced by another file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let wanted = Mode::from_raw_mode(mode);
    if Mode::from_raw_mode(found.st_mode) != wanted {
        chmod(format!("/proc/self/fd/{}", file.as_raw_fd()), wanted)?;
    }
    Ok(())
}

/// Whether the file at `path` is a socket of this user; links are not followed.
#[must_use]
pub fn is_own_socket(path: &Path) -> bool {
    rustix::fs::statat(CWD, path, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|found| {
        FileType::from_raw_mode(found.st_mode) == FileType::Socket
            && found.st_uid == sys::process::effective_user()
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::fd::AsFd;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn modes_are_set_on_sockets_only() {
        let folder = std::env::temp_dir().join(format!("zorb-os-mode-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let (file, link, socket) =
            (folder.join("file"), folder.join("link"), folder.join("socket"));
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&file, &link).unwrap();
        for path in [&file, &link] {
            assert_eq!(set_mode(path, 0o777).unwrap_err().kind(), io::ErrorKind::InvalidInput);
            assert!(!is_own_socket(path));
        }
        assert_eq!(mode(&file), 0o600);
        let listener = UnixListener::bind(&socket).unwrap();
        for permissions in [0o666, 0o600, 0o777] {
            set_mode(&socket, permissions).unwrap();
            assert_eq!(mode(&socket), permissions);
        }
        assert!(is_own_socket(&socket));
        limit_mode(listener.as_fd(), 0o600).unwrap();
        fs::remove_dir_all(&folder).unwrap();
    }
}
