//! The port of a server.

use std::net::UdpSocket;
use std::sync::Arc;

use crate::socket::datagram::give_port_up;

/// The use of a server's port by its acceptor and its streams. Dropping the last gives the port up: connections
/// linger until all that was sent has arrived, and a server that is started again must not wait for that.
#[derive(Debug)]
pub(super) struct PortInUse(Arc<UdpSocket>);

impl PortInUse {
    pub(super) fn of(socket: &Arc<UdpSocket>) -> Self {
        Self(Arc::clone(socket))
    }
}

impl Drop for PortInUse {
    fn drop(&mut self) {
        let _ = give_port_up(&self.0);
    }
}
