//! The file of a socket: created with the right mode, replaced if stale, and removed at the end.

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

/// A number unique in this process, for generated names.
pub(crate) fn next_number() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// The file of a bound socket. Dropping it removes the file, unless another server has replaced it.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: Identity,
    removed: AtomicBool,
}

impl SocketFile {
    pub(crate) fn remove(&self) {
        if !self.removed.swap(true, Ordering::AcqRel) && self.is_in_place() {
            // If that fails, the next server that listens there finds a stale file.
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

/// Identifies a file. An inode number alone may be reused.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    /// The creation time, which use of the socket does not change.
    modified: (i64, i64),
}

impl Identity {
    fn of(path: &Path) -> io::Result<Self> {
        let found = fs::symlink_metadata(path)?;
        let modified = (found.mtime(), found.mtime_nsec());
        Ok(Self { device: found.dev(), inode: found.ino(), modified })
    }
}

/// Listens at `path`, where a stale socket may exist.
pub(crate) fn listen_at(
    path: &Path,
    mode: u32,
    options: &ListenOptions,
) -> io::Result<(Socket, SocketFile)> {
    // Serializes the threads of this process; races between processes are handled below.
    static SERIALIZED: Lock<()> = Lock::new(());
    let _guard = SERIALIZED.lock();
    match listen_at_new(path, mode, options) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            remove_stale(path)?;
            listen_at_new(path, mode, options)
        }
        done => done,
    }
}

/// Listens at `path`, where no file may exist.
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
    // Nobody can connect before the socket listens, so the mode is set in time.
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    socket.listen(i32::try_from(options.backlog).unwrap_or(i32::MAX))?;
    // Before that it looked stale, and another server may have removed it.
    if !file.is_in_place() {
        return Err(in_use("another server has just taken the path"));
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
        return Err(in_use("a file at this path is not a socket"));
    }
    if is_in_use(path) {
        return Err(in_use("another server listens on this path"));
    }
    rename_and_remove(path)
}

/// Removes the socket at `path`, on which nobody listened a moment ago.
fn rename_and_remove(path: &Path) -> io::Result<()> {
    // Another server may start to listen there or remove the stale socket at the same time. Only
    // one of them can rename it, and it is checked again under the new name.
    let renamed = path.with_file_name(format!(".zorb-{}-{}", std::process::id(), next_number()));
    if renamed.as_os_str().len() > MAX_NAME_LEN {
        return Err(in_use(
            "a stale socket at this path cannot be replaced safely, because the folder's name is \
             too long; remove it by hand",
        ));
    }
    match fs::rename(path, &renamed) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        done => done?,
    }
    if !is_in_use(&renamed) {
        return fs::remove_file(&renamed);
    }
    // A link instead of a rename, so that it does not replace a new file.
    let restored = fs::hard_link(&renamed, path);
    fs::remove_file(&renamed)?;
    restored.and(Err(in_use("another server has just started on this path")))
}

/// Whether the socket at `path` must not be removed: it may be only if it refuses connections or no
/// longer exists.
fn is_in_use(path: &Path) -> bool {
    let probe = || {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        // A full backlog means that a server listens.
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
