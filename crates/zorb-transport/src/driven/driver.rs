//! Connecting and listening.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use socket2::SockRef;
use zorb_os::clock::MonotonicTime;
use zorb_os::priority::{self, Schedule};
use zorb_os::thread_count::CountedThread;

use super::acceptor::{DrivenAcceptor, Listener};
use super::connection::Driven;
use super::link::{Link, LinkSocket};
use super::settings::Settings;
use super::stream::{DrivenStream, connected};
use super::timers::{Timers, now};
use crate::socket::set_traffic;
use crate::{
    Acceptor, ConnectAttempt, ConnectError, ConnectOptions, ConnectPhase, Endpoint, ListenOptions,
    Stream, StreamOptions, process_budget, resolve,
};

/// The receive buffer requested for each socket, in octets.
const SOCKET_BUFFER: usize = 1 << 20;

/// Creates streams and acceptors of [`Driven`] connections. Clones share the timer thread of the
/// clients.
pub struct Driver<D: Driven> {
    timers: Arc<Timers>,
    protocol: PhantomData<fn() -> D>,
}

impl<D: Driven> Driver<D> {
    /// A driver without connections.
    #[must_use]
    pub fn new() -> Self {
        Self { timers: Timers::shared(D::THREADS), protocol: PhantomData }
    }

    /// Connects to the first address of the host that answers; errors name `endpoint`.
    ///
    /// # Errors
    /// The host has no address, or none answered within the timeout.
    pub fn connect(
        &self,
        endpoint: &Endpoint,
        host: &str,
        port: u16,
        settings: Settings,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let fail = |phase| move |error| ConnectError::single(endpoint, phase, error);
        let until = options.timeout.map(|timeout| MonotonicTime::now() + timeout);
        let addresses = resolve(host, port, until).map_err(fail(ConnectPhase::Resolve))?;
        let deadline = options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut attempts = Vec::new();
        for address in addresses {
            match self.connect_to(address, settings, &options.stream, deadline) {
                Ok(stream) => return Ok(Arc::new(stream)),
                Err(error) => attempts.push(ConnectAttempt { address: address.to_string(), error }),
            }
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                break;
            }
        }
        if attempts.is_empty() {
            let error = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
            return Err(fail(ConnectPhase::Resolve)(error));
        }
        Err(ConnectError::new(endpoint.clone(), ConnectPhase::Connect, attempts))
    }

    fn connect_to(
        &self,
        to: SocketAddr,
        settings: Settings,
        options: &StreamOptions,
        deadline: Option<Instant>,
    ) -> io::Result<DrivenStream<D>> {
        let socket = socket_to(to, options)?;
        let local = socket.local_addr()?.to_string();
        let connection = D::connect(to, settings, now());
        let budget = Arc::clone(process_budget());
        let link = Link::new(LinkSocket::Own(socket), connection, &self.timers, budget);
        let receiving = Arc::clone(&link);
        let receiver = thread::Builder::new().name(D::THREADS.to_owned());
        // Callers limit their connections; this limits what else the process starts.
        let counted = CountedThread::one_of(usize::MAX, None)?;
        // The thread that waits for received octets is the one that connects, or has a similar
        // priority.
        let level = priority::last_set().min(priority::MAX_PRIORITY);
        self.timers.raise(level);
        receiver.spawn(move || {
            let _counted = counted;
            if level > 0 {
                // The connecting thread was allowed to do the same.
                let _ = priority::set(Schedule::Fifo(level));
            }
            receiving.run();
        })?;
        let stream = DrivenStream::new(Arc::clone(&link), to.to_string(), local, None);
        link.change(|_| {});
        if let Err(error) = connected(&link, deadline) {
            link.change(D::abort);
            return Err(error);
        }
        Ok(stream)
    }

    /// Accepts connections over a bound socket at `endpoint`, for which references contain
    /// `published`. All of them send through it, with its class of service.
    ///
    /// # Errors
    /// The system call fails.
    pub fn listen(
        &self,
        socket: UdpSocket,
        settings: Settings,
        options: &ListenOptions,
        endpoint: Endpoint,
        published: Vec<Endpoint>,
    ) -> io::Result<Arc<dyn Acceptor>> {
        let _ = SockRef::from(&socket).set_recv_buffer_size(SOCKET_BUFFER);
        let backlog = usize::try_from(options.backlog).unwrap_or(usize::MAX);
        // Endpoints share nothing.
        let timers = Timers::of_endpoint(D::THREADS, options.workers.clone());
        let listener = Listener::<D>::new(socket, settings, backlog, &timers)?;
        let acceptor = DrivenAcceptor::new(&listener, endpoint, published);
        timers.start()?;
        let receiver = thread::Builder::new().name(format!("{}-in", D::THREADS));
        receiver.spawn(move || listener.run())?;
        Ok(Arc::new(acceptor))
    }
}

/// A socket connected to one address, with the class of service, priority and pacing of the
/// options.
fn socket_to(to: SocketAddr, options: &StreamOptions) -> io::Result<UdpSocket> {
    let any: IpAddr = match to {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0))?;
    set_traffic(&socket, options)?;
    socket.connect(to)?;
    // The system may grant less.
    let _ = SockRef::from(&socket).set_recv_buffer_size(SOCKET_BUFFER);
    Ok(socket)
}

impl<D: Driven> Clone for Driver<D> {
    fn clone(&self) -> Self {
        Self { timers: Arc::clone(&self.timers), protocol: PhantomData }
    }
}

impl<D: Driven> Default for Driver<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<D: Driven> fmt::Debug for Driver<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::fd::AsFd;

    use zorb_os::socket::pacing_rate;

    use super::*;

    /// Socket options of both IP versions, where there is a route.
    #[test]
    fn socket_options_are_set() {
        for peer in ["127.0.0.1:9", "[::1]:9"] {
            let peer: SocketAddr = peer.parse().unwrap();
            let options = StreamOptions {
                dscp: Some(46),
                socket_priority: Some(5),
                pacing_rate: Some(1 << 20),
                ..StreamOptions::default()
            };
            let Ok(told) = socket_to(peer, &options) else {
                assert!(peer.is_ipv6(), "there always is a way to {peer}");
                continue;
            };
            let socket = SockRef::from(&told);
            let class = if peer.is_ipv4() { socket.tos_v4() } else { socket.tclass_v6() };
            assert_eq!((class.unwrap(), socket.priority().unwrap()), (46 << 2, 5), "{peer}");
            assert_eq!(pacing_rate(told.as_fd()).unwrap(), Some(1 << 20), "{peer}");
        }
    }
}
