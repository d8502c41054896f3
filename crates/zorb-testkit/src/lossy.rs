//! A relay between clients and servers that loses datagrams.

use std::net::SocketAddr;
use std::sync::Arc;

use zorb_transport::{
    AcceptError, Acceptor, Endpoint, ListenError, ListenOptions, Protocol, Stream, Transport,
};

use crate::port_map::relay;
use crate::{Around, WithTransport};

/// One of this many datagrams is lost.
const ONE_OF: u64 = 20;

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
        let map = relay(server, Some(ONE_OF)).map_err(|error| ListenError::new(url, error))?;
        let endpoint = Endpoint::new(scheme, &map.address().to_string())?;
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

    fn close_backlog(&self) {
        self.inner.close_backlog();
    }

    fn accept_waiting(&self) -> Option<Arc<dyn Stream>> {
        self.inner.accept_waiting()
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
