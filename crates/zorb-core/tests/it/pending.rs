//! Calls whose callers do not wait: replies in any order, cancellation, deadlines, ends of connections, forwards.

mod first;
mod in_thread;
mod interleaved;
mod reader;
mod resent;
mod to_all;
mod wakers;

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use crate::scripted::{Play, script};
use crate::sharing::{answer, closing, read_messages, read_requests, scripted};
use crate::support::{Acting, Echo, RepeatError, builder, client, server};
use zorb_cdr::{ByteOrder, Wire};
use zorb_core::{ObjectRef, Pending};
use zorb_giop::{GiopVersion, IiopProfile, Ior};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

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
fn a_task_whose_waker_panics_harms_no_other_call() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("on purpose")
        }
    }
    let (release, released) = mpsc::channel::<()>();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 2);
        released.recv().unwrap();
        answer(&mut stream, requests);
    });
    let mut first = Box::pin(send_twice(echo.object(), 1));
    let second = send_twice(echo.object(), 2);
    let waker = Waker::from(Arc::new(Panics));
    assert!(first.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    release.send(()).unwrap();
    assert_eq!(second.wait().unwrap(), 4);
    served.join().unwrap();
}

#[test]
fn a_dropped_call_is_cancelled_and_the_connection_stays_usable() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let (requests, cancelled) = read_messages(&mut stream, 3);
        assert_eq!(cancelled, [requests[1].0]);
        // The server has answered before it gets the CancelRequest.
        answer(&mut stream, requests);
        let last = read_requests(&mut stream, 1);
        answer(&mut stream, last);
    });
    let kept = send_twice(echo.object(), 1);
    drop(send_twice(echo.object(), 2));
    assert_eq!(kept.wait().unwrap(), 2);
    assert_eq!(send_twice(echo.object(), 3).wait().unwrap(), 6);
    served.join().unwrap();
}

#[test]
fn a_call_times_out_without_a_caller_that_waits() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let (requests, cancelled) = read_messages(&mut stream, 3);
        assert_eq!(cancelled, [requests[1].0]);
        answer(&mut stream, requests);
    });
    let patient = send_twice(echo.object(), 1);
    let hasty = echo.object().with_timeout(Duration::from_millis(200));
    let (tell, told) = mpsc::channel();
    loop {
        let tell = tell.clone();
        send_twice(&hasty, 2).on_reply(move |result| tell.send(result).unwrap());
        let late = told.recv().unwrap().unwrap_err();
        assert_eq!(late.kind, SystemExceptionKind::Timeout);
        if late.completed == CompletionStatus::Maybe {
            break;
        }
        // On a slow machine its time was over before it was sent.
    }
    assert_eq!(patient.wait().unwrap(), 2);
    served.join().unwrap();
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
fn the_end_of_the_connection_ends_all_calls() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 3);
        answer(&mut stream, requests.into_iter().take(1));
    });
    let pending = [1, 2, 3].map(|value| send_twice(echo.object(), value));
    let [first, second, third] = pending.map(Pending::wait);
    assert_eq!(first.unwrap(), 2);
    for lost in [second.unwrap_err(), third.unwrap_err()] {
        assert_eq!(lost.kind, SystemExceptionKind::CommFailure);
        assert_eq!(lost.completed, CompletionStatus::Maybe);
    }
    served.join().unwrap();
}

#[test]
fn calls_that_a_closing_server_has_not_taken_go_over_another_connection() {
    let (_orb, echo, served) = scripted(|listener| {
        use std::io::Write;
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = read_requests(&mut stream, 3);
        let others = requests.split_off(1);
        answer(&mut stream, requests);
        stream.write_all(&closing()).unwrap();
        drop(stream);
        let (mut stream, _) = listener.accept().unwrap();
        let again = read_requests(&mut stream, 2);
        let values =
            |requests: &[(u32, i32)]| requests.iter().map(|it| it.1).collect::<BTreeSet<_>>();
        assert_eq!(values(&again), values(&others));
        answer(&mut stream, again);
    });
    let pending = [1, 2, 3].map(|value| send_twice(echo.object(), value));
    assert_eq!(pending.map(|call| call.wait().unwrap()), [2, 4, 6]);
    served.join().unwrap();
}

#[test]
fn forwards_are_followed() {
    let (_server, real) = server();
    let there = real.object().ior().clone();
    let (ior, served) = script(vec![vec![Play::Forward(there)]]);
    let orb = builder().build().unwrap();
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    assert_eq!(send_twice(echo.object(), 4).wait().unwrap(), 8);
    assert_eq!(send_twice(echo.object(), 5).wait().unwrap(), 10);
    assert_eq!(served.join().unwrap(), 1, "the second call goes directly to the new server");
}

