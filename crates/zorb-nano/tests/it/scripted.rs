//! Clients of servers that do what a script says.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use zorb_cdr::{ByteOrder, CdrWriter, TextCoding, Wire};
use zorb_giop::{
    GiopVersion, IiopProfile, Ior, LocateStatus, MessageHeader, MessageWriter, ReplyStatus,
    ServiceContext, ServiceId,
};
use zorb_nano::{
    Client, CompletionStatus, Interest, Limits, Os, Reference, Socket, SystemException,
    SystemExceptionKind, minor,
};

use crate::simulated::{Network, Simulated, at};

const V1_2: GiopVersion = GiopVersion::V1_2;

/// What the server does with the request of this number, counted from 0, and with this id: the octets to send, or `None`
/// to close the connection.
type Script = dyn FnMut(usize, u32) -> Option<Vec<u8>>;

/// A server that follows a script.
struct Scripted {
    os: Simulated,
    listener: Socket,
    streams: Vec<(Socket, Vec<u8>)>,
    requests: usize,
    script: Box<Script>,
}

impl Scripted {
    fn work(&mut self) {
        while let Ok(stream) = self.os.accept(self.listener) {
            self.streams.push((stream, Vec::new()));
        }
        let mut ended = Vec::new();
        for (stream, received) in &mut self.streams {
            let mut space = [0; 256];
            while let Ok(count @ 1..) = self.os.read(*stream, &mut space) {
                received.extend_from_slice(&space[..count]);
            }
            while let Ok(Some(header)) = MessageHeader::parse_prefix(received)
                && received.len() >= header.total_size()
            {
                let message: Vec<u8> = received.drain(..header.total_size()).collect();
                let id = u32::from_ne_bytes(message[12..16].try_into().unwrap());
                let answer = (self.script)(self.requests, id);
                self.requests += 1;
                match answer {
                    Some(octets) if octets.is_empty() => {}
                    Some(octets) => assert_eq!(self.os.write(*stream, &octets), Ok(octets.len())),
                    None => ended.push(*stream),
                }
            }
        }
        for stream in ended {
            self.os.close(stream);
            self.streams.retain(|(it, _)| *it != stream);
        }
    }
}

/// A client of a server that follows a script, the reference of an object there, and the network.
pub(crate) fn scripted(
    script: impl FnMut(usize, u32) -> Option<Vec<u8>> + 'static,
) -> (Client<Simulated>, Reference, Network) {
    let network = Network::default();
    let mut os = network.machine(usize::MAX, 8);
    let listener = os.listen(at("192.0.2.9:0")).unwrap();
    let address = os.bound(listener).unwrap();
    let script = Box::new(script);
    let mut server = Scripted { os, listener, streams: Vec::new(), requests: 0, script };
    let machine = network.machine(7, 8).with_others(move || server.work());
    let reference = Reference::new(address, b"key").unwrap();
    (Client::new(machine, Limits::DEFAULT), reference, network)
}

