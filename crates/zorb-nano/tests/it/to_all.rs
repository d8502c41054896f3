//! One-way requests to several objects, whose arguments are encoded once.

use std::rc::Rc;
use std::time::Duration;

use zorb_nano::{
    Client, Limits, Os as _, Reference, Server, SystemException, SystemExceptionKind, minor,
};

use crate::servant::Meter;
use crate::simulated::{Network, Simulated};

type Stored = Rc<std::cell::Cell<i32>>;

/// A server with one object, its reference, and the value that is stored there.
fn server(network: &Network, url: &str, key: &[u8]) -> (Server<'static, Simulated>, Stored) {
    let machine = network.machine(usize::MAX, 10);
    let mut server = Server::new(machine, url.parse().unwrap(), Limits::DEFAULT).unwrap();
    let meter = Meter::default();
    let stored = Rc::clone(&meter.stored);
    server.register(key, Box::new(meter)).unwrap();
    (server, stored)
}

/// Servers at these URLs, with keys of different lengths.
struct Servers {
    servers: Vec<Server<'static, Simulated>>,
    stored: Vec<Stored>,
    objects: Vec<Reference>,
}

impl Servers {
    fn new(network: &Network, urls: &[&str]) -> Self {
        let mut all = Self { servers: Vec::new(), stored: Vec::new(), objects: Vec::new() };
        for (url, length) in urls.iter().zip(1..) {
            let key = vec![b'k'; length];
            let (mut server, stored) = server(network, url, &key);
            all.objects.push(server.reference(&key).unwrap());
            all.servers.push(server);
            all.stored.push(stored);
        }
        all
    }

    /// The value that each has received.
    fn received(&mut self) -> Vec<i32> {
        for server in &mut self.servers {
            // Accepts, then serves.
            server.perform_work(Some(Duration::ZERO)).unwrap();
            server.perform_work(Some(Duration::ZERO)).unwrap();
        }
        self.stored.iter().map(|stored| stored.get()).collect()
    }
}

/// Sends `value` to all, and returns how often it was encoded.
fn store(
    client: &mut Client<Simulated>,
    targets: &[Reference],
    value: i32,
) -> (Result<(), SystemException>, u32) {
    let mut encoded = 0;
    let sent = client.send_to_all(targets, "store", &mut |it| {
        encoded += 1;
        it.write::<i32>(&value)
    });
    assert!(sent.is_err() || sent == Ok(encoded), "the client counts the same");
    (sent.map(|_| ()), encoded)
}

const TCP: &str = "192.0.2.1:0";

#[test]
fn all_objects_get_arguments_that_are_encoded_once() {
    let network = Network::default();
    let mut all = Servers::new(&network, &[TCP; 4]);
    let mut client = Client::new(network.machine(usize::MAX, 8), Limits::DEFAULT);
    for value in [7, 8, 9] {
        assert_eq!(store(&mut client, &all.objects, value), (Ok(()), 1));
        assert_eq!(all.received(), [value; 4]);
    }
    assert_eq!(client.os().open(), 4);
    assert_eq!(store(&mut client, &[], 1), (Ok(()), 0));
}

#[test]
fn a_request_without_arguments_has_no_body_anywhere() {
    let network = Network::default();
    let all = Servers::new(&network, &[TCP; 3]);
    let mut client = Client::new(network.machine(usize::MAX, 8), Limits::DEFAULT);
    let mut machine = network.machine(usize::MAX, 4);
    // The servers are not asked: what they would receive is read here.
    drop(all.servers);
    let listeners: Vec<_> =
        all.objects.iter().map(|object| machine.listen(object.address()).unwrap()).collect();
    client.send_to_all(&all.objects, "break", &mut |_| Ok(())).unwrap();
    for (listener, length) in listeners.into_iter().zip(1..) {
        let stream = machine.accept(listener).unwrap();
        let mut space = [0; 128];
        let count = machine.read(stream, &mut space).unwrap();
        // Id, flags, target with the key, operation, no service context.
        let key: usize = 12 + 4 + 4 + 4 + 4 + length;
        let operation = key.next_multiple_of(4) + 4 + "break\0".len();
        assert_eq!(count, operation.next_multiple_of(4) + 4);
        machine.close(stream);
    }
}

#[cfg(all(feature = "lite", feature = "udp", feature = "unix"))]
#[test]
fn arguments_are_encoded_again_where_messages_differ() {
    let network = Network::default();
    let urls = [TCP, "uiop://@meter", "diop://192.0.2.1:0", "lite+iiop://192.0.2.1:0", TCP];
    let mut all = Servers::new(&network, &urls);
    let mut client = Client::new(network.machine(usize::MAX, 8), Limits::DEFAULT);
    // For the first, for GIOPlite, and for what follows that.
    assert_eq!(store(&mut client, &all.objects, 5), (Ok(()), 3));
    assert_eq!(all.received(), [5; 5]);
}

#[test]
fn old_versions_align_arguments_behind_the_header() {
    let network = Network::default();
    let mut all = Servers::new(&network, &[TCP; 6]);
    let mut client = Client::new(network.machine(usize::MAX, 8), Limits::DEFAULT);
    let old: Vec<_> = all
        .objects
        .iter()
        .map(|object| {
            let key = String::from_utf8(object.key().to_vec()).unwrap();
            Reference::parse(&format!("corbaloc:iiop:1.0@{}/{key}", object.address())).unwrap()
        })
        .collect();
    let (sent, encoded) = store(&mut client, &old, 3);
    assert_eq!((sent, all.received()), (Ok(()), vec![3; 6]));
    assert!((2..6).contains(&encoded), "{encoded}");
}

#[test]
fn one_connection_serves_all_objects_too() {
    let network = Network::default();
    let mut all = Servers::new(&network, &[TCP; 3]);
    let limits = Limits::DEFAULT.max_connections(1);
    let mut client = Client::new(network.machine(usize::MAX, 8), limits);
    // The only buffer is needed for the next message.
    assert_eq!(store(&mut client, &all.objects, 4), (Ok(()), 3));
    assert_eq!((all.received(), client.os().open()), (vec![4; 3], 1));
}

#[test]
fn the_first_error_is_returned_and_the_others_get_the_request() {
    let network = Network::default();
    let mut all = Servers::new(&network, &[TCP; 3]);
    let mut targets = all.objects.clone();
    let nobody = "192.0.2.99:1".parse::<zorb_nano::Endpoint>().unwrap();
    targets.insert(1, Reference::new(nobody, b"k").unwrap());
    targets.insert(0, Reference::new(nobody, b"k").unwrap());
    let mut client = Client::new(network.machine(usize::MAX, 8), Limits::DEFAULT);
    let (sent, encoded) = store(&mut client, &targets, 6);
    assert_eq!(sent.unwrap_err().minor, minor::transient::CONNECT_FAILED);
    assert_eq!((all.received(), encoded), (vec![6; 3], 1));
}

#[test]
fn arguments_that_cannot_be_encoded_are_sent_to_nobody() {
    let network = Network::default();
    let mut all = Servers::new(&network, &[TCP; 3]);
    let mut client = Client::new(network.machine(usize::MAX, 8), Limits::DEFAULT);
    let sent = client.send_to_all(&all.objects, "store", &mut |it| it.write_str("\u{6771}"));
    assert_eq!(sent.unwrap_err().kind, SystemExceptionKind::DataConversion);
    assert_eq!(all.received(), [0; 3]);
    assert_eq!(store(&mut client, &all.objects, 2), (Ok(()), 1));
    assert_eq!(all.received(), [2; 3]);
}
