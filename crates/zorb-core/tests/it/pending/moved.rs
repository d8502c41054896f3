//! Calls that go over another connection, or to another server.

use std::collections::BTreeSet;

use super::{send_repeat, send_twice};
use crate::scripted::{Play, script};
use crate::sharing::{answer, closing, read_requests, scripted};
use crate::support::{Echo, RepeatError, builder, server};
use zorb_types::{CompletionStatus, SystemExceptionKind};

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
