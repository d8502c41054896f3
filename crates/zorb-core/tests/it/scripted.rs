//! Clients of a scripted server, which forwards, closes, fails or sends unexpected messages.

mod forwards;
mod replies;

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use crate::support::{Echo, builder, until};
use zorb_cdr::{ByteOrder, TextCoding, Wire};
use zorb_giop::{
    AddressingDisposition, GiopVersion, IiopProfile, Ior, LocateRequestHeader, LocateStatus,
    MessageHeader, MessageKind, MessageWriter, ReplyStatus, RequestHeader,
};
use zorb_testkit::{in_own_process, open_sockets, read_message, require_loopback};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

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
