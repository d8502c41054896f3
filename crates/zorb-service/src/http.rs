//! A small HTTP/1.1 server, for pages that operators and their tools read: metrics, probes, the console.
//!
//! It answers `GET` and `HEAD`, one request for each connection, and reads no body. One thread serves all connections, and
//! waits for none of them: however many clients are slow or silent, it answers a request when it has arrived. The number of
//! connections is limited, and so is the time of each.

mod exchange;
mod request;
mod response;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use zorb_os::event::EventFd;
use zorb_os::machine;
use zorb_os::poll::{ReadySet, Trigger, wait_readable};
use zorb_transport::peer_network;

use exchange::{Exchange, Handler, Progress};
pub(crate) use request::{Hosts, Request};
pub(crate) use response::Response;

/// What the clients of a server may use.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The connections at a time. Beyond it, one of those to the IP address that has most closes, the oldest.
    connections: usize,
    /// How long a connection may take, from accepting it to the last octet of the response.
    time: Duration,
}

/// How many connections a server has at a time, a small part of the process's descriptors.
const LEAST_CONNECTIONS: usize = 4;
const MOST_CONNECTIONS: usize = 32;
const PART_OF_DESCRIPTORS: u64 = 32;

impl Limits {
    /// The limits where the process may have so many descriptors.
    fn of(descriptors: Option<u64>) -> Self {
        let part = descriptors.and_then(|all| usize::try_from(all / PART_OF_DESCRIPTORS).ok());
        let connections = part.unwrap_or(MOST_CONNECTIONS);
        let connections = connections.clamp(LEAST_CONNECTIONS, MOST_CONNECTIONS);
        Self { connections, time: Duration::from_secs(5) }
    }
}

/// How long the server waits for a descriptor if it has none for a client.
const WITHOUT_DESCRIPTOR: Duration = Duration::from_millis(100);

/// A server; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct HttpServer {
    address: SocketAddr,
    ending: Arc<EventFd>,
    thread: Option<JoinHandle<()>>,
}

/// The address that a text names: `host:port`, or a port of the loopback interface. Port 0 is a free one.
///
/// # Errors
/// The text is no address, or the host has none.
pub(crate) fn resolve(text: &str) -> io::Result<SocketAddr> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let missing = || io::Error::other("the host has no address");
    text.to_socket_addrs()?.next().ok_or_else(missing)
}

impl HttpServer {
    /// Listens at an address.
    ///
    /// # Errors
    /// The address cannot be used, or there are no more threads or descriptors.
    pub(crate) fn start(
        address: SocketAddr,
        hosts: Hosts,
        handler: Arc<Handler>,
    ) -> io::Result<Self> {
        Self::start_with(address, hosts, handler, Limits::of(machine::max_descriptors()))
    }

    fn start_with(
        address: SocketAddr,
        hosts: Hosts,
        handler: Arc<Handler>,
        limits: Limits,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let ending = Arc::new(EventFd::new()?);
        let ready = ReadySet::new()?;
        ready.add(listener.as_fd(), LISTENER, Trigger::Level)?;
        ready.add(ending.as_fd(), ENDING, Trigger::Level)?;
        let mut connections = Connections {
            listener,
            ready,
            ending: Arc::clone(&ending),
            hosts,
            handler,
            limits,
            open: BTreeMap::new(),
            next: FIRST,
        };
        let thread = Builder::new().name("zorb-http".to_owned()).spawn(move || {
            if let Err(error) = connections.serve() {
                tracing::error!(%error, %address, "an HTTP server has failed");
            }
        })?;
        Ok(Self { address, ending, thread: Some(thread) })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.ending.notify();
        if let Some(thread) = self.thread.take() {
            // It goes on if a handler panics, and waits for nothing else.
            let _ = thread.join();
        }
    }
}

/// The keys of the descriptors that the thread waits for.
const LISTENER: u64 = 0;
const ENDING: u64 = 1;
const FIRST: u64 = 2;

/// The connections of a server, by the order in which they were accepted.
struct Connections {
    listener: TcpListener,
    ready: ReadySet,
    ending: Arc<EventFd>,
    hosts: Hosts,
    handler: Arc<Handler>,
    limits: Limits,
    open: BTreeMap<u64, Exchange>,
    next: u64,
}

impl Connections {
    /// Serves until the server ends.
    ///
    /// # Errors
    /// The system cannot wait for events.
    fn serve(&mut self) -> io::Result<()> {
        loop {
            let end = self.open.first_key_value().map(|(_, exchange)| exchange.end());
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                self.open.pop_first();
                continue;
            }
            match self.ready.next(left)?.map(|event| event.key) {
                Some(ENDING) => return Ok(()),
                // One at a time: what those have sent that are connected comes first.
                Some(LISTENER) => self.accept(),
                Some(key) => self.advance(key),
                None => {}
            }
        }
    }

    fn accept(&mut self) {
        match self.listener.accept() {
            Ok((stream, from)) => {
                self.make_room();
                let key = self.next;
                self.next += 1;
                // What the client does wrong is its own concern, and so is that its events cannot be waited for.
                let added = stream.set_nonblocking(true);
                if added.and_then(|()| self.ready.add(stream.as_fd(), key, Trigger::Edge)).is_ok() {
                    let end = Instant::now() + self.limits.time;
                    self.open.insert(key, Exchange::new(stream, peer_network(from.ip()), end));
                }
            }
            Err(error) if is_of_one(&error) => {}
            // No more descriptors, for example. Then clients that take long have to make room for others.
            Err(_) if self.open.pop_first().is_some() => {}
            Err(_) => {
                // It ends meanwhile, or others close theirs.
                let _ = wait_readable(&[self.ending.as_fd()], Some(WITHOUT_DESCRIPTOR));
            }
        }
    }

    /// Closes a connection if there are as many as may be: the oldest of the address that has most.
    fn make_room(&mut self) {
        if self.open.len() < self.limits.connections {
            return;
        }
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for exchange in self.open.values() {
            *counts.entry(exchange.peer()).or_default() += 1;
        }
        let most = counts.values().copied().max();
        let is_oldest =
            |(_, exchange): &(&u64, &Exchange)| counts.get(&exchange.peer()).copied() == most;
        if let Some(key) = self.open.iter().find(is_oldest).map(|(key, _)| *key) {
            self.open.remove(&key);
        }
    }

    fn advance(&mut self, key: u64) {
        // It may have been closed since the event.
        let Some(exchange) = self.open.get_mut(&key) else { return };
        let waits = match exchange.advance(&self.hosts, &*self.handler) {
            Ok(Progress::Reads) => Ok(()),
            Ok(Progress::Writes { is_first }) if !is_first => Ok(()),
            Ok(Progress::Writes { .. }) => {
                self.ready.watch_writable(exchange.stream().as_fd(), key, true)
            }
            Ok(Progress::Over) => Err(io::ErrorKind::NotConnected.into()),
            Err(error) => Err(error),
        };
        if waits.is_err() {
            self.open.remove(&key);
        }
    }
}

/// Whether an error of accepting concerns one client, and the next one can be accepted.
fn is_of_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
    matches!(error.kind(), ConnectionAborted | Interrupted | WouldBlock)
}

#[cfg(test)]
mod tests;
