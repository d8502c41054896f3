//! What an ORB has done so far and what it does now, as numbers.

use zorb_poa::ObjectAdapter;
use zorb_serving::LaneMetrics;

use super::handle::Orb;

/// What an ORB has done so far and what it does now, for dashboards and alarms: [`Orb::metrics`].
///
/// Fields of type `u64` are counters: they count from the beginning of the ORB, and only grow. The others are gauges. The
/// numbers are read one after the other while the ORB works, so that they may differ by what has happened in between.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrbMetrics {
    /// The ORB's id ([`Orb::id`]), which is in the names of its threads and in its log; empty if it has none.
    pub orb: String,
    /// Its lanes, which have the connections of clients: first the ORB's own, once it listens, then those of thread pools.
    pub lanes: Vec<LaneMetrics>,
    /// Requests and collocated calls that wait: for a POA manager, a servant or adapter activator, their turn in a
    /// single-threaded adapter, or the main thread.
    pub held: usize,
    /// Requests and collocated calls refused because too many waited (`MaxHeldRequests`, `MaxHeldOctets`).
    pub held_refused: u64,
    /// Requests and collocated calls that have waited too long (`MaxHeldTime`).
    pub held_expired: u64,
    /// Requests that wait for deferred replies.
    pub deferred: usize,
    /// Connections to servers.
    pub client_connections: usize,
    /// Attempts to connect to servers.
    pub client_connects: u64,
    /// Threads that work for the ORB: its own, and those of the program that make collocated upcalls.
    pub threads: usize,
    /// Octets of the messages of all connections that are being received, wait, or are being sent. Without the option
    /// `MaxBufferedOctets`, these are those of all ORBs of the process.
    pub buffered_octets: usize,
    /// The limit of [`buffered_octets`](Self::buffered_octets).
    pub max_buffered_octets: usize,
    /// Object adapters.
    pub adapters: usize,
    /// Active objects.
    pub active_objects: usize,
}

impl Orb {
    /// What the ORB has done so far and what it does now. Calls and requests need no additional counting for this: the
    /// numbers are gathered here, in a time proportional to the number of connections, adapters and endpoints.
    ///
    /// ```
    /// let orb = zorb_core::Orb::builder().without_environment().id("front").build()?;
    /// let metrics = orb.metrics();
    /// assert_eq!((&*metrics.orb, metrics.held, metrics.active_objects), ("front", 0, 0));
    /// # orb.destroy()?;
    /// # Ok::<(), zorb_core::Error>(())
    /// ```
    pub fn metrics(&self) -> OrbMetrics {
        let (core, server) = (self.core(), &self.inner.server);
        let (client_connections, client_connects) = self.inner.client.connections().counts();
        let (adapters, active_objects) =
            self.inner.root.get().map_or((0, 0), |root| adapters_and_objects(root));
        OrbMetrics {
            orb: self.id().to_owned(),
            lanes: server.lane_metrics(),
            held: core.held().waiting(),
            held_refused: core.held().refused(),
            held_expired: core.held().expired(),
            deferred: server.deferred_requests(),
            client_connections,
            client_connects,
            threads: core.threads().threads(),
            buffered_octets: core.message_budget().used(),
            max_buffered_octets: core.message_budget().limit(),
            adapters,
            active_objects,
        }
    }
}

/// The numbers of an adapter with its descendants, and of their active objects.
fn adapters_and_objects(adapter: &ObjectAdapter) -> (usize, usize) {
    let own = (1, adapter.active_objects());
    adapter.children().iter().fold(own, |(adapters, objects), child| {
        let (more_adapters, more_objects) = adapters_and_objects(child);
        (adapters + more_adapters, objects + more_objects)
    })
}
