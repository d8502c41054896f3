//! Which connections a lane admits. At the limit it closes one that is idle, or whose client does not read.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_base::accepting::Admission;
use zorb_base::connection_count::set_closes_accepted;
use zorb_base::connections::{Excess, Newcomer, Reserved, SlotKey};
use zorb_base::threads::Running;
use zorb_transport::{Protocol, Stream, ip_address};

use super::Lane;
use super::eviction::{
    close_held_where, close_one_of_process, close_one_where, count_ending_of_process,
};
use crate::connection::ServerConnection;
use crate::connection::new_connection::NewConnection;
use crate::context::ServerContext;
use crate::listener::Listener;

/// Admits clients of one listener to a lane.
pub(crate) struct LaneAdmission {
    lane: Arc<Lane>,
    context: Arc<ServerContext>,
    protocol: Arc<dyn Protocol>,
    /// Counts the accepting thread among those of the lane's pool.
    _running: Option<Running>,
}

impl LaneAdmission {
    pub(crate) fn new(
        lane: &Arc<Lane>,
        context: &Arc<ServerContext>,
        protocol: &Arc<dyn Protocol>,
        running: Option<Running>,
    ) -> Self {
        set_closes_accepted(|| close_one_of_process(Newcomer::Process, &|_| true));
        Self {
            lane: Arc::clone(lane),
            context: Arc::clone(context),
            protocol: Arc::clone(protocol),
            _running: running,
        }
    }
}

impl LaneAdmission {
    /// The stream, which may carry compressed messages if an extension of the ORB knows them.
    pub(crate) fn decompressed(&self, stream: Arc<dyn Stream>) -> Arc<dyn Stream> {
        let is_giop = self.protocol.messaging().is_none() && self.protocol.carries_replies();
        match &self.context.extensions().compression {
            Some(compression) if is_giop && self.lane.strategy.gives_threads() => {
                let share = self.context.peer_shares().share(&*stream);
                compression.accepted(stream, share)
            }
            _ => stream,
        }
    }

    /// Serves a stream, if there is room for it.
    pub(crate) fn take_in(&self, stream: Arc<dyn Stream>) {
        self.lane.steady_state.work_begins();
        self.lane.take_in(&self.context, &self.protocol, stream);
        self.lane.steady_state.work_ends();
    }
}

impl Admission for LaneAdmission {
    fn admit(&self, stream: Arc<dyn Stream>) {
        self.take_in(self.decompressed(stream));
    }

    fn make_room(&self, client: Option<&dyn Stream>) -> bool {
        let uncounted = |client| Newcomer::Uncounted(ip_address(client));
        let newcomer = client.map_or(Newcomer::Process, uncounted);
        self.context.close_idle_connections() || close_one_of_process(newcomer, &|_| true)
    }

    fn reject(&self, stream: Arc<dyn Stream>) {
        self.lane.rejected.fetch_add(1, Ordering::Relaxed);
        self.lane.new_connection(&self.context, &*self.protocol, stream, SlotKey::NONE).reject();
    }
}

impl Lane {
    fn new_connection(
        self: &Arc<Self>,
        context: &Arc<ServerContext>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
        slot: SlotKey,
    ) -> Arc<ServerConnection> {
        self.accepted.fetch_add(1, Ordering::Relaxed);
        let serving_lane: Arc<Self> = Arc::clone(self);
        let lane = &self.core;
        let new = NewConnection { protocol, stream, lane, serving_lane, slot };
        ServerConnection::new(context, new)
    }

    /// Closes endpoints of the lane. Clients that wait to be accepted get CloseConnection.
    pub(crate) fn close_all(self: &Arc<Self>, listeners: &[Listener]) {
        for listener in listeners {
            let admission = self
                .context
                .upgrade()
                .map(|context| LaneAdmission::new(self, &context, &listener.protocol, None));
            listener.close(admission.as_ref().map(|admission| admission as &dyn Admission));
        }
    }

    fn take_in(
        self: &Arc<Self>,
        context: &Arc<ServerContext>,
        protocol: &Arc<dyn Protocol>,
        stream: Arc<dyn Stream>,
    ) {
        match self.slot_for(&*stream) {
            Some(reserved) => self.take_in_at(reserved, context, &**protocol, stream),
            None => self.take_in_later(context, protocol, stream),
        }
    }

    /// Rejects a connection without a slot.
    pub(super) fn reject_stream(
        self: &Arc<Self>,
        context: &Arc<ServerContext>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
    ) {
        self.reject_connection(&self.new_connection(context, protocol, stream, SlotKey::NONE));
    }

    fn reject_connection(&self, connection: &ServerConnection) {
        self.log_rejection(&"limit reached or shutting down");
        self.rejected.fetch_add(1, Ordering::Relaxed);
        connection.reject();
    }

    /// Serves a connection in its slot, if there is room for it.
    pub(super) fn take_in_at(
        self: &Arc<Self>,
        reserved: Reserved,
        context: &Arc<ServerContext>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
    ) {
        let (slot, peer) = (reserved.slot, ip_address(&*stream));
        let connection = self.new_connection(context, protocol, stream, slot);
        if self.is_stopping() || !self.has_room(context, &reserved, peer) {
            self.released(self.connections.release(slot));
            return self.reject_connection(&connection);
        }
        self.connections.put(slot, &connection);
        connection.start_timing();
        if let Err(error) = self.begin(context, &connection, slot) {
            self.give_up(&connection, &error);
        } else if self.is_stopping() {
            // `stop` may not have seen it.
            connection.close();
        }
    }

    /// Whether there is room for a connection from `peer`, for which others may have to close: so many that all that are
    /// left fit. One that ends may have made room below several limits.
    fn has_room(&self, context: &ServerContext, reserved: &Reserved, peer: Option<IpAddr>) -> bool {
        let newcomer = Newcomer::From(peer);
        let is_its = |other: &ServerConnection| other.ip_address() == peer;
        let now = || self.connections.excess(peer);
        let Excess { of_peer, of_table, of_process } = reserved.excess;
        fits(
            || self.count_ending(&is_its) >= of_peer.min(now().of_peer),
            || self.close_one(&is_its) || self.close_held(newcomer, &is_its),
        ) && fits(
            || self.count_ending(&|_| true) >= of_table.min(now().of_table),
            || self.close_one(&|_| true) || self.close_held(newcomer, &|_| true),
        ) && fits(
            || count_ending_of_process() >= of_process.min(now().of_process),
            || {
                close_one_where(&|_| true)
                    || context.close_idle_connections()
                    || close_held_where(newcomer, &|_| true)
            },
        )
    }
}

/// Whether there is room, once connections have been closed until that is so. An end between two of its counts may seem to
/// make room twice; the next newcomer then closes one more.
fn fits(has_room: impl Fn() -> bool, close: impl Fn() -> bool) -> bool {
    while !has_room() {
        if !close() {
            return false;
        }
    }
    true
}
