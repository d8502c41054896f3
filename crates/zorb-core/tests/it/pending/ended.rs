//! Calls that end without a reply: cancelled, late, refused, or without a server.

use std::sync::mpsc;
use std::task::{Context, Waker};
use std::time::Duration;

use super::send_twice;
use crate::sharing::{answer, read_messages, read_requests, scripted};
use crate::support::{Acting, Echo, builder};
use zorb_cdr::ByteOrder;
use zorb_core::{ObjectRef, Pending};
use zorb_giop::{GiopVersion, IiopProfile, Ior};
use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

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

async fn result_of(call: Pending<i32>) -> zorb_core::Result<i32> {
    call.await
}

/// As a timeout of an executor does, which drops the future that it has polled.
#[test]
fn a_call_whose_await_is_dropped_is_cancelled() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let (requests, cancelled) = read_messages(&mut stream, 3);
        assert_eq!(cancelled, [requests[0].0]);
        // Only the other call is answered.
        answer(&mut stream, requests.into_iter().skip(1));
    });
    let awaited = result_of(send_twice(echo.object(), 1));
    let kept = send_twice(echo.object(), 2);
    let mut awaited = Box::pin(awaited);
    let mut context = Context::from_waker(Waker::noop());
    assert!(awaited.as_mut().poll(&mut context).is_pending());
    drop(awaited);
    assert_eq!(kept.wait().unwrap(), 4);
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

/// The reader sees the last reply and the end behind it at once.
#[test]
fn the_end_of_a_connection_behind_the_last_reply_is_noticed() {
    const ROUNDS: i32 = 20;
    let (_orb, echo, served) = scripted(|listener| {
        for _ in 0..ROUNDS {
            let (mut stream, _) = listener.accept().unwrap();
            let mut requests = read_requests(&mut stream, 2);
            requests.truncate(1);
            answer(&mut stream, requests);
        }
    });
    let (tell, told) = mpsc::channel();
    for round in 0..ROUNDS {
        // No caller receives for them.
        for value in [round, -1] {
            let tell = tell.clone();
            send_twice(echo.object(), value).on_reply(move |result| tell.send(result).unwrap());
        }
        assert_eq!(told.recv().unwrap().unwrap(), round * 2);
        let lost = told.recv().unwrap().unwrap_err();
        assert_eq!(lost.kind, SystemExceptionKind::CommFailure);
    }
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
