//! Servers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zorb::poa::{
    AnyServant, ObjectId, Poa, PoaPolicies, ServantActivator, ServantLocator, ServantManagerError,
};
use zorb::{Any, ObjectRef, Orb, OrbBuilder, Result};
use zorb_fuzz_smoke::attack::read;
use zorb_fuzz_smoke::echo_idl::fuzz;
use zorb_giop::{
    Ior, LocateReplyHeader, LocateStatus, MessageHeader, MessageKind, ReplyHeader, ReplyStatus,
    ResponseFlags,
};
use zorb_testkit::in_own_process;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

use super::requests::{all, short};
use super::without_each_block;

/// Takes all arguments, and returns nothing long: memory for results is the servant's business.
#[derive(Default)]
struct Brief {
    /// The number in the last one-way request.
    noted: Arc<AtomicU64>,
}

impl fuzz::EchoServant for Brief {
    fn level(&self) -> Result<i32> {
        Ok(1)
    }

    fn set_level(&self, _: i32) -> Result<()> {
        Ok(())
    }

    fn note(&self, text: &str) {
        self.noted.store(text.parse().unwrap_or_default(), Ordering::SeqCst);
    }

    fn add(&self, a: i32, b: i32) -> Result<i32> {
        Ok(a.wrapping_add(b))
    }

    fn back_scalars(
        &self,
        a: &fuzz::Scalars,
        b: fuzz::Colour,
    ) -> Result<(fuzz::Scalars, fuzz::Colour, fuzz::Matrix)> {
        Ok((*a, b, [[0; 3]; 2]))
    }

    fn back_choice(&self, _: &fuzz::Choice, _: &fuzz::Wide) -> Result<fuzz::Choice> {
        Ok(fuzz::Choice::Text(String::new()))
    }

    fn back_node(&self, a: &fuzz::Node) -> Result<fuzz::Node, fuzz::echo::BackNodeError> {
        Ok(fuzz::Node { name: String::new(), which: a.which.clone(), kids: Vec::new() })
    }

    fn back_text(&self, _: &str, b: &str) -> Result<String> {
        Ok(b.to_owned())
    }

    fn back_wide(&self, _: &str, b: char) -> Result<String> {
        Ok(b.into())
    }

    fn back_octets(&self, _: &[u8]) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn back_strings(&self, _: &[String], _: &[i16], _: &fuzz::Matrix) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn back_anything(&self, _: &Any, _: &[Any]) -> Result<Any> {
        Ok(Any::default())
    }

    fn back_object(&self, _: Option<&ObjectRef>) -> Result<Option<ObjectRef>> {
        Ok(None)
    }

    fn back_echo(&self, _: Option<&fuzz::Echo>) -> Result<Option<fuzz::Echo>> {
        Ok(None)
    }
}

/// Provides a servant for every object.
struct Provider;

impl ServantLocator for Provider {
    type Cookie = ();

    fn preinvoke(
        &self,
        _: &Poa,
        _: &ObjectId,
        _: &str,
    ) -> Result<(AnyServant, ()), ServantManagerError> {
        Ok((AnyServant::of::<fuzz::Echo, _>(Arc::new(Brief::default())), ()))
    }
}

impl ServantActivator for Provider {
    /// Provides none: an object that is active has its id as long as it is.
    fn incarnate(&self, _: &Poa, _: &ObjectId) -> Result<AnyServant, ServantManagerError> {
        let code = zorb_types::MinorCode::default();
        Err(SystemException::no_permission(code, CompletionStatus::No).into())
    }
}

pub(super) struct Server {
    pub(super) orb: Orb,
    /// A reference to an object.
    pub(super) object: ObjectRef,
    /// The number in the last one-way request to it.
    pub(super) noted: Arc<AtomicU64>,
}

/// A server at an endpoint, with the adapters that requests of all kinds are for.
pub(super) fn serve(url: &str) -> Server {
    serve_by(Orb::builder().without_environment().listen(url))
}

