//! The number of open connections.

use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use zorb_base::connection_count::{ConnectionCount, Counted};
use zorb_base::options::Options;
use zorb_testkit::stop_listening;

use super::{cache, cache_among, connect};
use crate::client::connect_time::ConnectTime;
use crate::client::connection_settings::ConnectionSettings;
use crate::client::endpoint_cache::{NoConnection, OtherConnections, Wanted};

#[test]
fn connections_of_queues_of_one_way_calls_are_counted_apart() {
    for max_calls in [1, 2] {
        let (listener, cache) = cache(max_calls, Some(Duration::from_millis(1)));
        let (options, time) = (Options::default(), ConnectTime::default());
        let wanted = Wanted::new(Duration::from_secs(10), &options, &time, None);
        let separate = [(); 2].map(|()| cache.open_separate(wanted).unwrap());
        let call = connect(&cache).unwrap();
        assert!(cache.has_connections());
        drop((call, separate));
        cache.close_unused(Some(Duration::ZERO));
        assert!(cache.has_connections());
        (0..2).for_each(|_| cache.lost_separate());
        assert!(!cache.has_connections());
        // One that cannot be opened is not counted.
        stop_listening(listener);
        assert!(matches!(cache.open_separate(wanted), Err(NoConnection::Unreachable(_))));
        assert!(!cache.has_connections());
    }
}

/// Panics the first time that there must be room for a connection.
#[derive(Default)]
struct PanicsFirst(AtomicBool);

impl OtherConnections for PanicsFirst {
    fn before_connecting(&self, _: Option<Duration>) {}

    fn make_room(&self, _: usize, _: Wanted<'_>) -> Option<Counted> {
        assert!(self.0.swap(true, Ordering::SeqCst), "on purpose");
        Some(ConnectionCount::of_clients().enter())
    }

    fn make_room_of_upcall(&self) -> Option<Counted> {
        None
    }

    fn close_all(&self) -> bool {
        false
    }
}

#[test]
fn the_connection_of_pending_calls_is_counted_and_opened_again_after_a_panic() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let panics = Arc::<PanicsFirst>::default();
    let others: Weak<dyn OtherConnections> = Arc::<PanicsFirst>::downgrade(&panics);
    let set = |settings: &mut ConnectionSettings| {
        settings.max_wait = Some(Duration::from_millis(1));
    };
    let cache = cache_among(&listener, set, others);
    let (options, time) = (Options::default(), ConnectTime::default());
    let wanted = Wanted::new(Duration::from_secs(10), &options, &time, None);
    let panicked = catch_unwind(AssertUnwindSafe(|| cache.pending_connection(wanted, 10).is_ok()));
    assert!(panicked.is_err());
    assert_eq!(cache.open_connections(), 0);
    let call = cache.pending_connection(wanted, 10).unwrap();
    assert_eq!(cache.open_connections(), 1);
    drop(call);
    cache.close();
    assert_eq!(cache.open_connections(), 0);
}
