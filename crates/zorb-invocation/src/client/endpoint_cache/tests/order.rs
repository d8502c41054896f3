//! The order in which callers that wait get connections.

use std::net::TcpListener;
use std::sync::Mutex;

use zorb_os::priority::{self, Schedule, set};
use zorb_testkit::until;

use super::{cache, cache_of, connect, waiting};
use crate::client::any_connection::AnyConnection;
use crate::client::endpoint_cache::EndpointCache;

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