/// The same with these settings.
pub(super) fn serve_by(orb: OrbBuilder) -> Server {
    // Requests of a connection, and datagrams, keep their order.
    let orb = orb.option("StallTakeover", "3600000").build().unwrap();
    let root = orb.root_poa();
    let policies = || PoaPolicies::new().persistent().user_ids();
    let by_default = root.create("D", policies().multiple_ids().default_servant()).unwrap();
    by_default.set_servant(AnyServant::of::<fuzz::Echo, _>(Arc::new(Brief::default()))).unwrap();
    let located = root.create("L", policies().non_retain().servant_manager()).unwrap();
    located.set_servant_locator(Provider).unwrap();
    let activated = root.create("A", policies().servant_manager()).unwrap();
    activated.set_servant_activator(Provider).unwrap();
    let noted = Arc::<AtomicU64>::default();
    let echo: fuzz::Echo = root.activate(Brief { noted: Arc::clone(&noted) }).unwrap();
    Server { orb, object: echo.into(), noted }
}

/// Where raw clients find an object.
pub(super) struct Target {
    address: String,
    key: Vec<u8>,
}

impl Target {
    /// The object of a reference with an IIOP profile.
    pub(super) fn new(ior: &Ior) -> Self {
        let profile = ior.iiop_profiles().next().unwrap();
        Self { address: format!("{}:{}", profile.host, profile.port), key: profile.object_key }
    }

    /// A connection that is being served.
    fn connect(&self) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(&short(&self.key)).unwrap();
        assert_eq!(read(&receive(&mut stream)).ids.len(), 1);
        stream
    }
}

/// Receives one message; nothing if the connection ends.
fn receive(stream: &mut TcpStream) -> Vec<u8> {
    let mut message = vec![0; 12];
    if stream.read_exact(&mut message).is_err() {
        return Vec::new();
    }
    let header = MessageHeader::parse_prefix(&message).unwrap().unwrap();
    message.resize(header.total_size(), 0);
    match stream.read_exact(&mut message[12..]) {
        Ok(()) => message,
        Err(_) => Vec::new(),
    }
}

/// Sends octets and returns the answer, if there is one before the connection ends.
fn exchange(stream: &mut TcpStream, octets: &[u8]) -> Vec<u8> {
    // The server may close before everything is sent.
    let _ = stream.write_all(octets);
    receive(stream)
}

/// The system exception in an answer, if there is one.
fn exception(answer: &[u8]) -> Option<SystemException> {
    let header = MessageHeader::parse_prefix(answer).unwrap()?;
    let (is_exception, mut body) = match header.kind {
        MessageKind::Reply => {
            let (reply, body) = ReplyHeader::read(answer, &header).unwrap();
            (reply.status == ReplyStatus::SystemException, body)
        }
        MessageKind::LocateReply => {
            let (reply, body) = LocateReplyHeader::read(answer, &header).unwrap();
            (reply.status == LocateStatus::LocSystemException, body)
        }
        _ => return None,
    };
    is_exception.then(|| SystemException::read(&mut body).unwrap())
}

/// Sends requests of all kinds, each without each block in turn. Every one is answered, or loses its connection alone.
pub(super) fn check(target: &Target) {
    let (mut runs, mut refused, mut lost) = (0, 0, 0);
    for (name, request) in all(&target.key, ResponseFlags::SyncWithTarget) {
        let whole = exchange(&mut target.connect(), &request);
        let connect = || target.connect();
        runs += without_each_block(&name, connect, |mut stream, run| {
            let answer = exchange(&mut stream, &request);
            let replies: usize = read(&answer).ids.values().sum();
            match exception(&answer) {
                Some(it) if it.kind == SystemExceptionKind::NoMemory => {
                    assert_eq!(it.completed, CompletionStatus::No, "{run}: {it}");
                    refused += 1;
                }
                // The connection has ended.
                None if replies == 0 => lost += 1,
                _ => assert_eq!(answer, whole, "{run}"),
            }
        });
    }
    println!("{runs} runs, {refused} refused, {lost} connections lost");
    assert!(refused > 100 && lost > 10, "{runs}, {refused}, {lost}");
}

#[test]
fn a_request_without_memory_for_a_part_of_it_ends_alone() {
    let name = "without_memory::servers::a_request_without_memory_for_a_part_of_it_ends_alone";
    in_own_process(name, || {
        let server = serve("iiop://127.0.0.1:0");
        check(&Target::new(server.object.ior()));
        server.orb.shutdown(true).unwrap();
    });
}
