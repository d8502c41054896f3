//! Which clients a bridge admits. At the limit it closes one that is idle, or that does not read.

use std::io::ErrorKind;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_base::accepting::Admission;
use zorb_base::connections::{Evictable, Evicted, Excess};
use zorb_base::progress::Progress;
use zorb_transport::{Stream, log_limited};

use crate::client_side;
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
        let clients = &self.clients;
        let link = Arc::new(self.link(stream));
        let peer = link.address;
        let Some(reserved) = clients.connections.reserve(peer) else {
            return self.reject(&link);
        };
        // Also if the thread cannot be started, or panics.
        let leaving = LinkGuard {
            clients: Arc::clone(clients),
            link: Arc::clone(&link),
            slot: reserved.slot,
        };
        if clients.context.is_closed() || !clients.make_room(peer, reserved.excess) {
            return self.reject(&link);
        }
        clients.connections.put(reserved.slot, &link);
        clients.context.timing.add(&link.progress, &link.client);
        let served = Arc::clone(&link);
        let started = clients.context.threads.spawn("zorb-bridge-in", move || {
            let _leaving = leaving;
            client_side::run(&served);
        });
        if let Err(error) = started {
            if let Some(unlogged) = clients.context.rejections.admit() {
                tracing::error!(%error, unlogged, "cannot start a thread for a connection");
            }
            link.reject();
            if matches!(error.kind(), ErrorKind::QuotaExceeded | ErrorKind::WouldBlock) {
                // Its threads serve a later client.
                clients.close_one(None);
            }
        } else if clients.context.is_closed() {
            // Closing the bridge may not have seen it.
            link.close();
        }
    }

    fn make_room(&self, _: Option<&dyn Stream>) -> bool {
        self.clients.close_one(None)
    }

    fn turn_away(&self, stream: Arc<dyn Stream>) {
        self.reject(&self.link(stream));
    }
}

impl BridgeAdmission {
    fn link(&self, stream: Arc<dyn Stream>) -> Link {
        let accepted = self.clients.accepted.fetch_add(1, Ordering::Relaxed) + 1;
        Link::new(&self.clients.context, self.framing, stream, accepted)
    }

    fn reject(&self, link: &Link) {
        let Self { clients, .. } = self;
        if let Some(unlogged) = clients.context.rejections.admit() {
            let limit = clients.context.max_connections;
            tracing::warn!(limit, unlogged, "connection rejected: limit reached or shutting down");
        }
        link.reject();
    }
}

impl Clients {
    /// Closes a connection, if there is one too many. Returns whether there is room.
    fn make_room(&self, peer: Option<IpAddr>, excess: Excess) -> bool {
        match excess {
            Excess { of_peer: 0, of_table: 0, of_process: 0 } => true,
            Excess { of_peer: 0, .. } => self.close_one(None),
            Excess { .. } => self.close_one(peer),
        }
    }

    /// Closes a connection to `peer`, or to anyone: an idle one, else one whose client does not read. Returns
    /// whether there is one.
    fn close_one(&self, peer: Option<IpAddr>) -> bool {
        let accepted = self.accepted.load(Ordering::Relaxed);
        let is_meant = |link: &Link| peer.is_none() || link.address == peer;
        let (link, what) = match self.connections.to_evict(accepted, is_meant) {
            Some(Evicted::Idle(link)) => {
                link.evict();
                (link, "an idle connection")
            }
            Some(Evicted::Unread(link)) => {
                link.close();
                (link, "a connection whose client does not read")
            }
            None => return false,
        };
        log_limited!(info, peer = link.client.peer(), "closed {what} to stay within the limit");
        true
    }
}

impl Evictable for Link {
    type Time = u64;

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn is_idle(&self) -> bool {
        Self::is_idle(self)
    }

    fn unread_since(&self) -> Option<u64> {
        Self::unread_since(self)
    }

    fn peer(&self) -> Option<IpAddr> {
        self.address
    }
}

/// Removes a link from the bridge's table when dropped.
struct LinkGuard {
    clients: Arc<Clients>,
    link: Arc<Link>,
    slot: u32,
}

impl Drop for LinkGuard {
    fn drop(&mut self) {
        self.clients.remove(&self.link, self.slot);
    }
}
