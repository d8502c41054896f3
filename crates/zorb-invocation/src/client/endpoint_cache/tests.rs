use std::io::Read;
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use zorb_base::connection_count::{ConnectionCount, Counted};
use zorb_base::options::Options;
use zorb_base::upcall_thread::{begin_upcall, end_upcall};
use zorb_os::priority::{self, Schedule, set};
use zorb_tcp::IiopProtocol;
use zorb_testkit::until;
use zorb_transport::{PeerShares, process_budget};

use super::*;
use crate::client::any_connection::AnyConnection;
use crate::client::connect_time::ConnectTime;
use crate::client::connection::LastReceived;
use crate::client::connection_settings::ConnectionClass;
use crate::client::reconnecting::ReconnectDelays;

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

/// The order in which callers get the only connection after the caller that has it releases it and wants it again.
fn order(cache: &EndpointCache, first: Vec<AnyConnection<'_>>) -> Vec<usize> {
    let served = Mutex::new(Vec::new());
    let call = |number| {
        let connection = connect(cache).unwrap();
        served.lock().unwrap().push(number);
        drop(connection);
    };
    std::thread::scope(|scope| {
        for number in 0..5 {
            scope.spawn(move || call(number));
            until(|| waiting(cache) > number);
        }
        drop(first);
        call(5);
    });
    served.into_inner().unwrap()
}

#[test]
fn callers_get_an_exclusive_connection_in_their_order() {
    let (_listener, cache) = cache(1, None);
    for _ in 0..20 {
        let first = vec![connect(&cache).unwrap()];
        assert_eq!(order(&cache, first), [0, 1, 2, 3, 4, 5]);
    }
    assert_eq!(cache.state().open, 1);
}

/// The order in which threads of these priorities get the only connection.
fn order_of_priorities(max_calls: usize, priorities: [u8; 6]) -> Vec<usize> {
    let (_listener, cache) = cache(max_calls, None);
    let first: Vec<_> = (0..max_calls).map(|_| connect(&cache).unwrap()).collect();
    let served = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for (number, priority) in priorities.into_iter().enumerate() {
            let (served, cache) = (&served, &cache);
            scope.spawn(move || {
                // As `RTCORBA::Current` does. Without the privilege all have the same.
                let is_permitted = set(Schedule::Fifo(priority)).is_ok();
                assert_eq!(priority::last_set(), if is_permitted { priority } else { 0 });
                let connection = connect(cache).unwrap();
                served.lock().unwrap().push(number);
                drop(connection);
            });
            until(|| waiting(cache) > number);
        }
        let mut first = first.into_iter();
        // One has room at a time.
        drop(first.next());
        until(|| waiting(&cache) == 0);
    });
    served.into_inner().unwrap()
}

#[test]
fn callers_of_a_real_time_program_get_a_connection_by_priority_and_in_their_order() {
    let thread = std::thread::spawn(|| set(Schedule::Fifo(1)).is_ok());
    let is_permitted = thread.join().unwrap();
    for max_calls in [1, 2] {
        let expected = if is_permitted { [2, 4, 0, 3, 1, 5] } else { [0, 1, 2, 3, 4, 5] };
        assert_eq!(order_of_priorities(max_calls, [3, 1, 7, 3, 7, 1]), expected);
    }
}

#[test]
fn callers_share_a_connection_in_their_order() {
    let (_listener, cache) = cache(2, None);
    let multiplexed = cache.multiplexed.as_ref().unwrap();
    for _ in 0..20 {
        let mut first: Vec<_> = (0..2).map(|_| connect(&cache).unwrap()).collect();
        let queue = multiplexed.least_busy().unwrap().0;
        let served = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for number in 0..5 {
                let (served, cache) = (&served, &cache);
                scope.spawn(move || {
                    let connection = connect(cache).unwrap();
                    served.lock().unwrap().push(number);
                    drop(connection);
                });
                until(|| queue.waiting() > number);
            }
            // One has room at a time.
            drop(first.pop());
            until(|| queue.waiting() == 0);
        });
        assert_eq!(served.into_inner().unwrap(), [0, 1, 2, 3, 4]);
    }
}

#[test]
fn callers_wait_for_the_connection_with_the_fewest_others() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let cache = cache_of(&listener, |settings| {
        settings.max_connections = 3;
        settings.max_calls = 2;
    });
    let multiplexed = cache.multiplexed.as_ref().unwrap();
    let in_use: Vec<_> = (0..6).map(|_| connect(&cache).unwrap()).collect();
    std::thread::scope(|scope| {
        for number in 0..6 {
            let cache = &cache;
            scope.spawn(move || drop(connect(cache).unwrap()));
            until(|| multiplexed.waiting().iter().sum::<usize>() > number);
        }
        assert_eq!(multiplexed.waiting(), [2, 2, 2]);
        drop(in_use);
    });
    assert_eq!(multiplexed.least_busy().map(|(least, _)| least.load()), Some(0));
}

