//! A TCP acceptor for TLS connections.

use std::io;
use std::sync::Arc;

use zorb_transport::{AcceptError, Acceptor, Endpoint, Stream};

use crate::configured::Tls;
use crate::stream::TlsStream;

/// Returns connections before their handshake, which [`Stream::establish`] performs.
#[derive(Debug)]
pub(crate) struct TlsAcceptor {
    pub(crate) inner: Arc<dyn Acceptor>,
    pub(crate) tls: Tls,
}

impl Acceptor for TlsAcceptor {
    fn listen(&self) -> io::Result<()> {
        self.inner.listen()
    }

    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        let inner = self.inner.accept()?;
        Ok(Arc::new(TlsStream::accepted(inner, self.tls.clone())))
    }

    fn close_backlog(&self) {
        self.inner.close_backlog();
    }

    fn accept_waiting(&self) -> Option<Arc<dyn Stream>> {
        let inner = self.inner.accept_waiting()?;
        Some(Arc::new(TlsStream::accepted(inner, self.tls.clone())))
    }

    fn close(&self) {
        self.inner.close();
    }

    fn endpoint(&self) -> &Endpoint {
        self.inner.endpoint()
    }

    fn published(&self) -> &[Endpoint] {
        self.inner.published()
    }
}
