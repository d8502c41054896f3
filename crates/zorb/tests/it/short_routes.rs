//! The cached route of a short request leads to the current object, not to the one that existed when it was cached.
#![cfg(feature = "short")]
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, OnceLock};

use crate::support::{Adder, Servant};
use zorb::giop::{
    Destination, Frame, GiopLite, Messaging, OperationName, ProfileTag, ProtocolErrorKind,
    RequestHeader,
};
use zorb::poa::PoaPolicies;
use zorb::protocols::IiopProtocol;
use zorb::transport::Composed;
use zorb::{CdrReader, CdrResult, Interface, ObjectRef, Orb, Result, SystemExceptionKind, codegen};

/// Inherits both operations, of which it has one more before it by number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Counter(Adder);

codegen::interface!(Counter(Adder), "IDL:zorb.test/Counter:1.0", "Counter", [Adder]);

trait CounterServant: crate::support::AdderServant {
    fn next(&self) -> Result<i32>;
}

codegen::skeleton!(Counter, CounterServant, {
    0 "next" next() [result: i32],
} inherited {
    1..=2 in Adder ["mirror", "add"],
});

impl Counter {
    fn next(&self) -> Result<i32> {
        codegen::invoke!(self, next, [], [i32])
    }
}

/// Adds its number to each sum.
struct Biased(i32);

impl crate::support::AdderServant for Biased {
    fn add(&self, left: i32, right: i32) -> Result<i32> {
        Ok(left + right + self.0)
    }

    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        Ok(data.to_vec())
    }
}

impl CounterServant for Biased {
    fn next(&self) -> Result<i32> {
        Ok(self.0 + 1)
    }
}

fn server() -> Orb {
    let orb = Orb::builder().without_environment().listen("short+iiop://127.0.0.1:0");
    let orb = orb.build().unwrap();
    orb.serve().unwrap();
    orb
}

fn client() -> Orb {
    Orb::builder().without_environment().build().unwrap()
}

fn there<R: Interface>(client: &Orb, reference: &ObjectRef) -> R {
    let object = client.string_to_object(&reference.to_ior_string()).unwrap().unwrap();
    object.unchecked_narrow()
}

/// Calls twice: the first request introduces an index and caches the route; the second uses it.
fn sums(adder: &Adder) -> [Result<i32>; 3] {
    [1, 2, 3].map(|n| adder.add(n, 10))
}

fn gone(adder: &Adder) -> bool {
    let is_gone = |sum: Result<i32>| {
        sum.is_err_and(|raised| raised.kind == SystemExceptionKind::ObjectNotExist)
    };
    sums(adder).into_iter().all(is_gone)
}

