//! Object keys with indexes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use zorb_nano::{
    Limits, MinorCode, Reference, Server, SystemException, SystemExceptionKind, minor,
};

use crate::calls::{SharedServer, client};
use crate::servant::Meter;
use crate::simulated::Network;

type Stored = Rc<Cell<i32>>;

/// A server with an object of each of these keys, and what each object has stored.
fn server(network: &Network, keys: &[&[u8]]) -> (SharedServer, Vec<Stored>) {
    let (endpoint, limits) = ("192.0.2.1:0".parse().unwrap(), Limits::DEFAULT);
    let mut server = Server::new(network.machine(usize::MAX, 10), endpoint, limits).unwrap();
    let all = keys.iter().map(|key| {
        let meter = Meter::default();
        let stored = Rc::clone(&meter.stored);
        server.register(key, Box::new(meter)).unwrap();
        stored
    });
    let all = all.collect();
    (Rc::new(RefCell::new(server)), all)
}

fn store(network: &Network, server: &SharedServer, target: &Reference, value: i32) {
    let mut client = client(network, usize::MAX, server);
    client.send(target, "store", &mut |it| it.write::<i32>(&value)).unwrap();
    for _ in 0..3 {
        server.borrow_mut().perform_work(Some(Duration::ZERO)).unwrap();
    }
}

fn refusal(error: SystemException) -> (SystemExceptionKind, MinorCode) {
    (error.kind, error.minor)
}

#[test]
fn requests_with_an_index_reach_the_object_that_it_is_of() {
    let network = Network::default();
    let keys: [&[u8]; 3] = [b"first", b"2nd.", b"third"];
    let (server, stored) = server(&network, &keys);
    for (value, key) in (1..).zip(keys) {
        let target = server.borrow_mut().indexed_reference(key).unwrap();
        assert_eq!(target.key().len(), 4);
        store(&network, &server, &target, value);
        // A key that is registered still is one, of four octets, too.
        let named = server.borrow_mut().reference(key).unwrap();
        assert_eq!(named.key(), key);
        assert!(client(&network, usize::MAX, &server).locate(&named).unwrap().is_some());
    }
    let stored: Vec<_> = stored.iter().map(|one| one.get()).collect();
    assert_eq!(stored, [1, 2, 3]);
}

#[test]
fn an_index_of_other_objects_finds_nothing() {
    let network = Network::default();
    let (old, _) = server(&network, &[b"heating", b"cooling"]);
    let heating = old.borrow_mut().indexed_reference(b"heating").unwrap();
    let cooling = old.borrow_mut().indexed_reference(b"cooling").unwrap();
    // The process starts again, with its objects in another order and fewer of them.
    let (new, stored) = server(&network, &[b"cooling"]);
    let endpoints: Vec<_> = new.borrow().endpoints().collect();
    let at_new = |old: Reference| old.with_endpoints(endpoints.clone()).unwrap();
    for old in [heating, cooling] {
        let mut client = client(&network, usize::MAX, &new);
        assert_eq!(client.locate(&at_new(old.clone())).unwrap(), None, "{:?}", old.key());
        store(&network, &new, &at_new(old), 9);
    }
    assert_eq!(stored[0].get(), 0);
    // With the same objects in the same order it is a reference to the same object.
    let (same, stored) = server(&network, &[b"heating", b"cooling"]);
    let cooling = same.borrow_mut().indexed_reference(b"cooling").unwrap();
    assert_eq!(cooling.key(), old.borrow_mut().indexed_reference(b"cooling").unwrap().key());
    store(&network, &same, &cooling, 5);
    assert_eq!(stored[1].get(), 5);
}

#[test]
fn no_two_objects_have_the_same_key_of_either_kind() {
    let network = Network::default();
    let (server, _) = server(&network, &[b"meter"]);
    let mut server = server.borrow_mut();
    let index = server.indexed_reference(b"meter").unwrap();
    let mut register = |key: &[u8]| server.register(key, Box::new(Meter::default()));
    let taken = (SystemExceptionKind::BadParam, minor::bad_param::INVALID_OBJECT_ID);
    assert_eq!(register(index.key()).map_err(refusal), Err(taken), "the index of another object");
    // What the second object will have as its index: it is another one for each key.
    let second = next_index(&network, b"second");
    register(&second).unwrap();
    assert_eq!(register(b"second").map_err(refusal), Ok(()), "its index is the third");
    let unknown = server.indexed_reference(b"none").map_err(refusal);
    let expected = (SystemExceptionKind::ObjectNotExist, minor::object_not_exist::UNKNOWN_KEY);
    assert_eq!(unknown, Err(expected));
}

/// The key with an index of the object that is registered by `key` as the second one.
fn next_index(network: &Network, key: &[u8]) -> Vec<u8> {
    let (server, _) = server(network, &[b"meter", key]);
    let reference = server.borrow_mut().indexed_reference(key).unwrap();
    reference.key().to_vec()
}

#[test]
fn an_object_whose_index_would_be_the_key_of_another_is_refused() {
    let network = Network::default();
    // The second object is found by this key, which the first one has already.
    let taken = next_index(&network, b"second");
    let (server, _) = server(&network, &[&taken]);
    let mut server = server.borrow_mut();
    let refused = server.register(b"second", Box::new(Meter::default())).map_err(refusal);
    let expected = (SystemExceptionKind::BadParam, minor::bad_param::INVALID_OBJECT_ID);
    assert_eq!(refused, Err(expected));
}
