//! Lanes: which one a client calls, and which requests a server serves first.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use zorb_giop::{ComponentTag, ServiceId};
use zorb_nano::{
    Answer, Client, Endpoint, Interface, Limits, Linear, Os, Reader, Reference, Servant, Server,
    SystemException, SystemExceptionKind, Writer, minor,
};

use crate::simulated::{Network, Simulated};

const ZERO: Option<Duration> = Some(Duration::ZERO);
static RECORDER: Interface =
    Interface { ids: &["IDL:Recorder:1.0"], operations: &Linear(&["note"]) };

/// `interface Recorder { oneway void note(in long value); };`
struct Recorder(Rc<RefCell<Vec<i32>>>);

impl Servant for Recorder {
    fn interface(&self) -> &'static Interface {
        &RECORDER
    }

    fn invoke(
        &mut self,
        _operation: usize,
        arguments: &mut Reader<'_>,
        _results: &mut Writer<'_>,
    ) -> Result<Answer, SystemException> {
        self.0.borrow_mut().push(arguments.read::<i32>()?);
        Ok(Answer::Results)
    }
}

fn lane(priority: i16) -> Endpoint {
    "192.0.2.1:0".parse::<Endpoint>().unwrap().of_lane(priority)
}

/// A server with the lanes of these priorities, its object, and the order of its upcalls.
fn recorder(
    network: &Network,
    priorities: &[i16],
) -> (Server<'static, Simulated>, Reference, Rc<RefCell<Vec<i32>>>) {
    let machine = network.machine(usize::MAX, 60);
    let (first, others) = priorities.split_first().unwrap();
    let limits = Limits::DEFAULT.max_connections(3);
    let mut server = Server::new(machine, lane(*first), limits).unwrap();
    others.iter().for_each(|priority| server.listen(lane(*priority)).unwrap());
    let order = Rc::new(RefCell::new(Vec::new()));
    server.register(b"recorder", Box::new(Recorder(Rc::clone(&order)))).unwrap();
    let reference = server.reference(b"recorder").unwrap();
    (server, reference, order)
}

/// A client in a thread of this priority.
fn client(network: &Network, priority: Option<i16>) -> Client<Simulated> {
    let mut machine = network.machine(usize::MAX, 4);
    machine.priority = priority;
    Client::new(machine, Limits::DEFAULT)
}

fn note(
    client: &mut Client<Simulated>,
    target: &Reference,
    value: i32,
) -> Result<(), SystemException> {
    client.send(target, "note", &mut |it| it.write::<i32>(&value))
}

#[test]
fn a_client_calls_the_lane_of_its_priority() {
    let network = Network::default();
    let (mut server, target, order) = recorder(&network, &[200, 100]);
    let priorities: Vec<_> = target.endpoints().iter().map(Endpoint::priority).collect();
    assert_eq!(priorities, [Some(100), Some(200)], "the most urgent last");
    let mut clients = [Some(100), Some(200), None].map(|priority| client(&network, priority));
    for (value, client) in (0..).zip(&mut clients) {
        note(client, &target, value).unwrap();
    }
    for _ in 0..6 {
        server.perform_work(ZERO).unwrap();
    }
    let mut served = order.borrow().clone();
    served.sort_unstable();
    assert_eq!(served, [0, 1, 2]);
    let error = note(&mut client(&network, Some(150)), &target, 3).unwrap_err();
    assert_eq!(
        (error.kind, error.minor),
        (SystemExceptionKind::InvPolicy, minor::inv_policy::NO_LANE)
    );
    // The lane for all priorities serves it.
    let all = "192.0.2.1:0".parse().unwrap();
    server.listen(all).unwrap();
    let target = server.reference(b"recorder").unwrap();
    assert_eq!(target.endpoints()[0].priority(), None);
    note(&mut client(&network, Some(150)), &target, 4).unwrap();
    server.perform_work(ZERO).unwrap();
    server.perform_work(ZERO).unwrap();
    assert_eq!(order.borrow().last(), Some(&4));
}

