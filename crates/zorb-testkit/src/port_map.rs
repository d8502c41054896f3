//! Ports that lead to a server at another address, as those of NAT or of a container do.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The largest datagram.
const MAX_DATAGRAM: usize = 65_536;

/// A port that leads to a server. Its threads never end.
#[derive(Debug)]
pub struct PortMap {
    address: SocketAddr,
    passed: Arc<AtomicUsize>,
}

impl PortMap {
    /// Passes the connections to a TCP port at the IPv4 loopback interface on to `server`.
    pub fn tcp(server: SocketAddr) -> Self {
        Self::tcp_at(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(), server)
    }

    /// Passes connections to this port on to `server`.
    pub fn tcp_at(port: TcpListener, server: SocketAddr) -> Self {
        let address = port.local_addr().unwrap();
        let passed = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&passed);
        thread::spawn(move || {
            for near in port.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let far = TcpStream::connect(server).unwrap();
                let (mut requests, mut to_far) =
                    (near.try_clone().unwrap(), far.try_clone().unwrap());
                thread::spawn(move || io::copy(&mut requests, &mut to_far));
                thread::spawn(move || io::copy(&mut &far, &mut &near));
            }
        });
        Self { address, passed }
    }

    /// Passes the datagrams to a UDP port at the IPv4 loopback interface on to `server`, and what it answers back.
    pub fn udp(server: SocketAddr) -> Self {
        relay(server, None).unwrap()
    }

    /// The address of the port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of connections, or of datagrams to the server, so far: exact as soon as a call over the last one has
    /// its reply.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.passed.load(Ordering::SeqCst)
    }
}

/// Relays datagrams, of which one of `lost_of` is lost in each direction.
pub(crate) fn relay(server: SocketAddr, lost_of: Option<u64>) -> io::Result<PortMap> {
    let front = Arc::new(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?);
    let (address, passed) = (front.local_addr()?, Arc::new(AtomicUsize::new(0)));
    let (loss, count) = (Loss { seed: 0x9E37_79B9_7F4A_7C15, lost_of }, Arc::clone(&passed));
    let relay = move || relay_to_server(&front, server, loss, &count);
    thread::Builder::new().name("relay".to_owned()).spawn(relay)?;
    Ok(PortMap { address, passed })
}

/// Which datagrams are lost.
#[derive(Clone, Copy)]
struct Loss {
    seed: u64,
    lost_of: Option<u64>,
}

impl Loss {
    fn loses(&mut self) -> bool {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.lost_of.is_some_and(|one_of| (self.seed >> 20).is_multiple_of(one_of))
    }
}

/// Relays to the server, with a socket for each client.
fn relay_to_server(
    front: &Arc<UdpSocket>,
    server: SocketAddr,
    mut loss: Loss,
    count: &AtomicUsize,
) {
    let mut clients: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut buffer = [0; MAX_DATAGRAM];
    loop {
        let Ok((octets, from)) = front.recv_from(&mut buffer) else { continue };
        if loss.loses() {
            continue;
        }
        count.fetch_add(1, Ordering::SeqCst);
        let back = clients.entry(from).or_insert_with(|| {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
            socket.connect(server).expect("an address");
            let socket = Arc::new(socket);
            let (own, front) = (Arc::clone(&socket), Arc::clone(front));
            thread::spawn(move || relay_to_client(&own, &front, from, loss));
            socket
        });
        let _ = back.send(&buffer[..octets]);
    }
}

/// Relays to one client.
fn relay_to_client(own: &UdpSocket, front: &UdpSocket, client: SocketAddr, mut loss: Loss) {
    let mut buffer = [0; MAX_DATAGRAM];
    loop {
        let Ok(octets) = own.recv(&mut buffer) else { continue };
        if !loss.loses() {
            let _ = front.send_to(&buffer[..octets], client);
        }
    }
}
