//! Calls between a client and a server, over a network that splits what is sent.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use zorb_nano::{
    Client, CompletionStatus, Limits, Reference, Server, SystemException, SystemExceptionKind,
    minor,
};

use crate::servant::{BASE, ID, Meter, OUT_OF_RANGE};
use crate::simulated::{Network, Simulated};

pub(crate) type SharedServer = Rc<RefCell<Server<'static, Simulated>>>;

/// A server with the object `meter`.
pub(crate) fn server(network: &Network, piece: usize, limits: Limits) -> (SharedServer, Meter) {
    let address = "192.0.2.1:0".parse().unwrap();
    let sockets = limits.max_connections + 2;
    let mut server = Server::new(network.machine(piece, sockets), address, limits).unwrap();
    let meter = Meter::default();
    let servant = Meter { stored: Rc::clone(&meter.stored) };
    server.register(b"meter", Box::new(servant)).unwrap();
    (Rc::new(RefCell::new(server)), meter)
}

/// A client that lets the server work while it waits.
pub(crate) fn client(network: &Network, piece: usize, server: &SharedServer) -> Client<Simulated> {
    let server = Rc::clone(server);
    let machine = network
        .machine(piece, 8)
        .with_others(move || server.borrow_mut().perform_work(Some(Duration::ZERO)).unwrap());
    Client::new(machine, Limits::DEFAULT)
}

/// A client and a server, and the reference of `meter`.
fn pair(piece: usize) -> (Client<Simulated>, SharedServer, Reference, Meter) {
    let network = Network::default();
    let (server, meter) = server(&network, piece, Limits::DEFAULT);
    let reference = server.borrow_mut().reference(b"meter").unwrap();
    (client(&network, piece, &server), server, reference, meter)
}

/// Whole messages, single octets, and pieces that end in headers and numbers.
const PIECES: [usize; 4] = [usize::MAX, 1, 5, 13];

pub(crate) fn add(
    client: &mut Client<Simulated>,
    target: &Reference,
) -> Result<i32, SystemException> {
    let mut reply = client.call(target, "add", &mut |arguments| {
        arguments.write::<i32>(&2)?;
        arguments.write::<i32>(&3)
    })?;
    let results = reply.results()?;
    let sum = results.read::<i32>()?;
    results.end()?;
    Ok(sum)
}

#[test]
fn two_way_calls_return_results() {
    for piece in PIECES {
        let (mut client, _server, meter, _) = pair(piece);
        assert_eq!(add(&mut client, &meter), Ok(5));
        let mut reply = client.call(&meter, "echo", &mut |it| it.write_str("größe")).unwrap();
        assert_eq!(reply.results().unwrap().read::<String>().unwrap(), "größe");
        let mut reply = client.call(&meter, "numbers", &mut |it| it.write::<u32>(&3)).unwrap();
        let numbers = reply.results().unwrap().read::<Vec<f64>>().unwrap();
        assert_eq!(numbers, [0.0, 1.0, 2.0]);
        assert_eq!(client.os().open(), 1, "one connection carries all calls");
    }
}

#[test]
fn user_exceptions_have_an_id_and_members() {
    for piece in PIECES {
        let (mut client, _server, meter, _) = pair(piece);
        let mut divide = |divisor: f64| {
            let mut reply = client
                .call(&meter, "divide", &mut |arguments| {
                    arguments.write::<f64>(&1.0)?;
                    arguments.write::<f64>(&divisor)
                })
                .unwrap();
            match reply.exception() {
                Some(exception) => {
                    let id = exception.read::<String>().unwrap();
                    Err((id, exception.read::<i32>().unwrap()))
                }
                None => Ok(reply.results().unwrap().read::<f64>().unwrap()),
            }
        };
        assert_eq!(divide(4.0), Ok(0.25));
        assert_eq!(divide(0.0), Err((OUT_OF_RANGE.to_owned(), 7)));
    }
}