#[test]
fn arguments_that_another_server_takes_in_another_encoding_are_not_sent_again() {
    let (_server, real) = server();
    let there = real.object().ior().clone();
    let (ior, served) = script(vec![vec![Play::Forward(there)]]);
    let orb = builder().build().unwrap();
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    // The first server has no code sets, so the text is Latin-1; the other one gets UTF-8.
    match send_repeat(echo.object(), "\u{e4}", 2).wait().unwrap_err() {
        RepeatError::System(exception) => {
            assert_eq!(exception.kind, SystemExceptionKind::Transient);
            assert_eq!(exception.completed, CompletionStatus::No);
        }
        RepeatError::Refused(_) => panic!("sent"),
    }
    assert_eq!(send_repeat(echo.object(), "\u{e4}", 2).wait().unwrap(), "\u{e4}\u{e4}");
    served.join().unwrap();
}

#[test]
fn a_server_that_cannot_be_reached_ends_the_call() {
    let orb = builder().build().unwrap();
    let profile = IiopProfile {
        version: GiopVersion::V1_2,
        host: "127.0.0.4".to_owned(),
        port: 1,
        object_key: b"nobody".to_vec(),
        components: Vec::new(),
    };
    let profiles = vec![profile.encode(ByteOrder::NATIVE).unwrap()];
    let ior = Ior { type_id: String::new(), profiles };
    let echo: Echo =
        orb.resolve::<ObjectRef>(&ior.to_stringified().unwrap()).unwrap().unchecked_narrow();
    let unreachable = send_twice(echo.object(), 1);
    assert!(unreachable.has_ended());
    assert_eq!(unreachable.wait().unwrap_err().kind, SystemExceptionKind::Transient);
    let nil = ObjectRef::new(echo.object().core(), Ior::NIL);
    send_twice(&nil, 1).wait().unwrap_err();
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
fn functions_get_results_on_the_reader_and_may_make_calls() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let (tell, told) = mpsc::channel();
    for value in 0..10 {
        let (tell, there) = (tell.clone(), there.clone());
        send_twice(there.clone().object(), value).on_reply(move |result| {
            let again = there.twice(result.unwrap()).unwrap();
            let pending = send_twice(there.object(), again);
            pending.on_reply(move |last| tell.send(last.unwrap()).unwrap());
        });
    }
    drop(tell);
    let mut results: Vec<i32> = told.iter().collect();
    results.sort_unstable();
    assert_eq!(results, (0..10).map(|value| value * 8).collect::<Vec<_>>());
}

#[test]
fn a_function_that_panics_harms_no_other_call() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    send_twice(there.object(), 1).on_reply(|_| panic!("on purpose"));
    assert_eq!(send_twice(there.object(), 2).wait().unwrap(), 4);
}

#[test]
fn there_is_a_limit() {
    let (go, wait) = mpsc::channel::<()>();
    let (_server, echo) = {
        let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let wait = std::sync::Mutex::new(wait);
        let servant = Acting(move |value| {
            let _ = wait.lock().unwrap().recv();
            Ok(value)
        });
        let echo: Echo = orb.root_poa().activate(servant).unwrap();
        (orb, echo)
    };
    let orb = builder().option("MaxPendingCallsPerConnection", "2").build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    let pending = [1, 2].map(|value| send_twice(there.object(), value));
    let refused = send_twice(there.object(), 3).wait().unwrap_err();
    assert_eq!(refused.minor, minor::transient::TOO_MANY_PENDING);
    assert_eq!(refused.completed, CompletionStatus::No);
    drop(go);
    assert_eq!(pending.map(|call| call.wait().unwrap()), [1, 2]);
    assert_eq!(send_twice(there.object(), 3).wait().unwrap(), 3);
}

#[test]
fn a_shutdown_ends_pending_calls() {
    let (orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 1);
        (stream, requests)
    });
    let pending = send_twice(echo.object(), 1);
    let stream = served.join().unwrap();
    orb.shutdown(true).unwrap();
    let ended = pending.wait().unwrap_err();
    assert_eq!(ended.completed, CompletionStatus::Maybe, "{ended}");
    let after = send_twice(echo.object(), 2).wait().unwrap_err();
    assert_eq!(after.completed, CompletionStatus::No);
    drop(stream);
}

/// Runs a future on this thread: an executor.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn calls_can_be_awaited() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let sum = block_on(async {
        let pending: Vec<_> = (0..100).map(|value| send_twice(there.object(), value)).collect();
        let mut sum = 0;
        for call in pending {
            sum += call.await.unwrap();
        }
        sum
    });
    assert_eq!(sum, 9_900);
}

#[test]
fn ten_thousand_calls_are_pending_on_one_connection() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = read_requests(&mut stream, 10_000);
        requests.reverse();
        answer(&mut stream, requests);
    });
    let pending: Vec<_> = (0..10_000).map(|value| send_twice(echo.object(), value)).collect();
    let results = pending.into_iter().map(|call| call.wait().unwrap());
    assert!(results.eq((0..10_000).map(|value| value * 2)));
    served.join().unwrap();
}
