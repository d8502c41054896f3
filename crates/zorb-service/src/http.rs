//! A small HTTP/1.1 server, for pages that operators and their tools read: metrics, probes, the console.
//!
//! It answers `GET` and `HEAD`, one request for each connection, and reads no body. A few threads serve all connections, each
//! for a limited time, so that clients that are slow or silent neither take memory nor keep others out for long.

mod request;
mod response;

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

pub(crate) use request::{Hosts, Request};
pub(crate) use response::Response;

/// The threads, and so the connections that are served at a time; the system queues others.
const THREADS: usize = 4;

/// The maximum size of a request, in octets.
const MAX_REQUEST: usize = 8 << 10;

/// How long a connection may take, from accepting it to the last octet of the response.
const LIMIT: Duration = Duration::from_secs(5);

/// Answers requests.
pub(crate) type Handler = dyn Fn(&Request) -> Response + Send + Sync;

/// A server; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct HttpServer {
    address: SocketAddr,
    ending: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
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
    /// The address cannot be used, or there are no more threads.
    pub(crate) fn start(
        address: SocketAddr,
        hosts: Hosts,
        handler: Arc<Handler>,
    ) -> io::Result<Self> {
        let listener = Arc::new(TcpListener::bind(address)?);
        let mut server =
            Self { address: listener.local_addr()?, ending: Arc::default(), threads: Vec::new() };
        let hosts = Arc::new(hosts);
        for _ in 0..THREADS {
            let (listener, handler) = (Arc::clone(&listener), Arc::clone(&handler));
            let (ending, hosts) = (Arc::clone(&server.ending), Arc::clone(&hosts));
            let run = move || {
                while !ending.load(Ordering::Acquire) {
                    match listener.accept() {
                        // What the client does wrong is its own concern.
                        Ok((stream, _)) => drop(serve(stream, &hosts, &*handler)),
                        // No more descriptors, for example: others may end meanwhile.
                        Err(_) => std::thread::park_timeout(Duration::from_millis(100)),
                    }
                }
            };
            server.threads.push(Builder::new().name("zorb-http".to_owned()).spawn(run)?);
        }
        Ok(server)
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Release);
        let mut address = self.address;
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        for thread in &self.threads {
            thread.thread().unpark();
            // Ends a wait for a connection. One that fails finds no thread that waits.
            drop(TcpStream::connect_timeout(&address, LIMIT));
        }
        for thread in self.threads.drain(..) {
            // It does not panic, and ends within the limit.
            let _ = thread.join();
        }
    }
}

/// Serves one connection.
fn serve(stream: TcpStream, hosts: &Hosts, handler: &Handler) -> io::Result<()> {
    let mut connection = Limited { stream, end: Instant::now() + LIMIT };
    let mut octets = Vec::new();
    let response = loop {
        match Request::parse(&octets, hosts) {
            Ok(Some(request)) if request.is_head => break handler(&request).without_body(),
            Ok(Some(request)) => break handler(&request),
            Ok(None) if octets.len() < MAX_REQUEST => {}
            Ok(None) => break Response::error(431, "the request is too long"),
            Err(refused) => break refused,
        }
        let mut more = [0; 1024];
        let count = connection.read(&mut more)?;
        if count == 0 {
            return Ok(());
        }
        octets.extend_from_slice(more.get(..count).unwrap_or_default());
    };
    connection.write_all(&response.into_octets())?;
    // What the client has sent beyond its request would reset the connection.
    connection.stream.shutdown(std::net::Shutdown::Write)?;
    let mut rest = [0; 1024];
    for _ in 0..MAX_REQUEST / rest.len() {
        if connection.read(&mut rest)? == 0 {
            break;
        }
    }
    Ok(())
}

/// A connection that ends at a time.
struct Limited {
    stream: TcpStream,
    end: Instant,
}

impl Limited {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Limited {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(octets)
    }
}

impl Write for Limited {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
