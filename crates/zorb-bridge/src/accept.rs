//! Taking clients in.

use std::sync::Arc;
use std::thread;

use zorb_transport::{AcceptError, Acceptor, Stream};

use crate::bridge::Shared;
use crate::framing::Framing;
use crate::link::Link;

/// The body of the thread that accepts.
pub(crate) fn accept(shared: &Arc<Shared>, framing: Framing, acceptor: &dyn Acceptor) {
    loop {
        match acceptor.accept() {
            Ok(stream) => take_in(shared, framing, stream),
            Err(AcceptError::Closed) => return,
            Err(AcceptError::Busy { retry_after, source }) => {
                tracing::warn!(error = %source, "accepting is out of resources");
                thread::park_timeout(retry_after);
            }
            Err(AcceptError::Failed(error)) => {
                tracing::error!(%error, endpoint = %acceptor.endpoint(), "accepting failed");
                return;
            }
        }
    }
}

fn take_in(shared: &Arc<Shared>, framing: Framing, client: Arc<dyn Stream>) {
    let link = Arc::new(Link::new(shared, framing, client));
    let Some(number) = shared.enter(&link) else {
        tracing::warn!(limit = shared.settings.max_connections, "connection refused: too many");
        return link.turn_away();
    };
    let (leaving, served) = (Leaving { shared: Arc::clone(shared), number }, Arc::clone(&link));
    let started = thread::Builder::new().name("zorb-bridge-in".to_owned()).spawn(move || {
        // Also when the thread panics.
        let _leaving = leaving;
        served.run();
    });
    if let Err(error) = started {
        tracing::error!(%error, "no thread for a connection");
        link.turn_away();
    }
}

/// Takes a link off the bridge's list.
struct Leaving {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.shared.leave(self.number);
    }
}
