//! Clients of a scripted server, which forwards, closes, fails or sends unexpected messages.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use crate::support::{Echo, builder, server, server_that_ends, until};
use zorb_cdr::{ByteOrder, TextCoding, Wire};
use zorb_giop::{
    AddressingDisposition, GiopVersion, IiopProfile, Ior, LocateRequestHeader, LocateStatus,
    MessageHeader, MessageKind, MessageWriter, ReplyStatus, RequestHeader,
};
use zorb_testkit::{in_own_process, open_sockets, read_message, require_loopback};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

const ORDER: ByteOrder = ByteOrder::Big;
const VERSION: GiopVersion = GiopVersion::V1_2;

/// The server's reaction to one request.
pub(crate) enum Play {
    /// Answers with twice the number.
    Answer,
    /// Answers the previous request again, then this one.
    LateThenAnswer,
    /// Answers a request that was never made.
    NeverAsked,
    Forward(Ior),
    /// Forwards to a truncated reference.
    ForwardNowhere,
    /// Asks for another form of the target.
    AskFor(AddressingDisposition),
    /// Answers if the target has this form, and contains the object key.
    AnswerTo(AddressingDisposition),
    Raise(SystemException),
    Close,
    Hang,
    Error,
    Babble(Vec<u8>),
    /// Sends the answer in fragments of eight octets.
    Fragments,
    /// Sends replies to the request before until the client has enough.
    LateReplies,
}

/// Serves one connection per list and one request per entry; then ends the connection.
pub(crate) fn script(connections: Vec<Vec<Play>>) -> (Ior, JoinHandle<usize>) {
    require_loopback();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let ior = object_at("127.0.0.1", listener.local_addr().unwrap().port());
    (ior, script_at(listener, connections))
}

/// The same at an endpoint.
pub(crate) fn script_at(listener: TcpListener, connections: Vec<Vec<Play>>) -> JoinHandle<usize> {
    std::thread::spawn(move || {
        let mut requests = 0;
        for plays in connections {
            let (mut stream, _) = listener.accept().unwrap();
            for play in plays {
                let Some(message) = next_message(&mut stream) else { break };
                requests += 1;
                if !perform(&mut stream, &message, play) {
                    break;
                }
            }
        }
        requests
    })
}

/// The object of such a server.
pub(crate) fn object_at(host: &str, port: u16) -> Ior {
    let profile = IiopProfile {
        version: VERSION,
        host: host.to_owned(),
        port,
        object_key: b"scripted".to_vec(),
        components: Vec::new(),
    };
    let type_id = "IDL:zorb.test/Echo:1.0".to_owned();
    Ior { type_id, profiles: vec![profile.encode(ORDER).unwrap()] }
}

/// The next message; `None` at the end of the connection.
fn next_message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let (header, message) = read_message(stream).ok()?;
    (header.kind != MessageKind::CloseConnection).then_some(message)
}

