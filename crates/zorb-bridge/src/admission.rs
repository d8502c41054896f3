//! Which clients a bridge admits. At the limit it closes one that is idle, or that does not read.

use std::net::IpAddr;
use std::sync::Arc;

use zorb_base::accepting::Admission;
use zorb_base::connections::{Evictable, Evicted, Excess};
use zorb_base::progress::Progress;
use zorb_transport::{Stream, log_limited};

use crate::clients::Clients;
use crate::framing::Framing;
use crate::link::Link;

/// Admits the clients of one endpoint.
#[derive(Debug)]
pub(crate) struct BridgeAdmission {
    pub(crate) clients: Arc<Clients>,
    pub(crate) framing: Framing,
}

impl Admission for BridgeAdmission {
    fn admit(&self, stream: Arc<dyn Stream>) {
        self.clients.serve(&Arc::new(self.link(stream)));
    }

    fn make_room(&self, _: Option<&dyn Stream>) -> bool {
        self.clients.close_one(None)
    }

    fn reject(&self, stream: Arc<dyn Stream>) {
        self.clients.reject(&self.link(stream));
    }
}

impl BridgeAdmission {
    fn link(&self, stream: Arc<dyn Stream>) -> Link {
        Link::new(&self.clients.context, self.framing, stream)
    }
}

impl Clients {
    /// Closes the connection of a client that is not served.
    pub(crate) fn reject(&self, link: &Link) {
        if let Some(unlogged) = self.context.rejections.admit() {
            let limit = self.context.max_connections;
            tracing::warn!(limit, unlogged, "connection rejected: limit reached or shutting down");
        }
        link.reject();
    }

    /// Closes a connection, if there is one too many. Returns whether there is room.
    pub(crate) fn make_room(&self, peer: Option<IpAddr>, excess: Excess) -> bool {
        match excess {
            Excess { of_peer: 0, of_table: 0, of_process: 0 } => true,
            Excess { of_peer: 0, .. } => self.close_one(None),
            Excess { .. } => self.close_one(peer),
        }
    }

    /// Closes a connection to `peer`, or to anyone: an idle one, else one whose client does not read. Returns
    /// whether there is one.
    pub(crate) fn close_one(&self, peer: Option<IpAddr>) -> bool {
        let is_meant = |link: &Link| peer.is_none() || link.address == peer;
        loop {
            let (link, what) = match self.connections.to_evict(is_meant) {
                Some(Evicted::Idle(link)) if link.evict() => (link, "an idle connection"),
                Some(Evicted::Unread(link)) if link.evict() => {
                    link.close();
                    (link, "a connection whose client does not read")
                }
                // A client of another endpoint has just taken its place.
                Some(_) => continue,
                None => return false,
            };
            log_limited!(info, peer = link.client.peer(), "closed {what} to stay within the limit");
            return true;
        }
    }
}

impl Evictable for Link {
    type Time = u64;

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn is_closing(&self) -> bool {
        self.is_evicted()
    }

    fn is_idle(&self) -> bool {
        Self::is_idle(self)
    }

    fn unread_since(&self) -> Option<u64> {
        Self::unread_since(self).filter(|_| !self.is_evicted())
    }

    fn peer(&self) -> Option<IpAddr> {
        self.address
    }
}
