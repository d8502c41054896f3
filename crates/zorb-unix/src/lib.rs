//! Unix-domain sockets, and UIOP: GIOP over them.
//!
//! [`UnixTransport`] implements [`Transport`] for processes on one machine, with the same system
//! calls as TCP but without the network. URLs:
//!
//! | | connecting | listening |
//! |---|---|---|
//! | `uiop:///tmp/x.sock` | the socket at that path | creates it, replacing a stale one |
//! | `uiop://@name` | the abstract name `name` (Linux: without a file) | the same |
//! | `uiop://` | - | a new path: in `$XDG_RUNTIME_DIR`, the folder for temporary files, or `/tmp` if those names are too long |
//! | `uiop:///run/app/` | - | a new path in that folder |
//! | `uiop://@` | - | a new abstract name |
//! | `uiop:///tmp/x.sock?mode=0660` | - | with this mode instead of 0600, see below |
//!
//! Paths are absolute, are UTF-8 without white space, and have at most [`MAX_NAME_LEN`] octets, the
//! system's limit.
//!
//! # Who may connect
//! Only processes of the file's owner can connect (mode 0600), unless the URL or
//! [`UnixTransport::with_mode`] changes the mode, which the file has from the start.
//! Abstract names have no file and no mode: every process of the machine (more precisely, of its
//! network namespace) can connect. [`Stream::peer`] contains the peer's process and user, as
//! verified by the system.
//!
//! # Files
//! The file is removed when the acceptor is closed or dropped, and when the process ends normally. A
//! file left behind by a process that was killed is replaced by the next server at that path: only if
//! nobody listens on it, and only if it is a socket. The first server of a process that chooses a new
//! path also removes up to 256 sockets of this user that killed processes have left in the folder.
//!
//! [`UiopProtocol`] is the protocol, with TAO's kind of profile and `corbaloc:uiop:` addresses.
//!
//! This crate is for Zorb itself and its facade crate `zorb`, which registers it.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod acceptor;
mod connect;
mod file;
mod handover;
mod listen;
mod name;
mod profile;
pub mod rendezvous;
mod socket;
mod stale;
mod uiop;

use std::io;
use std::sync::Arc;

use socket2::Socket;
use zorb_transport::socket::{SocketStream, set_buffers};
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    LocalSocket, Stream, StreamOptions, Transport,
};

use handover::{Handover, Names};
use name::SocketName;
use socket::new_socket;

pub use name::MAX_NAME_LEN;
pub use uiop::UiopProtocol;

/// The scheme of UIOP URLs.
pub const UIOP_SCHEME: &str = "uiop";

/// The default mode of a socket's file: its owner may connect.
pub const DEFAULT_MODE: u32 = 0o600;

/// Unix-domain stream sockets as a [`Transport`].
///
/// ```
/// use zorb_transport::{ConnectOptions, ListenOptions, Transport};
/// use zorb_unix::UnixTransport;
///
/// let unix = UnixTransport::new();
/// let acceptor = unix.listen("uiop://", &ListenOptions::default())?;
/// let client = unix.connect(acceptor.endpoint(), &ConnectOptions::default())?;
/// let server = acceptor.accept()?;
/// assert!(server.peer().starts_with(&format!("pid {}, uid ", std::process::id())));
/// client.send_all(b"ping")?;
/// let mut buffer = [0; 16];
/// assert_eq!(server.recv(&mut buffer)?, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It uses the backlog and the buffer sizes of the options; a published host, `no_delay` and
/// `keep_alive` are ignored.
#[derive(Debug, Clone)]
pub struct UnixTransport {
    scheme: Arc<str>,
    mode: u32,
}

impl UnixTransport {
    /// Unix-domain sockets with the scheme `uiop` and mode 0600.
    #[must_use]
    pub fn new() -> Self {
        Self { scheme: UIOP_SCHEME.into(), mode: DEFAULT_MODE }
    }

    /// Sets the mode (permission bits, 0 to 0o777) of listening sockets' files, unless the URL
    /// contains one. Connecting requires write permission.
    #[must_use]
    pub fn with_mode(self, mode: u32) -> Self {
        Self { mode: mode & 0o777, ..self }
    }

    /// Unix-domain sockets for another protocol than GIOP, with its own scheme.
    ///
    /// # Errors
    /// [`EndpointError`] if `scheme` is not a URL scheme.
    pub fn with_scheme(scheme: &str) -> Result<Self, EndpointError> {
        let scheme = Endpoint::new(scheme, "")?.scheme().into();
        Ok(Self { scheme, ..Self::new() })
    }

    /// The endpoint of a socket's name in a profile: a path, or `@` and an abstract name.
    fn endpoint(&self, name: &str) -> Result<Endpoint, EndpointError> {
        SocketName::parse(name)?.to_endpoint(&self.scheme)
    }
}

impl Default for UnixTransport {
    fn default() -> Self {
        Self::new()
    }
}

impl Transport for UnixTransport {
    fn scheme(&self) -> &str {
        &self.scheme
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        rendezvous::parse_endpoint(&self.scheme, text)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let (socket, Names { local, peer }) =
            connect::connect(&self.scheme, endpoint, options, new_socket)?;
        Ok(Arc::new(SocketStream::new(socket, local, peer)))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        listen::listen(&self.scheme, url, self.mode, options, Buffers(options.stream.clone()))
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        rendezvous::url_beside(&self.scheme, acceptor)
    }

    fn has_readiness(&self) -> bool {
        true
    }

    fn local_socket(&self, endpoint: &Endpoint) -> Option<LocalSocket> {
        Some(rendezvous::local_socket(endpoint))
    }
}

/// Sets the buffer sizes of accepted connections.
#[derive(Debug)]
struct Buffers(StreamOptions);

impl Handover for Buffers {
    type Prepared = ();
    type Stream = SocketStream;

    fn prepare(&self, _: &Socket) -> io::Result<()> {
        Ok(())
    }

    fn accepted(&self, socket: Socket, (): (), names: Names) -> io::Result<SocketStream> {
        // Unlike TCP's, these sockets inherit nothing from the listening one.
        set_buffers(&socket, &self.0)?;
        Ok(SocketStream::new(socket, names.local, names.peer))
    }
}
