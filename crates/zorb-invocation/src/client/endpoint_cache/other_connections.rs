//! The other connections of the client, as the cache of one endpoint uses them.

use std::time::Duration;

use zorb_base::connection_count::Counted;

use super::wanted::Wanted;

/// All connections of a client, as the cache of one endpoint uses them.
///
/// The connection cache consists of endpoint caches, and each of these has to evict connections of the others. The trait is
/// the way up: an endpoint cache knows nothing of the others, and its tests decide when there is room. It is called only
/// when a connection is opened.
pub(in crate::client) trait OtherConnections: Send + Sync {
    /// From time to time closes those that no call uses and that their server has closed, or that have been idle for
    /// `idle_limit`.
    fn before_connecting(&self, idle_limit: Option<Duration>);

    /// Counts a connection that is about to be opened. The process may have `most` of them; 0 for the default. At the
    /// limit, closes the least recently used idle connection; if all are in use, waits in order until one is free or the
    /// time to connect is over, except in an upcall. `None` if none became free.
    fn make_room(&self, most: usize, wanted: Wanted<'_>) -> Option<Counted>;

    /// Counts a connection that an upcall is about to open. At the limit for upcalls, closes the least recently used idle
    /// connection of one. `None` if all are in use.
    fn make_room_of_upcall(&self) -> Option<Counted>;

    /// Closes all of the process that no call uses, as descriptors have run short. Returns whether there were any.
    /// Those of queues of one-way calls stay.
    fn close_all(&self) -> bool;
}
