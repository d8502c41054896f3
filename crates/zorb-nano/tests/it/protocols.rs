//! The same calls over each transport and messaging protocol.

use std::rc::Rc;
use std::time::Duration;

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{GiopVersion, MessageWriter, RequestStart, ResponseFlags, TargetAddress};
use zorb_nano::{
    Client, CompletionStatus, Endpoint, Limits, Linux, Reference, Server, SystemException,
    SystemExceptionKind, minor,
};

use crate::calls::add;
use crate::linux::{TIMEOUT, beside};
use crate::servant::{ID, Meter, OUT_OF_RANGE};
use crate::simulated::{Network, Simulated, at};

const ZERO: Option<Duration> = Some(Duration::ZERO);
/// Protocols with replies. The abstract name is in the simulated network.
const TWO_WAY: [&str; 4] = [
    "iiop://192.0.2.1:0",
    "lite+iiop://192.0.2.1:0",
    "uiop://@meter",
    "lite+uiop:///run/meter.sock",
];

/// A client, the object of a server at this endpoint, and the value that was stored there.
fn pair(url: &str, piece: usize) -> (Client<Simulated>, Reference, Rc<std::cell::Cell<i32>>) {
    let network = Network::default();
    let endpoint = url.parse().unwrap();
    let mut server = Server::new(network.machine(piece, 10), endpoint, Limits::DEFAULT).unwrap();
    let meter = Meter::default();
    let stored = Rc::clone(&meter.stored);
    server.register(b"meter", Box::new(meter)).unwrap();
    let reference = server.reference(b"meter").unwrap();
    let others = move || server.perform_work(ZERO).unwrap();
    let client = Client::new(network.machine(piece, 8).with_others(others), Limits::DEFAULT);
    (client, reference, stored)
}

#[test]
fn calls_have_the_same_outcome_over_each_protocol() {
    for url in TWO_WAY {
        for piece in [usize::MAX, 1, 5] {
            let (mut client, meter, stored) = pair(url, piece);
            for _ in 0..3 {
                assert_eq!(add(&mut client, &meter), Ok(5), "{url}");
            }
            let mut reply =
                client.call(&meter, "divide", &mut |it| it.write::<[f64; 2]>(&[1.0, 0.0])).unwrap();
            let exception = reply.exception().unwrap();
            assert_eq!(exception.read_text(99).unwrap(), OUT_OF_RANGE);
            assert_eq!(exception.read::<i32>(), Ok(7));
            let error = client.call(&meter, "break", &mut |_| Ok(())).err().unwrap();
            assert_eq!(error.kind, SystemExceptionKind::NoResources);
            client.send(&meter, "store", &mut |it| it.write::<i32>(&7)).unwrap();
            assert_eq!(client.locate(&meter), Ok(Some(meter.clone())));
            assert_eq!(stored.get(), 7);
            let nobody = Reference::new(meter.endpoints()[0], b"nobody").unwrap();
            assert_eq!(client.locate(&nobody), Ok(None));
            let error = add(&mut client, &nobody).unwrap_err();
            assert_eq!(error.kind, SystemExceptionKind::ObjectNotExist);
            assert_eq!(client.os().open(), 1, "one connection");
            client.close();
        }
    }
}

#[test]
fn text_is_utf8_in_gioplite_only() {
    for url in TWO_WAY {
        let (mut client, meter, _) = pair(url, 13);
        let mut echo = |text: &str| -> Result<String, SystemException> {
            let mut reply = client.call(&meter, "echo", &mut |it| it.write_text(text, 5))?;
            Ok(reply.results()?.read_text(5)?.chars().collect())
        };
        assert_eq!(echo("größe").as_deref(), Ok("größe"), "{url}");
        assert_eq!(echo("größen").unwrap_err().minor, minor::bad_param::BOUND_EXCEEDED);
        let kind = |text| echo(text).map_err(|error| error.kind);
        let elsewhere = Err(SystemExceptionKind::DataConversion);
        let expected = if url.starts_with("lite") { Ok("東京".to_owned()) } else { elsewhere };
        let mut kind = kind;
        assert_eq!(kind("東京"), expected);
        let reply = client.call(&meter, "_is_a", &mut |it| it.write_str(ID));
        assert_eq!(reply.unwrap().results().unwrap().read::<bool>(), Ok(true));
    }
}