/// A reply to `id` with this status, and what `body` writes.
fn reply(id: u32, status: ReplyStatus, body: impl FnOnce(&mut CdrWriter<'_>)) -> Vec<u8> {
    let mut octets = Vec::new();
    let order = ByteOrder::NATIVE;
    // A server may send service contexts that the client does not know.
    let contexts = [ServiceContext::new(ServiceId(0x1234), &[1, 2, 3][..])];
    let mut message =
        MessageWriter::reply(&mut octets, V1_2, order, id, status, &contexts).unwrap();
    body(&mut message.body(TextCoding::default()));
    message.finish().unwrap();
    octets
}

fn number(id: u32) -> Vec<u8> {
    reply(id, ReplyStatus::NoException, |body| body.write_i32(41))
}

fn ior(hosts: &[&str], port: u16, key: &[u8]) -> Ior {
    let profile = |host: &&str| {
        let profile = IiopProfile {
            version: V1_2,
            host: (*host).into(),
            port,
            object_key: key.into(),
            components: Vec::new(),
        };
        profile.encode(ByteOrder::Big).unwrap()
    };
    Ior { type_id: "IDL:Meter:1.0".into(), profiles: hosts.iter().map(profile).collect() }
}

/// Calls an operation that returns a number.
pub(crate) fn get(
    client: &mut Client<Simulated>,
    target: &Reference,
) -> Result<i32, SystemException> {
    client.call(target, "get", &mut |_| Ok(()))?.results()?.read::<i32>()
}

#[test]
fn a_call_is_forwarded() {
    let port = Rc::new(Cell::new(0));
    let known = Rc::clone(&port);
    let (mut client, target, _) = scripted(move |count, id| {
        Some(match count {
            0 => reply(id, ReplyStatus::LocationForward, |body| {
                // The first profile has a host that would have to be resolved.
                let ior = ior(&["example.org", "192.0.2.9"], known.get(), b"other");
                Ior::write(&ior, body).unwrap();
            }),
            _ => number(id),
        })
    });
    port.set(target.address().port());
    assert_eq!(get(&mut client, &target), Ok(41));
}

#[test]
fn forwards_have_a_limit() {
    let port = Rc::new(Cell::new(0));
    let known = Rc::clone(&port);
    let (mut client, target, _) = scripted(move |_, id| {
        Some(reply(id, ReplyStatus::LocationForwardPerm, |body| {
            Ior::write(&ior(&["192.0.2.9"], known.get(), b"again"), body).unwrap();
        }))
    });
    port.set(target.address().port());
    let error = get(&mut client, &target).unwrap_err();
    assert_eq!(error.minor, minor::imp_limit::TOO_MANY_FORWARDS);
}

#[test]
fn an_object_is_located_elsewhere() {
    let port = Rc::new(Cell::new(0));
    let known = Rc::clone(&port);
    let (mut client, target, _) = scripted(move |count, id| {
        let mut octets = Vec::new();
        let status =
            if count == 0 { LocateStatus::ObjectForward } else { LocateStatus::ObjectHere };
        let order = ByteOrder::NATIVE;
        let mut message =
            MessageWriter::locate_reply(&mut octets, V1_2, order, id, status).unwrap();
        if count == 0 {
            let ior = ior(&["192.0.2.9"], known.get(), b"other");
            Ior::write(&ior, &mut message.body(TextCoding::default())).unwrap();
        }
        message.finish().unwrap();
        Some(octets)
    });
    port.set(target.address().port());
    let found = client.locate(&target).unwrap().unwrap();
    assert_eq!((found.key(), found.address()), (&b"other"[..], target.address()));
}

#[test]
fn an_unreadable_forward_is_an_exception() {
    let (mut client, target, _) = scripted(|_, id| {
        Some(reply(id, ReplyStatus::LocationForward, |body| {
            Ior::write(&ior(&["example.org"], 1, b"key"), body).unwrap();
        }))
    });
    let error = get(&mut client, &target).unwrap_err();
    assert_eq!(error.minor, minor::inv_objref::MALFORMED);
    assert_eq!(error.completed, CompletionStatus::No, "the call was not made");
}

#[test]
fn an_unreadable_exception_leaves_it_open_whether_the_call_was_made() {
    let (mut client, target, _) = scripted(|_, id| {
        Some(reply(id, ReplyStatus::SystemException, |body| {
            body.write_latin1("IDL:omg.org/CORBA/NO_RESOURCES:1.0").unwrap();
        }))
    });
    let error = get(&mut client, &target).unwrap_err();
    let expected = (SystemExceptionKind::Marshal, CompletionStatus::Maybe);
    assert_eq!((error.kind, error.completed), expected);
}

#[test]
fn a_forwarded_call_has_one_timeout() {
    let known = Rc::new(RefCell::new(None::<(Network, u16)>));
    let at = Rc::clone(&known);
    let (mut client, target, network) = scripted(move |count, id| {
        let at = at.borrow();
        let (network, port) = at.as_ref()?;
        if count > 0 {
            return Some(Vec::new());
        }
        network.advance(Duration::from_secs(6));
        Some(reply(id, ReplyStatus::LocationForward, |body| {
            Ior::write(&ior(&["192.0.2.9"], *port, b"other"), body).unwrap();
        }))
    });
    *known.borrow_mut() = Some((network.clone(), target.address().port()));
    let error = get(&mut client, &target).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Timeout);
    assert_eq!(network.now(), Duration::from_secs(10), "the default timeout");
}

#[test]
fn a_request_that_was_not_wholly_sent_was_not_carried_out() {
    let network = Network::default();
    let mut server = network.machine(7, 1);
    let listener = server.listen(at("192.0.2.9:0")).unwrap();
    let target = Reference::new(server.bound(listener).unwrap(), b"key").unwrap();
    let mut client = Client::new(network.machine(7, 1), Limits::DEFAULT);
    // More than the stream takes until somebody reads.
    let text = "t".repeat(1000);
    let error = client.call(&target, "echo", &mut |it| it.write_str(&text)).err().unwrap();
    let expected = (SystemExceptionKind::Timeout, CompletionStatus::No);
    assert_eq!((error.kind, error.completed), expected);
}

#[test]
fn a_server_that_closes_between_two_calls_is_asked_again() {
    let (mut client, target, _) = scripted(|count, id| {
        let mut octets = Vec::new();
        match count {
            1 => MessageWriter::close_connection(&mut octets, V1_2, ByteOrder::NATIVE),
            _ => octets = number(id),
        }
        Some(octets)
    });
    assert_eq!(get(&mut client, &target), Ok(41));
    assert_eq!(get(&mut client, &target), Ok(41), "request 1 was not taken, request 2 was");
    assert_eq!(client.os().open(), 1);
}

