//! Messages for which there is no memory, whose numbers and short runs are written without a `Result`.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, TextCoding, Wire};
use zorb_core::{ObjectRef, Orb, Result, codegen};
use zorb_giop::{
    GiopVersion, IiopProfile, Ior, MessageFormat, MessageWriter, PlainRequest, ReplyStatus,
    RequestBuffer, RequestHeader, RequestStart, ResponseFlags, TargetAddress,
};
use zorb_os::alloc::refuse_above;
use zorb_testkit::read_message;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

use crate::alone;
use crate::support::builder;

/// Larger than all that a call needs besides its message, and smaller than the message of [`MANY`] values.
const LARGEST: usize = 64 << 10;
const MANY: usize = 100_000;

/// A `long` that is written by itself, not in a run with others.
#[derive(Clone, Debug, PartialEq)]
struct Single(i32);

impl Wire for Single {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 4;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_i32(value.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_i32().map(Self)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

/// `interface Singles { long take(in SingleSeq values); SingleSeq give(in long count); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Singles(ObjectRef);

codegen::interface!(Singles(ObjectRef), "IDL:zorb.test/Singles:1.0", "Singles", []);

impl Singles {
    fn take(&self, values: &[Single]) -> Result<i32> {
        codegen::invoke!(self, take, [Vec<Single> => values], [i32])
    }

    fn give(&self, count: i32) -> Result<Vec<Single>> {
        codegen::invoke!(self, give, [i32 => &count], [Vec<Single>])
    }
}

trait SinglesServant: Send + Sync + 'static {
    fn take(&self, values: &[Single]) -> Result<i32>;
    fn give(&self, count: i32) -> Result<Vec<Single>>;
}

codegen::skeleton!(Singles, SinglesServant, {
    0 "take" take(values: Vec<Single> => &values) [result: i32],
    1 "give" give(count: i32 => count) [result: Vec<Single>],
});

/// Its thread has no memory for large replies.
struct Poor;

impl SinglesServant for Poor {
    fn take(&self, values: &[Single]) -> Result<i32> {
        Ok(i32::try_from(values.len()).unwrap())
    }

    fn give(&self, count: i32) -> Result<Vec<Single>> {
        let values = (0..count).map(Single).collect();
        refuse_above(LARGEST);
        Ok(values)
    }
}

fn serve() -> (Orb, Singles) {
    // Only one thread serves the connection, the one with little memory.
    let server = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let server = server.build().unwrap();
    let singles = server.root_poa().activate(Poor).unwrap();
    (server, singles)
}

fn many() -> Vec<Single> {
    (0..MANY).map(|number| Single(i32::try_from(number).unwrap())).collect()
}

fn assert_no_memory(exception: &SystemException, completed: CompletionStatus) {
    assert_eq!(exception.kind, SystemExceptionKind::NoMemory, "{exception}");
    assert_eq!(exception.completed, completed, "{exception}");
}

#[test]
fn arguments_without_memory_for_them_fail_their_call_alone() {
    let _alone = alone();
    let (server, singles) = serve();
    let client = builder().build().unwrap();
    let there: Singles = client.resolve(&singles.0.to_ior_string()).unwrap();
    let values = many();
    assert_eq!(there.take(&values[..3]), Ok(3));
    refuse_above(LARGEST);
    let refused = there.take(&values).unwrap_err();
    refuse_above(usize::MAX);
    assert_no_memory(&refused, CompletionStatus::No);
    assert_eq!(there.take(&values[..3]), Ok(3));
    assert_eq!(there.take(&values), Ok(i32::try_from(MANY).unwrap()));
    server.shutdown(true).unwrap();
}

#[test]
fn results_without_memory_for_them_are_replaced_by_an_exception() {
    let _alone = alone();
    let (server, singles) = serve();
    let client = builder().build().unwrap();
    let there: Singles = client.resolve(&singles.0.to_ior_string()).unwrap();
    let refused = there.give(i32::try_from(MANY).unwrap()).unwrap_err();
    assert_no_memory(&refused, CompletionStatus::Yes);
    assert_eq!(there.give(3).map(|values| values.len()), Ok(3));
    server.shutdown(true).unwrap();
}

#[test]
fn a_collocated_call_without_memory_for_its_values_fails_as_well() {
    let _alone = alone();
    let (server, singles) = serve();
    let values = many();
    assert_eq!(singles.take(&values[..3]), Ok(3));
    refuse_above(LARGEST);
    let refused = singles.take(&values).unwrap_err();
    assert_no_memory(&refused, CompletionStatus::No);
    refuse_above(usize::MAX);
    let refused = singles.give(i32::try_from(MANY).unwrap()).unwrap_err();
    refuse_above(usize::MAX);
    assert_no_memory(&refused, CompletionStatus::Yes);
    assert_eq!(singles.take(&values).unwrap(), i32::try_from(MANY).unwrap());
    server.shutdown(true).unwrap();
}

#[test]
fn a_pending_call_without_memory_to_keep_its_arguments_is_not_sent_again() {
    let _alone = alone();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let profile = IiopProfile {
        version: GiopVersion::V1_2,
        host: "127.0.0.1".to_owned(),
        port: listener.local_addr().unwrap().port(),
        object_key: b"closing".to_vec(),
        components: Vec::new(),
    };
    let profiles = vec![profile.encode(ByteOrder::NATIVE).unwrap()];
    let ior = Ior { type_id: "IDL:zorb.test/Singles:1.0".to_owned(), profiles };
    // It answers one request, and closes the connection before it takes the next one.
    let served = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (header, message) = read_message(&mut stream).unwrap();
        let id = RequestHeader::read(&message, &header).unwrap().0.request_id;
        let (version, order, done) = (header.version, ByteOrder::NATIVE, ReplyStatus::NoException);
        let mut octets = Vec::new();
        MessageWriter::reply(&mut octets, version, order, id, done, &[]).unwrap().finish().unwrap();
        stream.write_all(&octets).unwrap();
        read_message(&mut stream).unwrap();
        MessageFormat::Giop(version).close_connection(&mut octets, order);
        stream.write_all(&octets).unwrap();
    });
    let orb = builder().build().unwrap();
    let object = orb.resolve::<Singles>(&ior.to_stringified().unwrap()).unwrap().0;
    let values = many();
    let send = || {
        let arguments = |writer: &mut CdrWriter<'_>| <Vec<Single>>::write(&values, writer);
        object.send::<(), SystemException>("keep", arguments, |_| Ok(()))
    };
    // Now the connection has a buffer for the next request.
    send().wait().unwrap();
    refuse_above(LARGEST);
    let sent = send();
    refuse_above(usize::MAX);
    assert_no_memory(&sent.wait().unwrap_err(), CompletionStatus::No);
    served.join().unwrap();
}