fn perform(stream: &mut TcpStream, message: &[u8], play: Play) -> bool {
    let header = MessageHeader::parse_prefix(message).unwrap().unwrap();
    if header.kind == MessageKind::LocateRequest {
        return perform_locate(stream, message, &header, &play);
    }
    assert_eq!(header.kind, MessageKind::Request);
    let (request, mut body) = RequestHeader::read(message, &header).unwrap();
    let id = request.request_id;
    let answer = |id| {
        if request.operation == "_non_existent" {
            return reply(id, ReplyStatus::NoException, |writer| bool::write(&false, writer));
        }
        let twice = body.clone().read_i32().unwrap_or_default() * 2;
        reply(id, ReplyStatus::NoException, |writer| i32::write(&twice, writer))
    };
    let octets = match play {
        Play::Answer => answer(id),
        Play::LateThenAnswer => [answer(id - 2), answer(id)].concat(),
        Play::NeverAsked => [answer(id + 100), answer(id)].concat(),
        Play::Forward(ior) => reply(id, ReplyStatus::LocationForward, |w| Ior::write(&ior, w)),
        Play::ForwardNowhere => reply(id, ReplyStatus::LocationForward, |w| {
            w.write_u32(1000);
            Ok(())
        }),
        Play::AskFor(wanted) => reply(id, ReplyStatus::NeedsAddressingMode, |w| {
            w.write_i16(wanted as i16);
            Ok(())
        }),
        Play::AnswerTo(form) => {
            assert_eq!(request.target.disposition(), form);
            assert_eq!(request.target.object_key().unwrap(), b"scripted");
            answer(id)
        }
        Play::Raise(exception) => reply(id, ReplyStatus::SystemException, |w| exception.write(w)),
        Play::Close => closing(),
        Play::LateReplies => {
            let late = answer(id - 2);
            while stream.write_all(&late).is_ok() {}
            return false;
        }
        Play::Hang => return false,
        Play::Error => {
            let mut octets = Vec::new();
            MessageWriter::message_error(&mut octets, ORDER);
            octets
        }
        Play::Babble(octets) => octets,
        Play::Fragments => {
            let whole = answer(id);
            let pieces = zorb_giop::fragments(&whole, 24);
            pieces.flat_map(|piece| [piece.header(), piece.payload].concat()).collect()
        }
    };
    let _ = body.read_u8();
    // The client may have closed; the test checks the effect.
    stream.write_all(&octets).is_ok()
}

/// Answers that the object is here or elsewhere, closes, or hangs up.
fn perform_locate(
    stream: &mut TcpStream,
    message: &[u8],
    header: &MessageHeader,
    play: &Play,
) -> bool {
    let octets = match play {
        Play::Answer => {
            let id = LocateRequestHeader::read(message, header).unwrap().request_id;
            let mut octets = Vec::new();
            let here = LocateStatus::ObjectHere;
            let reply = MessageWriter::locate_reply(&mut octets, VERSION, ORDER, id, here);
            reply.unwrap().finish().unwrap();
            octets
        }
        Play::ForwardNowhere => {
            let id = LocateRequestHeader::read(message, header).unwrap().request_id;
            let mut octets = Vec::new();
            let elsewhere = LocateStatus::ObjectForward;
            let mut reply =
                MessageWriter::locate_reply(&mut octets, VERSION, ORDER, id, elsewhere).unwrap();
            reply.body(TextCoding::default()).write_u32(1000);
            reply.finish().unwrap();
            octets
        }
        Play::AskFor(wanted) => {
            let request = LocateRequestHeader::read(message, header).unwrap();
            assert_eq!(request.target.disposition(), AddressingDisposition::KeyAddr);
            let mut octets = Vec::new();
            let needs = LocateStatus::LocNeedsAddressingMode;
            let id = request.request_id;
            let mut reply =
                MessageWriter::locate_reply(&mut octets, VERSION, ORDER, id, needs).unwrap();
            reply.body(TextCoding::default()).write_i16(*wanted as i16);
            reply.finish().unwrap();
            octets
        }
        Play::AnswerTo(form) => {
            let request = LocateRequestHeader::read(message, header).unwrap();
            assert_eq!(request.target.disposition(), *form);
            return perform_locate(stream, message, header, &Play::Answer);
        }
        Play::Close => closing(),
        _ => return false,
    };
    stream.write_all(&octets).is_ok()
}

fn closing() -> Vec<u8> {
    let mut octets = Vec::new();
    MessageWriter::close_connection(&mut octets, VERSION, ORDER);
    octets
}

fn reply(
    id: u32,
    status: ReplyStatus,
    body: impl FnOnce(&mut zorb_cdr::CdrWriter<'_>) -> zorb_cdr::CdrResult<()>,
) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut message = MessageWriter::reply(&mut octets, VERSION, ORDER, id, status, &[]).unwrap();
    body(&mut message.body(TextCoding::default())).unwrap();
    message.finish().unwrap();
    octets
}

/// A client of the scripted server; the ORB must be kept alive.
fn client_of(ior: &Ior) -> (zorb_core::Orb, Echo) {
    let orb = builder().option("MaxForwards", "5").build().unwrap();
    let echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    (orb, echo)
}

