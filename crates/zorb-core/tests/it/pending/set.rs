//! Several pending calls, whose results are taken in the order in which they end.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::send_twice;
use crate::sharing::{answer, read_messages, read_requests, scripted};
use crate::support::{client, server};
use zorb_core::{Pending, PollableSet};
use zorb_types::{SystemException, minor};

/// Takes the result of the call that ends next.
fn next(set: &mut PollableSet<i32>) -> (usize, Result<i32, SystemException>) {
    set.wait().unwrap().unwrap()
}

#[test]
fn results_are_taken_in_the_order_in_which_the_calls_end() {
    let (go, may_go) = mpsc::channel();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = read_requests(&mut stream, 4);
        requests.rotate_left(2);
        for request in requests {
            may_go.recv().unwrap();
            answer(&mut stream, [request]);
        }
    });
    let mut set: PollableSet<i32> = (0..4).map(|value| send_twice(echo.object(), value)).collect();
    assert!(!set.has_ended() && set.try_take().is_none());
    assert_eq!(set.wait_until(Instant::now()).unwrap(), None);
    assert_eq!(set.wait_timeout(Duration::ZERO).unwrap(), None);
    for number in [2, 3, 0, 1] {
        go.send(()).unwrap();
        let doubled = 2 * i32::try_from(number).unwrap();
        assert_eq!(next(&mut set), (number, Ok(doubled)));
    }
    assert!(set.is_empty() && set.wait().unwrap().is_none());
    served.join().unwrap();
}

#[test]
fn calls_that_have_ended_or_failed_are_taken_too() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let mut set = PollableSet::new();
    let nil = zorb_core::ObjectRef::new(there.object().core(), zorb_giop::Ior::NIL);
    assert_eq!(set.add(send_twice(&nil, 1)), 0);
    let mut taken = send_twice(there.object(), 2);
    assert_eq!(taken.wait_timeout(Duration::MAX), Some(Ok(4)));
    assert_eq!(set.add(taken), 1);
    assert!(set.has_ended());
    assert_eq!(set.len(), 2);
    let (number, failed) = set.try_take().unwrap();
    assert_eq!((number, failed), (0, send_twice(&nil, 1).wait()));
    let (number, again) = set.try_take().unwrap();
    assert_eq!((number, again.unwrap_err().minor), (1, minor::object_not_exist::POLLER_DELIVERED));
    set.extend([send_twice(there.object(), 3)]);
    assert_eq!(next(&mut set), (2, Ok(6)));
}

#[test]
fn a_call_that_is_removed_is_not_taken() {
    let (go, may_go) = mpsc::channel();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 3);
        may_go.recv().unwrap();
        answer(&mut stream, requests);
    });
    let mut set: PollableSet<i32> = (1..4).map(|value| send_twice(echo.object(), value)).collect();
    let before = set.remove(0).unwrap();
    assert!(set.remove(0).is_none());
    go.send(()).unwrap();
    // All have ended when the last one has.
    let last = set.remove(2).unwrap();
    assert_eq!(last.wait(), Ok(6));
    let ended = set.remove(1).unwrap();
    assert!(!set.has_ended() && set.try_take().is_none());
    assert_eq!([before.wait(), ended.wait()], [Ok(2), Ok(4)]);
    served.join().unwrap();
}

#[test]
fn calls_of_a_set_that_is_dropped_are_cancelled() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let (requests, cancelled) = read_messages(&mut stream, 4);
        let ids: Vec<_> = requests.iter().map(|&(id, _)| id).collect();
        assert_eq!(ids, cancelled);
        let request = read_requests(&mut stream, 1);
        answer(&mut stream, request);
    });
    let set: PollableSet<i32> = (1..3).map(|value| send_twice(echo.object(), value)).collect();
    drop(set);
    assert_eq!(send_twice(echo.object(), 4).wait(), Ok(8));
    served.join().unwrap();
}

#[test]
fn a_function_for_a_reply_cannot_wait_for_a_set() {
    let (go, may_go) = mpsc::channel();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 2);
        let (first, second) = requests.split_at(1);
        may_go.recv().unwrap();
        answer(&mut stream, first.iter().copied());
        // The function has run when the client asks again.
        let request = read_requests(&mut stream, 1);
        answer(&mut stream, second.iter().copied().chain(request));
    });
    let first = send_twice(echo.object(), 1);
    let mut set: PollableSet<i32> = [send_twice(echo.object(), 2)].into_iter().collect();
    let (tell, told) = mpsc::channel();
    first.on_reply(move |_| {
        let refused = set.wait().unwrap_err();
        tell.send((refused.minor, set)).unwrap();
    });
    go.send(()).unwrap();
    let (code, mut set) = told.recv().unwrap();
    assert_eq!(code, minor::bad_inv_order::WOULD_DEADLOCK);
    let pending: Pending<i32, _> = send_twice(echo.object(), 3);
    assert_eq!(next(&mut set), (0, Ok(4)));
    assert_eq!(pending.wait(), Ok(6));
    served.join().unwrap();
}
