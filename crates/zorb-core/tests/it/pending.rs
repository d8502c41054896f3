//! Pending calls.

mod early;
mod ended;
mod first;
mod functions;
mod in_thread;
mod interleaved;
mod late;
mod many;
mod moved;
mod reader;
mod resent;
mod set;
mod streams;
mod to_all;
mod wakers;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::sharing::{answer, read_requests, scripted};
use crate::support::{Acting, Echo, RepeatError, builder, client, server};
use zorb_cdr::Wire;
use zorb_core::{ObjectRef, Pending};
use zorb_testkit::in_own_process;
use zorb_types::{SystemException, SystemExceptionKind, minor};

pub(crate) fn send_twice(object: &ObjectRef, value: i32) -> Pending<i32, SystemException> {
    object.send("twice", move |writer| i32::write(&value, writer), i32::read)
}

fn send_repeat(object: &ObjectRef, text: &str, times: i32) -> Pending<String, RepeatError> {
    let arguments = |writer: &mut zorb_cdr::CdrWriter<'_>| {
        String::write(text, writer)?;
        i32::write(&times, writer)
    };
    object.send("repeat", arguments, String::read)
}

#[test]
fn results_and_exceptions_are_those_of_a_call_that_waits() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let object = there.object();
    assert_eq!(send_twice(object, 4).wait().unwrap(), 8);
    assert_eq!(send_repeat(object, "ab", 3).wait().unwrap(), "ababab");
    match send_repeat(object, "", -1).wait().unwrap_err() {
        RepeatError::Refused(refused) => assert_eq!(refused.why, "-1 is negative"),
        RepeatError::System(exception) => panic!("{exception}"),
    }
    let unknown = object.send::<(), SystemException>("unknown", |_| Ok(()), |_| Ok(()));
    let unknown = unknown.wait().unwrap_err();
    assert_eq!(unknown.kind, SystemExceptionKind::BadOperation);
    assert_eq!(unknown, there.unknown().unwrap_err());
    // Larger than what is copied out of the receive buffer.
    let data = vec![7_u8; 100_000];
    let mirror = |data: &[u8]| {
        let sent = object.send::<Vec<u8>, SystemException>(
            "mirror",
            |writer| zorb_core::codegen::Octets::write(data, writer),
            zorb_core::codegen::Octets::read,
        );
        sent.wait().unwrap()
    };
    assert_eq!(mirror(&data), data);
}

#[test]
fn replies_in_any_order_find_their_calls() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = read_requests(&mut stream, 4);
        requests.reverse();
        answer(&mut stream, requests);
    });
    let mut pending: Vec<_> = (1..5).map(|value| send_twice(echo.object(), value)).collect();
    // Those that are answered last are waited for first.
    assert_eq!(pending.remove(0).wait().unwrap(), 2);
    assert!(pending.iter().all(Pending::has_ended), "the replies came before");
    let results: Vec<_> =
        pending.iter_mut().map(|call| call.try_take().unwrap().unwrap()).collect();
    assert_eq!(results, [4, 6, 8]);
    served.join().unwrap();
}

#[test]
fn a_result_is_taken_once() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let mut pending = send_twice(there.object(), 4);
    let taken = pending.wait_until(Instant::now() + Duration::from_secs(60));
    assert_eq!(taken.unwrap().unwrap(), 8);
    assert!(pending.has_ended());
    let again = pending.try_take().unwrap().unwrap_err();
    assert_eq!(again.minor, minor::object_not_exist::POLLER_DELIVERED);
}

#[test]
fn a_caller_that_waits_reads_its_own_reply_beside_pending_calls() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let late = read_requests(&mut stream, 2);
        for _ in 0..3 {
            let request = read_requests(&mut stream, 1);
            answer(&mut stream, request);
        }
        // A caller that waits passes on what it receives for others.
        let request = read_requests(&mut stream, 1);
        answer(&mut stream, late.into_iter().chain(request));
    });
    let mut pending = [10, 20].map(|value| send_twice(echo.object(), value));
    for value in 1..4 {
        assert_eq!(echo.twice(value).unwrap(), 2 * value);
    }
    assert!(pending.iter_mut().all(|call| call.try_take().is_none()));
    assert_eq!(echo.twice(5).unwrap(), 10);
    assert_eq!(pending.map(|call| call.wait().unwrap()), [20, 40]);
    served.join().unwrap();
}

#[test]
fn a_call_in_an_upcall_does_not_wait_for_pending_ones() {
    let (release, released) = mpsc::channel::<()>();
    let released = std::sync::Mutex::new(released);
    let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let echo: Echo = server
        .root_poa()
        .activate(Acting(move |value| {
            if value == 1 {
                released.lock().unwrap().recv().unwrap();
            }
            Ok(2 * value)
        }))
        .unwrap();
    // Pending calls share the connections of others.
    let client = builder().option("MaxCallsPerConnection", "4").build().unwrap();
    let there: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
    let pending = send_twice(there.object(), 1);
    let called = there.clone();
    let here: Echo = client.root_poa().activate(Acting(move |value| called.twice(value))).unwrap();
    assert_eq!(here.twice(3), Ok(6));
    release.send(()).unwrap();
    assert_eq!(pending.wait().unwrap(), 2);
}

#[test]
fn a_wait_that_ends_leaves_the_call_pending() {
    let (go, wait) = mpsc::channel::<()>();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 1);
        wait.recv().unwrap();
        answer(&mut stream, requests);
    });
    let mut pending = send_twice(echo.object(), 1);
    assert!(pending.wait_timeout(Duration::from_millis(1)).is_none());
    assert!(!pending.has_ended());
    go.send(()).unwrap();
    assert_eq!(pending.wait().unwrap(), 2);
    served.join().unwrap();
}

#[test]
fn calls_of_objects_of_the_same_orb_run_at_once() {
    let (_server, echo) = server();
    let mut pending = send_twice(echo.object(), 4);
    assert_eq!(pending.try_take().unwrap().unwrap(), 8);
    let refused = send_repeat(echo.object(), "", -1);
    assert!(matches!(refused.wait().unwrap_err(), RepeatError::Refused(_)));
}

#[test]
fn ten_thousand_calls_are_pending_on_one_connection() {
    // The threads of the process are counted.
    in_own_process("pending::ten_thousand_calls_are_pending_on_one_connection", ten_thousand);
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// How many threads of the process receive for pending calls.
fn readers() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    // A thread may end meanwhile.
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim() == "zorb-replies").count()
}

fn ten_thousand() {
    let (go, may_answer) = mpsc::channel();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = read_requests(&mut stream, 10_000);
        requests.reverse();
        may_answer.recv().unwrap();
        answer(&mut stream, requests);
    });
    assert_eq!(readers(), 0);
    let mut pending = vec![send_twice(echo.object(), 0)];
    let before = threads();
    pending.extend((1..10_000).map(|value| send_twice(echo.object(), value)));
    // One that has done its work may end meanwhile.
    assert!(threads() <= before);
    assert_eq!(readers(), 1, "one for the connection");
    go.send(()).unwrap();
    let results = pending.into_iter().map(|call| call.wait().unwrap());
    assert!(results.eq((0..10_000).map(|value| value * 2)));
    served.join().unwrap();
}