#[test]
fn forwards_are_followed_and_remembered() {
    let (_server, real) = server();
    let there = real.object().ior().clone();
    let (ior, served) = script(vec![vec![Play::Forward(there)]]);
    let (_orb, echo) = client_of(&ior);
    assert_eq!(echo.twice(4).unwrap(), 8);
    assert_eq!(echo.twice(5).unwrap(), 10);
    assert_eq!(served.join().unwrap(), 1, "the second call goes directly to the new server");
}

#[test]
fn binding_opens_the_connection_that_calls_go_over() {
    let (ior, served) =
        script(vec![vec![Play::Answer, Play::Answer, Play::Answer], vec![Play::Hang]]);
    let (orb, echo) = client_of(&ior);
    echo.object().validate_connection().unwrap();
    assert_eq!(echo.twice(4).unwrap(), 8);
    orb.shutdown(true).unwrap();
    // Ends the wait for a second connection.
    let (_orb, again) = client_of(&ior);
    again.object().validate_connection().unwrap_err();
    assert_eq!(served.join().unwrap(), 4);
}

#[test]
fn binding_follows_forwards() {
    let (_server, real) = server();
    let (ior, served) = script(vec![vec![Play::Forward(real.object().ior().clone())]]);
    let (_orb, echo) = client_of(&ior);
    echo.object().validate_connection().unwrap();
    assert_eq!(served.join().unwrap(), 1);
    assert_eq!(echo.twice(4).unwrap(), 8, "the forward is remembered");
}

#[test]
fn a_dead_forward_falls_back_to_the_original() {
    let (first_server, first) = server_that_ends();
    let (_second_server, second) = server();
    let (ior, served) = script(vec![vec![
        Play::Forward(first.object().ior().clone()),
        Play::Forward(second.object().ior().clone()),
    ]]);
    let (_orb, echo) = client_of(&ior);
    assert_eq!(echo.twice(4).unwrap(), 8);
    first_server.shutdown(true).unwrap();
    assert_eq!(echo.twice(6).unwrap(), 12);
    assert_eq!(served.join().unwrap(), 2);
}

#[test]
fn a_server_gets_the_address_that_it_asks_for() {
    use AddressingDisposition::{KeyAddr, ProfileAddr, ReferenceAddr};
    let plays = vec![
        Play::AnswerTo(KeyAddr),
        Play::AskFor(ProfileAddr),
        Play::AnswerTo(ProfileAddr),
        // Later requests have this form from the beginning.
        Play::AnswerTo(ProfileAddr),
        Play::AskFor(ReferenceAddr),
        Play::AnswerTo(ReferenceAddr),
        Play::AskFor(KeyAddr),
        Play::AnswerTo(KeyAddr),
        // It has this form.
        Play::AskFor(KeyAddr),
    ];
    let (ior, server) = script(vec![plays]);
    let (_orb, echo) = client_of(&ior);
    for value in 0..5 {
        assert_eq!(echo.twice(value), Ok(2 * value));
    }
    let error = echo.twice(5).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::NoImplement);
    assert_eq!(error.completed, CompletionStatus::No);
    drop(echo);
    assert_eq!(server.join().unwrap(), 9);
    let plays = vec![Play::AskFor(ReferenceAddr), Play::AnswerTo(ReferenceAddr)];
    let (ior, server) = script(vec![plays]);
    let (_orb, echo) = client_of(&ior);
    assert!(echo.object().locate().unwrap());
    assert_eq!(server.join().unwrap(), 2);
}

#[test]
fn a_malformed_forward_means_that_the_request_was_not_processed() {
    let (ior, server) = script(vec![vec![Play::ForwardNowhere]]);
    let (_orb, echo) = client_of(&ior);
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    assert_eq!(error.completed, CompletionStatus::No);
    drop(echo);
    assert_eq!(server.join().unwrap(), 1);
}

#[test]
fn a_malformed_forward_in_a_locate_reply_means_that_nothing_was_processed() {
    let (ior, server) = script(vec![vec![Play::ForwardNowhere]]);
    let (_orb, echo) = client_of(&ior);
    let error = echo.object().locate().unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    assert_eq!(error.completed, CompletionStatus::No);
    drop(echo);
    assert_eq!(server.join().unwrap(), 1);
}

