//! Servers.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use zorb::poa::{
    AnyServant, ObjectId, Poa, PoaPolicies, ServantActivator, ServantLocator, ServantManagerError,
};
use zorb::{Any, ObjectRef, Orb, Result};
use zorb_fuzz_smoke::attack::read;
use zorb_fuzz_smoke::echo_idl::fuzz;
use zorb_giop::{
    LocateReplyHeader, LocateStatus, MessageHeader, MessageKind, ReplyHeader, ReplyStatus,
};
use zorb_testkit::in_own_process;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

use super::requests::{all, short};
use super::without_each_block;

/// Takes all arguments, and returns nothing long: memory for results is the servant's business.
struct Brief;

impl fuzz::EchoServant for Brief {
    fn level(&self) -> Result<i32> {
        Ok(1)
    }

    fn set_level(&self, _: i32) -> Result<()> {
        Ok(())
    }

    fn note(&self, _: &str) {}

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
        Ok((AnyServant::of::<fuzz::Echo, _>(Arc::new(Brief)), ()))
    }
}

impl ServantActivator for Provider {
    /// Provides none: an object that is active has its id as long as it is.
    fn incarnate(&self, _: &Poa, _: &ObjectId) -> Result<AnyServant, ServantManagerError> {
        let code = zorb_types::MinorCode::default();
        Err(SystemException::no_permission(code, CompletionStatus::No).into())
    }
}

struct Server {
    orb: Orb,
    address: String,
    key: Vec<u8>,
}

fn serve() -> Server {
    let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
    let root = orb.root_poa();
    let policies = || PoaPolicies::new().persistent().user_ids();
    let by_default = root.create("D", policies().multiple_ids().default_servant()).unwrap();
    by_default.set_servant(AnyServant::of::<fuzz::Echo, _>(Arc::new(Brief))).unwrap();
    let located = root.create("L", policies().non_retain().servant_manager()).unwrap();
    located.set_servant_locator(Provider).unwrap();
    let activated = root.create("A", policies().servant_manager()).unwrap();
    activated.set_servant_activator(Provider).unwrap();
    let echo: fuzz::Echo = root.activate(Brief).unwrap();
    let profile = ObjectRef::from(echo).ior().iiop_profiles().next().unwrap();
    Server { orb, address: format!("{}:{}", profile.host, profile.port), key: profile.object_key }
}

/// A connection that is being served.
fn connect(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.write_all(&short(&server.key)).unwrap();
    let mut header = [0; 12];
    stream.read_exact(&mut header).unwrap();
    let header = MessageHeader::parse(&header).unwrap();
    stream.read_exact(&mut vec![0; header.total_size() - 12]).unwrap();
    stream
}

/// Sends octets and returns the answers until the server ends the connection.
fn exchange(stream: &mut TcpStream, octets: &[u8]) -> Vec<u8> {
    // The server may close before everything is sent.
    let _ = stream.write_all(octets);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
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

#[test]
fn a_request_without_memory_for_a_part_of_it_ends_alone() {
    let name = "without_memory::servers::a_request_without_memory_for_a_part_of_it_ends_alone";
    in_own_process(name, || {
        let server = serve();
        let (mut runs, mut refused, mut lost) = (0, 0, 0);
        for (name, request) in all(&server.key) {
            let whole = exchange(&mut connect(&server), &request);
            let mut stream = connect(&server);
            runs += without_each_block(&name, |run| {
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
                stream = connect(&server);
            });
        }
        println!("{runs} runs, {refused} refused, {lost} connections lost");
        assert!(refused > 100 && lost > 10, "{runs}, {refused}, {lost}");
        server.orb.shutdown(true).unwrap();
    });
}
