//! Which connections a lane admits. At the limit it closes one that is idle, or whose client does not read.

use std::cmp::Reverse;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Instant;

use zorb_base::accepting::Admission;
use zorb_base::connection_count::set_closes_accepted;
use zorb_base::connections::{Evictable, Evicted, Excess, Reserved};
use zorb_base::peer_threads::ShareInUse;
use zorb_base::progress::Progress;
use zorb_base::threads::Running;
use zorb_transport::{Protocol, Stream, ip_address, log_limited};

use super::{LANES, Lane};
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
        set_closes_accepted(close_one_of_process);
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
        self.context.close_idle_connections() || close_one_of_process()
    }

    fn turn_away(&self, stream: Arc<dyn Stream>) {
        self.lane.rejected.fetch_add(1, Ordering::Relaxed);
        self.lane.new_connection(&self.context, &*self.protocol, stream, u32::MAX).reject();
    }
}

/// Closes a connection of the process, one whose requests are all held only if there is no other. Returns whether there
/// is one.
#[cold]
fn close_one_of_process() -> bool {
    close_one_where(&is_not_held) || close_one_where(&|_| true)
}

fn is_not_held(connection: &ServerConnection) -> bool {
    !connection.is_held()
}

/// Closes a connection for which `is_meant`, of the lane that has most, or of another one if that has none to close:
/// whoever floods one endpoint keeps nobody out of others. Returns whether there is one.
#[cold]
fn close_one_where(is_meant: &dyn Fn(&ServerConnection) -> bool) -> bool {
    let mut lanes: Vec<Arc<Lane>> = LANES.lock().iter().filter_map(Weak::upgrade).collect();
    lanes.sort_by_key(|lane| Reverse(lane.connections.count()));
    lanes.iter().any(|lane| lane.close_one(is_meant))
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
        let reserved = self.connections.reserve(ip_address(&*stream));
        let slot = reserved.map_or(u32::MAX, |reserved| reserved.slot);
        let connection = self.new_connection(context, protocol, stream, slot);
        let has_room =
            |reserved: &Reserved| !self.is_stopping() && self.make_room(context, reserved.excess);
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
                let peer = connection.ip_address();
                let _ = match ShareInUse::is_cause_of(&error) {
                    true => close_one_where(&|other| {
                        other.has_own_threads() && other.ip_address() == peer
                    }),
                    false => self.close_one(&is_not_held) || close_one_of_process(),
                };
            }
        } else if self.is_stopping() {
            // `stop` may not have seen it.
            connection.close();
        }
    }

    /// Closes a connection, if there is one too many. Returns whether there is room.
    fn make_room(&self, context: &ServerContext, excess: Excess) -> bool {
        match excess {
            Excess::None => true,
            Excess::Of(peer) => self.close_one(&|other| other.ip_address() == Some(peer)),
            Excess::Table => self.close_one(&|_| true),
            Excess::Process => {
                close_one_where(&is_not_held)
                    || context.close_idle_connections()
                    || close_one_of_process()
            }
        }
    }

    /// Closes a connection for which `is_meant`: an idle one, else one whose client does not read, else one whose requests
    /// are all held. Returns whether there is one.
    fn close_one(&self, is_meant: &dyn Fn(&ServerConnection) -> bool) -> bool {
        let accepted = self.accepted.load(Ordering::Relaxed);
        let (connection, what) = match self.connections.to_evict(accepted, is_meant) {
            Some(Evicted::Idle(connection)) => {
                connection.close();
                (connection, "an idle connection")
            }
            Some(Evicted::Unread(connection)) => {
                connection.give_up_output("closed to make room for another connection");
                (connection, "a connection whose client does not read")
            }
            Some(Evicted::Held(connection)) => {
                connection.close();
                (connection, "a connection whose requests are all held")
            }
            None => return false,
        };
        self.evicted.fetch_add(1, Ordering::Relaxed);
        let (peer, lane) = (connection.peer(), &*self.name);
        log_limited!(info, peer, lane, "closed {what} to stay within the limit");
        true
    }
}

impl Evictable for ServerConnection {
    type Time = Instant;

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn is_idle(&self) -> bool {
        Self::is_idle(self)
    }

    fn is_held(&self) -> bool {
        Self::is_held(self)
    }

    fn unread_since(&self) -> Option<Instant> {
        self.output_waits_since()
    }

    fn peer(&self) -> Option<IpAddr> {
        self.ip_address()
    }
}
