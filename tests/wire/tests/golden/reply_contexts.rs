//! Service contexts that an interceptor adds to replies: the octets that clients of omniORB and JacORB have
//! accepted, and those of the earlier versions of GIOP.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use zorb::SystemException;
use zorb::giop::ServiceId;
use zorb::interceptor::{ServerRequestInfo, ServerRequestInterceptor};
use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, HEADER_SIZE, MessageHeader, MessageWriter, ReplyStart, RequestStart,
    ResponseFlags, TargetAddress,
};

use crate::server::Server;
use crate::vector::{Scenario, unhex};

type Checked<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The contexts of the captured replies.
const CONTEXTS: [(ServiceId, &[u8]); 2] =
    [(ServiceId(0x1234_5678), b"abc"), (ServiceId(0x5441_4f00), b"")];

/// Adds the contexts to every reply.
#[derive(Debug)]
struct Adds;

impl ServerRequestInterceptor for Adds {
    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        CONTEXTS.iter().try_for_each(|(id, data)| info.add_reply_service_context(*id, data, false))
    }
}

/// Compares the replies of a Zorb server in each version of GIOP.
pub(crate) fn check(scenarios: &[Scenario]) -> Checked {
    let server = Server::start_with(false, |orb| {
        orb.add_server_request_interceptor("adds", |_| Some(Arc::new(Adds)));
    })?;
    for (name, request_id) in
        [("jac_unknown_service_contexts_2_reply", 0), ("omni_unknown_service_contexts_4_reply", 4)]
    {
        let all = scenarios.iter().flat_map(|scenario| &scenario.vectors);
        let captured = all.clone().find(|vector| vector.id.ends_with(name)).ok_or(name)?;
        compare(&server, GiopVersion::V1_2, request_id, &captured.octets)?;
    }
    // Before GIOP 1.2, the contexts come before the id of the request and the status.
    let contexts = "02000000 78563412 03000000 61626300 004f4154 00000000 07000000 00000000";
    for version in [GiopVersion::V1_0, GiopVersion::V1_1] {
        let minor = if version == GiopVersion::V1_0 { "00" } else { "01" };
        let text = format!("47494f5001{minor}010120000000{}", contexts.replace(' ', ""));
        compare(&server, version, 7, &unhex(&text))?;
    }
    Ok(())
}

/// Compares the reply to `ping` with these octets of a little-endian machine.
fn compare(server: &Server, version: GiopVersion, request_id: u32, expected: &[u8]) -> Checked {
    let start = RequestStart {
        request_id,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(Server::key_for(b"vec").unwrap_or_default()),
        operation: "ping",
        service_contexts: &[],
    };
    let mut message = Vec::new();
    MessageWriter::request(&mut message, version, ByteOrder::Big, &start)?.finish()?;
    let (host, port) = &server.address;
    let mut stream = TcpStream::connect((host.as_str(), *port))?;
    stream.write_all(&message)?;
    let mut reply = vec![0; HEADER_SIZE];
    stream.read_exact(&mut reply)?;
    let header = MessageHeader::parse_prefix(&reply)?.ok_or("no header")?;
    reply.resize(header.total_size(), 0);
    stream.read_exact(&mut reply[HEADER_SIZE..])?;
    if ByteOrder::NATIVE == ByteOrder::Little && reply != expected {
        return Err(format!("GIOP {version}: {reply:02x?} instead of {expected:02x?}").into());
    }
    let contexts = ReplyStart::read(&reply, &header)?.service_contexts(&reply, header.order);
    match CONTEXTS.iter().all(|(id, data)| contexts.find(*id) == Some(data)) {
        true => Ok(()),
        false => Err(format!("GIOP {version}: {contexts:?}").into()),
    }
}
