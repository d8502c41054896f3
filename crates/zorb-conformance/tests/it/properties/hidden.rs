//! Finds the sockets of streams that do not expose them, by the addresses of both ends.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use socket2::{SockRef, Type};
use zorb::transport::Stream;

/// A duplicate of this process's socket with the addresses of `stream`.
pub(crate) fn socket_below(stream: &dyn Stream, kind: Type) -> Option<OwnedFd> {
    let names: [SocketAddr; 2] = [stream.local().parse().ok()?, stream.peer().parse().ok()?];
    let this = pidfd_open(getpid(), PidfdFlags::empty()).unwrap();
    let numbers = std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        name.to_str().and_then(|name| name.parse().ok()).unwrap()
    });
    // Other sockets of this process may have been closed.
    let mut copies =
        numbers.filter_map(|number| pidfd_getfd(&this, number, PidfdGetfdFlags::empty()).ok());
    copies.find(|copy| {
        let socket = SockRef::from(copy);
        let found = [socket.local_addr(), socket.peer_addr()];
        let found = found.map(|name| name.ok().and_then(|name| name.as_socket()));
        socket.r#type().is_ok_and(|found| found == kind) && found == names.map(Some)
    })
}
