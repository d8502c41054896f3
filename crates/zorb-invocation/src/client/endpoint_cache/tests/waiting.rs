//! Callers that wait for the next attempt to connect, or for a connection that others release.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::connection_count::ConnectionCount;
use zorb_base::options::Options;
use zorb_base::upcall_thread::{begin_upcall, end_upcall};
use zorb_testkit::{stop_listening, until};

use super::{NoTimeLeft, cache, cache_among, cache_of, connect, waiting};
use crate::client::any_connection::AnyConnection;
use crate::client::connect_time::ConnectTime;
use crate::client::connection::LastReceived;
use crate::client::connection_settings::ConnectionSettings;
use crate::client::endpoint_cache::{EndpointCache, NoConnection, OtherConnections, Wanted};
use crate::client::reconnecting::ReconnectDelays;

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
        stop_listening(listener);
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

/// Calls `then` while a caller waits for the only connection. It is in the slot as by a thread that has not looked yet
/// whether that is recalled, or has looked there in vain. Returns when the caller has had it.
fn while_a_caller_waits(last_received: LastReceived, then: impl FnOnce(&EndpointCache)) {
    let (_listener, cache) = cache(1, Some(Duration::from_secs(60)));
    drop(connect(&cache).unwrap());
    let (_, thread) = cache.for_caller();
    let slot = cache.slot(thread).unwrap();
    let mut idle = slot.take().unwrap();
    idle.last_received = last_received;
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| drop(connect(&cache).unwrap()));
        until(|| waiting(&cache) == 1);
        slot.put(idle);
        then(&cache);
        waits.join().unwrap();
    });
}

#[test]
fn a_nested_call_checks_its_own_connection_before_it_opens_another() {
    while_a_caller_waits(LastReceived::long_ago(), |cache| {
        let call = nested(cache);
        assert_eq!(cache.state().open, 1);
        drop(call);
    });
}

#[test]
fn a_caller_that_waits_gets_the_connection_that_another_caller_finds_or_has_to_check() {
    for last_received in [LastReceived::now(), LastReceived::long_ago()] {
        while_a_caller_waits(last_received, |cache| assert!(cache.acquire_idle().is_none()));
        while_a_caller_waits(last_received, |cache| {
            let call = connect(cache).unwrap();
            // The one that waited has had it: nobody else is in the queue.
            assert_eq!(waiting(cache), 0);
            drop(call);
        });
    }
}

#[test]
fn a_caller_that_waits_gets_a_connection_that_was_looked_at_while_it_was_released() {
    while_a_caller_waits(LastReceived::now(), |cache| {
        assert!(cache.idle_since(ConnectionCount::of_clients()).is_some());
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