#[test]
fn callers_that_wait_for_the_next_attempt_have_no_connection_and_are_limited() {
    const HOUR: Duration = Duration::from_secs(3600);
    for max_calls in [1, 2] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let cache = cache_of(&listener, |settings| {
            settings.max_calls = max_calls;
            settings.max_waiting = 2;
            settings.reconnect = ReconnectDelays { first: HOUR, longest: HOUR };
        });
        drop(listener);
        let unreachable = connect(&cache);
        assert!(matches!(unreachable, Err(NoConnection::Unreachable(_))), "{unreachable:?}");
        // Shorter than the time until the next attempt.
        assert!(matches!(connect(&cache), Err(NoConnection::Unreachable(_))));
        let patient = || {
            let (options, time) = (Options::default(), ConnectTime::default());
            cache.connection(Wanted::new(2 * HOUR, &options, &time, None)).map(drop)
        };
        std::thread::scope(|scope| {
            let waits: Vec<_> = (1..=2)
                .map(|count| {
                    let waits = scope.spawn(patient);
                    until(|| cache.state().waiting.len() == count);
                    waits
                })
                .collect();
            assert_eq!(cache.state().open, 0);
            assert!(matches!(patient(), Err(NoConnection::Busy)));
            cache.close();
            for waits in waits {
                assert!(matches!(waits.join().unwrap(), Err(NoConnection::Closed)));
            }
        });
        assert_eq!(cache.state().waiting.len(), 0);
    }
}

#[test]
fn a_caller_whose_time_is_over_when_there_is_room_does_not_connect() {
    const HOUR: Duration = Duration::from_secs(3600);
    for max_calls in [1, 2] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let others: Arc<dyn OtherConnections> = Arc::new(NoTimeLeft);
        let set = |settings: &mut ConnectionSettings| {
            settings.max_calls = max_calls;
            settings.reconnect = ReconnectDelays { first: HOUR, longest: HOUR };
        };
        let cache = cache_among(&listener, set, Arc::downgrade(&others));
        // It is time for the second attempt, which this caller does not make.
        let delays = ReconnectDelays { first: Duration::from_nanos(1), longest: HOUR };
        let failed = Instant::now();
        cache.state().reconnecting.failed(failed, failed, delays);
        assert!(matches!(connect(&cache), Err(NoConnection::Busy)));
        assert!(!cache.has_connections());
        assert_eq!(cache.state().reconnecting.wait(Instant::now()), None);
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err());
        drop(others);
        connect(&cache).unwrap();
    }
}

/// A call of an upcall on the calling thread.
fn nested(cache: &EndpointCache) -> AnyConnection<'_> {
    begin_upcall();
    let connection = connect(cache);
    end_upcall();
    connection.unwrap()
}

#[test]
fn callers_that_wait_get_the_connections_that_other_calls_return() {
    for excess_first in [false, true] {
        let (_listener, cache) = cache(1, Some(Duration::from_secs(60)));
        let first = connect(&cache).unwrap();
        let excess = nested(&cache);
        assert_eq!(cache.state().open, 2);
        let (returned, other) = if excess_first { (excess, first) } else { (first, excess) };
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| drop(connect(&cache).unwrap()));
            until(|| waiting(&cache) == 1);
            drop(returned);
            waits.join().unwrap();
        });
        // No call waits any more.
        drop(other);
        assert_eq!(cache.state().open, 1);
    }
}

#[test]
fn a_nested_call_checks_its_own_connection_before_it_opens_another() {
    let (_listener, cache) = cache(1, Some(Duration::from_secs(60)));
    drop(connect(&cache).unwrap());
    let (_, thread) = cache.for_caller();
    let slot = cache.slot(thread).unwrap();
    let mut idle = slot.take().unwrap();
    idle.last_received = LastReceived::long_ago();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| drop(connect(&cache).unwrap()));
        until(|| waiting(&cache) == 1);
        slot.put(idle);
        let call = nested(&cache);
        assert_eq!(cache.state().open, 1);
        drop(call);
        waits.join().unwrap();
    });
}

#[test]
fn a_caller_that_waits_gets_the_connection_that_another_caller_has_to_check() {
    let (_listener, cache) = cache(1, Some(Duration::from_secs(60)));
    drop(connect(&cache).unwrap());
    let (_, thread) = cache.for_caller();
    let slot = cache.slot(thread).unwrap();
    let mut idle = slot.take().unwrap();
    idle.last_received = LastReceived::long_ago();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| drop(connect(&cache).unwrap()));
        until(|| waiting(&cache) == 1);
        slot.put(idle);
        assert!(cache.acquire_idle().is_none());
        waits.join().unwrap();
    });
}

