//! Accepts clients.

use std::sync::Arc;
use std::thread;

use zorb_transport::{AcceptError, Acceptor, Stream};

use crate::bridge::Shared;
use crate::framing::Framing;
use crate::link::Link;

/// The body of the accepting thread.
pub(crate) fn accept(shared: &Arc<Shared>, framing: Framing, acceptor: &dyn Acceptor) {
    loop {
        match acceptor.accept() {
            Ok(stream) => take_in(shared, framing, stream),
            Err(AcceptError::Closed) => return,
            Err(AcceptError::Busy { retry_after, source }) => {
                tracing::warn!(error = %source, "cannot accept connections for lack of resources");
                thread::park_timeout(retry_after);
            }
            Err(AcceptError::Failed(error)) => {
                tracing::error!(%error, endpoint = %acceptor.endpoint(), "cannot accept connections");
                return;
            }
        }
    }
}

fn take_in(shared: &Arc<Shared>, framing: Framing, client: Arc<dyn Stream>) {
    let link = Arc::new(Link::new(shared, framing, client));
    let Some(number) = shared.enter(&link) else {
        tracing::warn!(limit = shared.settings.max_connections, "connection refused: too many");
        return link.reject();
    };
    let (leaving, served) = (LinkGuard { shared: Arc::clone(shared), number }, Arc::clone(&link));
    let started = thread::Builder::new().name("zorb-bridge-in".to_owned()).spawn(move || {
        // Also when the thread panics.
        let _leaving = leaving;
        served.run();
    });
    if let Err(error) = started {
        tracing::error!(%error, "cannot start a thread for a connection");
        link.reject();
    }
}

/// Removes a link from the bridge's list when dropped.
struct LinkGuard {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for LinkGuard {
    fn drop(&mut self) {
        self.shared.leave(self.number);
    }
}
