//! The transport.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use socket2::Socket;
use zorb_giop::Charge;
use zorb_os::buffers::{BufferLayout, MAX_BUFFER_SIZE, MAX_BUFFERS};
use zorb_os::clock::MonotonicTime;
use zorb_os::socket::refuse_descriptors;
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, ConnectPhase, Endpoint, EndpointError, ListenError,
    ListenOptions, LocalSocket, PeerShares, Stream, StreamOptions, Transport, process_budget,
};
use zorb_unix::DEFAULT_MODE;
use zorb_unix::rendezvous::{self, Handover, Names};

use crate::BUFFERS;
use crate::handshake::{self, Made, Taken};
use crate::ring::{DEFAULT_RING_SIZE, Ends, Layout, ring_size};
use crate::stream::ShmStream;
use crate::watch::PeerWatch;

/// The scheme of SHMIOP URLs.
pub const SHMIOP_SCHEME: &str = "shmiop";

/// The default number of buffers per connection and direction.
pub const DEFAULT_BUFFERS: usize = 8;
/// The default size of a buffer in octets.
pub const DEFAULT_BUFFER_SIZE: usize = 1 << 20;

/// The maximum size of a ring that a client can request. A server creates larger rings only by its
/// own options.
pub const MAX_REQUESTED_RING_SIZE: usize = 16 << 20;

/// How long a client without a timeout waits for the server's memory: about as long as the system's
/// limit for connecting.
const HANDOVER_LIMIT: Duration = Duration::from_secs(120);

/// Shared memory as a [`Transport`]. See [the crate](crate).
///
/// ```
/// use std::thread;
/// use zorb_shm::ShmTransport;
/// use zorb_transport::{ConnectOptions, ListenOptions, Transport};
///
/// let shm = ShmTransport::new();
/// let acceptor = shm.listen("shmiop://", &ListenOptions::default())?;
/// let endpoint = acceptor.endpoint().clone();
/// let server = thread::spawn(move || acceptor.accept());
/// // The server hands over the memory when it accepts.
/// let client = shm.connect(&endpoint, &ConnectOptions::default())?;
/// client.send_all(b"ping")?;
/// let server = server.join().unwrap()?;
/// let mut buffer = [0; 16];
/// assert_eq!(server.recv(&mut buffer)?, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It uses the backlog and the buffer sizes of the options. Buffer sizes are the sizes of the
/// rings: of all clients when listening; when connecting a request that the server grants up to
/// [`MAX_REQUESTED_RING_SIZE`], in preference to its own. A published host, `no_delay` and
/// `keep_alive` are ignored.
#[derive(Debug, Clone)]
pub struct ShmTransport {
    scheme: Arc<str>,
    mode: u32,
    ring_size: usize,
    buffers: Option<BufferLayout>,
}

impl ShmTransport {
    /// Shared memory with the scheme `shmiop`, sockets accessible to their owner only, rings of
    /// [`DEFAULT_RING_SIZE`], and [`DEFAULT_BUFFERS`] buffers of [`DEFAULT_BUFFER_SIZE`] per
    /// connection and direction.
    #[must_use]
    pub fn new() -> Self {
        let scheme = SHMIOP_SCHEME.into();
        let buffers = BufferLayout::new(DEFAULT_BUFFERS, DEFAULT_BUFFER_SIZE);
        Self { scheme, mode: DEFAULT_MODE, ring_size: DEFAULT_RING_SIZE, buffers }
    }

    /// Sets the mode (permission bits, 0 to 0o777) of listening sockets' files, unless the URL
    /// contains one.
    #[must_use]
    pub fn with_mode(self, mode: u32) -> Self {
        Self { mode: mode & 0o777, ..self }
    }

    /// Sets the ring size of accepted connections to at least `octets`, unless the options of
    /// listening contain sizes. It is rounded up to a power of two from 4 KiB to 1 GiB.
    #[must_use]
    pub fn with_ring_size(self, octets: usize) -> Self {
        Self { ring_size: ring_size(octets), ..self }
    }

