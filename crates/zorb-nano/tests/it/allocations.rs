//! After start nothing is allocated, whatever the peer sends.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use allocation_counter::{AllocationInfo, measure};
use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    GiopVersion, Ior, MessageWriter, RequestStart, ResponseFlags, ServiceContext, ServiceId,
    TargetAddress,
};
use zorb_nano::{Client, Limits, Linux, Server};

use crate::generated::idl::plant::{Node, NodeSkeleton, node};
use crate::generated::{Log, Plant};
use crate::linux::{TIMEOUT, beside_server};
use crate::servant::Meter;

pub(crate) fn assert_none(counted: AllocationInfo, what: &str) {
    assert_eq!((counted.count_total, counted.bytes_total), (0, 0), "{what}");
}

#[test]
fn calls_allocate_nothing_in_the_client() {
    beside_server(|meter| {
        let mut client = Client::new(Linux::new(8), Limits::DEFAULT.timeout(TIMEOUT));
        let call = |client: &mut Client<Linux>| {
            let mut reply =
                client.call(&meter, "add", &mut |it| it.write::<[i32; 2]>(&[2, 3])).unwrap();
            assert_eq!(reply.results().unwrap().read::<i32>(), Ok(5));
            assert!(client.call(&meter, "break", &mut |_| Ok(())).is_err());
            assert!(client.call(&meter, "echo", &mut |it| it.write_str("x")).is_ok());
            assert!(client.locate(&meter).is_ok());
            client.send(&meter, "store", &mut |it| it.write::<i32>(&1)).unwrap();
            let all = [&meter, &meter];
            client.send_to_all(all, "store", &mut |it| it.write::<i32>(&2)).unwrap();
        };
        // The first round connects; the next uses the connection.
        for round in 0..2 {
            assert_none(measure(|| call(&mut client)), &format!("round {round}"));
        }
    });
}

/// Requests as clients send them, and some that none should.
fn requests() -> Vec<(&'static str, Vec<u8>)> {
    let ior = Ior { type_id: "IDL:Meter:1.0".into(), ..Ior::NIL };
    let key = TargetAddress::Key(b"meter");
    let context = [ServiceContext::new(ServiceId(1), vec![0; 12])];
    let reference = TargetAddress::Reference { selected: 0, ior: std::borrow::Cow::Owned(ior) };
    type Case<'a> = (&'static str, TargetAddress<'a>, &'a str, &'a [ServiceContext<'a>]);
    let cases: [Case<'_>; 6] = [
        ("a call", key.clone(), "add", &[]),
        ("a call with a service context", key.clone(), "add", &context),
        ("an unknown operation", key.clone(), "größe", &[]),
        ("an id that is not ASCII", key, "_is_a", &[]),
        ("an unknown object", TargetAddress::Key(b"x"), "add", &[]),
        ("a reference as target", reference, "add", &[]),
    ];
    cases
        .into_iter()
        .map(|(what, target, operation, service_contexts)| {
            let mut octets = Vec::new();
            let response = ResponseFlags::SyncWithTarget;
            let start =
                RequestStart { request_id: 1, response, target, operation, service_contexts };
            let version = GiopVersion::V1_2;
            let mut message =
                MessageWriter::request(&mut octets, version, ByteOrder::Big, &start).unwrap();
            let mut body = message.body(TextCoding::default());
            if operation == "_is_a" {
                body.write_latin1("IDL:Größe:1.0").unwrap();
            } else {
                body.write_i32(1);
                body.write_i32(2);
            }
            message.finish().unwrap();
            (what, octets)
        })
        .collect()
}

#[test]
fn requests_allocate_nothing_in_the_server() {
    let address = "127.0.0.1:0".parse().unwrap();
    let mut server =
        Server::new(Linux::new(10), address, Limits::DEFAULT.timeout(TIMEOUT)).unwrap();
    server.register(b"meter", Box::new(Meter::default())).unwrap();
    let perform_work = |server: &mut Server<'_, Linux>, timeout: Duration, what: &str| {
        assert_none(measure(|| server.perform_work(Some(timeout)).unwrap()), what);
    };
    // While the next request is expected at once, the server may return without it.
    let answer = |server: &mut Server<'_, Linux>, peer: &TcpStream, what: &str| {
        peer.set_nonblocking(true).unwrap();
        while peer.peek(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock) {
            perform_work(server, Duration::from_millis(5), what);
        }
        peer.set_nonblocking(false).unwrap();
    };
    let mut peer = TcpStream::connect(server.address().to_string()).unwrap();
    peer.set_read_timeout(Some(TIMEOUT)).unwrap();
    perform_work(&mut server, TIMEOUT, "accepting");
    for (what, request) in requests() {
        peer.write_all(&request).unwrap();
        answer(&mut server, &peer, what);
        let mut header = [0; 12];
        peer.read_exact(&mut header).unwrap();
        assert_eq!(header[7], 1, "a Reply to {what}");
        let size = u32::from_ne_bytes(header[8..].try_into().unwrap());
        peer.read_exact(&mut vec![0; size as usize]).unwrap();
    }
    peer.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    answer(&mut server, &peer, "octets that are not GIOP");
    let mut answer = Vec::new();
    // The system may reset the connection, as the server has not read all.
    let _ = peer.read_to_end(&mut answer);
    if let Some(kind) = answer.get(7) {
        assert_eq!(*kind, 6, "a MessageError");
    }
}

#[test]
fn generated_code_allocates_nothing() {
    let address = "127.0.0.1:0".parse().unwrap();
    let limits = Limits::DEFAULT.timeout(TIMEOUT);
    let mut server = Server::new(Linux::new(10), address, limits).unwrap();
    let plant = Plant::new(Log::default());
    let is_set = std::rc::Rc::clone(&plant.is_set);
    server.register(b"node", Box::new(NodeSkeleton(plant))).unwrap();
    let node = Node(server.reference(b"node").unwrap());
    let calls = std::thread::spawn(move || {
        let mut client = Client::new(Linux::new(8), limits);
        let calls = |client: &mut Client<Linux>| {
            assert!(node.read(client, 1).is_ok());
            assert!(matches!(node.read(client, 9), Err(node::ReadError::NoChannel(_))));
            assert!(node.label(client).is_ok_and(|label| label == "größe"));
            assert!(node.echo(client, "größe").is_ok_and(|text| text == "größe"));
            assert!(node.reverse(client, &[1, 2], &[3]).is_ok());
            assert!(node.sorted(client, &[2, 1], &[]).is_ok_and(|(all, _)| all.iter().eq([1, 2])));
            let neighbors = node.neighbors(client, &[], Some(&node), &[0; 3]);
            assert!(neighbors.is_ok_and(|(all, _)| all.iter().all(|one| one.at.is_some())));
            assert!(node.pass(client, None, Some(&node.0)).is_ok());
        };
        for round in 0..2 {
            assert_none(measure(|| calls(&mut client)), &format!("round {round}"));
        }
        node.set_now(&mut client, 1).unwrap();
    });
    while !is_set.get() && !calls.is_finished() {
        assert_none(measure(|| server.perform_work(Some(TIMEOUT)).unwrap()), "a call");
    }
    calls.join().unwrap();
}
