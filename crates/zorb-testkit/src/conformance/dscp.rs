//! DSCPs of connections that share the server's socket.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};
use std::thread;

use socket2::SockRef;
use zorb_os::socket::recv_with_class;

use zorb_transport::{
    Acceptor, ConnectOptions, Endpoint, ListenOptions, Stream, StreamOptions, Transport,
};

const MAX_DATAGRAM: usize = 2048;

/// Checks a transport over UDP whose server's connections share a socket: each sends with its own DSCP. It
/// listens at the IPv4 loopback interface.
pub fn connections_of_a_server_have_their_own_dscp(transport: &dyn Transport) {
    let url = format!("{}://127.0.0.1:0", transport.scheme());
    let acceptor = transport.listen(&url, &ListenOptions::default()).unwrap();
    let pairs = [(); 3].map(|()| Pair::new(transport, &*acceptor));
    let expedited = StreamOptions { dscp: Some(46), ..StreamOptions::default() };
    let assured = StreamOptions { dscp: Some(10), ..StreamOptions::default() };
    pairs[0].server.set_options(&expedited).unwrap();
    pairs[1].server.set_options(&assured).unwrap();
    for _ in 0..3 {
        pairs.iter().for_each(Pair::answer);
    }
    let seen = pairs.each_ref().map(|pair| pair.seen.lock().unwrap().clone());
    // Earlier datagrams have the socket's DSCP.
    assert_eq!(seen, [BTreeSet::from([0, 46 << 2]), BTreeSet::from([0, 10 << 2]), [0].into()]);
    acceptor.close();
}

/// A connection through a relay that records the traffic classes of the server's datagrams.
struct Pair {
    client: Arc<dyn Stream>,
    server: Arc<dyn Stream>,
    /// The traffic class octets of IP headers.
    seen: Arc<Mutex<BTreeSet<u8>>>,
}

impl Pair {
    fn new(transport: &dyn Transport, acceptor: &dyn Acceptor) -> Self {
        let server: SocketAddr = acceptor.endpoint().address().parse().unwrap();
        let sockets = [(); 2].map(|()| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let [front, back] = sockets.map(Arc::new);
        back.connect(server).unwrap();
        SockRef::from(&*back).set_recv_tos_v4(true).unwrap();
        let seen = Arc::new(Mutex::new(BTreeSet::new()));
        let address = front.local_addr().unwrap().to_string();
        let client = Arc::new(Mutex::new(None));
        {
            let (front, back, client) = (front.clone(), back.clone(), client.clone());
            thread::spawn(move || {
                let mut buffer = [0; MAX_DATAGRAM];
                while let Ok((count, from)) = front.recv_from(&mut buffer) {
                    *client.lock().unwrap() = Some(from);
                    let _ = back.send(&buffer[..count]);
                }
            });
        }
        let recorded = Arc::clone(&seen);
        thread::spawn(move || {
            let mut buffer = [0; MAX_DATAGRAM];
            while let Ok((count, class)) = recv_with_class(back.as_fd(), &mut buffer) {
                recorded.lock().unwrap().extend(class);
                let client = *client.lock().unwrap();
                let _ = client.map(|client| front.send_to(&buffer[..count], client));
            }
        });
        let endpoint = Endpoint::new(transport.scheme(), &address).unwrap();
        let client = transport.connect(&endpoint, &ConnectOptions::default()).unwrap();
        Self { client, server: acceptor.accept().unwrap(), seen }
    }

    /// Sends an octet from the server to the client.
    fn answer(&self) {
        self.server.send_all(b"x").unwrap();
        let mut octet = [0];
        assert_eq!(self.client.recv(&mut octet).unwrap(), 1);
    }
}