#[test]
fn a_caller_that_waits_gets_a_connection_that_was_looked_at_while_it_was_released() {
    let (_listener, cache) = cache(1, Some(Duration::from_secs(60)));
    drop(connect(&cache).unwrap());
    let (_, thread) = cache.for_caller();
    let slot = cache.slot(thread).unwrap();
    let idle = slot.take().unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| drop(connect(&cache).unwrap()));
        until(|| waiting(&cache) == 1);
        // The thread that released it did not find it in the recalled slot.
        slot.put(idle);
        assert!(cache.idle_since(ConnectionCount::of_clients()).is_some());
        waits.join().unwrap();
    });
}

#[test]
fn waiting_for_a_connection_ends() {
    for max_calls in [1, 2] {
        let (_listener, cache) = cache(max_calls, Some(Duration::from_millis(1)));
        let _all: Vec<_> = (0..max_calls).map(|_| connect(&cache).unwrap()).collect();
        assert!(matches!(connect(&cache), Err(NoConnection::Busy)));
        assert_eq!(waiting(&cache), 0);
    }
}

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
        drop(listener);
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

#[test]
fn connections_that_no_call_uses_are_closed() {
    for max_calls in [1, 2] {
        let (listener, cache) = cache(max_calls, None);
        let in_use = connect(&cache).unwrap();
        cache.close_unused(Some(Duration::ZERO));
        assert_eq!(cache.state().open, 1);
        drop(in_use);
        cache.close_unused(None);
        cache.close_unused(Some(Duration::from_secs(3600)));
        assert_eq!(cache.state().open, 1);
        cache.close_unused(Some(Duration::ZERO));
        assert_eq!(cache.state().open, 0);
        let mut farewell = Vec::new();
        listener.accept().unwrap().0.read_to_end(&mut farewell).unwrap();
        // Its server hangs up.
        drop(connect(&cache).unwrap());
        drop(listener.accept().unwrap());
        while cache.state().open > 0 {
            cache.close_unused(None);
        }
    }
}

#[test]
fn connections_whose_server_hangs_up_are_closed_at_once() {
    for max_calls in [1, 2] {
        let (listener, cache) = cache(max_calls, None);
        drop(connect(&cache).unwrap());
        assert_eq!(cache.state().open, 1);
        drop(listener.accept().unwrap());
        until(|| cache.state().open == 0);
    }
}

#[test]
fn connections_whose_server_hangs_up_during_a_call_are_closed_after_it() {
    for max_calls in [1, 2] {
        let (listener, cache) = cache(max_calls, None);
        let in_use = connect(&cache).unwrap();
        drop(listener.accept().unwrap());
        match &cache.multiplexed {
            None => until(|| !cache.state().hung_up.is_empty()),
            Some(multiplexed) => until(|| multiplexed.least_busy().is_none()),
        }
        drop(in_use);
        assert_eq!(cache.state().open, 0);
        // Threads keep their next connections.
        assert!(cache.slots.iter().all(|slot| !slot.is_recalled()));
        drop(connect(&cache).unwrap());
        let state = cache.state();
        assert_eq!((state.open, state.idle.len()), (1, 0));
    }
}

#[test]
fn a_connection_that_its_server_has_closed_while_idle_is_not_used() {
    let (listener, cache) = cache(1, None);
    drop(connect(&cache).unwrap());
    let server = listener.accept().unwrap().0;
    let (_, thread) = cache.for_caller();
    let slot = cache.slot(thread).unwrap();
    let idle_for_long = |mut idle: Box<ExclusiveConnection>| {
        // The thread that looks for hang-ups has not seen it.
        idle.watched = None;
        idle.last_received = LastReceived::long_ago();
        slot.put(idle);
    };
    let opened = |connection: &AnyConnection<'_>| match connection {
        AnyConnection::Exclusive(call) => call.opened(),
        AnyConnection::Multiplexed(_) => None,
    };
    let idle = slot.take().unwrap();
    let first = idle.opened;
    idle_for_long(idle);
    let again = connect(&cache).unwrap();
    assert_eq!(opened(&again), Some(first), "the server has not closed it");
    drop(again);
    drop(server);
    idle_for_long(slot.take().unwrap());
    assert!(cache.acquire_idle().is_none());
    let other = connect(&cache).unwrap();
    assert_ne!(opened(&other), Some(first));
    assert_eq!(cache.state().open, 1);
    listener.accept().unwrap();
}
