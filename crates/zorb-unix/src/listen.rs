//! Listening.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use socket2::Socket;
use zorb_transport::socket::{SocketAcceptor, set_buffers};
use zorb_transport::{Acceptor, ListenError, ListenOptions, strip_scheme};

use crate::acceptor::ListeningUnix;
use crate::file::{SocketFile, listen_at, listen_at_unused, sweep_once};
use crate::handover::Handover;
use crate::name::{ListenAddress, Location, SocketName, new_abstract_name, new_file_name};
use crate::socket::new_socket;

/// The maximum number of generated names that are tried.
const MAX_TRIES: usize = 1000;

/// A listening socket, its name, and its file if it has one.
type Bound = (Socket, SocketName, Option<SocketFile>);

pub(crate) fn listen<H: Handover>(
    scheme: &str,
    url: &str,
    default_mode: u32,
    options: &ListenOptions,
    handover: H,
) -> Result<Arc<dyn Acceptor>, ListenError> {
    let ListenAddress { location, mode } = ListenAddress::parse(strip_scheme(scheme, url)?)?;
    if let Location::Named(name) = &location {
        name.to_endpoint(scheme)?; // before anything is made
    }
    let mode = mode.unwrap_or(default_mode);
    let bound = match location {
        Location::Named(SocketName::Path(path)) => listen_at(Path::new(&path), mode, options)
            .map(|(socket, file)| (socket, SocketName::Path(path), Some(file))),
        Location::Named(name) => listen_abstract(name, options),
        Location::NewPath => listen_at_new_path(scheme, &socket_folders(), mode, options),
        Location::NewPathIn(folder) => listen_at_new_path(scheme, &[folder], mode, options),
        Location::NewAbstract => {
            with_unused_name(|| listen_abstract(SocketName::Abstract(new_abstract_name()), options))
        }
    };
    let (socket, name, file) = bound.map_err(|error| with_hint(ListenError::new(url, error)))?;
    let endpoint = name.to_endpoint(scheme)?;
    let socket = ListeningUnix::new(socket, file, name.to_string(), handover);
    Ok(Arc::new(SocketAcceptor::new(socket, endpoint.clone(), vec![endpoint])))
}

fn listen_abstract(name: SocketName, options: &ListenOptions) -> io::Result<Bound> {
    let socket = new_socket()?;
    set_buffers(&socket, &options.stream)?;
    socket.bind(&name.to_address()?)?;
    socket.listen(i32::try_from(options.backlog).unwrap_or(i32::MAX))?;
    Ok((socket, name, None))
}

/// The folders for this process's new sockets in order of preference.
pub(crate) fn socket_folders() -> Vec<PathBuf> {
    new_socket_folders(std::env::var_os("XDG_RUNTIME_DIR"), std::env::temp_dir())
}

/// The folders for new sockets in order of preference: the user's own runtime folder, the folder
/// for temporary files, and the system's, whose name is never too long.
fn new_socket_folders(runtime: Option<OsString>, temporary: PathBuf) -> Vec<PathBuf> {
    let runtime = runtime.map(PathBuf::from).filter(|folder| folder.is_absolute());
    let mut folders: Vec<PathBuf> = runtime.into_iter().chain([temporary]).collect();
    let system = PathBuf::from("/tmp");
    if !folders.contains(&system) {
        folders.push(system);
    }
    folders
}

/// Listens in the first usable folder of `folders`.
fn listen_at_new_path(
    scheme: &str,
    folders: &[PathBuf],
    mode: u32,
    options: &ListenOptions,
) -> io::Result<Bound> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "there is no folder for the socket");
    for folder in folders {
        sweep_once(folder);
        let listening = with_unused_name(|| {
            let path = folder.join(new_file_name());
            let unfit = |reason: &str| {
                let text = format!("the folder {} is unusable: {reason}", folder.display());
                io::Error::new(io::ErrorKind::InvalidInput, text)
            };
            let text = path.to_str().ok_or_else(|| unfit("its name is not UTF-8"))?;
            let name = SocketName::parse(text)
                .and_then(|name| name.to_endpoint(scheme).map(|_| name))
                .map_err(|error| unfit(error.reason()))?;
            let (socket, file) = listen_at_unused(&path, mode, options)?;
            Ok((socket, name, Some(file)))
        });
        match listening {
            Ok(bound) => return Ok(bound),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Repeats `listen` until it finds an unused name.
fn with_unused_name(mut listen: impl FnMut() -> io::Result<Bound>) -> io::Result<Bound> {
    let mut tries = 1;
    loop {
        match listen() {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && tries < MAX_TRIES => {
                tries += 1;
            }
            done => return done,
        }
    }
}

fn with_hint(error: ListenError) -> ListenError {
    let hint = match error.kind() {
        io::ErrorKind::AddrInUse => "use another path, or only the scheme and :// for a new one",
        io::ErrorKind::NotFound => "the folder must exist",
        io::ErrorKind::PermissionDenied => {
            "the folder must be writable, and a stale socket in it must belong to this user"
        }
        _ => return error,
    };
    error.with_hint(hint)
}

#[cfg(test)]
mod tests {
    use zorb_testkit::short_folder;

    use super::*;

    fn listen_in(folders: &[PathBuf]) -> io::Result<Bound> {
        listen_at_new_path("uiop", folders, 0o600, &ListenOptions::default())
    }

    #[test]
    fn the_users_own_folder_is_preferred() {
        let of = |runtime: Option<&str>, temporary: &str| {
            new_socket_folders(runtime.map(OsString::from), PathBuf::from(temporary))
        };
        assert_eq!(of(Some("/run/user/1"), "/tmp"), [Path::new("/run/user/1"), Path::new("/tmp")]);
        for unset in [Some("relative"), Some(""), None] {
            assert_eq!(of(unset, "/tmp"), [Path::new("/tmp")]);
        }
        let all = ["/run/user/1", "/home/1/tmp", "/tmp"];
        assert_eq!(of(Some(all[0]), all[1]), all.map(Path::new));
    }

    #[test]
    fn unusable_folders_are_skipped() {
        let missing = std::env::temp_dir().join("zorb-no-such-folder");
        let (too_long, spaced) = (format!("/{}", "x".repeat(100)), "/tmp/a b");
        for unfit in [missing, too_long.into(), spaced.into(), "relative".into()] {
            let (_, name, file) = listen_in(&[unfit, short_folder()]).unwrap();
            assert!(name.to_string().ends_with(".sock") && file.is_some(), "{name}");
        }
    }

    #[test]
    fn the_reason_is_reported_if_no_folder_is_usable() {
        let error = listen_in(&[PathBuf::from(format!("/{}", "x".repeat(100)))]).unwrap_err();
        assert!(error.to_string().contains("107 octets"), "{error}");
        assert_eq!(listen_in(&[]).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
