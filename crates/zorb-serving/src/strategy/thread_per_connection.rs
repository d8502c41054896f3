//! Thread per connection: each connection has a thread, and more while upcalls block.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use zorb_base::connections::SlotKey;
use zorb_base::peer_threads::PeerThread;
use zorb_os::thread;
use zorb_transport::log_limited;

use super::resumed_connections::ResumedConnections;
use crate::connection::{ConnectionRequests, ReleasedRequest, ServerConnection, ServingLane};
use crate::lane::{Lane, ServingStrategy};
use crate::message::queue_full;
use crate::scratch::Scratch;
use crate::watchdog::Watched;

/// The strategy thread per connection.
#[derive(Debug, Default)]
pub(crate) struct ThreadPerConnection {
    /// The connections with resumed requests that wait for threads.
    resumed: Arc<ResumedConnections<Arc<ConnectionRequests>>>,
}

impl ServingStrategy for ThreadPerConnection {
    fn uses_reactor(&self) -> bool {
        false
    }

    fn begin(
        &self,
        _: &Arc<Lane>,
        connection: &Arc<ServerConnection>,
        _: SlotKey,
    ) -> io::Result<()> {
        connection.start_own_thread()
    }

    fn resume(&self, lane: &Arc<Lane>, request: ReleasedRequest) {
        let requests = request.ordered.clone().unwrap_or_default();
        if requests.put(request) {
            self.resume_next(lane, requests);
        }
    }

    /// Starts a thread, because none waits for requests of all connections.
    fn resume_next(&self, lane: &Arc<Lane>, requests: Arc<ConnectionRequests>) {
        let peer = requests.peer();
        if !self.resumed.put(peer, requests) {
            return;
        }
        let most = lane.thread_limit_per_peer();
        let share = match PeerThread::one_of(peer, most) {
            Ok(share) => share,
            // Whoever serves others of this peer serves these, too.
            Err(_) if self.resumed.leave(peer) => return,
            Err(_) => PeerThread::beyond_share(peer),
        };
        let (resumed, serving) = (Arc::clone(&self.resumed), Arc::clone(lane));
        let started = lane.core.spawn(move |_| {
            let mut scratch = Scratch::default();
            while let Some(requests) = resumed.next(peer) {
                if serve_next(&serving, &requests, &mut scratch) {
                    resumed.put_back(peer, requests);
                }
            }
            drop(share);
        });
        if let Err(error) = started {
            log_limited!(error, %error, "cannot start a thread for resumed requests");
            for request in self.resumed.give_up(peer).iter().flat_map(|all| all.give_up()) {
                drop(lane.queued(request).refuse(&queue_full(), &mut Vec::new()));
            }
        }
    }
}

/// Serves the next resumed request of a connection. Returns whether the thread must serve a further one.
fn serve_next(lane: &Arc<Lane>, requests: &Arc<ConnectionRequests>, scratch: &mut Scratch) -> bool {
    // First: the connection's own threads wait for requests that have begun, and may have the last permit.
    let _permit = lane.permit(true);
    let serving_lane: Arc<dyn ServingLane> = Arc::clone(lane) as _;
    let Some(begun) = requests.begin(thread::id(), serving_lane) else { return false };
    if begun.is_unwatched {
        begun.request.context.watchdog().watch(requests, begun.number.wrapping_sub(1));
    }
    drop(lane.queued(begun.request).serve(scratch));
    requests.end(begun.number)
}

impl Watched for ConnectionRequests {
    fn begin_watch(&self) -> bool {
        Self::begin_watch(self)
    }

    fn relieve(self: Arc<Self>, seen: u32) -> u32 {
        let (begun, next) = self.hand_over_slow(seen);
        if let Some(lane) = next {
            lane.resume_next(self);
        }
        begun
    }

    /// Its connection sends the replies.
    fn expire_output(self: Arc<Self>, _: Instant) -> Option<Instant> {
        None
    }

    fn is_being_read(&self) -> bool {
        !self.is_running()
    }

    fn stop_watching(&self, seen: u32) -> bool {
        Self::stop_watching(self, seen)
    }
}