#[test]
fn urgent_requests_wait_for_one_upcall_at_most() {
    let network = Network::default();
    let (mut server, target, order) = recorder(&network, &[10, 20, 30]);
    let mut clients = [10, 20, 30].map(|priority| client(&network, Some(priority)));
    // Connections are accepted first.
    for client in &mut clients {
        note(client, &target, 0).unwrap();
    }
    while order.borrow().len() < 3 {
        server.perform_work(ZERO).unwrap();
    }
    order.borrow_mut().clear();
    // Of the least urgent lane there are many in one buffer.
    (1..=5).for_each(|value| note(&mut clients[0], &target, value).unwrap());
    (21..=22).for_each(|value| note(&mut clients[1], &target, value).unwrap());
    (31..=33).for_each(|value| note(&mut clients[2], &target, value).unwrap());
    server.perform_work(ZERO).unwrap();
    assert_eq!(*order.borrow(), [31, 32, 33], "the most urgent ones, and no others");
    server.perform_work(ZERO).unwrap();
    assert_eq!(order.borrow()[3..], [21], "one of the next lane");
    note(&mut clients[2], &target, 34).unwrap();
    server.perform_work(ZERO).unwrap();
    assert_eq!(order.borrow()[4..], [34], "before what was received long ago");
    for _ in 0..3 {
        server.perform_work(ZERO).unwrap();
    }
    assert_eq!(order.borrow()[5..], [22, 1, 2]);
    note(&mut clients[1], &target, 23).unwrap();
    for _ in 0..4 {
        server.perform_work(ZERO).unwrap();
    }
    assert_eq!(order.borrow()[8..], [23, 3, 4, 5]);
    let before = network.now();
    server.perform_work(Some(Duration::from_secs(1))).unwrap();
    assert_eq!(network.now() - before, Duration::from_secs(1), "nothing waits any more");
}

#[test]
fn clients_of_a_less_urgent_lane_take_turns() {
    let network = Network::default();
    let (mut server, target, order) = recorder(&network, &[10, 20]);
    let mut clients = [(); 2].map(|()| client(&network, Some(10)));
    for client in &mut clients {
        note(client, &target, 0).unwrap();
    }
    while order.borrow().len() < 2 {
        server.perform_work(ZERO).unwrap();
    }
    order.borrow_mut().clear();
    for (number, client) in (1..).zip(&mut clients) {
        (0..3).for_each(|value| note(client, &target, 10 * number + value).unwrap());
    }
    for _ in 0..10 {
        network.advance(Duration::from_millis(1));
        server.perform_work(ZERO).unwrap();
    }
    assert_eq!(*order.borrow(), [10, 20, 11, 21, 12, 22]);
}

#[test]
fn what_waits_for_urgent_requests_is_no_slow_client() {
    let network = Network::default();
    let (mut server, target, order) = recorder(&network, &[10, 20]);
    let mut slow = client(&network, Some(10));
    (0..2).for_each(|value| note(&mut slow, &target, value).unwrap());
    server.perform_work(ZERO).unwrap();
    server.perform_work(ZERO).unwrap();
    assert_eq!(*order.borrow(), [0]);
    let mut urgent = client(&network, Some(20));
    note(&mut urgent, &target, 9).unwrap();
    network.advance(Limits::DEFAULT.timeout * 2);
    for _ in 0..3 {
        server.perform_work(ZERO).unwrap();
    }
    assert!(order.borrow().contains(&1), "{order:?}");
}

#[test]
fn each_lane_has_its_own_connections() {
    let network = Network::default();
    let (mut server, target, _) = recorder(&network, &[10, 20]);
    let mut urgent = client(&network, Some(20));
    note(&mut urgent, &target, 1).unwrap();
    (0..3).for_each(|_| server.perform_work(ZERO).unwrap());
    let open = urgent.os().open();
    // More clients than the other lane has places for.
    let mut many: Vec<_> = (0..6).map(|_| client(&network, Some(10))).collect();
    for client in &mut many {
        note(client, &target, 2).unwrap();
        (0..3).for_each(|_| server.perform_work(ZERO).unwrap());
    }
    note(&mut urgent, &target, 3).unwrap();
    assert_eq!((urgent.os().open(), server.os().open()), (open, 2 + 3 + 1));
}

