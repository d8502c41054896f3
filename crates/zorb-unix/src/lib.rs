//! Unix-domain sockets, and UIOP: GIOP over them.
//!
//! [`UnixTransport`] implements [`Transport`] for processes on one machine: the calls of TCP
//! without the network under them. What may be written where:
//!
//! | | connecting | listening |
//! |---|---|---|
//! | `uiop:///tmp/x.sock` | the socket at that path | makes it, in place of a stale one |
//! | `uiop://@name` | the abstract name `name` (Linux: no file) | the same |
//! | `uiop://` | - | a fresh path: in `$XDG_RUNTIME_DIR`, or the folder for temporary files, or `/tmp` where their names are too long |
//! | `uiop://@` | - | a fresh abstract name |
//! | `uiop:///tmp/x.sock?mode=0660` | - | with the mode in place of 0600, see below |
//!
//! Paths start at the root, are UTF-8 without white space, and have at most [`MAX_NAME_LEN`]
//! octets, which is what the system has room for.
//!
//! # Who may connect
//! A socket's file lets in processes of its owner alone (mode 0600) unless the URL or
//! [`UnixTransport::with_mode`] say otherwise; it has its mode before the first client can
//! connect. An abstract name has no file and no mode: every process of the machine (strictly, of
//! its network namespace) may connect. The peer's process and user, which the system vouches for,
//! stand in [`Stream::peer`].
//!
//! # Files
//! The file goes when the acceptor is closed or dropped. One that a process left behind (it was
//! killed, or ended without shutting its ORB down) is taken away by the next that listens there:
//! only if nobody listens on it, and never a file that is no socket.
//!
//! [`UiopProtocol`] is what object references know of it: TAO's kind of profile and
//! `corbaloc:uiop:` addresses.
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
mod uiop;

use std::io;
use std::sync::Arc;

use socket2::Socket;
use zorb_transport::socket::{SocketStream, set_buffers};
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    Stream, StreamOptions, Transport,
};

use handover::{Handover, Names};
use name::SocketName;

pub use name::MAX_NAME_LEN;
pub use uiop::UiopProtocol;

/// The scheme of URLs that mean Unix-domain sockets under GIOP.
pub const UIOP_SCHEME: &str = "uiop";

/// The mode of a socket's file where none is given: its owner may connect.
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
/// Of the options it uses the backlog and the sizes of the buffers. A host to be published means
/// nothing here and is passed over, like `no_delay` and `keep_alive`.
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

    /// The same with `mode` (permission bits, 0 to 0o777) for the files of sockets listened on
    /// whose URL has none of its own. Connecting takes the permission to write.
    #[must_use]
    pub fn with_mode(self, mode: u32) -> Self {
        Self { mode: mode & 0o777, ..self }
    }

    /// Unix-domain sockets under another protocol than GIOP: with a scheme of its own.
    ///
    /// # Errors
    /// [`EndpointError`] when `scheme` is not a URL scheme.
    pub fn with_scheme(scheme: &str) -> Result<Self, EndpointError> {
        let scheme = Endpoint::new(scheme, "")?.scheme().into();
        Ok(Self { scheme, ..Self::new() })
    }

    /// The endpoint of a socket's name, as a profile has it: a path, or `@` and an abstract name.
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
            connect::connect(&self.scheme, endpoint, options, None)?;
        Ok(Arc::new(SocketStream::new(socket, local, peer)))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        listen::listen(&self.scheme, url, self.mode, options, Buffers(options.stream.clone()))
    }
}

/// The sizes of a connection's buffers; nothing else is to be done with it.
#[derive(Debug)]
struct Buffers(StreamOptions);

impl Handover for Buffers {
    type Stream = SocketStream;

    fn accepted(&self, socket: Socket, names: Names) -> io::Result<SocketStream> {
        // Unlike TCP's, these sockets inherit nothing from the one that listens.
        set_buffers(&socket, &self.0)?;
        Ok(SocketStream::new(socket, names.local, names.peer))
    }
}
