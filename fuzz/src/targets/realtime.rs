//! What a server makes of service contexts with priorities and distributable threads.

use std::sync::{Arc, OnceLock};

use zorb_cdr::ByteOrder;
use zorb_core::Orb;
use zorb_core::poa::PoaPolicies;
use zorb_dsrt::{EarliestDeadline, RtScheduling};
use zorb_giop::{
    GiopVersion, MessageHeader, MessageKind, MessageWriter, RequestStart, ResponseFlags,
    ServiceContext, ServiceId, TargetAddress,
};
use zorb_rt::{Direct, NativePriority, Priority, RtOrb};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{ConnectOptions, Endpoint, Stream, Transport};

use super::echo::Servant;
use super::{AllocationBound, Target};

/// Service contexts of one request, each behind an octet for its id and one for its length. The request is answered,
/// and no distributable thread stays.
pub const TARGET: Target = Target {
    name: "realtime",
    run,
    // Two pipes of 64 KiB and a thread for each connection.
    allocation: AllocationBound { per_octet: 1024, constant: 256 << 10 },
    words: &[
        b"\0\x04\0\0\0\x05",
        b"\x01\x18\0\0\0\0\0\0\0\x10",
        b"\0\0\0\x01",
        b"\0\0\0\x03",
        b"\x7f\xff",
        b"\xff\xff\xff\xff",
    ],
};

/// The contexts that an input can have.
const IDS: [ServiceId; 4] = [
    ServiceId::RT_CORBA_PRIORITY,
    ServiceId::ZORB_DISTRIBUTABLE_THREAD,
    ServiceId::RT_CORBA_PRIORITY_RANGE,
    ServiceId::INVOCATION_POLICIES,
];
const KEY: &[u8] = b"Z\x02\0\x02P\0o";

struct Server {
    transport: InprocTransport,
    endpoint: Endpoint,
    scheduling: RtScheduling,
    _orb: Orb,
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let transport = InprocTransport::new();
        let protocol = Arc::new(InprocProtocol::new(transport.clone()));
        let orb = Orb::builder().without_environment().protocol(protocol);
        let orb = orb.option("MaxThreadsPerConnection", "1").listen("inproc://fuzz");
        let orb = orb.build().expect("a server");
        let mapping = Direct::new(NativePriority::SHARED, NativePriority(40));
        let rt = RtOrb::builder().mapping(mapping).attach(&orb).expect("real time");
        let scheduling = RtScheduling::attach(&orb, Arc::new(EarliestDeadline::new()));
        let priority = Priority::new(10).expect("a priority");
        let policies = PoaPolicies::new().persistent().user_ids();
        let policies = policies.with(rt.client_propagated(priority)).with(scheduling.policy());
        let poa = orb.root_poa().create("P", policies).expect("an adapter");
        let _: crate::echo_idl::fuzz::Echo =
            poa.activate_shared_with_id("o", &Arc::new(Servant::default())).expect("an object");
        let endpoint = transport.parse_endpoint("inproc://fuzz").expect("an endpoint");
        Server { transport, endpoint, scheduling, _orb: orb }
    })
}

/// The contexts in the input.
fn contexts(mut octets: &[u8]) -> Vec<ServiceContext<'_>> {
    let mut contexts = Vec::new();
    while let Some((&[id, length], rest)) = octets.split_first_chunk() {
        let (data, rest) = rest.split_at(usize::from(length).min(rest.len()));
        octets = rest;
        let id = IDS[usize::from(id) % IDS.len()];
        contexts.push(ServiceContext { id, data: data.into() });
    }
    contexts
}

fn run(octets: &[u8]) {
    let contexts = contexts(octets);
    if contexts.len() > 1024 {
        return;
    }
    let start = RequestStart {
        request_id: 1,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(KEY),
        operation: "add",
        service_contexts: &contexts,
    };
    let mut request = Vec::new();
    let order = ByteOrder::Big;
    let mut message =
        MessageWriter::request(&mut request, GiopVersion::V1_2, order, &start).expect("a request");
    let mut body = message.body(Default::default());
    body.write_i32(2);
    body.write_i32(3);
    message.finish().expect("a request");
    let server = server();
    let stream = server
        .transport
        .connect(&server.endpoint, &ConnectOptions::default())
        .expect("a connection");
    stream.set_recv_timeout(Some(std::time::Duration::from_secs(60))).expect("a time-out");
    std::thread::scope(|scope| {
        scope.spawn(|| stream.send_all(&request));
        let reply = read_message(&*stream);
        let header = MessageHeader::parse_prefix(&reply).expect("a header").expect("a whole one");
        assert_eq!(header.kind, MessageKind::Reply, "every request is answered");
    });
    drop(stream);
    assert_eq!(server.scheduling.count(), 0, "a distributable thread stays");
}

fn read_message(stream: &dyn Stream) -> Vec<u8> {
    let mut message = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Ok(Some(header)) = MessageHeader::parse_prefix(&message)
            && message.len() >= header.total_size()
        {
            return message;
        }
        match stream.recv(&mut buffer).expect("an answer in time") {
            0 => panic!("the connection ends without an answer"),
            count => message.extend_from_slice(&buffer[..count]),
        }
    }
}
