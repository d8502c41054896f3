//! Serves clients on threads of their own. When all threads or slots are in use, they wait until others, which have been closed
//! to make room for them, have ended: the thread of a client that has ended serves the next one.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use zorb_base::connections::{Reserved, SlotKey};

use crate::client_side;
use crate::clients::Clients;
use crate::link::Link;

/// Why a client cannot be served at once.
enum Refusal {
    /// There is no room for it.
    Rejected,
    /// All slots are taken, some by connections that end.
    NoSlot,
    /// There are as many threads as there may be.
    NoThread,
}

/// A client in its slot, which is free again when this is dropped.
struct Admitted {
    clients: Arc<Clients>,
    link: Arc<Link>,
    slot: SlotKey,
    /// Whether a thread has begun to serve it.
    is_served: bool,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.clients.remove(&self.link, self.slot, self.is_served);
    }
}

impl Admitted {
    fn serve(mut self) {
        self.is_served = true;
        if self.clients.context.is_closed() {
            // Closing the bridge may not have seen it.
            self.link.close();
        }
        if catch_unwind(AssertUnwindSafe(|| client_side::run(&self.link))).is_err() {
            tracing::error!(peer = self.link.client.peer(), "a thread of the bridge panicked");
            self.link.close();
        }
    }
}

impl Clients {
    /// Serves a client on a thread of its own, or later on that of another one which makes room for it.
    pub(crate) fn serve(self: &Arc<Self>, link: &Arc<Link>) {
        let begun = match self.waiting.is_empty() {
            true => self.begin(link),
            // They came first.
            false => Err(Refusal::NoThread),
        };
        let waits = match begun {
            Ok(()) => return,
            Err(Refusal::Rejected) => {
                // It had a slot for a moment: a client of another endpoint may wait for that.
                self.serve_next();
                false
            }
            Err(Refusal::NoSlot) => {
                self.wait(link);
                self.serve_next();
                true
            }
            Err(Refusal::NoThread) => {
                self.wait(link);
                // Now that it waits: the thread of the other one looks for clients when it is free.
                self.close_one(None) || !self.waiting.remove(link)
            }
        };
        if !waits {
            self.reject(link);
        }
    }

    fn begin(self: &Arc<Self>, link: &Arc<Link>) -> Result<(), Refusal> {
        let reserved = self.connections.reserve(link.address).ok_or(Refusal::NoSlot)?;
        self.spawn(self.enter(link, reserved)?)
    }

    /// Puts a client into its slot, if there is room for it.
    fn enter(self: &Arc<Self>, link: &Arc<Link>, reserved: Reserved) -> Result<Admitted, Refusal> {
        let (clients, link) = (Arc::clone(self), Arc::clone(link));
        let admitted = Admitted { clients, link, slot: reserved.slot, is_served: false };
        let link = &admitted.link;
        if self.context.is_closed() || !self.make_room(link.address, reserved.excess) {
            return Err(Refusal::Rejected);
        }
        self.connections.put(reserved.slot, link);
        self.context.timing.add(&link.progress, &link.client);
        Ok(admitted)
    }

    /// Starts a thread that serves a client, and then those that wait.
    fn spawn(self: &Arc<Self>, admitted: Admitted) -> Result<(), Refusal> {
        let clients = Arc::clone(self);
        let started = self.context.threads.spawn("zorb-bridge-in", move || {
            let mut next = Some(admitted);
            while let Some(admitted) = next {
                admitted.serve();
                next = clients.next();
            }
        });
        if let Err(error) = started {
            if matches!(error.kind(), ErrorKind::QuotaExceeded | ErrorKind::WouldBlock) {
                return Err(Refusal::NoThread);
            }
            if let Some(unlogged) = self.context.rejections.admit() {
                tracing::error!(%error, unlogged, "cannot start a thread for a connection");
            }
            return Err(Refusal::Rejected);
        }
        Ok(())
    }

    fn wait(&self, link: &Arc<Link>) {
        if let Some(first) = self.waiting.add(link) {
            self.reject(&first);
        }
    }

    /// Serves the first client that waits, if there is a slot: those that were about to end may have done so before it waited.
    fn serve_next(self: &Arc<Self>) {
        if let Some(next) = self.next() {
            let link = Arc::clone(&next.link);
            if self.spawn(next).is_err() {
                self.reject(&link);
            }
        }
    }

    /// The next client that waits, if there is a slot for it.
    fn next(self: &Arc<Self>) -> Option<Admitted> {
        loop {
            let (reserved, link) = self.waiting.next(&self.connections)?;
            match self.enter(&link, reserved) {
                Ok(admitted) => return Some(admitted),
                Err(_) => self.reject(&link),
            }
        }
    }
}
