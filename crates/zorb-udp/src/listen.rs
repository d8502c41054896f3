//! Listening: a socket, and the one stream that comes of it.

use std::net::UdpSocket;
use std::sync::Arc;
use std::{fmt, io};

use zorb_giop::Form;
use zorb_os::event::EventFd;
use zorb_os::lock::{Condition, Lock};
use zorb_tcp::datagrams::{self, Bound};
use zorb_transport::socket::set_buffers;
use zorb_transport::{AcceptError, Acceptor, Endpoint, ListenError, ListenOptions, Stream};

use crate::DIOP_SCHEME;
use crate::counters::Counters;
use crate::datagram::Requests;
use crate::server::{UdpServer, Unpack};

/// A socket that requests come to.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) socket: UdpSocket,
    /// Wakes who waits in `recv`. Shutting the socket down would do as well, but for good: the next
    /// stream could not use it.
    pub(crate) wake: EventFd,
    state: Lock<State>,
    changed: Condition,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the stream is with the ORB.
    is_out: bool,
    closed: bool,
}

impl Shared {
    /// The stream has ended; the next `accept` hands out another one.
    pub(crate) fn came_back(&self) {
        self.state.lock().is_out = false;
        self.changed.tell_all();
    }
}

/// Makes what takes the datagrams of one stream apart.
pub(crate) type MakeUnpack = Box<dyn Fn() -> Box<dyn Unpack> + Send + Sync>;

/// Hands out the one stream of a socket.
pub(crate) struct UdpAcceptor {
    shared: Arc<Shared>,
    endpoint: Endpoint,
    published: [Endpoint; 1],
    unpack: MakeUnpack,
}

impl UdpAcceptor {
    /// The acceptor of a bound socket: where it is, and what references say.
    pub(crate) fn new(
        socket: UdpSocket,
        (endpoint, published): (Endpoint, Endpoint),
        unpack: MakeUnpack,
    ) -> io::Result<Self> {
        // Who waits for it waits for the end as well.
        socket.set_nonblocking(true)?;
        let shared = Shared {
            socket,
            wake: EventFd::new()?,
            state: Lock::new(State::default()),
            changed: Condition::new(),
        };
        Ok(Self { shared: Arc::new(shared), endpoint, published: [published], unpack })
    }
}

impl fmt::Debug for UdpAcceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UdpAcceptor").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Acceptor for UdpAcceptor {
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        let mut state = self.shared.state.lock();
        while state.is_out && !state.closed {
            state = self.shared.changed.wait(state);
        }
        if state.closed {
            return Err(AcceptError::Closed);
        }
        state.is_out = true;
        // What the stream before it was woken by.
        self.shared.wake.drain();
        Ok(Arc::new(UdpServer::new(Arc::clone(&self.shared), (self.unpack)())))
    }

    fn close(&self) {
        self.shared.state.lock().closed = true;
        self.shared.changed.tell_all();
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn published(&self) -> &[Endpoint] {
        &self.published
    }
}

pub(crate) fn listen(
    url: &str,
    options: &ListenOptions,
    counters: &Arc<Counters>,
    form: Form<'static>,
) -> Result<Arc<dyn Acceptor>, ListenError> {
    let Bound { socket, endpoint, published } = datagrams::bind(DIOP_SCHEME, url, options)?;
    let fail = |error| ListenError::new(url, error);
    set_buffers(&socket, &options.stream).map_err(fail)?;
    let counters = Arc::clone(counters);
    let unpack = Box::new(move || Box::new(Requests::new(&counters, form)) as Box<_>);
    Ok(Arc::new(UdpAcceptor::new(socket, (endpoint, published), unpack).map_err(fail)?))
}
