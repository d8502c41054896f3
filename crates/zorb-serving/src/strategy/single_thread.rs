//! Single thread: the reactor. One thread waits for all connections of the lane, reads, makes upcalls and replies.
//!
//! Leader/followers with one thread does the same. This strategy guarantees it: it refuses connections that need
//! threads of their own.

use std::io;
use std::sync::Arc;

use zorb_base::connections::SlotKey;

use crate::connection::ServerConnection;
use crate::lane::{Lane, ServingStrategy};

/// The strategy single thread.
#[derive(Debug)]
pub(crate) struct SingleThread;

impl ServingStrategy for SingleThread {
    fn gives_threads(&self) -> bool {
        false
    }

    fn begin(
        &self,
        lane: &Arc<Lane>,
        connection: &Arc<ServerConnection>,
        slot: SlotKey,
    ) -> io::Result<()> {
        match lane.begin_at_reactor(connection, slot)? {
            true => Ok(()),
            // Its transport has promised readiness.
            false => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