#[test]
fn a_forward_to_a_nil_reference_is_the_servers_fault() {
    let nil = Ior { type_id: String::new(), profiles: Vec::new() };
    let (ior, server) = script(vec![vec![Play::Forward(nil)]]);
    let (_orb, echo) = client_of(&ior);
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Transient);
    assert_eq!(error.completed, CompletionStatus::No);
    let text = zorb_types::Report(&error).to_string();
    assert!(text.contains("the server forwarded the request to a nil reference"), "{text}");
    drop(echo);
    assert_eq!(server.join().unwrap(), 1);
}

#[test]
fn looped_forwards_end() {
    let (ior, served) = {
        // The server forwards to itself.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let profile = IiopProfile {
            version: VERSION,
            host: "127.0.0.1".to_owned(),
            port,
            object_key: b"loop".to_vec(),
            components: Vec::new(),
        };
        let ior = Ior {
            type_id: "IDL:zorb.test/Echo:1.0".to_owned(),
            profiles: vec![profile.encode(ORDER).unwrap()],
        };
        let again = ior.clone();
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut count = 0;
            while let Some(message) = next_message(&mut stream) {
                count += 1;
                perform(&mut stream, &message, Play::Forward(again.clone()));
            }
            count
        });
        (ior, served)
    };
    let (orb, echo) = client_of(&ior);
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::ImpLimit);
    assert_eq!(error.minor, minor::imp_limit::TOO_MANY_FORWARDS);
    orb.shutdown(true).unwrap();
    assert_eq!(served.join().unwrap(), 6, "the call and five forwards");
}

#[test]
fn close_connection_is_retried_on_a_new_connection() {
    let (ior, served) = script(vec![vec![Play::Close], vec![Play::Answer]]);
    let (_orb, echo) = client_of(&ior);
    assert_eq!(echo.twice(7).unwrap(), 14);
    assert_eq!(served.join().unwrap(), 2);
}

#[test]
fn a_server_that_keeps_closing_is_given_up() {
    let (ior, served) = script((0..4).map(|_| vec![Play::Close]).collect());
    let (_orb, echo) = client_of(&ior);
    let error = echo.twice(7).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Transient);
    assert_eq!(error.completed, CompletionStatus::No);
    assert_eq!(served.join().unwrap(), 4);
}

/// The server ends its connection after the first answer, without CloseConnection, as one that restarts does.
#[test]
fn a_connection_that_ends_while_idle_costs_no_call() {
    in_own_process("scripted::a_connection_that_ends_while_idle_costs_no_call", || {
        let (ior, server) = script(vec![vec![Play::Answer], vec![Play::Answer]]);
        let (_orb, echo) = client_of(&ior);
        assert_eq!(echo.twice(1), Ok(2));
        // That of the listener remains.
        until(|| open_sockets() == 1);
        assert_eq!(echo.twice(2), Ok(4));
        assert_eq!(server.join().unwrap(), 2);
    });
}

#[test]
fn a_lost_connection_is_not_retried() {
    let (ior, served) = script(vec![vec![Play::Answer, Play::Hang], vec![Play::Answer]]);
    let (_orb, echo) = client_of(&ior);
    assert_eq!(echo.twice(1).unwrap(), 2);
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::CommFailure);
    assert_eq!(error.completed, CompletionStatus::Maybe);
    assert_eq!(echo.twice(2).unwrap(), 4, "the next call has a new connection");
    assert_eq!(served.join().unwrap(), 3);
}

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
fn a_question_is_asked_again_when_the_server_closes() {
    let (ior, served) = script(vec![
        vec![Play::Answer, Play::Close],
        vec![Play::Answer, Play::Hang],
        vec![Play::Answer],
    ]);
    let (_orb, echo) = client_of(&ior);
    for _ in 0..3 {
        assert!(echo.object().locate().unwrap());
    }
    assert_eq!(served.join().unwrap(), 5);
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
