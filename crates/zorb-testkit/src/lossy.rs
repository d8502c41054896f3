//! A relay between clients and servers that loses datagrams.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::thread;

use zorb_transport::{
    AcceptError, Acceptor, Endpoint, ListenError, ListenOptions, Protocol, Stream, Transport,
};

use crate::{Around, WithTransport};

/// One of this many datagrams is lost.
const ONE_OF: u64 = 20;
/// The largest datagram that is relayed.
const MAX_DATAGRAM: usize = 2048;

/// `protocol`, and its transport over UDP, whose acceptors are behind a relay that loses one datagram of twenty in each
/// direction. Its endpoints are `scheme://address:port`, and it listens at the IPv4 loopback interface.
pub fn lossy(protocol: impl Protocol + 'static) -> WithTransport<Lossy> {
    WithTransport::new(protocol, Lossy)
}

/// Puts a relay that loses datagrams in front of acceptors.
#[derive(Debug, Clone, Copy)]
pub struct Lossy;

impl Around for Lossy {
    fn listen(
        &self,
        inner: &dyn Transport,
        url: &str,
        options: &ListenOptions,
    ) -> Result<Arc<dyn Acceptor>, ListenError> {
        let scheme = inner.scheme();
        let inner = inner.listen(url, options)?;
        let server: SocketAddr = inner.endpoint().address().parse().expect("an address and a port");
        let relay = Relay::start(server).map_err(|error| ListenError::new(url, error))?;
        let endpoint = Endpoint::new(scheme, &relay.to_string())?;
        Ok(Arc::new(Behind { inner, endpoint: [endpoint] }))
    }
}

/// An acceptor behind a relay.
#[derive(Debug)]
struct Behind {
    inner: Arc<dyn Acceptor>,
    endpoint: [Endpoint; 1],
}

impl Acceptor for Behind {
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        self.inner.accept()
    }

    fn close(&self) {
        self.inner.close();
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint[0]
    }

    fn published(&self) -> &[Endpoint] {
        &self.endpoint
    }
}

/// Relays datagrams, except for lost ones.
struct Relay {
    seed: u64,
}

impl Relay {
    /// Starts a relay to a server and returns its address for clients. Its threads never end.
    fn start(server: SocketAddr) -> io::Result<SocketAddr> {
        let front = Arc::new(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?);
        let address = front.local_addr()?;
        thread::Builder::new()
            .name("lossy".to_owned())
            .spawn(move || relay_to_server(&front, server))?;
        Ok(address)
    }

    fn loses(&mut self) -> bool {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 20).is_multiple_of(ONE_OF)
    }
}

/// Relays to the server, with a socket for each client.
fn relay_to_server(front: &Arc<UdpSocket>, server: SocketAddr) {
    let mut relay = Relay { seed: 0x9E37_79B9_7F4A_7C15 };
    let mut clients: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut buffer = [0; MAX_DATAGRAM];
    loop {
        let Ok((count, from)) = front.recv_from(&mut buffer) else { continue };
        if relay.loses() {
            continue;
        }
        let back = clients.entry(from).or_insert_with(|| {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
            socket.connect(server).expect("an address");
            let socket = Arc::new(socket);
            let (own, front) = (Arc::clone(&socket), Arc::clone(front));
            let seed = relay.seed;
            thread::spawn(move || relay_to_client(&own, &front, from, Relay { seed }));
            socket
        });
        let _ = back.send(&buffer[..count]);
    }
}

/// Relays to one client.
fn relay_to_client(own: &UdpSocket, front: &UdpSocket, client: SocketAddr, mut relay: Relay) {
    let mut buffer = [0; MAX_DATAGRAM];
    loop {
        let Ok(count) = own.recv(&mut buffer) else { continue };
        if !relay.loses() {
            let _ = front.send_to(&buffer[..count], client);
        }
    }
}
