//! A client that receives arbitrary octets from a server: replies, forwards, anything.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use zorb_cdr::ByteOrder;
use zorb_core::Orb;
use zorb_giop::{
    CodeSetComponentInfo, GiopVersion, IiopProfile, Ior, MessageHeader, TaggedComponent,
};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{Acceptor, ListenOptions, Stream, StreamOptions, Transport};

use super::{AllocationBound, Target, echo};
use crate::echo_idl::fuzz;

/// The first octet chooses the call; the others are what the server sends for every request, after which it ends the
/// connection. The call must return; any outcome is valid.
pub const TARGET: Target = Target {
    name: "client",
    run: |octets| {
        let _ = outcome(octets);
    },
    // An ORB for each input, and two pipes of 64 KiB for each forward that is followed.
    allocation: AllocationBound { per_octet: 1024, constant: 1 << 20 },
    words: &[
        b"GIOP\x01\x02\x01\x01",
        b"GIOP\x01\x02\x03\x01",
        b"GIOP\x01\x02\x01\x05",
        b"GIOP\x01\x02\x01\x06",
        b"GIOP\x01\x02\x01\x07",
        b"inproc\0",
        b"IDL:fuzz.zorb/Fuzz/Refused:1.0\0",
        b"IDL:omg.org/CORBA/TRANSIENT:1.0\0",
        b"\xff\xff\xff\xff",
        b"\x03\0\0\0",
        b"\x02\0\0\0",
    ],
};

/// The name of the endpoint that answers with the input.
pub const ENDPOINT: &str = "liar";

const MAX_INPUT: usize = 1 << 16;

struct Client {
    echo: fuzz::Echo,
    answer: Arc<Mutex<Vec<u8>>>,
    _orb: Orb,
}

/// Makes the call that `octets` begin with, to a server that answers with the rest of them.
pub fn outcome(octets: &[u8]) -> String {
    // The answer is stored per process.
    static CALLING: Mutex<()> = Mutex::new(());
    let Some((&number, answer)) = octets.split_first() else { return String::new() };
    if answer.len() > MAX_INPUT {
        return String::new();
    }
    let _calling = CALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let client = client();
    *client.answer.lock().unwrap_or_else(PoisonError::into_inner) = answer.to_vec();
    echo::call(&client.echo, number)
}

/// A new ORB for each input, so that forwards of earlier inputs are not cached.
fn client() -> Client {
    static WORLD: OnceLock<(InprocTransport, Arc<Mutex<Vec<u8>>>)> = OnceLock::new();
    let (transport, answer) = WORLD.get_or_init(|| {
        let transport = InprocTransport::new();
        let answer = Arc::new(Mutex::new(Vec::new()));
        // The answer always fits into the pipe, so the server's thread never waits to send.
        let stream = StreamOptions { send_buffer: Some(2 * MAX_INPUT), ..StreamOptions::default() };
        let options = ListenOptions::with_stream(stream);
        let url = format!("inproc://{ENDPOINT}");
        let acceptor = transport.listen(&url, &options).expect("an endpoint");
        let answers = Arc::clone(&answer);
        std::thread::spawn(move || lie(&*acceptor, &answers));
        (transport, answer)
    });
    let protocol = Arc::new(InprocProtocol::new(transport.clone()));
    let orb = Orb::builder().without_environment().protocol(protocol).build().expect("a client");
    let echo = orb.resolve(&reference().to_stringified().expect("text")).expect("a reference");
    Client { echo, answer: Arc::clone(answer), _orb: orb }
}

/// A reference to an object at the endpoint that answers with the input, whose code sets are UTF-8 and UTF-16.
pub fn reference() -> Ior {
    reference_of(GiopVersion::V1_2)
}

/// The same for a version of GIOP.
pub fn reference_of(version: GiopVersion) -> Ior {
    let mut reference = reference_at(version, ENDPOINT, 0);
    reference.profiles[0].tag = InprocProtocol::PROFILE_TAG;
    reference
}

/// The reference with an IIOP profile.
pub fn reference_at(version: GiopVersion, host: &str, port: u16) -> Ior {
    let order = ByteOrder::Little;
    let code_sets = TaggedComponent::with_body(&CodeSetComponentInfo::zorb(), order);
    let profile = IiopProfile {
        version,
        host: host.to_owned(),
        port,
        object_key: b"o".to_vec(),
        components: vec![code_sets.expect("a component")],
    };
    let profiles = vec![profile.encode(order).expect("a profile")];
    Ior { type_id: "IDL:fuzz.zorb/Fuzz/Echo:1.0".to_owned(), profiles }
}

/// Serves connections one after the other: waits for a request, sends the answer, ends.
fn lie(acceptor: &dyn Acceptor, answer: &Mutex<Vec<u8>>) {
    while let Ok(stream) = acceptor.accept() {
        if has_request(&*stream) {
            let answer = answer.lock().unwrap_or_else(PoisonError::into_inner).clone();
            // The client may have gone meanwhile.
            let _ = stream.send_all(&answer);
        }
    }
}

/// Waits for a whole message; `false` at the end of the stream.
fn has_request(stream: &dyn Stream) -> bool {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Ok(Some(header)) = MessageHeader::parse_prefix(&request)
            && request.len() >= header.total_size()
        {
            return true;
        }
        match stream.recv(&mut buffer) {
            Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
            _ => return false,
        }
    }
}