#[test]
fn one_way_calls_are_datagrams_over_udp() {
    let (mut client, meter, stored) = pair("diop://192.0.2.1:0", usize::MAX);
    client.send(&meter, "store", &mut |it| it.write::<i32>(&7)).unwrap();
    client.os().wait();
    assert_eq!(stored.get(), 7);
    let error = add(&mut client, &meter).unwrap_err();
    let expected = (SystemExceptionKind::NoImplement, CompletionStatus::No);
    assert_eq!((error.kind, error.completed), expected);
    // Beside an endpoint with replies, only one-way calls use it.
    let mut both = meter.endpoints().to_vec();
    both.push("192.0.2.1:1".parse().unwrap());
    let both = meter.with_endpoints(both).unwrap();
    let error = add(&mut client, &both).unwrap_err();
    assert_eq!(error.minor, minor::transient::CONNECT_FAILED);
    client.send(&both, "store", &mut |it| it.write::<i32>(&8)).unwrap();
    client.os().wait();
    assert_eq!(stored.get(), 8);
}

/// A one-way Request to store a number, or one that expects a reply.
fn store(value: i32, response: ResponseFlags) -> Vec<u8> {
    let mut octets = Vec::new();
    let target = TargetAddress::Key(b"meter");
    let start =
        RequestStart { request_id: 1, response, target, operation: "store", service_contexts: &[] };
    let version = GiopVersion::V1_2;
    let mut message = MessageWriter::request(&mut octets, version, ByteOrder::Big, &start).unwrap();
    message.body(TextCoding::default()).write_i32(value);
    message.finish().unwrap();
    octets
}

#[test]
fn datagrams_that_are_no_one_way_requests_are_dropped() {
    let network = Network::default();
    let endpoint = "diop://192.0.2.1:0".parse().unwrap();
    let mut server = Server::new(network.machine(99, 1), endpoint, Limits::DEFAULT).unwrap();
    let meter = Meter::default();
    let stored = Rc::clone(&meter.stored);
    server.register(b"meter", Box::new(meter)).unwrap();
    let good = store(5, ResponseFlags::NoResponse);
    let mut longer = good.clone();
    longer.push(0);
    let mut huge = good.clone();
    huge.resize(5000, 0);
    for bad in [
        store(6, ResponseFlags::SyncWithTarget),
        store(6, ResponseFlags::SyncWithServer),
        good[..good.len() - 1].to_vec(),
        good.repeat(2),
        longer,
        huge,
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        Vec::new(),
        b"GIOP\x01\x02\x00\x05\x00\x00\x00\x00".to_vec(),
    ] {
        network.post(server.address(), &bad);
        server.perform_work(ZERO).unwrap();
        assert_eq!(stored.get(), 0, "{bad:?}");
        // The next one is served.
        network.post(server.address(), &good);
        server.perform_work(ZERO).unwrap();
        assert_eq!(stored.replace(0), 5, "after {bad:?}");
    }
    server.close();
    assert_eq!(server.os().open(), 0);
}

#[test]
fn a_server_listens_at_several_endpoints() {
    let network = Network::default();
    let endpoint = "192.0.2.1:0".parse().unwrap();
    let limits = Limits::DEFAULT.max_connections(2);
    let mut server = Server::new(network.machine(99, 20), endpoint, limits).unwrap();
    for url in ["lite+iiop://192.0.2.1:0", "uiop://@meter", "diop://192.0.2.1:0"] {
        server.listen(url.parse().unwrap()).unwrap();
    }
    server.register(b"meter", Box::new(Meter::default())).unwrap();
    let meter = server.reference(b"meter").unwrap();
    assert_eq!(meter.endpoints().len(), 4);
    let ior = meter.to_ior(ID).unwrap().to_stringified().unwrap();
    assert_eq!(Reference::parse(&ior).as_ref(), Ok(&meter), "all profiles are read back");
    let others = move || server.perform_work(ZERO).unwrap();
    let mut client = Client::new(network.machine(99, 8).with_others(others), Limits::DEFAULT);
    for endpoint in meter.endpoints().iter().take(3) {
        let only = meter.clone().with_endpoints([*endpoint]).unwrap();
        assert_eq!(add(&mut client, &only), Ok(5), "{endpoint:?}");
    }
    assert!(meter.with_endpoints([]).is_err());
}

