//! Which connections a lane admits. At the limit it closes one that is idle, or whose client does not read.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_base::accepting::Admission;
use zorb_base::connection_count::set_closes_accepted;
use zorb_base::connections::{Excess, Newcomer, Reserved};
use zorb_base::peer_threads::ShareInUse;
use zorb_base::threads::Running;
use zorb_transport::{Protocol, Stream, ip_address};

use super::Lane;
use super::eviction::{close_held_where, close_one_of_process, close_one_where};
use crate::connection::{NewConnection, ServerConnection};
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
        set_closes_accepted(|| close_one_of_process(Newcomer::Process));
        Self {
            lane: Arc::clone(lane),
            context: Arc::clone(context),
            protocol: Arc::clone(protocol),
            _running: running,
        }
    }
}

impl Admission for LaneAdmission {
    fn admit(&self, stream: Arc<dyn Stream>) {
        self.lane.steady_state.work_begins();
        self.lane.take_in(&self.context, &*self.protocol, stream);
        self.lane.steady_state.work_ends();
    }

    fn make_room(&self) -> bool {
        self.context.close_idle_connections() || close_one_where(&|_| true)
    }

    fn make_room_for(&self, client: Option<&dyn Stream>) -> bool {
        let newcomer =
            client.map_or(Newcomer::Process, |client| Newcomer::From(ip_address(client)));
        close_held_where(newcomer, &|_| true)
    }

    fn turn_away(&self, stream: Arc<dyn Stream>) {
        self.lane.rejected.fetch_add(1, Ordering::Relaxed);
        self.lane.new_connection(&self.context, &*self.protocol, stream, u32::MAX).reject();
    }
}

impl Lane {
    fn new_connection(
        self: &Arc<Self>,
        context: &Arc<ServerContext>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
        slot: u32,
    ) -> Arc<ServerConnection> {
        let accepted = self.accepted.fetch_add(1, Ordering::Relaxed) + 1;
        let serving_lane: Arc<Self> = Arc::clone(self);
        let lane = &self.core;
        let new = NewConnection { protocol, stream, lane, serving_lane, slot, accepted };
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
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
    ) {
        let peer = ip_address(&*stream);
        let reserved = self.connections.reserve(peer);
        let slot = reserved.map_or(u32::MAX, |reserved| reserved.slot);
        let connection = self.new_connection(context, protocol, stream, slot);
        let has_room = |reserved: &Reserved| {
            !self.is_stopping() && self.make_room(context, reserved.excess, Newcomer::From(peer))
        };
        if !reserved.as_ref().is_some_and(has_room) {
            self.log_rejection(&"limit reached or shutting down");
            if reserved.is_some() {
                self.released(self.connections.release(slot));
            }
            self.rejected.fetch_add(1, Ordering::Relaxed);
            return connection.reject();
        }
        self.connections.put(slot, &connection);
        connection.start_timing();
        if let Err(error) = self.strategy.begin(self, &connection, slot) {
            self.give_up(&connection, &error);
            if matches!(error.kind(), ErrorKind::QuotaExceeded | ErrorKind::WouldBlock) {
                // Its thread serves a later client, of the same address if that has used up its share.
                let _ = match ShareInUse::is_cause_of(&error) {
                    true => {
                        let has_some = |other: &_| {
                            ServerConnection::has_own_threads(other) && other.ip_address() == peer
                        };
                        close_one_where(&has_some)
                            || close_held_where(Newcomer::From(peer), &has_some)
                    }
                    false => {
                        self.close_one(&|_| true) || close_one_of_process(Newcomer::From(peer))
                    }
                };
            }
        } else if self.is_stopping() {
            // `stop` may not have seen it.
            connection.close();
        }
    }

    /// Closes a connection, if there is one too many. Returns whether there is room.
    fn make_room(&self, context: &ServerContext, excess: Excess, newcomer: Newcomer) -> bool {
        match excess {
            Excess::None => true,
            Excess::Of(peer) => {
                let is_its = |other: &ServerConnection| other.ip_address() == Some(peer);
                self.close_one(&is_its) || self.close_held(newcomer, &is_its)
            }
            Excess::Table => self.close_one(&|_| true) || self.close_held(newcomer, &|_| true),
            Excess::Process => {
                close_one_where(&|_| true)
                    || context.close_idle_connections()
                    || close_held_where(newcomer, &|_| true)
            }
        }
    }
}