    /// Sets the number of buffers per direction of accepted connections, up to 64, and their
    /// minimum size in octets, up to 128 MiB; a `count` of 0 disables them. Applications borrow
    /// them for octets that are never copied; other octets are copied into them once.
    #[must_use]
    pub fn with_buffers(self, count: usize, octets: usize) -> Self {
        let octets = octets.clamp(1, MAX_BUFFER_SIZE).next_multiple_of(4096);
        Self { buffers: BufferLayout::new(count.min(MAX_BUFFERS), octets), ..self }
    }

    /// Shared memory for another protocol than GIOP, with its own scheme.
    ///
    /// # Errors
    /// [`EndpointError`] if `scheme` is not a URL scheme.
    pub fn with_scheme(scheme: &str) -> Result<Self, EndpointError> {
        let scheme = Endpoint::new(scheme, "")?.scheme().into();
        Ok(Self { scheme, ..Self::new() })
    }
}

impl Default for ShmTransport {
    fn default() -> Self {
        Self::new()
    }
}

impl Transport for ShmTransport {
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
        let deadline = MonotonicTime::now() + options.timeout.unwrap_or(HANDOVER_LIMIT);
        // The socket carries one message, regardless of the sizes in the options.
        let for_socket = ConnectOptions::with_timeout(options.timeout);
        let StreamOptions { send_buffer, receive_buffer, .. } = options.stream;
        let request_text = request_text(send_buffer, receive_buffer);
        let (socket, names) =
            rendezvous::connect(&self.scheme, endpoint, &for_socket, request_text.as_deref())?;
        let set_up = || {
            let Taken { layout, memory, buffers } = handshake::take(&socket, deadline.time_left())?;
            // Nothing else comes by the socket; to a build without buffers, those of the server may still come.
            if BUFFERS {
                refuse_descriptors(socket.as_fd())?;
            }
            Ok((layout.client(&memory, buffers), PeerWatch::new(&socket)?))
        };
        let failed = |error: io::Error| {
            let phase = match error.kind() {
                io::ErrorKind::ConnectionRefused | io::ErrorKind::TimedOut => ConnectPhase::Connect,
                _ => ConnectPhase::Setup,
            };
            let hint = "is the server running, listening with shmiop, and accepting connections?";
            ConnectError::single(endpoint, phase, error).with_hint(hint)
        };
        let (rings, watch) = set_up().map_err(failed)?;
        Ok(Arc::new(ShmStream::new(socket, rings, names, watch).map_err(failed)?))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let size = |wanted: Option<usize>| wanted.map_or(self.ring_size, ring_size);
        let StreamOptions { send_buffer, receive_buffer, .. } = options.stream;
        let layout = Layout::new(size(receive_buffer), size(send_buffer));
        let layout =
            layout.ok_or_else(|| ListenError::new(url, io::Error::other("invalid ring size")))?;
        let mut for_socket = options.clone();
        for_socket.stream = StreamOptions::default();
        rendezvous::listen(
            &self.scheme,
            url,
            self.mode,
            &for_socket,
            Offer { layout, buffers: self.buffers, shares: PeerShares::new(process_budget(), 0) },
        )
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        rendezvous::url_beside(&self.scheme, acceptor)
    }

    fn local_socket(&self, endpoint: &Endpoint) -> Option<LocalSocket> {
        Some(rendezvous::local_socket(endpoint))
    }
}

/// The encoding of a client's requested ring sizes, for requests and replies; 0 leaves the size to
/// the server. It is a part of the client's socket name, so that the server need not wait for it.
fn request_text(requests: Option<usize>, replies: Option<usize>) -> Option<String> {
    let size = |octets: Option<usize>| octets.unwrap_or_default();
    (requests.is_some() || replies.is_some())
        .then(|| format!("rings-{}-{}", size(requests), size(replies)))
}

/// The rings for a client with this request; `own` are the server's defaults. `None` if the request
/// is malformed.
fn granted(request_text: &str, own: Layout) -> Option<Layout> {
    let (requests, replies) = request_text.strip_prefix("rings-")?.split_once('-')?;
    let [of_requests, of_replies] = own.sizes();
    let size = |granted: &str, own: usize| match granted.parse() {
        Ok(0) => Some(own),
        Ok(octets) => Some(ring_size(std::cmp::min(octets, MAX_REQUESTED_RING_SIZE))),
        Err(_) => None,
    };
    Layout::new(size(requests, of_requests)?, size(replies, of_replies)?)
}

