//! Calls of several threads over one connection: a server that plays a script, and real ones.

use std::io::{Read, Write};
use std::iter;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::support::{Echo, Servant, builder, server};
use zorb_cdr::ByteOrder;
use zorb_core::Orb;
use zorb_giop::{
    CancelRequest, GiopVersion, IiopProfile, Ior, MessageKind, MessageWriter, ReplyStatus,
    RequestHeader,
};
use zorb_testkit::read_message;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

const ORDER: ByteOrder = ByteOrder::Big;
const VERSION: GiopVersion = GiopVersion::V1_2;

/// An ORB whose calls to an endpoint all go over one connection.
pub(crate) fn sharing_orb() -> Orb {
    let one = builder().option("MaxConnectionsPerEndpoint", "1");
    one.option("MaxCallsPerConnection", "64").build().unwrap()
}

/// A server that runs `play`, its reference, and a client that shares connections.
pub(crate) fn scripted<T: Send + 'static>(
    play: impl FnOnce(TcpListener) -> T + Send + 'static,
) -> (Orb, Echo, JoinHandle<T>) {
    scripted_for(sharing_orb(), play)
}

/// A server that runs `play`, its reference, and a client with this ORB.
pub(crate) fn scripted_for<T: Send + 'static>(
    orb: Orb,
    play: impl FnOnce(TcpListener) -> T + Send + 'static,
) -> (Orb, Echo, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let profile = IiopProfile {
        version: VERSION,
        host: "127.0.0.1".to_owned(),
        port: listener.local_addr().unwrap().port(),
        object_key: b"scripted".to_vec(),
        components: Vec::new(),
    };
    let type_id = "IDL:zorb.test/Echo:1.0".to_owned();
    let ior = Ior { type_id, profiles: vec![profile.encode(ORDER).unwrap()] };
    let served = std::thread::spawn(move || play(listener));
    let echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    (orb, echo, served)
}

/// The ids and arguments of the next requests.
pub(crate) fn read_requests(stream: &mut impl Read, count: usize) -> Vec<(u32, i32)> {
    let (requests, cancelled) = read_messages(stream, count);
    assert!(cancelled.is_empty());
    requests
}

/// The ids and arguments of the requests among the next messages, and the ids of the cancelled.
pub(crate) fn read_messages(stream: &mut impl Read, count: usize) -> (Vec<(u32, i32)>, Vec<u32>) {
    let (mut requests, mut cancelled) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (header, message) = read_message(stream).unwrap();
        if header.kind == MessageKind::CancelRequest {
            cancelled.push(CancelRequest::read(&message, &header).unwrap().request_id);
            continue;
        }
        assert_eq!(header.kind, MessageKind::Request);
        let (request, mut body) = RequestHeader::read(&message, &header).unwrap();
        requests.push((request.request_id, body.read_i32().unwrap()));
    }
    (requests, cancelled)
}

pub(crate) fn answer(stream: &mut impl Write, requests: impl IntoIterator<Item = (u32, i32)>) {
    let mut all = Vec::new();
    for (id, value) in requests {
        let mut octets = Vec::new();
        let reply = ReplyStatus::NoException;
        let mut message =
            MessageWriter::reply(&mut octets, VERSION, ORDER, id, reply, &[]).unwrap();
        message.body(Default::default()).write_i32(value * 2);
        message.finish().unwrap();
        all.extend(octets);
    }
    // In one piece, so that the client reads several at once.
    stream.write_all(&all).unwrap();
}

pub(crate) fn closing() -> Vec<u8> {
    let mut octets = Vec::new();
    MessageWriter::close_connection(&mut octets, VERSION, ORDER);
    octets
}

/// The results of concurrent calls, one per thread.
fn calls(echo: &Echo, values: &[i32]) -> Vec<Result<i32, SystemException>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            values.iter().map(|&value| scope.spawn(move || echo.twice(value))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn replies_in_any_order_find_their_callers() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = read_requests(&mut stream, 3);
        requests.reverse();
        answer(&mut stream, requests);
        // One at a time, the first request last.
        let mut requests = read_requests(&mut stream, 3);
        requests.rotate_left(1);
        for request in requests {
            answer(&mut stream, [request]);
        }
    });
    for _ in 0..2 {
        assert_eq!(calls(&echo, &[1, 20, 300]), [Ok(2), Ok(40), Ok(600)]);
    }
    served.join().unwrap();
}

/// More tries than any machine needs for a request that is sent in time.
const MOST_TRIES: usize = 1000;

