//! Idle connections, and those whose server hangs up.

use std::io::Read;
use std::net::Shutdown;
use std::time::Duration;

use zorb_testkit::until;

use super::{cache, connect};
use crate::client::any_connection::AnyConnection;
use crate::client::connection::LastReceived;
use crate::client::exclusive::ExclusiveConnection;

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
        let mut last = Vec::new();
        listener.accept().unwrap().0.read_to_end(&mut last).unwrap();
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
    // A process that another test starts has a copy of the socket for a moment.
    server.shutdown(Shutdown::Both).unwrap();
    let idle = slot.take().unwrap();
    until(|| idle.stream.is_readable());
    idle_for_long(idle);
    assert!(cache.acquire_idle().is_none());
    let other = connect(&cache).unwrap();
    assert_ne!(opened(&other), Some(first));
    assert_eq!(cache.state().open, 1);
    listener.accept().unwrap();
}
