//! Requirements of tests on the machine.

use std::net::{Ipv4Addr, UdpSocket};
use std::path::PathBuf;

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
