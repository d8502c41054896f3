//! Replies: late, malformed, in fragments, to no request, or with exceptions.

use super::*;
use zorb_types::minor;

#[test]
fn exceptions_and_message_errors_arrive() {
    let raised = SystemException::no_permission(zorb_types::MinorCode(17), CompletionStatus::Yes);
    let (ior, served) = script(vec![vec![Play::Raise(raised.clone()), Play::Error]]);
    let (_orb, echo) = client_of(&ior);
    assert_eq!(echo.twice(1).unwrap_err(), raised);
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::CommFailure);
    assert_eq!(error.minor, minor::comm_failure::MESSAGE_ERROR);
    served.join().unwrap();
}

#[test]
fn late_replies_and_fragments_are_taken_in_stride() {
    let (ior, served) = script(vec![vec![Play::Answer, Play::LateThenAnswer, Play::Fragments]]);
    let (_orb, echo) = client_of(&ior);
    for number in 3..6 {
        assert_eq!(echo.twice(number).unwrap(), 2 * number);
    }
    served.join().unwrap();
}

#[test]
fn a_reply_to_a_request_that_was_never_made_ends_the_connection() {
    let (ior, served) = script(vec![vec![Play::NeverAsked], vec![Play::Answer]]);
    let (_orb, echo) = client_of(&ior);
    let error = echo.twice(3).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::CommFailure);
    assert_eq!(error.minor, minor::comm_failure::PROTOCOL_ERROR);
    assert_eq!(error.completed, CompletionStatus::Maybe);
    assert_eq!(echo.twice(4).unwrap(), 8);
    served.join().unwrap();
}

#[test]
fn babble_ends_the_call_not_the_client() {
    let huge = [&b"GIOP\x01\x02\x00\x01"[..], &[0xff; 4]].concat();
    let request = [&b"GIOP\x01\x02\x00\x00"[..], &[0, 0, 0, 0]].concat();
    let plays = [b"HTTP/1.1 400 Bad Request".to_vec(), huge, request, vec![0; 64]];
    let connections = plays.into_iter().map(|octets| vec![Play::Babble(octets)]);
    let connections: Vec<_> = connections.chain([vec![Play::Answer]]).collect();
    let count = connections.len();
    let (ior, served) = script(connections);
    let (_orb, echo) = client_of(&ior);
    for _ in 1..count {
        let error = echo.twice(1).unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::CommFailure);
        assert_eq!(error.minor, minor::comm_failure::PROTOCOL_ERROR);
    }
    assert_eq!(echo.twice(9).unwrap(), 18);
    assert_eq!(served.join().unwrap(), count);
}

#[test]
fn a_reply_that_does_not_fit_its_type_is_marshal() {
    let short = |id| {
        reply(id, ReplyStatus::NoException, |writer| {
            writer.write_u8(1);
            Ok(())
        })
    };
    let (ior, served) = script(vec![vec![Play::Babble(short(0)), Play::Answer]]);
    let (_orb, echo) = client_of(&ior);
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    assert_eq!(error.completed, CompletionStatus::Yes);
    assert_eq!(echo.twice(1).unwrap(), 2);
    served.join().unwrap();
}

#[test]
fn late_replies_do_not_prolong_a_call() {
    let (ior, served) = script(vec![vec![Play::Answer, Play::LateReplies]]);
    let (orb, echo) = client_of(&ior);
    assert_eq!(echo.twice(1).unwrap(), 2);
    let hasty = echo.object().with_timeout(std::time::Duration::from_millis(20));
    let error = hasty.unchecked_narrow::<Echo>().twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Timeout);
    orb.shutdown(true).unwrap();
    served.join().unwrap();
}

#[test]
fn an_exception_from_a_server_carries_its_own_context() {
    let (_orb, nobody) = client_of(&object_at("127.0.0.1", 1));
    let unreachable = nobody.twice(1).unwrap_err();
    let (ior, served) = script(vec![vec![Play::Raise(unreachable.clone())]]);
    let (_orb, echo) = client_of(&ior);
    let same = echo.twice(1).unwrap_err();
    assert_eq!(same, unreachable);
    assert!(same.is_remote() && !unreachable.is_remote());
    let phases = [unreachable, same].map(|exception| exception.context().unwrap().phase());
    assert_eq!(phases, [zorb_core::Phase::Connect, zorb_core::Phase::Wait]);
    served.join().unwrap();
}

#[test]
fn a_call_whose_time_is_up_before_it_connects_is_a_timeout() {
    let (_orb, nobody) = client_of(&object_at("127.0.0.1", 1));
    let hasty = nobody.object().with_timeout(std::time::Duration::ZERO);
    let error = hasty.unchecked_narrow::<Echo>().twice(1).unwrap_err();
    assert_eq!(error.minor, minor::timeout::CONNECT);
    assert_eq!(error.completed, CompletionStatus::No);
}
