//! A server that receives arbitrary octets from a client: from the connection to the upcall.

use std::net::Shutdown;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use zorb_core::Orb;
use zorb_core::poa::PoaPolicies;
use zorb_giop::MessageHeader;
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{ConnectOptions, Endpoint, Stream, StreamOptions, Transport};

use super::echo::Servant;
use super::{AllocationBound, Target};
use crate::echo_idl::fuzz;

/// The octets that a client sends on a new connection before it stops sending. The server's output consists of whole
/// messages, and a client on another connection is not affected.
pub const TARGET: Target = Target {
    name: "server",
    run,
    // Two pipes of 64 KiB and a thread for each connection.
    allocation: AllocationBound { per_octet: 1024, constant: 256 << 10 },
    words: &[
        OBJECT_KEY,
        b"GIOP\x01\x02\x01\x00",
        b"GIOP\x01\x02\x01\x03",
        b"GIOP\x01\x02\x03\x00",
        b"GIOP\x01\x01\x02\x00",
        b"fuzz",
        b"_is_a\0",
        b"back_node\0",
        b"back_anything\0",
        b"IDL:fuzz.zorb/Fuzz/Echo:1.0\0",
        b"\xff\xff\xff\xff",
        b"\x01\0\0\0",
    ],
};

/// The key of the object that is called, the same in every run. The key `fuzz` leads to it too.
pub const OBJECT_KEY: &[u8] = b"Z\x02\0\x02P\0o";

/// Longer inputs are skipped; they would only be slow.
const MAX_INPUT: usize = 1 << 16;

/// Timeout for an answer; exceeding it is a hang.
const HANG: Duration = Duration::from_secs(60);

struct Server {
    transport: InprocTransport,
    endpoint: Endpoint,
    servant: Arc<Servant>,
    /// The object as a client in another ORB sees it; both ORBs live as long as the process.
    probe: fuzz::Echo,
    _orbs: [Orb; 2],
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let transport = InprocTransport::new();
        let builder = || {
            Orb::builder()
                .without_environment()
                .protocol(Arc::new(InprocProtocol::new(transport.clone())))
        };
        // No help from further threads: every run does the same.
        let quiet = builder().option("MaxThreadsPerConnection", "1");
        let orb = quiet.listen("inproc://fuzz").build().expect("a server");
        let policies = PoaPolicies::new().persistent().user_ids();
        let poa = orb.root_poa().create("P", policies).expect("an adapter");
        let servant = Arc::new(Servant::default());
        let echo: fuzz::Echo = poa.activate_shared_with_id("o", &servant).expect("an object");
        orb.publish("fuzz", &echo).expect("a free key");
        let client = builder().build().expect("a client");
        let reference = zorb::ObjectRef::from(echo).to_ior_string();
        let probe = client.resolve(&reference).expect("a reference");
        let endpoint = transport.parse_endpoint("inproc://fuzz").expect("an endpoint");
        Server { transport, endpoint, servant, probe, _orbs: [orb, client] }
    })
}

fn run(octets: &[u8]) {
    if octets.len() > MAX_INPUT {
        return;
    }
    let answer = exchange(octets);
    check_messages(&answer);
    expect_service();
}

/// Checks that a client on another connection gets its result.
pub fn expect_service() {
    assert_eq!(server().probe.add(2, 3), Ok(5), "another client is affected");
}

/// Sends `octets` on a connection of their own and returns all that comes back.
pub fn exchange(octets: &[u8]) -> Vec<u8> {
    exchange_on(&*connect(octets.len()), octets)
}

/// The same on this connection.
pub(super) fn exchange_on(stream: &dyn Stream, octets: &[u8]) -> Vec<u8> {
    stream.set_recv_timeout(Some(HANG)).expect("a time-out");
    // A server that has seen enough may end the connection first.
    let _ = stream.send_all(octets);
    stream.shutdown(Shutdown::Write).expect("the end of the request");
    read_to_end(stream)
}

/// A connection whose buffers take the whole input without waiting for the server.
pub fn connect(octets: usize) -> Arc<dyn Stream> {
    connect_to(&server().transport, &server().endpoint, octets)
}

/// The same to this endpoint.
pub(super) fn connect_to(
    transport: &InprocTransport,
    endpoint: &Endpoint,
    octets: usize,
) -> Arc<dyn Stream> {
    let stream = StreamOptions { send_buffer: Some(octets + 1), ..StreamOptions::default() };
    let options = ConnectOptions::with_stream(stream);
    transport.connect(endpoint, &options).expect("a connection")
}

/// How many upcalls the inputs so far have led to.
pub fn upcalls() -> u64 {
    server().servant.upcalls.load(Ordering::Relaxed)
}

fn read_to_end(stream: &dyn Stream) -> Vec<u8> {
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.recv(&mut buffer).expect("an answer or the end in time") {
            0 => return answer,
            count => answer.extend_from_slice(&buffer[..count]),
        }
    }
}

/// A server sends whole messages of known versions for any input.
pub(super) fn check_messages(mut answer: &[u8]) {
    while !answer.is_empty() {
        let header = MessageHeader::parse_prefix(answer).expect("a good header");
        let header = header.expect("a whole header");
        answer = answer.get(header.total_size()..).expect("a whole message");
    }
}
