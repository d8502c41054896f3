//! How the threads of a lane share its work: one implementation a strategy.

mod backlog;
mod half_sync;
mod leader_followers;
pub(super) mod queue;
mod thread_per_connection;

use std::fmt::Debug;
use std::io;
use std::sync::Arc;

use zorb_giop::{MessageHeader, ProtocolError};

pub(super) use self::half_sync::HalfSync;
pub(super) use self::leader_followers::LeaderFollowers;
use self::queue::RequestQueue;
pub(super) use self::thread_per_connection::ThreadPerConnection;
use crate::connection::ServerConnection;
use crate::input::Input;
use crate::lane::{Lane, Role};
use crate::queued::QueuedRequest;
use crate::scratch::Scratch;

/// How the threads of a lane share its work.
pub(super) trait ServingStrategy: Debug + Send + Sync {
    /// Whether threads of the lane wait together for what comes over its connections.
    fn uses_event_loop(&self) -> bool {
        true
    }

    /// Begins to serve the connection in `slot` of the lane's table.
    ///
    /// # Errors
    /// Why it cannot be served.
    fn begin(
        &self,
        lane: &Arc<Lane>,
        connection: &Arc<ServerConnection>,
        slot: u32,
    ) -> io::Result<()> {
        lane.begin_at_events(connection, slot)
    }

    /// Queues the Request that is the current message of `connection` for another thread, where the
    /// strategy has a [queue](Self::queue); elsewhere the thread that has received it serves it.
    ///
    /// # Errors
    /// When the message is broken.
    fn enqueue(
        &self,
        connection: &Arc<ServerConnection>,
        input: &mut Input,
        header: &MessageHeader,
        scratch: &mut Scratch,
    ) -> Result<(), ProtocolError> {
        let _ = (connection, input, header, scratch);
        Ok(())
    }

    /// Has a request be served that a POA manager has held.
    fn resume(&self, lane: &Arc<Lane>, request: QueuedRequest) {
        lane.resumed.put(request);
        if let Some(events) = &lane.events {
            events.wake();
        }
    }

    /// The body of a thread of the lane.
    fn run(&self, lane: &Arc<Lane>, role: Role) {
        if let Some(events) = &lane.events {
            lane.run_event_loop(events, role);
        }
    }

    /// Whether a dynamic thread that was asked for is still wanted.
    fn needs_thread(&self) -> bool {
        true
    }

    /// A dynamic thread that was asked for does not come.
    fn thread_not_started(&self) {}

    /// Has the threads of the lane end: it has no connections any more.
    fn end(&self) {}

    /// The requests that wait for a thread, where they are queued.
    fn queue(&self) -> Option<&RequestQueue<QueuedRequest>> {
        None
    }

    /// Whether one thread reads for the others, and is started besides them.
    fn has_reader(&self) -> bool {
        false
    }
}
