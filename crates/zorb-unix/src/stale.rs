//! Sockets of processes that were killed: they are replaced at their path, and swept from folders.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use socket2::{Domain, SockAddr, Socket, Type};
use zorb_os::socket_file::is_own_socket;

use crate::name::{MAX_NAME_LEN, next_number, process_of_name};

/// The maximum number of names in a folder that a sweep looks at.
const MAX_NAMES: usize = 65_536;
/// The maximum number of sockets that a sweep tries to remove, so that a start is not delayed.
const MAX_SWEPT: usize = 256;

/// Removes sockets from `folder` that have names as this transport makes them, belong to this user, and were made by
/// processes that no longer exist. `is_open` returns whether this process listens at a path. Sockets that cannot be
/// removed remain.
pub(crate) fn sweep(folder: &Path, is_open: impl Fn(&Path) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let candidates = entries.take(MAX_NAMES).flatten().filter(|entry| {
        let process = entry.file_name().to_str().and_then(process_of_name);
        process.is_some_and(|process| has_ended(process, || is_open(&entry.path())))
    });
    for entry in candidates.take(MAX_SWEPT) {
        let path = entry.path();
        if is_own_socket(&path) && !is_in_use(&path) {
            // Another process may be sweeping, too.
            let _swept_by_another = rename_and_remove(&path);
        }
    }
}

/// Whether the process that made this socket no longer exists. Another one may have its number now.
fn has_ended(process: u32, is_open: impl FnOnce() -> bool) -> bool {
    match process == std::process::id() {
        true => !is_open(),
        false => !Path::new(&format!("/proc/{process}")).exists(),
    }
}

/// Removes the socket at `path` if nobody listens on it.
pub(crate) fn remove_stale(path: &Path) -> io::Result<()> {
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
pub(crate) fn rename_and_remove(path: &Path) -> io::Result<()> {
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

pub(crate) fn in_use(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::AddrInUse, what)
}
