//! Pending calls.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use zorb::{
    CdrWriter, CompletionStatus, Interface, ObjectRef, Octets, Pending, SystemExceptionKind, Wire,
};

use crate::Subject;
use crate::calls::pattern;
use crate::idl::suite;

pub(crate) fn send_add(object: &ObjectRef, left: i32, right: i32) -> Pending<i32> {
    let arguments = |writer: &mut CdrWriter<'_>| {
        i32::write(&left, writer)?;
        i32::write(&right, writer)
    };
    object.send("add", arguments, i32::read)
}

fn send_mirror(object: &ObjectRef, data: &[u8]) -> Pending<Vec<u8>> {
    object.send("mirror", |writer| Octets::write(data, writer), Octets::read)
}

fn send_wait(object: &ObjectRef) -> Pending<()> {
    object.send("wait_at_gate", |_| Ok(()), |_| Ok(()))
}

/// Many at once, small and large, beside callers that wait, whether calls share connections or not.
pub fn pending_calls_return(on: &Subject, _: &'static str) {
    let server = on.server();
    for calls in ["1", "64"] {
        let client = on.builder().option("MaxCallsPerConnection", calls).build().unwrap();
        let there = server.seen_by(&client);
        let object = there.as_object();
        let large = pattern(100_000);
        for _ in 0..3 {
            let small: Vec<_> = (0..50).map(|number| send_add(object, number, 1)).collect();
            let mirrored = [send_mirror(object, &large), send_mirror(object, &[])];
            assert_eq!(there.add(1, 2).unwrap(), 3);
            for (number, call) in (0..).zip(small) {
                assert_eq!(call.wait().unwrap(), number + 1);
            }
            let [mirrored, empty] = mirrored.map(|call| call.wait().unwrap());
            assert!(mirrored == large && empty.is_empty());
        }
    }
}

/// One ends with its deadline and one is dropped; others go on.
pub fn pending_calls_end_without_a_reply(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let object = there.as_object();
    assert_eq!(send_add(object, 1, 2).wait().unwrap(), 3);
    let impatient = object.with_timeout(Duration::from_millis(50));
    let late = send_wait(&impatient).wait().unwrap_err();
    assert_eq!(late.kind, SystemExceptionKind::Timeout, "{late}");
    drop(send_wait(object));
    let waits = send_wait(object);
    there.open_gate().unwrap();
    waits.wait().unwrap();
    assert_eq!(send_add(object, 3, 4).wait().unwrap(), 7);
    client.shutdown(true).unwrap();
    let refused = send_add(object, 1, 1).wait().unwrap_err();
    assert_eq!(refused.completed, CompletionStatus::No);
}

/// Several threads make their first calls at once, without an open connection.
pub fn first_pending_calls_of_many_threads_return(on: &Subject, _: &'static str) {
    const THREADS: i32 = 8;
    let (server, client) = (on.server(), on.client());
    let there: suite::Subject = server.seen_by(&client);
    let together = Arc::new(Barrier::new(8));
    let call = |number: i32| {
        let (object, together) = (there.as_object().clone(), Arc::clone(&together));
        thread::spawn(move || {
            together.wait();
            send_add(&object, number, number).wait()
        })
    };
    let threads: Vec<_> = (0..THREADS).map(call).collect();
    for (number, thread) in (0..).zip(threads) {
        assert_eq!(thread.join().unwrap().unwrap(), number * 2);
    }
}
