//! Requirements of tests on the machine.

use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, UdpSocket};
use std::path::PathBuf;

use socket2::{Domain, SockRef, Socket, Type};

/// A folder for temporary files whose path leaves 40 octets for the name of a socket. The path of a Unix-domain
/// socket is limited to 107 octets, and the system's temporary folder may have a long path.
#[must_use]
pub fn short_folder() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.as_os_str().len() <= 107 - 41 { folder } else { PathBuf::from("/tmp") }
}

/// Fails a test if the loopback interface is down. Threads that wait for each other over it would hang.
///
/// # Panics
/// If it is down.
pub fn require_loopback() {
    let reached = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .and_then(|socket| socket.connect((Ipv4Addr::LOCALHOST, 1)));
    assert!(reached.is_ok(), "the loopback interface is down: {reached:?}");
}

/// A TCP port of this address of the machine that is free at the moment. No socket has listened there: a process that
/// another test starts has copies of all sockets for a moment, and one that listens would keep the port.
///
/// # Panics
/// If the address is not one of the machine.
#[must_use]
pub fn free_port(address: &str) -> SocketAddr {
    let address = SocketAddr::new(address.parse::<IpAddr>().unwrap(), 0);
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None).unwrap();
    socket.set_reuse_address(true).unwrap();
    socket.bind(&address.into()).unwrap();
    socket.local_addr().unwrap().as_socket().unwrap()
}

/// Ends a listener: from now on nobody can connect to it, though a process that another test starts has a copy of its
/// socket for a moment.
///
/// # Panics
/// If it does not listen.
#[expect(clippy::needless_pass_by_value, reason = "it is of no use any more")]
pub fn stop_listening(listener: TcpListener) {
    SockRef::from(&listener).shutdown(Shutdown::Both).unwrap();
}
