//! New connections that wait for the threads of others to end, because there is one thread too many.
//!
//! The accepting thread leaves them to the [watchdog](crate::watchdog), and accepts further clients meanwhile. Those of an
//! ORB try to begin in the order in which they came, each time a thread of the process ends. Those of several ORBs have no
//! common order: each ORB has limits of its own, so that one that may not begin would keep others waiting that may.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use zorb_base::connections::{Newcomer, SlotKey};
use zorb_base::peer_threads::ShareInUse;
use zorb_base::threads::Running;

use super::Lane;
use super::eviction::{close_held_where, close_one_where};
use crate::connection::ServerConnection;
use crate::context::ServerContext;
use crate::watchdog::{Begins, Begun, Refused, is_one_too_many};

/// How long a new connection waits for the thread of one that has been closed. They end at once.
const ENDING: Duration = Duration::from_secs(1);

/// A connection of a lane that waits for a thread.
#[derive(Debug)]
struct AwaitsThread {
    lane: Arc<Lane>,
    connection: Arc<ServerConnection>,
    slot: SlotKey,
    /// When to give up.
    end: Instant,
    /// Whether another connection has been closed for it.
    has_made_room: bool,
    /// Why it has no thread.
    error: io::Error,
    /// For those who wait for the threads of the lane's pool.
    _running: Option<Running>,
}

impl Begins for AwaitsThread {
    fn end(&self) -> Instant {
        self.end
    }

    fn is_over(&self) -> bool {
        self.lane.is_stopping() || self.connection.is_ending()
    }

    fn begin(&mut self, refused: &mut Refused) -> Begun {
        let peer = self.connection.thread_peer();
        if let Some(error) = refused.reason(peer) {
            self.error = error;
        } else if let Err(error) = self.try_to_begin() {
            refused.note(peer, &error);
            self.error = error;
        } else {
            return Begun::Yes;
        }
        let waits = is_one_too_many(&self.error)
            && (self.has_made_room || make_room_for_thread(&self.connection, &self.error));
        if !waits {
            self.give_up();
            return Begun::Never;
        }
        self.has_made_room = true;
        Begun::Later
    }

    fn give_up(&mut self) {
        if self.connection.is_ending() {
            // It has made room for another one, and counts as such.
            self.lane.end_unserved(&self.connection);
        } else {
            self.lane.give_up(&self.connection, &self.error);
        }
    }
}

impl AwaitsThread {
    fn try_to_begin(&self) -> io::Result<()> {
        self.lane.strategy.begin(&self.lane, &self.connection, self.slot)?;
        if self.lane.is_stopping() {
            // `stop` may have seen it without a thread.
            self.connection.close();
        }
        Ok(())
    }
}

impl Drop for AwaitsThread {
    fn drop(&mut self) {
        self.connection.core.awaiting_threads().fetch_sub(1, Ordering::SeqCst);
    }
}

impl Lane {
    /// Begins to serve a connection. If its thread is one too many, closes another connection whose thread then ends, and
    /// lets this one begin later, if that is within a [second](ENDING). So does one that comes while others wait.
    pub(super) fn begin(
        self: &Arc<Self>,
        context: &ServerContext,
        connection: &Arc<ServerConnection>,
        slot: SlotKey,
    ) -> io::Result<()> {
        let mut error = ErrorKind::QuotaExceeded.into();
        let has_to_wait = context.awaiting_threads().load(Ordering::SeqCst) > 0
            && self.reactor_for(connection).is_none();
        if !has_to_wait {
            match self.strategy.begin(self, connection, slot) {
                Ok(()) => return Ok(()),
                Err(failed) => error = failed,
            }
            if !is_one_too_many(&error) || !make_room_for_thread(connection, &error) {
                return Err(error);
            }
        }
        context.awaiting_threads().fetch_add(1, Ordering::SeqCst);
        let awaits = AwaitsThread {
            lane: Arc::clone(self),
            connection: Arc::clone(connection),
            slot,
            end: Instant::now() + ENDING,
            has_made_room: !has_to_wait,
            error,
            _running: self.core.count_request(),
        };
        if let Some(mut refused) = context.watchdog().begin_later(Box::new(awaits)) {
            // The ORB shuts down.
            refused.give_up();
        }
        Ok(())
    }
}

/// Closes a connection with a thread for `newcomer`, which gets none because of `error`: one of the same address if that
/// has used up its share. Returns whether there is one.
fn make_room_for_thread(newcomer: &Arc<ServerConnection>, error: &io::Error) -> bool {
    let peer = newcomer.ip_address();
    let is_share_in_use = ShareInUse::is_cause_of(error);
    let has_one = |other: &ServerConnection| {
        other.has_own_threads()
            && !std::ptr::eq(other, &**newcomer)
            && (!is_share_in_use || other.ip_address() == peer)
    };
    let is_of_lane =
        |other: &ServerConnection| Arc::ptr_eq(&other.lane, &newcomer.lane) && has_one(other);
    close_one_where(&is_of_lane)
        || close_one_where(&has_one)
        || close_held_where(Newcomer::From(peer), &has_one)
}
