//! The file of a socket: made with the right mode, taken over when stale, removed in the end.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use socket2::{Domain, SockAddr, Socket, Type};
use zorb_os::lock::Lock;
use zorb_transport::ListenOptions;
use zorb_transport::socket::set_buffers;

use crate::name::MAX_NAME_LEN;

#[cfg(test)]
mod tests;

/// A number that nobody else in this process has, for names that are made up.
pub(crate) fn next_number() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// The file of a bound socket. Dropping it removes the file, unless another server's is in its
/// place by now.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: Identity,
    removed: AtomicBool,
}

impl SocketFile {
    pub(crate) fn remove(&self) {
        if !self.removed.swap(true, Ordering::AcqRel) && self.is_in_place() {
            // Where that fails, whoever listens there next takes the file for the stale one it is.
            let _left_behind = fs::remove_file(&self.path);
        }
    }

    fn is_in_place(&self) -> bool {
        Identity::of(&self.path).is_ok_and(|identity| identity == self.identity)
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Tells a file from another that has its name later on. An inode number alone may be used again.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    /// When it was made: nothing that is done with a socket changes that.
    modified: (i64, i64),
}

impl Identity {
    fn of(path: &Path) -> io::Result<Self> {
        let found = fs::symlink_metadata(path)?;
        let modified = (found.mtime(), found.mtime_nsec());
        Ok(Self { device: found.dev(), inode: found.ino(), modified })
    }
}

/// Listens at `path`, where a stale socket may lie.
pub(crate) fn listen_at(
    path: &Path,
    mode: u32,
    options: &ListenOptions,
) -> io::Result<(Socket, SocketFile)> {
    // Inside one process one goes after the other; what several do is seen to below.
    static TURN: Lock<()> = Lock::new(());
    let _turn = TURN.lock();
    match listen_at_new(path, mode, options) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            remove_stale(path)?;
            listen_at_new(path, mode, options)
        }
        done => done,
    }
}

/// Listens at `path`, where no file may lie.
pub(crate) fn listen_at_new(
    path: &Path,
    mode: u32,
    options: &ListenOptions,
) -> io::Result<(Socket, SocketFile)> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    set_buffers(&socket, &options.stream)?;
    socket.bind(&SockAddr::unix(path)?)?;
    let identity = Identity::of(path)?;
    let file = SocketFile { path: path.to_owned(), identity, removed: AtomicBool::new(false) };
    // Nobody can connect before the socket listens, so nobody slips in by the umask's mode.
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    socket.listen(i32::try_from(options.backlog).unwrap_or(i32::MAX))?;
    // Until then it looked stale, and another server may have taken it away.
    if !file.is_in_place() {
        return Err(in_use("another server took the path at this very moment"));
    }
    Ok((socket, file))
}

/// Removes the socket at `path` if nobody listens on it.
fn remove_stale(path: &Path) -> io::Result<()> {
    let kind = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?.file_type(),
    };
    if !kind.is_socket() {
        return Err(in_use("a file that is no socket is there"));
    }
    if is_in_use(path) {
        return Err(in_use("another server listens there"));
    }
    set_aside_and_remove(path)
}

/// Removes the socket at `path`, which nobody listened on a moment ago.
fn set_aside_and_remove(path: &Path) -> io::Result<()> {
    // Another server may be in the act of listening there, or of removing the stale socket too.
    // So it is set aside, which one of them achieves, and looked at again where it lies then.
    let aside = path.with_file_name(format!(".zorb-{}-{}", std::process::id(), next_number()));
    if aside.as_os_str().len() > MAX_NAME_LEN {
        return Err(in_use(
            "a stale socket is there, in a folder with a name too long to make sure \
             that no server starts on it; remove it by hand",
        ));
    }
    match fs::rename(path, &aside) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        done => done?,
    }
    if !is_in_use(&aside) {
        return fs::remove_file(&aside);
    }
    // A link and not a move, so that it replaces nothing that came to be there meanwhile.
    let put_back = fs::hard_link(&aside, path);
    fs::remove_file(&aside)?;
    put_back.and(Err(in_use("another server has just started there")))
}

/// Whether the socket at `path` is to be left alone: only one that refuses to be connected to, or
/// has gone, is not.
fn is_in_use(path: &Path) -> bool {
    let probe = || {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        // A full backlog is an answer too.
        socket.set_nonblocking(true)?;
        socket.connect(&SockAddr::unix(path)?)
    };
    match probe() {
        Ok(()) => true,
        Err(error) => {
            !matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound)
        }
    }
}

fn in_use(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::AddrInUse, what)
}