#[test]
fn a_client_of_a_less_urgent_lane_that_was_served_is_idle() {
    let network = Network::default();
    let (mut server, target, order) = recorder(&network, &[10, 20]);
    // One more than the lane has places for.
    let mut clients = [(); 4].map(|()| client(&network, Some(10)));
    for (value, client) in (1..).zip(&mut clients) {
        note(client, &target, value).unwrap();
        (0..3).for_each(|_| server.perform_work(ZERO).unwrap());
    }
    assert_eq!(*order.borrow(), [1, 2, 3, 4], "the last one replaced another");
    network.advance(Limits::DEFAULT.timeout * 2);
    server.perform_work(ZERO).unwrap();
    assert_eq!(server.os().open(), 2 + 3, "idle clients stay");
}

#[test]
fn priorities_are_in_references_as_the_full_orb_and_tao_write_them() {
    let network = Network::default();
    let (mut server, ..) = recorder(&network, &[10, 20]);
    let reference = server.reference(b"recorder").unwrap();
    let ior = reference.to_ior("IDL:Recorder:1.0").unwrap();
    let profiles: Vec<_> = ior.iiop_profiles().collect();
    for (profile, priority) in profiles.iter().zip([10, 20]) {
        let tags: Vec<_> = profile.components.iter().map(|component| component.tag).collect();
        assert_eq!(tags, [ComponentTag::ZORB_LANE_PRIORITY, ComponentTag::TAO_ENDPOINTS]);
        let zorb: Vec<_> = profile.components_of::<zorb_giop::LanePriority>().collect();
        assert_eq!(zorb, [zorb_giop::LanePriority(priority)]);
        let tao: Vec<_> = profile.components_of::<zorb_giop::TaoEndpoints>().collect();
        assert_eq!((tao[0].0[0].port, tao[0].0[0].priority), (profile.port, priority));
    }
    // TAO has one profile with all endpoints.
    let mut of_tao = profiles[0].clone();
    let endpoint =
        |port, priority| zorb_giop::TaoEndpoint { host: "192.0.2.1".into(), port, priority };
    let all =
        zorb_giop::TaoEndpoints(vec![endpoint(of_tao.port, 7), endpoint(99, 8), endpoint(98, -1)]);
    of_tao.components.clear();
    of_tao.add(&all, zorb_cdr::ByteOrder::Little).unwrap();
    let profiles = vec![of_tao.encode(zorb_cdr::ByteOrder::Little).unwrap()];
    let ior = zorb_giop::Ior { type_id: String::new(), profiles };
    let read = Reference::parse(&ior.to_stringified().unwrap()).unwrap();
    let read: Vec<_> =
        read.endpoints().iter().map(|it| (it.address().port(), it.priority())).collect();
    assert_eq!(read, [(of_tao.port, Some(7)), (99, Some(8)), (98, None)]);
}

#[test]
fn a_request_says_its_priority_unless_the_lane_implies_it() {
    let network = Network::default();
    let mut machine = network.machine(usize::MAX, 3);
    let listener = machine.listen("192.0.2.1:0".parse::<Endpoint>().unwrap().address()).unwrap();
    let address = machine.bound(listener).unwrap();
    let mut sent = |endpoint: Endpoint, priority| {
        let target = Reference::new(endpoint, b"recorder").unwrap();
        note(&mut client(&network, priority), &target, 1).unwrap();
        let stream = machine.accept(listener).unwrap();
        let mut octets = vec![0; 256];
        let count = machine.read(stream, &mut octets).unwrap();
        machine.close(stream);
        let header = zorb_giop::MessageHeader::parse_prefix(&octets).unwrap().unwrap();
        let (request, _) = zorb_giop::RequestHeader::read(&octets[..count], &header).unwrap();
        let contexts: Vec<_> = request
            .service_contexts
            .iter()
            .map(|context| (context.id, context.data.to_vec()))
            .collect();
        contexts
    };
    let any = Endpoint::new(address);
    assert_eq!(sent(any, None), []);
    assert_eq!(sent(any.of_lane(0x1234), Some(0x1234)), []);
    let priority = (ServiceId::RT_CORBA_PRIORITY, vec![0, 0, 0x12, 0x34]);
    assert_eq!(sent(any, Some(0x1234)), [priority]);
}