/// What is written at a step.
fn part(number: usize, step: usize) -> usize {
    (number >> step) % 8
}

/// Writes some of everything; `number` selects the order.
fn write_all(number: usize, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    for step in 0..12 {
        match part(number, step) {
            0 => writer.write_u8(1),
            1 => writer.write_u64(2),
            2 => writer.align(8),
            3 => writer.put(&[3; 40]),
            4 => writer.write_str("text", u32::MAX)?,
            5 => writer.write_encapsulation(|inner| {
                inner.write_u64(4);
                inner.write_latin1("name")
            })?,
            6 => writer.write_value(step, (), &["IDL:A:1.0", "IDL:B:1.0"], true, |writer| {
                writer.write_u16(5);
                writer.write_value(step + 100, (), &["IDL:C:1.0"], false, |writer| {
                    writer.write_u32(6);
                    Ok(())
                })
            })?,
            _ => <Vec<f64>>::write(&[1.0; 9], writer)?,
        }
    }
    Ok(())
}

#[test]
fn a_message_is_complete_or_fails_at_any_size() {
    let _alone = alone();
    for number in (0..4096_usize).step_by(3) {
        let (order, text) = (ByteOrder::Big, TextCoding::default());
        let mut whole = Vec::new();
        write_all(number, &mut CdrWriter::new(&mut whole, order).with_text(text)).unwrap();
        let has_values = (0..12).any(|step| part(number, step) == 6);
        for room in [0, 1, 7, 30, 64, 200, 300, 500, 2000] {
            let mut octets = Vec::with_capacity(room);
            // The tables of values need their memory.
            refuse_above(if has_values { 600 } else { room });
            let mut writer = CdrWriter::new(&mut octets, order).with_text(text);
            let written = write_all(number, &mut writer).and_then(|()| writer.finish());
            refuse_above(usize::MAX);
            match written {
                Ok(()) => assert_eq!(octets, whole, "{number}"),
                Err(error) => assert_eq!(error.kind, CdrErrorKind::OutOfMemory, "{number}"),
            }
        }
    }
}

fn request<'a>(key: &'a Arc<Vec<u8>>, operation: &'a str) -> PlainRequest<'a> {
    PlainRequest { request_id: 2, response: ResponseFlags::SyncWithTarget, key, operation }
}

#[test]
fn headers_need_memory_as_well() {
    let _alone = alone();
    let key = Arc::new(vec![1; 300]);
    for largest in [64, 100, 300] {
        for form in [MessageFormat::Giop(GiopVersion::V1_0), MessageFormat::Giop(GiopVersion::V1_2)]
        {
            let mut buffer = RequestBuffer::default();
            refuse_above(largest);
            let refused = buffer.request(form, ByteOrder::NATIVE, request(&key, "take")).err();
            refuse_above(usize::MAX);
            assert_eq!(refused.map(|error| error.kind), Some(CdrErrorKind::OutOfMemory));
            let message = buffer.request(form, ByteOrder::NATIVE, request(&key, "take")).unwrap();
            message.finish().unwrap();
        }
    }
}

fn write_numbers(message: &mut MessageWriter<'_>, count: u32) {
    let mut body = message.body(TextCoding::default());
    for number in 0..count {
        body.write_u8(1);
        body.write_u32(number);
    }
}

#[test]
fn a_message_whose_body_found_no_memory_cannot_be_finished() {
    let _alone = alone();
    let key = Arc::new(vec![1; 10]);
    let mut buffer = RequestBuffer::default();
    let form = MessageFormat::Giop(GiopVersion::V1_2);
    for operation in ["give", "take", "take"] {
        let request = || request(&key, operation);
        let mut message = buffer.request(form, ByteOrder::NATIVE, request()).unwrap();
        refuse_above(1000);
        write_numbers(&mut message, 1000);
        refuse_above(usize::MAX);
        // Also if there is memory for what follows.
        write_numbers(&mut message, 10);
        message.clear_body();
        write_numbers(&mut message, 10);
        let error = message.finish().unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::OutOfMemory);
        assert!(buffer.octets().is_empty());
        // The next one has its header again.
        let mut message = buffer.request(form, ByteOrder::NATIVE, request()).unwrap();
        write_numbers(&mut message, 10);
        message.finish().unwrap();
        let mut other = Vec::new();
        let target = TargetAddress::Key(&key);
        let (request_id, response) = (2, ResponseFlags::SyncWithTarget);
        let start = RequestStart { request_id, response, target, operation, service_contexts: &[] };
        let mut message = form.request(&mut other, ByteOrder::NATIVE, &start).unwrap();
        write_numbers(&mut message, 10);
        message.finish().unwrap();
        assert_eq!(buffer.octets(), other);
    }
}