/// Makes calls that time out until one has sent its request before: on a slow machine, the time of some is over.
fn until_sent(call: impl FnMut() -> SystemException) {
    let is_sent = |late: SystemException| {
        assert_eq!(late.kind, SystemExceptionKind::Timeout);
        late.completed == CompletionStatus::Maybe
    };
    assert!(iter::repeat_with(call).take(MOST_TRIES).any(is_sent));
}

/// Makes calls with a short timeout until one has sent its request before it timed out.
fn give_up(echo: &Echo) {
    let hasty = echo.object().with_timeout(Duration::from_millis(30)).unchecked_narrow::<Echo>();
    until_sent(|| hasty.twice(1).unwrap_err());
}

#[test]
fn a_request_that_is_given_up_is_cancelled() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let first = read_requests(&mut stream, 1);
        answer(&mut stream, first);
        let (requests, cancelled) = read_messages(&mut stream, 2);
        assert_eq!(cancelled, [requests[0].0]);
    });
    assert_eq!(echo.twice(4), Ok(8));
    give_up(&echo);
    served.join().unwrap();
}

#[test]
fn a_timeout_does_not_affect_other_callers() {
    let (gives_up, given_up) = mpsc::channel();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let first = read_requests(&mut stream, 1);
        answer(&mut stream, first);
        // A caller that times out before it could send does not cancel its request.
        let next = |stream: &mut TcpStream, count| -> Vec<_> {
            let all = iter::repeat_with(|| read_messages(stream, 1).0);
            all.flatten().take(count).collect()
        };
        for _ in 0..2 {
            // Each time one of the three times out, and its reply arrives late, before the others'.
            let mut requests = next(&mut stream, 3);
            given_up.recv().unwrap();
            requests.sort_by_key(|&(_, value)| value != 1);
            answer(&mut stream, requests);
        }
        let last = next(&mut stream, 1);
        answer(&mut stream, last);
    });
    // The connection is open, and has announced everything.
    assert_eq!(echo.twice(2), Ok(4));
    for hasty_begins in [true, false] {
        std::thread::scope(|scope| {
            // The first caller reads for all; later ones wait.
            let patient = |value| {
                let echo = &echo;
                scope.spawn(move || echo.twice(value))
            };
            let before = (!hasty_begins).then(|| [patient(20), patient(300)]);
            let late = scope.spawn(|| give_up(&echo));
            let patient = before.unwrap_or_else(|| [patient(20), patient(300)]);
            late.join().unwrap();
            gives_up.send(()).unwrap();
            let values = patient.map(|thread| thread.join().unwrap());
            assert_eq!(values, [Ok(40), Ok(600)]);
        });
    }
    assert_eq!(echo.twice(4), Ok(8), "the connection is still good");
    served.join().unwrap();
}

#[test]
fn all_who_wait_learn_that_the_connection_is_lost() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        read_requests(&mut stream, 3);
        drop(stream);
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 1);
        answer(&mut stream, requests);
    });
    for outcome in calls(&echo, &[1, 2, 3]) {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::CommFailure);
        assert_eq!(error.completed, CompletionStatus::Maybe);
    }
    assert_eq!(echo.twice(5), Ok(10), "the next call has a new connection");
    served.join().unwrap();
}

#[test]
fn requests_unanswered_at_close_are_resent() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 3);
        answer(&mut stream, requests.into_iter().filter(|(_, value)| *value == 1));
        stream.write_all(&closing()).unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 2);
        answer(&mut stream, requests);
    });
    assert_eq!(calls(&echo, &[1, 20, 300]), [Ok(2), Ok(40), Ok(600)]);
    served.join().unwrap();
}

#[test]
fn babble_ends_the_calls_of_the_connection_and_no_others() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        read_requests(&mut stream, 3);
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 1);
        answer(&mut stream, requests);
    });
    for outcome in calls(&echo, &[1, 2, 3]) {
        assert_eq!(outcome.unwrap_err().kind, SystemExceptionKind::CommFailure);
    }
    assert_eq!(echo.twice(5), Ok(10));
    served.join().unwrap();
}

/// Clients with connections of both kinds.
fn both(orb: Orb, echo: &Echo) -> [(Orb, Echo); 2] {
    let exclusive = builder().build().unwrap();
    let same = exclusive.resolve(&echo.object().to_ior_string()).unwrap();
    [(orb, echo.clone()), (exclusive, same)]
}

#[test]
fn a_malformed_reply_is_answered_with_a_message_error() {
    let (orb, echo, served) = scripted(|listener| {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            read_requests(&mut stream, 1);
            // A reply that ends within its id.
            stream.write_all(b"GIOP\x01\x02\x00\x01\x00\x00\x00\x02ab").unwrap();
            assert_eq!(read_message(&mut stream).unwrap().0.kind, MessageKind::MessageError);
        }
    });
    for (_orb, echo) in both(orb, &echo) {
        assert_eq!(echo.twice(1).unwrap_err().kind, SystemExceptionKind::CommFailure);
    }
    served.join().unwrap();
}

