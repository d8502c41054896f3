//! What a bridge makes of the octets of a client, in the protocol of the server and in another one.

use std::net::Shutdown;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use zorb_bridge::{Bridge, Settings};
use zorb_core::Orb;
use zorb_core::poa::PoaPolicies;
use zorb_giop::{GiopLite, GiopVersion, Ior, ProfileTag};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{
    Composed, ConnectOptions, Endpoint, ProtocolRegistry, Stream, StreamOptions, Transport,
};

use super::echo::Servant;
use super::{AllocationBound, Target};
use crate::echo_idl::fuzz;

/// The first octet chooses the protocols of client and server, the others are what the client sends. All that comes
/// back ends, and others are served.
pub const TARGET: Target = Target {
    name: "bridge",
    run,
    // Four pipes of 64 KiB and threads for each connection.
    allocation: AllocationBound { per_octet: 2048, constant: 1 << 20 },
    words: &[
        KEY,
        b"GIOP\x01\x02\x01\x00",
        b"GIOP\x01\x02\x01\x03",
        b"GIOP\x01\x02\x03\x00",
        b"GIOP\x01\x02\x03\x07",
        b"GIOP\x01\x00\x01\x00",
        b"GIOP\x01\x01\x03\x00",
        b"add\0",
        b"\xff\xff\xff\xff",
        b"\x01\0\0\0",
    ],
};

/// The key of the object behind the bridges.
const KEY: &[u8] = b"Z\x02\0\x02P\0o";
/// Longer inputs are left alone; they would only be slow.
const MAX_INPUT: usize = 1 << 14;
/// How long an answer may be waited for. Nothing here takes long: passing it is a hang.
const HANG: Duration = Duration::from_secs(60);
/// The schemes of GIOP and GIOPlite.
const SCHEMES: [&str; 2] = ["inproc", "lite+inproc"];

struct Bridges {
    transport: InprocTransport,
    probe: fuzz::Echo,
    /// From each protocol to each.
    _bridges: Vec<Bridge>,
    _orbs: [Orb; 2],
}

fn lite(transport: &InprocTransport) -> Composed {
    Composed::new(&GiopLite, InprocProtocol::new(transport.clone()), ProfileTag(0x5a52_42ff))
}

fn bridges() -> &'static Bridges {
    static BRIDGES: OnceLock<Bridges> = OnceLock::new();
    BRIDGES.get_or_init(|| {
        let transport = InprocTransport::new();
        let builder = || {
            let giop = Arc::new(InprocProtocol::new(transport.clone()));
            Orb::builder().without_environment().protocol(giop).protocol(Arc::new(lite(&transport)))
        };
        let mut server = builder().option("MaxThreadsPerConnection", "1");
        for (number, scheme) in SCHEMES.into_iter().enumerate() {
            server = server.listen(format!("{scheme}://server-{number}"));
        }
        let server = server.build().expect("a server");
        let policies = PoaPolicies::new().persistent().user_ids();
        let poa = server.root_poa().create("P", policies).expect("an adapter");
        let echo: fuzz::Echo =
            poa.activate_shared_with_id("o", &Arc::new(Servant::default())).expect("an object");
        let registry = Arc::new(ProtocolRegistry::new());
        registry.register(Arc::new(InprocProtocol::new(transport.clone()))).expect("a protocol");
        registry.register(Arc::new(lite(&transport))).expect("a protocol");
        let mut opened = Vec::new();
        for (from, to) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let protocol = registry.by_scheme(SCHEMES[to]).expect("a protocol");
            let endpoint = Endpoint::new(SCHEMES[to], &format!("server-{to}"));
            let endpoint = endpoint.expect("an endpoint");
            let profile = protocol.encode_profile(&[endpoint], GiopVersion::V1_2, KEY, &[]);
            let profiles = vec![profile.expect("a profile")];
            let target = Ior { type_id: "IDL:fuzz.zorb/Fuzz/Echo:1.0".to_owned(), profiles };
            let url = format!("{}://bridge-{from}-{to}", SCHEMES[from]);
            let bridge = Bridge::open(&registry, &target, &[url], Settings::default());
            opened.push(bridge.expect("a bridge"));
        }
        let client = builder().build().expect("a client");
        // Through the first bridge.
        let reference = opened[0].reference().expect("a reference");
        let text = reference.to_stringified().expect("text");
        let probe = client.resolve(&text).expect("a reference");
        drop(echo);
        Bridges { transport, probe, _bridges: opened, _orbs: [server, client] }
    })
}

fn run(octets: &[u8]) {
    let Some((&choice, octets)) = octets.split_first() else { return };
    if octets.len() > MAX_INPUT {
        return;
    }
    let bridges = bridges();
    let [from, to] = [choice & 1, choice >> 1 & 1];
    let stream = StreamOptions { send_buffer: Some(octets.len() + 1), ..StreamOptions::default() };
    let endpoint = Endpoint::new("inproc", &format!("bridge-{from}-{to}")).expect("an endpoint");
    let options = ConnectOptions::with_stream(stream);
    let stream = bridges.transport.connect(&endpoint, &options).expect("a connection");
    stream.set_recv_timeout(Some(HANG)).expect("a time-out");
    // A bridge that has seen enough may end the connection first.
    let _ = stream.send_all(octets);
    stream.shutdown(Shutdown::Write).expect("the end of the requests");
    read_to_end(&*stream);
    assert_eq!(bridges.probe.add(2, 3), Ok(5), "another client notices");
}

fn read_to_end(stream: &dyn Stream) {
    let mut buffer = [0; 4096];
    while let Ok(1..) = stream.recv(&mut buffer).inspect_err(|error| {
        assert_ne!(error.kind(), std::io::ErrorKind::TimedOut, "the bridge hangs");
    }) {}
}
