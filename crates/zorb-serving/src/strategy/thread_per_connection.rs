//! Thread per connection: each connection has a thread, and more while upcalls block.

use std::io;
use std::sync::Arc;

use crate::connection::ServerConnection;
use crate::lane::resumed::Put;
use crate::lane::{Lane, ServingStrategy};
use crate::queued::{QueuedRequest, queue_full};
use crate::scratch::Scratch;
use zorb_transport::log_limited;

/// The strategy thread per connection.
#[derive(Debug)]
pub(crate) struct ThreadPerConnection;

impl ServingStrategy for ThreadPerConnection {
    fn uses_reactor(&self) -> bool {
        false
    }

    fn begin(&self, _: &Arc<Lane>, connection: &Arc<ServerConnection>, _: u32) -> io::Result<()> {
        connection.start_own_thread()
    }

    /// Starts a thread, because none waits for requests of all connections.
    fn resume(&self, lane: &Arc<Lane>, request: QueuedRequest) {
        let Put::WantsThread = lane.resumed.put(request) else { return };
        let resuming = Arc::clone(lane);
        let started = lane.core.spawn(move |_| {
            let mut scratch = Scratch::default();
            while let Some(request) = resuming.resumed.take_or_end() {
                let _permit = resuming.permit(true);
                drop(request.serve(&mut scratch));
            }
        });
        if let Err(error) = started {
            log_limited!(error, %error, "cannot start a thread for resumed requests");
            for request in lane.resumed.give_up() {
                drop(request.refuse(&queue_full(), &mut Vec::new()));
            }
        }
    }
}