#[test]
fn a_user_exception_is_no_results() {
    let (mut client, _server, meter, _) = pair(usize::MAX);
    let mut reply = client
        .call(&meter, "divide", &mut |arguments| {
            arguments.write::<f64>(&1.0)?;
            arguments.write::<f64>(&0.0)
        })
        .unwrap();
    let error = reply.results().err().unwrap();
    assert_eq!(error.kind, SystemExceptionKind::Unknown);
    assert_eq!(error.minor, minor::unknown::UNLISTED_USER_EXCEPTION);
}

#[test]
fn system_exceptions_come_as_numbers() {
    use SystemExceptionKind as Kind;
    let (mut client, _server, meter, _) = pair(5);
    let mut error = |operation| client.call(&meter, operation, &mut |_| Ok(())).err().unwrap();
    let broken = error("break");
    assert_eq!(
        (broken.kind, broken.minor.0, broken.completed),
        (Kind::NoResources, 77, CompletionStatus::Yes)
    );
    assert_eq!(error("no_such_operation").kind, Kind::BadOperation);
    assert_eq!(error("_interface").kind, Kind::NoImplement);
    let truncated = error("add");
    assert_eq!((truncated.kind, truncated.minor), (Kind::Marshal, minor::marshal::TRUNCATED));
    let unknown = Reference::new(meter.address(), b"nothing").unwrap();
    let missing = client.call(&unknown, "add", &mut |_| Ok(())).err().unwrap();
    assert_eq!(missing.kind, Kind::ObjectNotExist);
    assert_eq!(missing.completed, CompletionStatus::No);
}

#[test]
fn extra_arguments_are_rejected() {
    let (mut client, _server, meter, _) = pair(usize::MAX);
    let three = &mut |arguments: &mut zorb_nano::Writer<'_>| arguments.write::<[i32; 3]>(&[1; 3]);
    let error = client.call(&meter, "add", three).err().unwrap();
    assert_eq!(error.minor, minor::marshal::EXTRA_OCTETS);
}

#[test]
fn objects_answer_the_standard_operations() {
    let (mut client, _server, meter, _) = pair(usize::MAX);
    let mut is_a = |id: &str| {
        let mut reply = client.call(&meter, "_is_a", &mut |it| it.write_str(id)).unwrap();
        reply.results().unwrap().read::<bool>().unwrap()
    };
    for (id, expected) in
        [(ID, true), (BASE, true), ("IDL:omg.org/CORBA/Object:1.0", true), ("IDL:Größe:1.0", false)]
    {
        assert_eq!(is_a(id), expected, "{id}");
    }
    let mut reply = client.call(&meter, "_non_existent", &mut |_| Ok(())).unwrap();
    assert!(!reply.results().unwrap().read::<bool>().unwrap());
    let mut reply = client.call(&meter, "_repository_id", &mut |_| Ok(())).unwrap();
    assert_eq!(reply.results().unwrap().read::<String>().unwrap(), ID);
}

#[test]
fn one_way_calls_have_no_reply() {
    let (mut client, server, meter, state) = pair(usize::MAX);
    client.send(&meter, "store", &mut |it| it.write::<i32>(&42)).unwrap();
    assert_eq!(state.stored.get(), 0, "the client has not waited");
    // Accepts, then serves.
    for _ in 0..2 {
        server.borrow_mut().perform_work(Some(Duration::ZERO)).unwrap();
    }
    assert_eq!(state.stored.get(), 42);
    // The next reply is that of the next call.
    assert_eq!(add(&mut client, &meter), Ok(5));
}

#[test]
fn objects_are_located() {
    for piece in PIECES {
        let (mut client, _server, meter, _) = pair(piece);
        assert_eq!(client.locate(&meter), Ok(Some(meter.clone())));
        let unknown = Reference::new(meter.address(), b"nothing").unwrap();
        assert_eq!(client.locate(&unknown), Ok(None));
    }
}

