//! Both sides on a simulated network with loss, duplication and reordering, and a simulated clock:
//! the common tests of all such streams, and those of this protocol.

mod hostile;

use zorb_transport::conformance::driven::Promises;
use zorb_transport::conformance::pattern;
use zorb_transport::conformance::simulated::{Network, Weather};
use zorb_transport::driven::{Driven, Failure};
use zorb_transport::driven_suite;

use crate::connection::Connection;
use crate::packet::{self, Packet};

// An acknowledgement for every second of 500 segments, and for the last of each burst.
driven_suite!(
    Connection,
    Promises { longest: 1228, worst_loss: 20, large_transfer: 1100, rough_transfer: 40, idle: 800 }
);

#[test]
fn all_packets_are_whole() {
    let mut network = Network::<Connection>::new(1, Weather { lost: 10, ..Weather::CALM });
    network.is_good = |datagram| Packet::parse(datagram).is_some();
    network.exchange([&pattern(100_000, 1), &pattern(30_000, 2)]);
}

#[test]
fn a_refusal_with_another_tag_is_for_another_one() {
    let mut network = Network::<Connection>::new(2, Weather::CALM);
    let (mut init, mut refusal) = (Vec::new(), Vec::new());
    assert!(network.client.transmit(network.now, &mut init));
    assert!(Connection::refuse(&init, &mut refusal));
    refusal[5] ^= 1;
    network.client.receive(&packet::sealed(&refusal), network.now);
    assert_eq!(network.client.failure(), None);
}
