use alloc::vec::Vec;

use super::*;
use crate::{Form, MessageHeader, MessageWriter, RequestStart};

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
    crate::messaging::read_header(&GiopLite, octets).unwrap().unwrap()
}

#[test]
fn arguments_begin_where_they_are_wished() {
    let form = Form::Other(&GiopLite);
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
fn nuls_within_a_name_and_names_without_one_are_no_names() {
    let form = Form::Other(&GiopLite);
    let mut octets = Vec::new();
    let message = form.request(&mut octets, ByteOrder::NATIVE, &start("note", b"key"));
    message.and_then(MessageWriter::finish).unwrap();
    let read = |octets: &[u8]| {
        let read = form.read_request(octets, &header_of(octets));
        read.map(|(request, _)| request.operation.into_owned()).map_err(drop)
    };
    assert_eq!(read(&octets).as_deref(), Ok("note"));
    let at = octets.len() - 5;
    for (place, octet) in [(at + 1, 0), (at + 4, b'x')] {
        let mut other = octets.clone();
        other[place] = octet;
        assert_eq!(read(&other), Err(()));
    }
}

#[test]
fn what_a_buffer_held_before_changes_nothing() {
    let form = Form::Other(&GiopLite);
    let mut cases = Vec::new();
    for key in [&b""[..], b"odd", b"a key of some octets"] {
        for operation in ["a", "note", "nothing", "nothings"] {
            for response in [ResponseFlags::NoResponse, ResponseFlags::SyncWithTarget] {
                cases.push(RequestStart { response, ..start(operation, key) });
            }
        }
    }
    let write = |buffer: &mut Vec<u8>, start: &RequestStart<'_>, body: &[u8]| {
        let mut message = form.request(buffer, ByteOrder::NATIVE, start).unwrap();
        message.body(zorb_cdr::TextCoding::UNICODE).put(body);
        message.finish().unwrap();
    };
    let mut again = 0;
    for before in &cases {
        for case in &cases {
            let case = RequestStart { request_id: 0x0102_0304, ..case.clone() };
            for (old, new) in [(&b""[..], &b"123456789"[..]), (b"123456789", b""), (b"x", b"y")] {
                let (mut used, mut fresh) = (Vec::new(), Vec::new());
                write(&mut used, before, old);
                again += usize::from(GiopLite.rewrite_request(
                    &mut used.clone(),
                    ByteOrder::NATIVE,
                    &case,
                ));
                write(&mut used, &case, new);
                write(&mut fresh, &case, new);
                assert_eq!(used, fresh);
            }
        }
    }
    assert_eq!(again, 3 * cases.len(), "each is found where it was, and nowhere else");
    // Whatever is cut off or changed, it is another one.
    let mut octets = Vec::new();
    write(&mut octets, &start("note", b"odd"), b"");
    for place in (4..octets.len()).filter(|place| !(8..12).contains(place)) {
        let mut other = octets.clone();
        other[place] ^= 1;
        let start = start("note", b"odd");
        assert!(!GiopLite.rewrite_request(&mut other, ByteOrder::NATIVE, &start), "{place}");
    }
}
