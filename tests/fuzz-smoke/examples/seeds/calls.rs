//! Recorded calls of the server and client targets.

use std::sync::{Arc, Mutex, PoisonError};

use zorb_cdr::{ByteOrder, CdrResult, CdrWriter, TextCoding, Wire};
use zorb_core::Orb;
use zorb_fuzz_smoke::echo_idl::fuzz;
use zorb_fuzz_smoke::targets::{client, echo, server};
use zorb_giop::{
    CodeSetComponentInfo, GiopVersion, IiopProfile, Ior, MessageHeader, MessageWriter, ReplyStatus,
    RequestStart, ResponseFlags, TaggedComponent, TaggedProfile, TargetAddress, fragments,
};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{ListenOptions, Stream, Transport};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::seed;

const CALLS: [&str; 15] = [
    "level",
    "set_level",
    "note-oneway",
    "scalars",
    "choice",
    "node",
    "refused",
    "text",
    "wide",
    "octets",
    "strings",
    "anything",
    "object",
    "echo",
    "is_a",
];

const VERSIONS: [(GiopVersion, &str); 3] =
    [(GiopVersion::V1_0, "1.0"), (GiopVersion::V1_1, "1.1"), (GiopVersion::V1_2, "1.2")];

type Recorded = Arc<Mutex<Vec<(Vec<u8>, Vec<u8>)>>>;

pub(crate) fn write() {
    for (version, shown) in VERSIONS {
        for (number, name) in (0_u8..).zip(CALLS) {
            record(version, shown, number, name);
        }
    }
    by_hand();
    replies();
}

/// Makes a call to the server target's object through a recorder.
fn record(version: GiopVersion, shown: &str, number: u8, name: &str) {
    let transport = InprocTransport::new();
    let recorded = Recorded::default();
    let acceptor =
        transport.listen("inproc://recorder", &ListenOptions::default()).expect("an endpoint");
    let log = Arc::clone(&recorded);
    std::thread::spawn(move || {
        while let Ok(stream) = acceptor.accept() {
            while let Some(request) = message(&*stream) {
                let reply = server::exchange(&request);
                stream.send_all(&reply).expect("a client that waits");
                log.lock().unwrap_or_else(PoisonError::into_inner).push((request, reply));
            }
        }
    });
    let protocol = Arc::new(InprocProtocol::new(transport));
    let orb = Orb::builder().without_environment().protocol(protocol).build().expect("a client");
    let ior = reference(version).to_stringified().expect("text");
    let target: fuzz::Echo = orb.resolve(&ior).expect("a reference");
    let outcome = echo::call(&target, number);
    println!("{shown} {name}: {outcome}");
    // A one-way call may be on its way still; the next call comes behind it.
    let _ = target.add(1, 1);
    let recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((request, reply)) = recorded.first().filter(|_| recorded.len() == 2) else { return };
    let kind = if name == "is_a" { "pseudo" } else { "call" };
    seed("server", &format!("{kind}-{name}-{shown}"), request);
    if version == GiopVersion::V1_2 {
        let pieces = fragments(request, 64);
        let octets: Vec<u8> =
            pieces.flat_map(|piece| [piece.header(), piece.payload].concat()).collect();
        if octets.len() > request.len() {
            seed("server", &format!("{kind}-{name}-fragments"), octets);
        }
    }
    if !reply.is_empty() {
        // The client target asks in GIOP 1.2; it may read older replies' text in another code set.
        let kind = match (version, name) {
            (GiopVersion::V1_2, "refused") => "raised",
            (GiopVersion::V1_2, _) => "result",
            _ => "older",
        };
        seed("client", &format!("{kind}-{name}-{shown}"), [&[number][..], reply].concat());
    }
}

fn message(stream: &dyn Stream) -> Option<Vec<u8>> {
    let mut octets = Vec::new();
    let mut buffer = [0];
    loop {
        if let Ok(Some(header)) = MessageHeader::parse_prefix(&octets)
            && octets.len() == header.total_size()
        {
            return Some(octets);
        }
        match stream.recv(&mut buffer) {
            Ok(1) => octets.push(buffer[0]),
            _ => return None,
        }
    }
}

fn reference(version: GiopVersion) -> Ior {
    let sets = TaggedComponent::with_body(&CodeSetComponentInfo::zorb(), ByteOrder::Little);
    let components = match version {
        GiopVersion::V1_0 => Vec::new(),
        _ => vec![sets.expect("a component")],
    };
    let profile = IiopProfile {
        version,
        host: "recorder".to_owned(),
        port: 0,
        object_key: server::OBJECT_KEY.to_vec(),
        components,
    };
    let data = profile.encode(ByteOrder::Little).expect("a profile").data;
    let profile = TaggedProfile { tag: InprocProtocol::PROFILE_TAG, data };
    Ior { type_id: "IDL:fuzz.zorb/Fuzz/Echo:1.0".to_owned(), profiles: vec![profile] }
}

pub(crate) fn request(
    version: GiopVersion,
    key: &[u8],
    operation: &str,
    body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
) -> Vec<u8> {
    let mut octets = Vec::new();
    let start = RequestStart {
        request_id: 2,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(key),
        operation,
        service_contexts: &[],
    };
    let mut message =
        MessageWriter::request(&mut octets, version, ByteOrder::Big, &start).expect("a request");
    body(&mut message.body(TextCoding::default())).expect("arguments");
    message.finish().expect("a message");
    octets
}