#[test]
fn a_server_that_only_closes_is_not_asked_for_ever() {
    let (mut client, target, _) = scripted(|_, _| {
        let mut octets = Vec::new();
        MessageWriter::close_connection(&mut octets, V1_2, ByteOrder::NATIVE);
        Some(octets)
    });
    let error = get(&mut client, &target).unwrap_err();
    assert_eq!(error.minor, minor::transient::CLOSED_BY_PEER);
    assert_eq!(error.completed, CompletionStatus::No);
    assert_eq!(client.os().open(), 0);
}

#[test]
fn a_server_that_does_not_answer_is_left_after_the_timeout() {
    let (mut client, target, network) = scripted(|_, _| Some(Vec::new()));
    let begin = network.now();
    let error = get(&mut client, &target).unwrap_err();
    let expected = (SystemExceptionKind::Timeout, CompletionStatus::Maybe);
    assert_eq!((error.kind, error.completed), expected);
    assert_eq!(network.now() - begin, Duration::from_secs(10));
    // A reply that comes later must not be that of another call.
    assert_eq!(client.os().open(), 0);
}

#[test]
fn broken_connections_leave_it_open_whether_the_call_was_made() {
    use minor::comm_failure;
    let message_error = || {
        let mut octets = Vec::new();
        MessageWriter::message_error(&mut octets, ByteOrder::NATIVE);
        octets
    };
    let mut truncated = number(1);
    truncated.truncate(20);
    truncated[8..12].copy_from_slice(&8_u32.to_ne_bytes());
    for (answer, minor) in [
        (None, comm_failure::CONNECTION_LOST),
        (Some(message_error()), comm_failure::MESSAGE_ERROR),
        (Some(number(99)), comm_failure::PROTOCOL_ERROR),
        (Some(b"HTTP/1.1 400 Bad Request".to_vec()), comm_failure::PROTOCOL_ERROR),
        (Some(truncated), comm_failure::PROTOCOL_ERROR),
    ] {
        let (mut client, target, _) = scripted(move |_, _| answer.clone());
        let error = get(&mut client, &target).unwrap_err();
        let completed = CompletionStatus::Maybe;
        let expected = SystemException::new(SystemExceptionKind::CommFailure, minor, completed);
        assert_eq!(error, expected);
        assert_eq!(client.os().open(), 0);
    }
}

#[test]
fn nobody_listens() {
    let network = Network::default();
    let mut client = Client::new(network.machine(1, 1), Limits::DEFAULT);
    let target = Reference::parse("corbaloc::192.0.2.77:1/key").unwrap();
    let error = get(&mut client, &target).unwrap_err();
    assert_eq!(error.minor, minor::transient::CONNECT_FAILED);
    assert_eq!(error.completed, CompletionStatus::No);
}

#[test]
fn unknown_system_exceptions_are_unknown() {
    let (mut client, target, _) = scripted(|_, id| {
        Some(reply(id, ReplyStatus::SystemException, |body| {
            body.write_latin1("IDL:omg.org/CORBA/FUTURE:1.0").unwrap();
            body.write_u32(5);
            body.write_u32(9);
        }))
    });
    let error = get(&mut client, &target).unwrap_err();
    let minor = minor::unknown::UNKNOWN_SYSTEM_EXCEPTION;
    let maybe = CompletionStatus::Maybe;
    assert_eq!(error, SystemException::new(SystemExceptionKind::Unknown, minor, maybe));
}

#[test]
fn references_are_parsed_from_iors() {
    let ior = ior(&["example.org", "2001:db8::7"], 4000, b"\x00key");
    let reference = Reference::parse(&ior.to_stringified().unwrap()).unwrap();
    let expected: SocketAddr = "[2001:db8::7]:4000".parse().unwrap();
    assert_eq!((reference.address().ip(), reference.key()), (Some(expected), &b"\x00key"[..]));
    let again = reference.to_ior("IDL:Meter:1.0").unwrap();
    assert_eq!(Reference::parse(&again.to_stringified().unwrap()), Ok(reference));
    for (text, kind) in [
        ("IOR:00", SystemExceptionKind::BadParam),
        ("corbaname::192.0.2.1#a", SystemExceptionKind::BadParam),
        ("corbaloc:sciop:192.0.2.1:1/key", SystemExceptionKind::InvObjref),
        ("corbaloc::example.org/key", SystemExceptionKind::InvObjref),
    ] {
        assert_eq!(Reference::parse(text).map_err(|error| error.kind), Err(kind), "{text}");
    }
}

#[test]
fn the_simulated_clock_moves_only_when_all_wait() {
    let network = Network::default();
    let mut machine = network.machine(1, 1);
    let listener = machine.listen(at("192.0.2.1:0")).unwrap();
    let interest = Interest { socket: listener, read: true, write: false, is_ready: false };
    machine.poll(&mut [interest], Some(Duration::from_secs(1))).unwrap();
    assert_eq!(machine.now(), Duration::from_secs(1));
}
