//! Unix-domain sockets at which another transport's two ends meet, for authors of such transports.
//!
//! They have the addresses, files, modes and failures of [`UnixTransport`](crate::UnixTransport);
//! what the ends do with the connected socket is the transport's own.

use std::sync::Arc;

use socket2::Socket;
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    strip_scheme,
};

use crate::name::SocketName;
use crate::{connect, listen};

pub use crate::handover::{Handover, Names};

/// The endpoint that `text` means, a URL of `scheme` or the address alone.
///
/// # Errors
/// As [`Transport::parse_endpoint`](zorb_transport::Transport::parse_endpoint).
pub fn parse_endpoint(scheme: &str, text: &str) -> Result<Endpoint, EndpointError> {
    SocketName::parse(strip_scheme(scheme, text)?)?.to_endpoint(scheme)
}

/// Connects to `endpoint`, of `scheme`. The socket is blocking and has no time-outs. With a `word`, its
/// own name is an abstract one that ends in it, by which the server has it as soon as it accepts.
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

/// The word in the name of the client at the other end of `socket`, if it has one.
#[must_use]
pub fn word_of_client(socket: &Socket) -> Option<String> {
    let address = socket.peer_addr().ok()?;
    let name = std::str::from_utf8(address.as_abstract_namespace()?).ok()?;
    // Behind the process and a number.
    name.strip_prefix(connect::NAMES)?.splitn(3, '-').nth(2).map(str::to_owned)
}

/// Listens on `url`, of `scheme`, with `mode` for the file of a socket whose URL has none of its
/// own; `handover` makes streams of the connections.
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
