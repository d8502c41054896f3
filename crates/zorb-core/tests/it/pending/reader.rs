//! The reader of a connection: what its functions may do, what it keeps, and when it ends.

use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

use super::send_twice;
use crate::sharing::{answer, read_requests, scripted};
use crate::support::{Echo, Servant, builder, server, until};
use zorb_cdr::Wire;
use zorb_core::codegen::Octets;
use zorb_core::{ObjectRef, Pending};
use zorb_os::priority::{self, Schedule};
use zorb_testkit::in_own_process;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

#[test]
fn a_function_on_the_reader_cannot_wait_for_another_call() {
    let (go, wait) = mpsc::channel::<()>();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        for _ in 0..2 {
            let requests = read_requests(&mut stream, 1);
            wait.recv().unwrap();
            answer(&mut stream, requests);
        }
    });
    let (tell, told) = mpsc::channel();
    let there = echo.clone();
    send_twice(echo.object(), 1).on_reply(move |result| {
        assert_eq!(result.unwrap(), 2);
        let mut pending = send_twice(there.object(), 2);
        let refused = pending.wait_timeout(Duration::from_secs(60)).map(Result::unwrap_err);
        tell.send((refused, pending)).unwrap();
    });
    go.send(()).unwrap();
    let (refused, pending) = told.recv().unwrap();
    let refused = refused.expect("at once");
    assert_eq!(refused.kind, SystemExceptionKind::BadInvOrder);
    assert_eq!(refused.minor, minor::bad_inv_order::WOULD_DEADLOCK);
    go.send(()).unwrap();
    assert_eq!(pending.wait().unwrap(), 4, "another thread may wait for it");
    served.join().unwrap();
}

#[test]
fn the_reader_is_scheduled_as_the_thread_that_started_it() {
    let (go, may_answer) = mpsc::channel();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 1);
        may_answer.recv().unwrap();
        answer(&mut stream, requests);
    });
    let (tell, told) = mpsc::channel();
    let starter = std::thread::scope(|scope| {
        let starter = scope.spawn(|| {
            // Where that is not allowed, both are shared ones.
            let _ = priority::set(Schedule::Fifo(2));
            let call = send_twice(echo.object(), 1);
            call.on_reply(move |_| tell.send(priority::current().unwrap()).unwrap());
            priority::current().unwrap()
        });
        starter.join().unwrap()
    });
    go.send(()).unwrap();
    assert_eq!(told.recv(), Ok(starter));
    served.join().unwrap();
}

#[test]
fn the_reader_receives_again_after_a_caller_that_has_waited() {
    const ROUNDS: usize = 20;
    let (go, wait) = mpsc::channel::<()>();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        for _ in 0..ROUNDS {
            let mut requests = read_requests(&mut stream, 2);
            answer(&mut stream, requests.drain(..1));
            wait.recv().unwrap();
            answer(&mut stream, requests);
        }
    });
    for _ in 0..ROUNDS {
        let (tell, told) = mpsc::channel();
        let waited = send_twice(echo.object(), 1);
        send_twice(echo.object(), 2).on_reply(move |result| tell.send(result).unwrap());
        assert_eq!(waited.wait().unwrap(), 2);
        assert!(told.try_recv().is_err(), "the server has not answered it");
        go.send(()).unwrap();
        assert_eq!(told.recv().unwrap().unwrap(), 4);
    }
    served.join().unwrap();
}

#[test]
fn threads_that_wait_for_calls_on_one_connection_get_their_replies() {
    for calls in ["1", "8"] {
        let (_server, echo) = server();
        let orb = builder().option("MaxCallsPerConnection", calls).build().unwrap();
        let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let there = &there;
                scope.spawn(move || {
                    for value in (0..100).map(|value| 1_000 * thread + value) {
                        let [first, second] =
                            [value, -value].map(|value| send_twice(there.object(), value));
                        assert_eq!(there.twice(value).unwrap(), 2 * value);
                        assert_eq!(second.wait().unwrap(), -2 * value);
                        assert_eq!(first.wait().unwrap(), 2 * value);
                    }
                });
            }
        });
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn connections_of_an_orb_that_is_dropped_close() {
    for calls in ["1", "4"] {
        let (_, echo, served) = scripted(|listener| {
            let (mut stream, _) = listener.accept().unwrap();
            let requests = read_requests(&mut stream, 1);
            answer(&mut stream, requests);
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            stream.read_to_end(&mut Vec::new()).is_ok()
        });
        let ior = echo.object().to_ior_string();
        drop(echo);
        let orb = builder().option("MaxCallsPerConnection", calls).build().unwrap();
        let echo: Echo = orb.resolve(&ior).unwrap();
        assert_eq!(send_twice(echo.object(), 1).wait().unwrap(), 2);
        drop((orb, echo));
        assert!(served.join().unwrap(), "the reader keeps the connection");
    }
}

fn send_mirror(object: &ObjectRef, data: &[u8]) -> Pending<Vec<u8>, SystemException> {
    object.send("mirror", |writer| Octets::write(data, writer), Octets::read)
}

#[test]
fn replies_that_nobody_takes_are_limited() {
    // All ORBs of a process share the limit.
    in_own_process("pending::reader::replies_that_nobody_takes_are_limited", limit_replies);
}

fn limit_replies() {
    let (_server, echo) = server();
    // What 398 replies take, 100 of them from one peer, each with 28 octets before its data.
    let limited = builder().option("MaxBufferedOctets", "409600");
    let orb = limited.option("MaxBufferedOctetsPerPeer", "102800").build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    let data = vec![7; 1_000];
    let check = |object: &ObjectRef, calls: usize, most: usize| {
        let pending: Vec<_> = (0..calls).map(|_| send_mirror(object, &data)).collect();
        // The last reply has arrived.
        until(|| pending.iter().all(Pending::has_ended));
        let (taken, refused): (Vec<_>, Vec<_>) =
            pending.into_iter().map(Pending::wait).partition(Result::is_ok);
        // Each is copied into a buffer of its size.
        assert_eq!(taken.len(), most);
        for refused in refused {
            let exception = refused.unwrap_err();
            assert_eq!(exception.kind, SystemExceptionKind::NoMemory, "{exception}");
            assert_eq!(exception.completed, CompletionStatus::Maybe);
        }
        // Calls whose results were taken no longer count.
        assert_eq!(send_mirror(object, &data).wait().unwrap(), data);
    };
    check(there.object(), 200, 100);
    // Those of the ORB's own objects come from no peer.
    let own: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    check(own.object(), 500, 398);
}