#[test]
fn older_clients_get_replies_of_their_version() {
    for (url, minor) in [("iiop:1.0@", 0), ("iiop:1.1@", 1), ("iiop:1.2@", 2), ("", 0)] {
        let (mut client, _server, meter, _) = pair(5);
        let url = if url.is_empty() { ":".to_owned() } else { url.to_owned() };
        let target = Reference::parse(&format!("corbaloc:{url}{}/meter", meter.address())).unwrap();
        assert_eq!(target.version().minor(), minor);
        assert_eq!(add(&mut client, &target), Ok(5), "{url}");
        assert_eq!(client.locate(&target), Ok(Some(target.clone())));
        let exception = client.call(&target, "break", &mut |_| Ok(())).err().unwrap();
        assert_eq!(exception.minor.0, 77);
        let mut reply = client
            .call(&target, "divide", &mut |arguments| arguments.write::<[f64; 2]>(&[1.0, 0.0]))
            .unwrap();
        let exception = reply.exception().unwrap();
        assert_eq!(exception.read::<String>().unwrap(), OUT_OF_RANGE);
    }
}

#[test]
fn messages_have_a_limit_in_both_directions() {
    let (mut client, _server, meter, _) = pair(usize::MAX);
    let size = Limits::DEFAULT.max_message_size;
    let text = "x".repeat(size);
    let error = client.call(&meter, "echo", &mut |it| it.write_str(&text)).err().unwrap();
    assert_eq!(
        error,
        SystemException::new(
            SystemExceptionKind::ImpLimit,
            minor::imp_limit::MESSAGE_TOO_LARGE,
            CompletionStatus::No,
        )
    );
    let numbers = &mut |it: &mut zorb_nano::Writer<'_>| it.write::<u32>(&(size as u32 / 8));
    let error = client.call(&meter, "numbers", numbers).err().unwrap();
    assert_eq!(error.minor, minor::imp_limit::MESSAGE_TOO_LARGE, "even if the servant ignores it");
    assert_eq!(error.completed, CompletionStatus::Yes, "the servant has returned");
    let mut reply = client.call(&meter, "fill", &mut |it| it.write::<u32>(&4000)).unwrap();
    let octets = reply.results().unwrap().borrow::<zorb_nano::Octets>().unwrap();
    assert_eq!(octets, [7; 4000]);
    assert_eq!(client.os().open(), 1, "the connection is still the first");
}

#[test]
fn registration_checks_keys() {
    let limits = Limits::DEFAULT.max_objects(2);
    let (server, _) = server(&Network::default(), 1, limits);
    let mut server = server.borrow_mut();
    let mut register = |key: &[u8]| server.register(key, Box::new(Meter::default()));
    use SystemExceptionKind as Kind;
    assert_eq!(register(b"").map_err(|error| error.kind), Err(Kind::BadParam));
    assert_eq!(register(b"meter").map_err(|error| error.kind), Err(Kind::BadParam));
    assert_eq!(register(&[b'k'; 129]).map_err(|error| error.kind), Err(Kind::ImpLimit));
    assert_eq!(register(&[b'k'; 128]), Ok(()));
    assert_eq!(register(b"third").map_err(|error| error.kind), Err(Kind::NoResources));
    assert!(server.reference(b"third").is_err());
}

#[test]
fn references_are_arguments_and_results() {
    let (mut client, _server, meter, _) = pair(5);
    for address in ["192.0.2.1:2809", "[2001:db8::7]:1", "10.200.30.255:65535"] {
        let other = Reference::new(address.parse::<SocketAddr>().unwrap(), &[b'k'; 128]).unwrap();
        let mut reply = client
            .call(&meter, "pass", &mut |arguments| arguments.write_reference(&other, ID))
            .unwrap();
        let results = reply.results().unwrap();
        assert_eq!(results.read_reference(), Ok(Some(other)));
        // A nil reference.
        assert_eq!(results.read_reference(), Ok(None));
        assert_eq!(results.end(), Ok(()));
    }
}
