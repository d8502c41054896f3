//! The file of a socket: created with the right mode, and removed at the end.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use socket2::{SockAddr, Socket};
use zorb_os::lock::Lock;
use zorb_os::process::{at_exit, is_forked_child, know_forked_children};
use zorb_os::socket_file;
use zorb_transport::ListenOptions;
use zorb_transport::socket::set_buffers;

use crate::socket::new_socket;
use crate::stale::{in_use, remove_stale, sweep};

#[cfg(test)]
mod tests;

/// The file of a bound socket. Dropping it, or a normal end of the process, removes the file, unless another server has
/// replaced it.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: Identity,
}

/// The files of this process.
static OPEN: Lock<Vec<(PathBuf, Identity)>> = Lock::new(Vec::new());
/// Whether [`remove_all`] has been registered.
static REGISTERED: AtomicBool = AtomicBool::new(false);

/// Removes the files that nobody has removed. Called when the process ends.
extern "C" fn remove_all() {
    // In a forked child, the files are the parent's, and the lock may be held forever.
    if !is_forked_child() {
        let open = std::mem::take(&mut *OPEN.lock());
        open.iter().for_each(|(path, identity)| remove_if_same(path, identity));
    }
}

/// Removes the file, unless it is another one by now.
fn remove_if_same(path: &Path, identity: &Identity) {
    if Identity::of(path).is_ok_and(|found| found == *identity) {
        // If that fails, the file is stale, and a later server removes it.
        let _left_behind = fs::remove_file(path);
    }
}

impl SocketFile {
    /// The file that binding a socket has just made.
    fn created(path: &Path) -> io::Result<Self> {
        let identity = Identity::of(path)?;
        if !REGISTERED.swap(true, Ordering::Relaxed) {
            know_forked_children();
            at_exit(remove_all)?;
        }
        OPEN.lock().push((path.to_owned(), identity));
        Ok(Self { path: path.to_owned(), identity })
    }

    pub(crate) fn remove(&self) {
        if is_forked_child() {
            return;
        }
        let is_this = |(path, identity): &mut (PathBuf, Identity)| {
            *path == self.path && *identity == self.identity
        };
        // Only the first call finds it.
        if OPEN.lock().extract_if(.., is_this).count() > 0 {
            remove_if_same(&self.path, &self.identity);
        }
    }

    fn is_in_place(&self) -> bool {
        Identity::of(&self.path).is_ok_and(|identity| identity == self.identity)
    }
}

/// Whether this process listens at `path`.
fn is_open(path: &Path) -> bool {
    OPEN.lock().iter().any(|(open, _)| open == path)
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Identifies a file. An inode number alone may be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Serializes the threads of this process that make or remove files; races between processes are handled where they
/// occur.
static SERIALIZED: Lock<()> = Lock::new(());

/// Removes the sockets that dead processes have left in `folder`, once per process.
pub(crate) fn sweep_once(folder: &Path) {
    static SWEPT: Lock<Vec<PathBuf>> = Lock::new(Vec::new());
    let _guard = SERIALIZED.lock();
    let mut swept = SWEPT.lock();
    if !swept.iter().any(|known| known == folder) {
        swept.push(folder.to_owned());
        drop(swept);
        sweep(folder, is_open);
    }
}

/// Listens at `path`, where a stale socket may exist.
pub(crate) fn listen_at(
    path: &Path,
    mode: u32,
    options: &ListenOptions,
) -> io::Result<(Socket, SocketFile)> {
    let _guard = SERIALIZED.lock();
    match listen_at_new(path, mode, options) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            remove_stale(path)?;
            listen_at_new(path, mode, options)
        }
        done => done,
    }
}

/// Listens at `path`, which is an unused name.
pub(crate) fn listen_at_unused(
    path: &Path,
    mode: u32,
    options: &ListenOptions,
) -> io::Result<(Socket, SocketFile)> {
    let _guard = SERIALIZED.lock();
    listen_at_new(path, mode, options)
}

/// Listens at `path`, where no file may exist.
fn listen_at_new(
    path: &Path,
    mode: u32,
    options: &ListenOptions,
) -> io::Result<(Socket, SocketFile)> {
    let socket = new_socket()?;
    set_buffers(&socket, &options.stream)?;
    let file = bind(&socket, path, mode)?;
    // Restores what the umask has removed, before the first client can connect.
    socket_file::set_mode(path, mode)?;
    socket.listen(i32::try_from(options.backlog).unwrap_or(i32::MAX))?;
    // Before that it looked stale, and another server may have removed it.
    if !file.is_in_place() {
        return Err(in_use("another server has just taken the path"));
    }
    Ok((socket, file))
}

/// Binds the socket to `path`. Its file never has more permissions than `mode`.
fn bind(socket: &Socket, path: &Path, mode: u32) -> io::Result<SocketFile> {
    // Not by path: in a shared folder it could be replaced between `bind` and `chmod`.
    socket_file::limit_mode(socket.as_fd(), mode)?;
    socket.bind(&SockAddr::unix(path)?)?;
    SocketFile::created(path)
}
