//! The sockets of streams that keep them to themselves, by the names that both ends have.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use socket2::{SockRef, Type};
use zorb::transport::Stream;

/// The socket of this process that has the names of `stream`, as a descriptor of its own.
pub(crate) fn socket_below(stream: &dyn Stream, kind: Type) -> Option<OwnedFd> {
    let names: [SocketAddr; 2] = [stream.local().parse().ok()?, stream.peer().parse().ok()?];
    let this = pidfd_open(getpid(), PidfdFlags::empty()).unwrap();
    let numbers = std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        name.to_str().and_then(|name| name.parse().ok()).unwrap()
    });
    // Others of this process may be gone by now.
    let mut copies =
        numbers.filter_map(|number| pidfd_getfd(&this, number, PidfdGetfdFlags::empty()).ok());
    copies.find(|copy| {
        let socket = SockRef::from(copy);
        let found = [socket.local_addr(), socket.peer_addr()];
        let found = found.map(|name| name.ok().and_then(|name| name.as_socket()));
        socket.r#type().is_ok_and(|found| found == kind) && found == names.map(Some)
    })
}
