//! The acceptor of a socket.

use std::net::UdpSocket;
use std::sync::Arc;
use std::{fmt, io};

use zorb_transport::{AcceptError, Acceptor, Endpoint, Stream};

use crate::server::{Shared, UdpServer, Unpack};

/// Creates the handler of a stream's datagrams.
pub(crate) type MakeUnpack = Box<dyn Fn() -> Box<dyn Unpack> + Send + Sync>;

/// Hands out the only stream of a socket.
pub(crate) struct UdpAcceptor {
    shared: Arc<Shared>,
    endpoint: Endpoint,
    published: Vec<Endpoint>,
    unpack: MakeUnpack,
}

impl UdpAcceptor {
    /// The acceptor of a bound socket, with its own endpoint and the published ones.
    pub(crate) fn new(
        socket: UdpSocket,
        endpoint: Endpoint,
        published: Vec<Endpoint>,
        unpack: MakeUnpack,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::new(socket)?);
        Ok(Self { shared, endpoint, published, unpack })
    }
}

impl fmt::Debug for UdpAcceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UdpAcceptor").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Acceptor for UdpAcceptor {
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        if !self.shared.take_stream() {
            return Err(AcceptError::Closed);
        }
        Ok(Arc::new(UdpServer::new(Arc::clone(&self.shared), (self.unpack)())))
    }

    fn close(&self) {
        self.shared.close();
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn published(&self) -> &[Endpoint] {
        &self.published
    }
}
