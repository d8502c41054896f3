//! Accepts clients.

use std::sync::Arc;
use std::thread;

use zorb_transport::{AcceptError, Acceptor, Stream, log_limited};

use crate::client_side;
use crate::clients::Clients;
use crate::framing::Framing;
use crate::link::Link;

/// The body of the accepting thread.
pub(crate) fn accept(clients: &Arc<Clients>, framing: Framing, acceptor: &dyn Acceptor) {
    loop {
        match acceptor.accept() {
            Ok(stream) => serve(clients, framing, stream),
            Err(AcceptError::Closed) => return,
            Err(AcceptError::Busy { retry_after, source }) => {
                log_limited!(warn, error = %source, "cannot accept connections for lack of resources");
                thread::park_timeout(retry_after);
            }
            Err(AcceptError::Failed(error)) => {
                tracing::error!(%error, endpoint = %acceptor.endpoint(), "cannot accept connections");
                return;
            }
        }
    }
}

fn serve(clients: &Arc<Clients>, framing: Framing, client: Arc<dyn Stream>) {
    let link = Arc::new(Link::new(&clients.context, framing, client));
    let limit = clients.context.settings.max_connections;
    let Some(number) = clients.add(&link) else {
        if let Some(unlogged) = clients.context.rejections.admit() {
            tracing::warn!(limit, unlogged, "connection rejected: too many");
        }
        return link.reject();
    };
    let (leaving, served) = (LinkGuard { clients: Arc::clone(clients), number }, Arc::clone(&link));
    let started = thread::Builder::new().name("zorb-bridge-in".to_owned()).spawn(move || {
        // Also when the thread panics.
        let _leaving = leaving;
        client_side::run(&served);
    });
    if let Err(error) = started {
        if let Some(unlogged) = clients.context.rejections.admit() {
            tracing::error!(%error, unlogged, "cannot start a thread for a connection");
        }
        link.reject();
    }
}

/// Removes a link from the bridge's list when dropped.
struct LinkGuard {
    clients: Arc<Clients>,
    number: u64,
}

impl Drop for LinkGuard {
    fn drop(&mut self) {
        self.clients.remove(self.number);
    }
}
