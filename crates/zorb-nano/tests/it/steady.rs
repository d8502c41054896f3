//! Calls one after the other: what the client and the server ask of the system, and when other clients get their turn.

use std::rc::Rc;
use std::time::Duration;

use zorb_nano::{Client, Limits, Os, Reference};

use crate::calls::{SharedServer, add, server};
use crate::simulated::{Network, Simulated};

/// How long the server expects the next request.
const PAUSE: Duration = Duration::from_millis(4);

/// A client, a server that works for some time while the client waits, and an object's reference.
fn pair(network: &Network) -> (Client<Simulated>, SharedServer, Reference) {
    let (server, _) = server(network, usize::MAX, Limits::DEFAULT);
    let reference = server.borrow_mut().reference(b"meter").unwrap();
    (client(network, &server), server, reference)
}

fn client(network: &Network, server: &SharedServer) -> Client<Simulated> {
    let server = Rc::clone(server);
    let machine = network.machine(usize::MAX, 8);
    let work = move || server.borrow_mut().perform_work(Some(2 * PAUSE)).unwrap();
    Client::new(machine.with_others(work), Limits::DEFAULT)
}

/// Makes some calls with pauses. Returns how often client and server have called the system in the last ten.
fn calls_of_the_system(pause: Duration) -> [usize; 2] {
    let network = Network::default();
    let (mut client, server, meter) = pair(&network);
    let mut before = [0; 2];
    for call in 0..13 {
        if call == 3 {
            before = [client.os().calls, server.borrow_mut().os().calls];
        }
        assert_eq!(add(&mut client, &meter), Ok(5));
        network.advance(pause);
    }
    [client.os().calls - before[0], server.borrow_mut().os().calls - before[1]]
}

#[test]
fn a_steady_call_is_two_calls_of_the_system_on_each_side() {
    assert_eq!(calls_of_the_system(Duration::ZERO), [2 * 10, 2 * 10]);
}

#[test]
fn after_a_pause_the_server_waits_for_all_clients() {
    assert_eq!(calls_of_the_system(PAUSE), [2 * 10, 3 * 10]);
}

#[test]
fn another_client_waits_for_a_steady_one_that_stops() {
    let network = Network::default();
    let (mut first, server, meter) = pair(&network);
    for _ in 0..3 {
        assert_eq!(add(&mut first, &meter), Ok(5));
    }
    let begun = network.now();
    let mut second = client(&network, &server);
    assert_eq!(add(&mut second, &meter), Ok(5));
    assert_eq!(network.now() - begun, PAUSE);
    assert_eq!(add(&mut first, &meter), Ok(5));
    assert_eq!(add(&mut second, &meter), Ok(5));
    assert_eq!(network.now() - begun, PAUSE, "with two clients nobody is waited for alone");
}

#[test]
fn another_client_is_accepted_while_a_steady_one_goes_on() {
    let network = Network::default();
    let (mut client, server, meter) = pair(&network);
    for _ in 0..3 {
        assert_eq!(add(&mut client, &meter), Ok(5));
    }
    let mut other = network.machine(usize::MAX, 1);
    other.connect(meter.address()).unwrap();
    let accepted = (0..).take_while(|_| {
        network.advance(Duration::from_millis(1));
        assert_eq!(add(&mut client, &meter), Ok(5));
        server.borrow_mut().os().open() < 3
    });
    assert_eq!(accepted.take(10).count(), 4, "milliseconds");
}

#[test]
fn a_steady_client_that_closes_is_forgotten() {
    let network = Network::default();
    let (mut client, server, meter) = pair(&network);
    for _ in 0..3 {
        assert_eq!(add(&mut client, &meter), Ok(5));
    }
    client.close();
    server.borrow_mut().perform_work(Some(PAUSE)).unwrap();
    assert_eq!(server.borrow_mut().os().open(), 1, "the listener");
    assert_eq!(add(&mut client, &meter), Ok(5));
}