/// Requests in the other byte order, to odd operations and keys, and messages of other kinds.
fn by_hand() {
    let key = server::OBJECT_KEY;
    for (version, shown) in VERSIONS {
        let text = request(version, key, "back_text", |writer| {
            String::write("big", writer)?;
            String::write("end", writer)
        });
        seed("server", &format!("call-text-big-{shown}"), &text);
        let octets =
            request(version, key, "back_octets", |writer| Vec::<u8>::write(&[1, 2], writer));
        seed("server", &format!("call-octets-big-{shown}"), &octets);
        seed("server", &format!("stream-two-calls-{shown}"), [text, octets].concat());
        let forwarded = request(version, b"fuzz", "back_octets", |_| Ok(()));
        seed("server", &format!("forwarded-{shown}"), forwarded);
        seed(
            "server",
            &format!("cut-arguments-{shown}"),
            request(version, key, "back_node", |_| Ok(())),
        );
        let huge = request(version, key, "back_strings", |writer| u32::write(&u32::MAX, writer));
        seed("server", &format!("huge-length-{shown}"), huge);
        let mut locate = Vec::new();
        let target = TargetAddress::Key(key);
        let order = ByteOrder::Big;
        MessageWriter::locate_request(&mut locate, version, order, 4, &target)
            .and_then(MessageWriter::finish)
            .expect("a LocateRequest");
        seed("server", &format!("locate-{shown}"), locate);
    }
    let version = GiopVersion::V1_2;
    for operation in ["_non_existent", "_interface", "_repository_id", "_domain_managers", "_bogus"]
    {
        let octets = request(version, key, operation, |_| Ok(()));
        seed("server", &format!("pseudo{operation}"), octets);
    }
    let nested = request(version, key, "back_node", |writer| deep(writer, 200));
    seed("server", "deep-node", nested);
    seed("server", "cancel", b"GIOP\x01\x02\x01\x02\x04\0\0\0\x02\0\0\0");
    seed("server", "close", b"GIOP\x01\x02\x01\x05\0\0\0\0");
    seed("server", "error", b"GIOP\x01\x02\x01\x06\0\0\0\0");
    seed("server", "http", b"GET / HTTP/1.1\r\n\r\n");
    seed("server", "claims-4-gib", b"GIOP\x01\x02\x01\x00\xff\xff\xff\xff");
}

/// A node in a node in a node, to that depth.
fn deep(writer: &mut CdrWriter<'_>, depth: u32) -> CdrResult<()> {
    for _ in 0..depth {
        String::write("n", writer)?;
        u32::write(&2, writer)?;
        u32::write(&1, writer)?;
    }
    Ok(())
}

fn reply(status: ReplyStatus, body: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut message =
        MessageWriter::reply(&mut octets, GiopVersion::V1_2, ByteOrder::Little, 0, status, &[])
            .expect("a reply");
    body(&mut message.body(TextCoding::default())).expect("a body");
    message.finish().expect("a message");
    octets
}

/// Replies that are no results.
fn replies() {
    let with = |octets: &[u8]| [&[5_u8][..], octets].concat();
    let exception = SystemException::object_not_exist(
        minor::object_not_exist::UNKNOWN_KEY,
        CompletionStatus::No,
    );
    let raised = reply(ReplyStatus::SystemException, |writer| exception.write(writer));
    seed("client", "system-exception", with(&raised));
    let unknown = reply(ReplyStatus::UserException, |writer| String::write("IDL:x:1.0", writer));
    seed("client", "unknown-exception", with(&unknown));
    // Forwards to the same server, until the limit of forwards.
    let forward = reply(ReplyStatus::LocationForward, |w| Ior::write(&client::reference(), w));
    seed("client", "forward-in-a-circle", with(&forward));
    let nil = reply(ReplyStatus::LocationForward, |writer| Ior::write(&Ior::NIL, writer));
    seed("client", "forward-to-nil", with(&nil));
    let mode = reply(ReplyStatus::NeedsAddressingMode, |writer| u16::write(&1, writer));
    seed("client", "needs-addressing-mode", with(&mode));
    let deep = reply(ReplyStatus::NoException, |writer| deep(writer, 200));
    seed("client", "deep-node", with(&deep));
    let pieces = fragments(&raised, 32);
    let pieces: Vec<u8> =
        pieces.flat_map(|piece| [piece.header(), piece.payload].concat()).collect();
    seed("client", "fragments", with(&pieces));
    seed("client", "stray-then-raised", with(&[stray(), raised].concat()));
    seed("client", "nothing-at-all", [5]);
    seed("client", "half-a-header", with(b"GIOP\x01\x02"));
    seed("client", "close", with(b"GIOP\x01\x02\x01\x05\0\0\0\0"));
    seed("client", "error", with(b"GIOP\x01\x02\x01\x06\0\0\0\0"));
    seed("client", "claims-4-gib", with(b"GIOP\x01\x02\x01\x01\xff\xff\xff\xff"));
    seed("client", "a-request", with(&request(GiopVersion::V1_2, b"o", "x", |_| Ok(()))));
}

/// A reply without a request.
fn stray() -> Vec<u8> {
    let mut octets = Vec::new();
    let (version, order) = (GiopVersion::V1_2, ByteOrder::Little);
    MessageWriter::reply(&mut octets, version, order, 98, ReplyStatus::NoException, &[])
        .and_then(MessageWriter::finish)
        .expect("a reply");
    octets
}
