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
    strip_scheme,
};

use crate::name::SocketName;
use crate::{connect, listen};

pub use crate::handover::{Handover, Names};

/// Parses an endpoint: a URL of `scheme`, or the bare address.
///
/// # Errors
/// As [`Transport::parse_endpoint`](zorb_transport::Transport::parse_endpoint).
pub fn parse_endpoint(scheme: &str, text: &str) -> Result<Endpoint, EndpointError> {
    SocketName::parse(strip_scheme(scheme, text)?)?.to_endpoint(scheme)
}

/// Connects to `endpoint` of `scheme`. The socket is blocking and has no timeouts. With a `word`,
/// the client's socket has an abstract name that ends in it, which the server can read as soon as
/// it accepts.
///
/// # Errors
/// As [`Transport::connect`](zorb_transport::Transport::connect).
pub fn connect(
    scheme: &str,
    endpoint: &Endpoint,
    options: &ConnectOptions,
    word: Option<&str>,
) -> Result<(Socket, Names), ConnectError> {
    connect::connect(scheme, endpoint, options, word)
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