/// Passes new memory to each client.
#[derive(Debug)]
struct Offer {
    layout: Layout,
    buffers: Option<BufferLayout>,
    /// What rings are charged to that are larger because clients want them so.
    shares: PeerShares,
}

impl Offer {
    /// The rings for a client with this request, if any. Larger ones than the server's own need memory; without it, the
    /// client gets those.
    fn grant(&self, request_text: Option<String>) -> (Layout, Charge) {
        let mut charge = Charge::to(self.shares.share_of_local_peers());
        let granted = request_text.and_then(|text| granted(&text, self.layout));
        let charged = granted.filter(|layout| {
            let more = layout.memory_len().saturating_sub(self.layout.memory_len());
            charge.set(more)
        });
        (charged.unwrap_or(self.layout), charge)
    }
}

/// The memory of a client, and what it is watched with: all descriptors of a connection but its socket.
#[derive(Debug)]
struct Prepared {
    made: Made,
    charge: Charge,
    watch: PeerWatch,
}

impl Handover for Offer {
    type Prepared = Prepared;
    type Stream = ShmStream;

    fn prepare(&self, socket: &Socket) -> io::Result<Prepared> {
        let (layout, charge) = self.grant(rendezvous::word_of_client(socket));
        let made = Made::new(socket, layout, self.buffers)?;
        Ok(Prepared { made, charge, watch: PeerWatch::new(socket)? })
    }

    fn accepted(&self, socket: Socket, prepared: Prepared, names: Names) -> io::Result<ShmStream> {
        let Prepared { made, charge, watch } = prepared;
        let layout = made.layout;
        let (memory, buffers) = made.offer(&socket)?;
        let ends = Ends { charge, ..layout.server(&memory, buffers) };
        ShmStream::new(socket, ends, names, watch)
    }
}

#[cfg(test)]
mod tests {
    use zorb_giop::MessageBudget;

    use super::*;

    #[test]
    fn rings_beyond_the_servers_own_are_charged() {
        let own = Layout::new(8192, 1 << 15).unwrap();
        let budget = Arc::new(MessageBudget::new(128 << 20));
        let offer = Offer { layout: own, buffers: None, shares: PeerShares::new(&budget, 0) };
        let large = || offer.grant(request_text(Some(usize::MAX), Some(usize::MAX)));
        // Local peers have half of the budget.
        let (first, second) = (large(), large());
        assert_eq!(first.0.sizes(), [MAX_REQUESTED_RING_SIZE; 2]);
        assert_eq!(second.0.sizes(), first.0.sizes());
        let used = 2 * (first.0.memory_len() - own.memory_len());
        assert_eq!(budget.used(), used);
        assert_eq!(large().0, own, "no memory for more");
        assert_eq!(offer.grant(None).0, own);
        assert_eq!(budget.used(), used);
        drop(first);
        assert_eq!(large().0.sizes(), second.0.sizes());
    }

    #[test]
    fn requested_ring_sizes_are_limited() {
        let own = Layout::new(8192, 1 << 15).unwrap();
        let sizes = |word: &str| granted(word, own).map(|layout| layout.sizes());
        let granted_sizes = |requests, replies| sizes(&request_text(requests, replies).unwrap());
        assert_eq!(granted_sizes(Some(5000), Some(100_000)), Some([8192, 128 << 10]));
        assert_eq!(granted_sizes(Some(1), None), Some([4096, 1 << 15]));
        assert_eq!(granted_sizes(None, Some(usize::MAX)), Some([8192, MAX_REQUESTED_RING_SIZE]));
        assert_eq!(request_text(None, None), None);
        for other in
            ["", "rings", "rings-1", "rings--1", "rings-1-", "rings-1-x", "rings-1-2-3", "x-1-2"]
        {
            assert_eq!(sizes(other), None, "{other:?}");
        }
    }
}
