use alloc::vec::Vec;

use super::*;
use crate::{MessageFormat, MessageHeader, MessageWriter, RequestStart};

fn start<'a>(operation: &'a str, key: &'a [u8]) -> RequestStart<'a> {
    RequestStart {
        request_id: 7,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(key),
        operation,
        service_contexts: &[],
    }
}

fn header_of(octets: &[u8]) -> MessageHeader {
    GiopLite.parse_header(octets).unwrap().unwrap()
}

#[test]
fn arguments_begin_at_the_requested_offset() {
    let form = MessageFormat::Other(&GiopLite);
    for operation in ["a", "note", "nothing", "a_longer_name"] {
        for key in [&b""[..], b"odd", b"a key of some octets"] {
            for phase in 0..8 {
                let mut octets = Vec::new();
                let start = start(operation, key);
                let order = ByteOrder::NATIVE;
                let message = form.request_before(&mut octets, order, &start, phase).unwrap();
                message.finish_before(5).unwrap();
                assert_eq!(octets.len() % 8, usize::from(phase));
                octets.extend(b"12345");
                let (request, arguments) = form.read_request(&octets, &header_of(&octets)).unwrap();
                assert_eq!((&*request.operation, arguments.rest()), (operation, &b"12345"[..]));
            }
        }
    }
}

#[test]
fn names_with_a_nul_inside_or_without_one_at_the_end_are_refused() {
    let form = MessageFormat::Other(&GiopLite);
    let mut octets = Vec::new();
    let message = form.request(&mut octets, ByteOrder::NATIVE, &start("note", b"key"));
    message.and_then(MessageWriter::finish).unwrap();
    let read = |octets: &[u8]| {
        let read = form.read_request(octets, &header_of(octets));
        read.map(|(request, _)| request.operation.into_owned()).map_err(drop)
    };
    assert_eq!(read(&octets).as_deref(), Ok("note"));
    let at = octets.len() - 5;
    for (index, octet) in [(at + 1, 0), (at + 4, b'x')] {
        let mut other = octets.clone();
        other[index] = octet;
        assert_eq!(read(&other), Err(()));
    }
}