#[test]
fn all_endpoints_together_have_a_limit_of_sockets() {
    let network = Network::default();
    let limits = Limits::DEFAULT.max_connections(31);
    let endpoint = "192.0.2.1:0".parse().unwrap();
    let mut server = Server::new(network.machine(99, 70), endpoint, limits).unwrap();
    assert_eq!(server.listen(endpoint), Ok(()));
    let error = server.listen(endpoint).unwrap_err();
    assert_eq!(error.minor, minor::imp_limit::TOO_MANY_CONNECTIONS);
}

#[test]
fn endpoints_are_parsed_from_urls() {
    let parse = |text: &str| text.parse::<Endpoint>();
    assert_eq!(parse("192.0.2.1:1"), parse("iiop://192.0.2.1:1"));
    assert_eq!(parse("[2001:db8::7]:1").unwrap().address().port(), 1);
    assert_eq!(parse("lite+iiop://192.0.2.1:1"), parse("192.0.2.1:1").map(Endpoint::lite));
    assert_eq!(parse("uiop:///run/a.sock").unwrap().address().to_string(), "/run/a.sock");
    // GIOPlite over UDP does not exist.
    assert_eq!(parse("diop://192.0.2.1:1").map(Endpoint::lite), parse("diop://192.0.2.1:1"));
    for text in
        ["", "192.0.2.1", "host:1", "lite+diop://192.0.2.1:1", "uiop://a", "ssliop://192.0.2.1:1"]
    {
        let error = parse(text).unwrap_err();
        assert_eq!(error.minor, minor::bad_param::BAD_ADDRESS, "{text}");
    }
    for (url, same) in [
        ("corbaloc:uiop:1.2@/run/a.sock|key", "uiop:///run/a.sock"),
        ("corbaloc:lite+iiop:1.2@192.0.2.1:7/key", "lite+iiop://192.0.2.1:7"),
        ("corbaloc:diop:1.2@192.0.2.1:7/key", "diop://192.0.2.1:7"),
        ("corbaloc:ssliop:1.2@192.0.2.1:7,:1.2@192.0.2.1:8/key", "192.0.2.1:8"),
    ] {
        assert_eq!(Reference::parse(url).unwrap().endpoints(), [parse(same).unwrap()], "{url}");
    }
}

#[test]
fn linux_has_each_transport() {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("zorb-nano-{}.sock", std::process::id()));
    let path = format!("uiop://{}", path.display());
    let name = format!("lite+uiop://@zorb-nano-{}", std::process::id());
    for url in ["lite+iiop://127.0.0.1:0", &path, &path, &name, "[::1]:0"] {
        beside(url.parse().unwrap(), |meter| {
            let mut client = Client::new(Linux::new(8), Limits::DEFAULT.timeout(TIMEOUT));
            for value in 0..20 {
                let mut reply = client
                    .call(&meter, "add", &mut |it| it.write::<[i32; 2]>(&[value, 1]))
                    .expect("a reply");
                assert_eq!(reply.results().unwrap().read::<i32>(), Ok(value + 1));
            }
        });
    }
    std::fs::remove_file(path.trim_start_matches("uiop://")).unwrap();
}

#[test]
fn a_socket_file_is_private_and_has_one_server() {
    use std::os::unix::fs::PermissionsExt;
    use zorb_nano::{Os, OsError};
    let path = std::env::temp_dir().join(format!("zorb-nano-private-{}.sock", std::process::id()));
    let address = at(&format!("uiop://{}", path.display()));
    let mut linux = Linux::new(2);
    linux.listen(address).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(matches!(linux.listen(address), Err(OsError::Other(_))), "somebody listens there");
    drop(linux);
    let mut linux = Linux::new(1);
    linux.listen(address).unwrap();
    std::fs::remove_file(&path).unwrap();
    // Another kind of file is never replaced.
    std::fs::write(&path, "precious").unwrap();
    assert!(matches!(Linux::new(1).listen(address), Err(OsError::Other(_))));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn linux_sends_and_receives_datagrams() {
    let endpoint = "diop://127.0.0.1:0".parse().unwrap();
    let mut server = Server::new(Linux::new(1), endpoint, Limits::DEFAULT).unwrap();
    let meter = Meter::default();
    let stored = Rc::clone(&meter.stored);
    server.register(b"meter", Box::new(meter)).unwrap();
    let meter = server.reference(b"meter").unwrap();
    let mut client = Client::new(Linux::new(1), Limits::DEFAULT);
    for value in 1..20 {
        client.send(&meter, "store", &mut |it| it.write::<i32>(&value)).unwrap();
        server.perform_work(Some(TIMEOUT)).unwrap();
        assert_eq!(stored.get(), value);
    }
}
