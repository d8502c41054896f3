//! Broken requests to lanes: they end their own connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use zorb_cdr::ByteOrder;
use zorb_giop::{
    CodeSetContext, CodeSetId, GiopVersion, MessageHeader, MessageKind, MessageWriter,
    RequestStart, ResponseFlags, ServiceContext, ServiceId, TargetAddress,
};
use zorb_rt::Strategy;

use super::fixture::{lane, side};

/// A request to serve number 7, which says how text is written.
fn request(key: &[u8]) -> Vec<u8> {
    let order = ByteOrder::Little;
    let code_sets =
        CodeSetContext { char_data: CodeSetId::UTF_8, wchar_data: CodeSetId::UTF_16 }.encode(order);
    let start = RequestStart {
        request_id: 1,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(key),
        operation: "serve",
        service_contexts: &[ServiceContext::new(ServiceId::CODE_SETS, &code_sets)],
    };
    let mut octets = Vec::new();
    let mut message =
        MessageWriter::request(&mut octets, GiopVersion::V1_2, order, &start).unwrap();
    message.body(Default::default()).put(&7_i32.to_le_bytes());
    message.finish().unwrap();
    octets
}

fn kinds(mut octets: &[u8]) -> Vec<MessageKind> {
    let mut kinds = Vec::new();
    while let Some(header) = octets.first_chunk::<12>() {
        let header = MessageHeader::parse(header).unwrap();
        kinds.push(header.kind);
        octets = octets.get(header.total_size()..).unwrap_or_default();
    }
    kinds
}

#[test]
fn a_broken_header_ends_its_connection_alone() {
    for &strategy in Strategy::ALL {
        let (server, client) = (side(), side());
        let pool = server.pool().lane(lane(10, 1)).strategy(strategy).create().unwrap();
        let desk = server.desk(&pool, 10, &client);
        let ior = desk.0.ior();
        let key = zorb_giop::iiop_object_key(&ior.profiles[0].data).unwrap();
        let mut octets = request(key);
        // An id, and whether to answer; then a key that reaches beyond the message.
        octets.extend_from_slice(b"GIOP\x01\x02\x01\x00\x10\0\0\0\x02\0\0\0\x03\0\0\0\0\0\0\0");
        octets.extend_from_slice(&u32::MAX.to_le_bytes());
        let address = pool.endpoints()[0][0].trim_start_matches("iiop://").to_owned();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&octets).unwrap();
        let mut answer = Vec::new();
        // It ends although this side remains open.
        let _ = stream.read_to_end(&mut answer);
        let _ = stream.shutdown(Shutdown::Both);
        assert_eq!(
            kinds(&answer),
            [MessageKind::Reply, MessageKind::MessageError],
            "{strategy:?} {answer:x?}"
        );
        assert_eq!(client.call(&desk, 10, 8).join().unwrap(), Ok(8), "{strategy:?}");
    }
}
