//! Unix-domain sockets for setting up another transport's connections, for authors of such
//! transports.
//!
//! Addresses, files, modes and errors are those of [`UnixTransport`](crate::UnixTransport); the
//! transport decides how to use the connected socket.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use socket2::Socket;
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    LocalSocket, strip_scheme,
};

use crate::name::{SocketName, process_of_abstract_name, process_of_name};
use crate::socket::new_socket_for_descriptors;
use crate::{connect, listen};

pub use crate::handover::{Handover, Names};

/// Parses an endpoint: a URL of `scheme`, or the bare address.
///
/// # Errors
/// As [`Transport::parse_endpoint`](zorb_transport::Transport::parse_endpoint).
pub fn parse_endpoint(scheme: &str, text: &str) -> Result<Endpoint, EndpointError> {
    SocketName::parse(strip_scheme(scheme, text)?)?.to_endpoint(scheme)
}

/// Connects to `endpoint` of `scheme`. The socket is blocking, has no timeouts, and receives descriptors from the server.
/// With a `word`, the client's socket has an abstract name that ends in it, which the server can read as soon as it
/// accepts.
///
/// # Errors
/// As [`Transport::connect`](zorb_transport::Transport::connect).
pub fn connect(
    scheme: &str,
    endpoint: &Endpoint,
    options: &ConnectOptions,
    word: Option<&str>,
) -> Result<(Socket, Names), ConnectError> {
    connect::connect(scheme, endpoint, options, || {
        let socket = new_socket_for_descriptors()?;
        if let Some(word) = word {
            connect::bind_unique_name(&socket, word)?;
        }
        Ok(socket)
    })
}

/// The word in the name of the client's socket, if it has one.
#[must_use]
pub fn word_of_client(socket: &Socket) -> Option<String> {
    let address = socket.peer_addr().ok()?;
    let name = std::str::from_utf8(address.as_abstract_namespace()?).ok()?;
    // After the process and a number.
    name.strip_prefix(connect::NAMES)?.splitn(3, '-').nth(2).map(str::to_owned)
}

/// The URL for a further endpoint of `scheme` in the folder of `acceptor`'s socket, with the mode of its file; or a
/// new abstract name if it has one.
#[must_use]
pub fn url_beside(scheme: &str, acceptor: &dyn Acceptor) -> String {
    let path = Path::new(acceptor.endpoint().address());
    let (Some(folder), true) = (path.parent(), path.is_absolute()) else {
        return format!("{scheme}://@");
    };
    // Without its last slash only the root has one.
    let folder = folder.to_string_lossy();
    let folder = folder.trim_end_matches('/');
    match fs::symlink_metadata(path) {
        Ok(found) => format!("{scheme}://{folder}/?mode={:04o}", found.mode() & 0o777),
        Err(_) => format!("{scheme}://{folder}/"),
    }
}

/// The socket that `endpoint` names. The folder of new sockets is `$XDG_RUNTIME_DIR` or else that for temporary files.
#[must_use]
pub fn local_socket(endpoint: &Endpoint) -> LocalSocket {
    let address = endpoint.address();
    if let Some(name) = address.strip_prefix('@') {
        let has_generated_name = process_of_abstract_name(name).is_some();
        return LocalSocket { folder: "@".to_owned(), has_generated_name, is_default_folder: true };
    }
    let (folder, name) = address.rsplit_once('/').unwrap_or(("", address));
    let default = listen::socket_folders().into_iter().next();
    LocalSocket {
        folder: folder.to_owned(),
        has_generated_name: process_of_name(name).is_some(),
        is_default_folder: default.is_some_and(|default| Path::new(folder) == default),
    }
}

/// Listens on `url` of `scheme`; `mode` is for the file of a socket whose URL contains none.
/// `handover` makes streams of accepted connections.
///
/// # Errors
/// As [`Transport::listen`](zorb_transport::Transport::listen).
pub fn listen<H: Handover>(
    scheme: &str,
    url: &str,
    mode: u32,
    options: &ListenOptions,
    handover: H,
) -> Result<Arc<dyn Acceptor>, ListenError> {
    listen::listen(scheme, url, mode, options, handover)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_told_by_folder_and_name() {
        let default = listen::socket_folders().remove(0).display().to_string();
        let cases = [
            (format!("{default}/zorb-7-8.sock"), default.as_str(), true, true),
            (format!("{default}/docker.sock"), &default, false, true),
            ("/srv/app/zorb-7-8.sock".to_owned(), "/srv/app", true, false),
            ("/srv/app/../zorb-7-8.sock".to_owned(), "/srv/app/..", true, false),
            ("/zorb-7.sock".to_owned(), "", false, false),
            ("@zorb-7-8".to_owned(), "@", true, true),
            ("@/tmp/.X11-unix/X0".to_owned(), "@", false, true),
        ];
        for (address, folder, has_generated_name, is_default_folder) in cases {
            let endpoint = parse_endpoint("uiop", &address).unwrap();
            let folder = folder.to_owned();
            let expected = LocalSocket { folder, has_generated_name, is_default_folder };
            assert_eq!(local_socket(&endpoint), expected, "{address}");
        }
    }
}