#[test]
fn a_question_that_is_given_up_is_cancelled() {
    let (orb, echo, served) = scripted(|listener| {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let kinds: Vec<_> = (0..3).map(|_| read_message(&mut stream).unwrap().0.kind).collect();
            let cancelled = [MessageKind::LocateRequest, MessageKind::CancelRequest];
            assert_eq!(kinds[..2], cancelled);
            assert_eq!(kinds[2], MessageKind::CloseConnection);
        }
    });
    for (orb, echo) in both(orb, &echo) {
        let hasty = echo.object().with_timeout(Duration::from_millis(200));
        until_sent(|| hasty.locate().unwrap_err());
        orb.shutdown(true).unwrap();
    }
    served.join().unwrap();
}

#[test]
fn messages_of_many_threads_do_not_mix() {
    let (_server, echo) = server();
    let orb = sharing_orb();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let there = &there;
            scope.spawn(move || {
                for call in 0..100_usize {
                    let value = thread * 1000 + call as i32;
                    assert_eq!(there.twice(value).unwrap(), value * 2);
                    // Small replies, and some that need several reads.
                    let data = vec![call as u8; (call * 37 + thread as usize * 5003) % 50_000];
                    assert_eq!(there.mirror(&data).unwrap(), data);
                    there.note(value).unwrap();
                    assert!(there.object().locate().unwrap());
                    let refused = there.repeat("x", -1).unwrap_err();
                    assert!(matches!(refused, crate::support::RepeatError::Refused(_)));
                }
            });
        }
    });
    orb.shutdown(true).unwrap();
}

#[test]
fn calls_beyond_the_limit_wait_for_room() {
    let (_server, echo) = server();
    let two = builder().option("MaxConnectionsPerEndpoint", "1");
    let orb = two.option("MaxCallsPerConnection", "2").build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    let (waits, hasty) = (there.clone(), there.object().with_timeout(Duration::from_millis(20)));
    std::thread::scope(|scope| {
        let blocked: Vec<_> = (0..2).map(|_| scope.spawn(|| waits.wait_for(6))).collect();
        // Either there is no room for it, or it is one of the two calls.
        let late = hasty.unchecked_narrow::<Echo>().wait_for(6).unwrap_err();
        assert_eq!(late.kind, SystemExceptionKind::Timeout);
        echo.note(6).unwrap();
        blocked.into_iter().for_each(|call| call.join().unwrap().unwrap());
        for value in 0..8 {
            let there = &there;
            scope.spawn(move || {
                (0..50).for_each(|_| assert_eq!(there.twice(value).unwrap(), value * 2));
            });
        }
    });
}

#[test]
fn calls_back_and_forth_over_shared_connections_do_not_lock_up() {
    let sharing = |orb: zorb_core::OrbBuilder| {
        let one = orb.option("MaxConnectionsPerEndpoint", "1");
        one.option("MaxCallsPerConnection", "2").listen("iiop://127.0.0.1:0").build().unwrap()
    };
    let (left, right) = (sharing(builder()), sharing(builder()));
    let here: Echo = left.root_poa().activate(Servant::default()).unwrap();
    let echo: Echo = right.root_poa().activate(Servant::default()).unwrap();
    let there: Echo = left.resolve(&echo.object().to_ior_string()).unwrap();
    assert_eq!(there.call_back(Some(&here), 6).unwrap(), 6);
    assert_eq!(there.call_back(Some(&there), 6).unwrap(), 6);
    left.shutdown(true).unwrap();
    right.shutdown(true).unwrap();
}

#[test]
fn a_shutdown_lets_calls_end_and_closes_connections() {
    let (sender, begun) = std::sync::mpsc::channel();
    let (orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 2);
        sender.send(()).unwrap();
        answer(&mut stream, requests);
        read_message(&mut stream).unwrap().0.kind
    });
    std::thread::scope(|scope| {
        let under_way = scope.spawn(|| calls(&echo, &[1, 2]));
        begun.recv().unwrap();
        orb.shutdown(true).unwrap();
        assert_eq!(under_way.join().unwrap(), [Ok(2), Ok(4)]);
    });
    assert_eq!(served.join().unwrap(), MessageKind::CloseConnection);
    assert_eq!(echo.twice(1).unwrap_err().kind, SystemExceptionKind::BadInvOrder);
}