#[test]
fn an_object_that_took_the_place_of_another_is_not_it() {
    let (orb, client) = (server(), client());
    let poa = orb.root_poa();
    let first: Adder = poa.activate(Biased(100)).unwrap();
    let to_first: Adder = there(&client, first.object());
    assert_eq!(sums(&to_first), [Ok(111), Ok(112), Ok(113)]);
    poa.deactivate(&poa.id_of(&first).unwrap()).unwrap();
    assert!(gone(&to_first));
    let second: Adder = poa.activate(Biased(200)).unwrap();
    assert!(gone(&to_first));
    let to_second: Adder = there(&client, second.object());
    assert_eq!(sums(&to_second), [Ok(211), Ok(212), Ok(213)]);
    assert!(gone(&to_first));
    assert!(to_first.object().non_existent().unwrap());
    assert!(!to_second.object().non_existent().unwrap());
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn an_object_that_comes_back_is_found_with_another_interface() {
    let (orb, client) = (server(), client());
    let policies = PoaPolicies::new().persistent().user_ids();
    let poa = orb.root_poa().create("kept", policies.clone()).unwrap();
    let first: Adder = poa.activate_with_id("it", Biased(100)).unwrap();
    let to_it: Adder = there(&client, first.object());
    assert_eq!(sums(&to_it), [Ok(111), Ok(112), Ok(113)]);
    poa.deactivate(&"it".into()).unwrap();
    assert!(gone(&to_it));
    // Its operations have other numbers.
    let _: Counter = poa.activate_with_id("it", Biased(200)).unwrap();
    assert_eq!(sums(&to_it), [Ok(211), Ok(212), Ok(213)]);
    // And with its adapter.
    poa.destroy();
    assert!(gone(&to_it));
    let poa = orb.root_poa().create("kept", policies).unwrap();
    assert!(gone(&to_it));
    let _: Adder = poa.activate_with_id("it", Biased(300)).unwrap();
    assert_eq!(sums(&to_it), [Ok(311), Ok(312), Ok(313)]);
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn inherited_operations_are_found_in_both_tables() {
    let (orb, client) = (server(), client());
    let counter: Counter = orb.root_poa().activate(Biased(100)).unwrap();
    let counter: Counter = there(&client, counter.as_object());
    let adder = Adder::from(counter.clone());
    for n in 0..4 {
        assert_eq!(counter.next().unwrap(), 101);
        assert_eq!(adder.add(n, 1).unwrap(), n + 101);
        assert_eq!(adder.mirror(&[1, 2]).unwrap(), [1, 2]);
        let no: Result<()> = adder.object().invoke("nothing", |_| Ok(()), |_| Ok(()));
        assert_eq!(no.unwrap_err().kind, SystemExceptionKind::BadOperation);
        assert!(adder.object().is_a("IDL:zorb.test/Adder:1.0").unwrap());
    }
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn more_adapters_than_a_thread_remembers_are_all_found() {
    let (orb, client) = (server(), client());
    let make = |n: i32| {
        let poa = orb.root_poa().create(&n.to_string(), PoaPolicies::new()).unwrap();
        let adder: Adder = poa.activate(Biased(100 * n)).unwrap();
        (poa, there::<Adder>(&client, adder.object()))
    };
    let all: Vec<_> = (0..9).map(make).collect();
    for _ in 0..3 {
        for (n, (_, adder)) in (0..).zip(&all) {
            assert_eq!(sums(adder), [11, 12, 13].map(|sum| Ok(sum + 100 * n)));
        }
    }
    for (n, (poa, adder)) in all.iter().enumerate() {
        poa.destroy();
        assert!(gone(adder));
        assert!(all[n + 1..].iter().all(|(_, other)| other.add(0, 0).is_ok()));
    }
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn a_manager_that_discards_discards_these_too() {
    let (orb, client) = (server(), client());
    let manager = orb.create_poa_manager();
    manager.activate().unwrap();
    let poa = orb.root_poa().create_with_manager("held", PoaPolicies::new(), manager.clone());
    let adder: Adder = poa.unwrap().activate(Servant).unwrap();
    let adder: Adder = there(&client, adder.object());
    assert_eq!(sums(&adder), [Ok(11), Ok(12), Ok(13)]);
    manager.discard_requests().unwrap();
    for sum in sums(&adder) {
        assert_eq!(sum.unwrap_err().kind, SystemExceptionKind::Transient);
    }
    manager.activate().unwrap();
    assert_eq!(sums(&adder), [Ok(11), Ok(12), Ok(13)]);
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

/// GIOPlite where one operation of one object has a way that the test can look at.
#[derive(Debug, Default)]
struct Watched(OnceLock<Destination>);

impl Messaging for Watched {
    fn name(&self) -> &'static str {
        "watched"
    }

    fn header_size(&self) -> u8 {
        GiopLite.header_size()
    }

    fn read_header(&self, octets: &[u8]) -> std::result::Result<Frame, ProtocolErrorKind> {
        GiopLite.read_header(octets)
    }

    fn write_header(&self, frame: Frame, octets: &mut [u8]) {
        GiopLite.write_header(frame, octets);
    }

    fn read_request<'a>(&'a self, reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
        let mut request = GiopLite.read_request(reader)?;
        if let Some(watched) = self.0.get().filter(|it| request.operation == it.operation()) {
            request.operation = OperationName::from(watched);
        }
        Ok(request)
    }
}

#[test]
fn the_way_follows_an_object_that_comes_back() {
    let watched: &Watched = Box::leak(Box::default());
    let builder = || {
        let protocol = Composed::new(watched, IiopProtocol::new(), ProfileTag(0x7a6c_0001));
        Orb::builder().without_environment().protocol(Arc::new(protocol))
    };
    let orb = builder().listen("watched+iiop://127.0.0.1:0").build().unwrap();
    orb.serve().unwrap();
    let client = builder().build().unwrap();
    let policies = PoaPolicies::new().persistent().user_ids();
    let poa = orb.root_poa().create("kept", policies).unwrap();
    let first: Adder = poa.activate_with_id("it", Biased(0)).unwrap();
    let to_it: Adder = there(&client, first.object());
    let protocol = orb.protocols().by_scheme("watched+iiop").unwrap();
    let profile = protocol.decode_profile(&first.object().ior().profiles[0]).unwrap();
    let way = || watched.0.get().unwrap().object();
    watched.0.set(Destination::new(&profile.object_key, "add")).unwrap();
    assert_eq!(way(), None);
    let mut before = Vec::new();
    // More often than anything that could be remembered of earlier ones has places.
    for n in 1..20 {
        assert_eq!(sums(&to_it)[0], Ok(11 + n - 1));
        let now = way().unwrap();
        assert!(!before.contains(&now), "a way of before");
        // Cached routes to it remain.
        assert_eq!(sums(&to_it)[2], Ok(13 + n - 1));
        assert_eq!(way(), Some(now));
        before.push(now);
        poa.deactivate(&"it".into()).unwrap();
        assert!(gone(&to_it));
        let _: Adder = poa.activate_with_id("it", Biased(n)).unwrap();
    }
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}
