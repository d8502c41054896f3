use zorb_cdr::TextCoding;

use super::*;
use crate::GiopLite;

#[derive(Clone, Copy)]
struct Case {
    form: MessageFormat<'static>,
    order: ByteOrder,
    key: usize,
    operation: &'static str,
    response: ResponseFlags,
}

const LITE: MessageFormat<'static> = MessageFormat::Other(&GiopLite);
const LONG: &str = "an_operation_whose_name_is_longer_than_the_maximum_of_a_buffer";

fn keys() -> [Arc<Vec<u8>>; 4] {
    let keys: [&[u8]; 4] = [b"a key of some 24 octets.", b"a key of some 24 octets!", b"", b"odd"];
    keys.map(|key| Arc::new(key.to_vec()))
}

fn cases() -> Vec<Case> {
    let plain = Case {
        form: MessageFormat::Giop(GiopVersion::V1_2),
        order: ByteOrder::Little,
        key: 0,
        operation: "nothing",
        response: ResponseFlags::SyncWithTarget,
    };
    let mut cases = Vec::from([
        plain,
        Case { form: MessageFormat::Giop(GiopVersion::V1_1), ..plain },
        Case { form: MessageFormat::Giop(GiopVersion::V1_0), ..plain },
        Case { order: ByteOrder::Big, ..plain },
        Case { response: ResponseFlags::NoResponse, ..plain },
    ]);
    cases.extend((1..4).map(|key| Case { key, ..plain }));
    let names = ["a", "note", "nothin", "nothings", LONG];
    cases.extend(names.map(|operation| Case { operation, ..plain }));
    cases
}

fn write(buffer: &mut RequestBuffer, case: &Case, keys: &[Arc<Vec<u8>>; 4], id: u32, body: &[u8]) {
    let Case { response, operation, .. } = *case;
    let request = PlainRequest { request_id: id, response, key: &keys[case.key], operation };
    let mut message = buffer.request(case.form, case.order, request).unwrap();
    message.body(TextCoding::default()).put(body);
    message.finish().unwrap();
}

/// Writes every case after every other one, in one buffer and in a new one.
fn check(cases: &[Case]) {
    let keys = keys();
    for before in cases {
        for case in cases {
            for bodies in [[&b""[..], b"123456789"], [b"123456789", b""], [b"x", b"x"]] {
                let (mut used, mut fresh) = (RequestBuffer::default(), RequestBuffer::default());
                write(&mut used, before, &keys, 1, bodies[0]);
                write(&mut used, case, &keys, 0x0102_0304, bodies[1]);
                write(&mut fresh, case, &keys, 0x0102_0304, bodies[1]);
                assert_eq!(used.octets(), fresh.octets());
            }
        }
    }
}

#[test]
fn the_octets_do_not_depend_on_the_request_before() {
    check(&cases());
}

#[test]
fn nor_do_those_of_giop_lite() {
    let order = ByteOrder::NATIVE;
    let lite: Vec<Case> = cases().iter().map(|case| Case { form: LITE, order, ..*case }).collect();
    check(&lite);
}

#[test]
fn the_header_of_a_repeated_request_is_reused() {
    let keys = keys();
    for form in
        [LITE, MessageFormat::Giop(GiopVersion::V1_0), MessageFormat::Giop(GiopVersion::V1_2)]
    {
        for case in cases().iter().filter(|case| case.order == ByteOrder::NATIVE) {
            let case = Case { form, ..*case };
            let mut buffer = RequestBuffer::default();
            write(&mut buffer, &case, &keys, 1, b"body");
            let remembered = case.operation != LONG;
            assert_eq!(buffer.last.is_some(), remembered);
            buffer.octets_mut().clear();
            assert!(buffer.last.is_none());
            write(&mut buffer, &case, &keys, 2, b"body");
        }
    }
}
