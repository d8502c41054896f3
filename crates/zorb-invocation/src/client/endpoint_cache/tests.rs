mod closed;
mod counted;
mod order;
mod waiting;

use std::net::TcpListener;

use zorb_base::connection_count::{ConnectionCount, Counted};
use zorb_base::options::Options;
use zorb_tcp::IiopProtocol;
use zorb_transport::{PeerShares, process_budget};

use super::*;
use crate::client::any_connection::AnyConnection;
use crate::client::connect_time::ConnectTime;
use crate::client::connection_settings::ConnectionClass;

/// A connection for a call without a deadline.
fn connect(cache: &EndpointCache) -> Result<AnyConnection<'_>, NoConnection> {
    let (options, time) = (Options::default(), ConnectTime::default());
    cache.connection(Wanted::new(Duration::from_secs(10), &options, &time, None))
}

/// The connections to a server that accepts one and does nothing.
fn cache(max_calls: usize, max_wait: Option<Duration>) -> (TcpListener, Arc<EndpointCache>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let cache = cache_of(&listener, |settings| {
        settings.max_calls = max_calls;
        settings.max_wait = max_wait;
    });
    (listener, cache)
}

/// The connections to an address, at most one at a time.
fn cache_of(
    listener: &TcpListener,
    set: impl FnOnce(&mut ConnectionSettings),
) -> Arc<EndpointCache> {
    cache_among(listener, set, Weak::<NoTimeLeft>::new())
}

fn cache_among(
    listener: &TcpListener,
    set: impl FnOnce(&mut ConnectionSettings),
    others: Weak<dyn OtherConnections>,
) -> Arc<EndpointCache> {
    let endpoint = Endpoint::new("iiop", &listener.local_addr().unwrap().to_string()).unwrap();
    let options = Options::default();
    let mut settings = ConnectionClass::plain(&options).settings;
    settings.max_connections = 1;
    set(&mut settings);
    let protocol: Arc<dyn Protocol> = Arc::new(IiopProtocol::new());
    let receiving = Receiving::new(&options, &PeerShares::new(process_budget(), 0));
    EndpointCache::new(&endpoint, &settings, &protocol, &receiving, others)
}

/// Connections, one of which becomes idle only when the time to connect ends.
struct NoTimeLeft;

impl OtherConnections for NoTimeLeft {
    fn before_connecting(&self, _: Option<Duration>) {}

    fn make_room(&self, _: usize, wanted: Wanted<'_>) -> Option<Counted> {
        wanted.connect_time.spend(wanted.max_connect_time);
        Some(ConnectionCount::of_clients().enter())
    }

    fn make_room_of_upcall(&self) -> Option<Counted> {
        None
    }

    fn close_all(&self) -> bool {
        false
    }
}

/// The number of callers that wait for a connection of the cache.
fn waiting(cache: &EndpointCache) -> usize {
    match &cache.multiplexed {
        None => cache.state().waiting.len(),
        Some(multiplexed) => multiplexed.least_busy().map_or(0, |(least, _)| least.waiting()),
    }
}
