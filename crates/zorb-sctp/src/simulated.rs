//! Both sides on a simulated network with loss, duplication and reordering, and a simulated clock:
//! the common tests of all such streams, and those of this protocol.

mod hostile;

use zorb_testkit::driven::Guarantees;
use zorb_testkit::driven::{Conditions, Network};
use zorb_testkit::driven_suite;
use zorb_testkit::pattern;
use zorb_transport::driven::{Driven, Failure};

use crate::connection::Connection;
use crate::packet::{self, Packet};

// The receiver acknowledges 250 of 500 segments, every other one, and the last one of each burst.
driven_suite!(
    Connection,
    Guarantees {
        max_datagram: 1228,
        max_loss_percent: 20,
        max_datagrams: 1100,
        max_overhead_percent: 40,
        max_idle_datagrams: 800
    }
);

#[test]
fn all_packets_are_whole() {
    let mut network =
        Network::<Connection>::new(1, Conditions { loss_percent: 10, ..Conditions::LOSSLESS });
    network.is_valid = |datagram| Packet::parse(datagram).is_some();
    network.exchange([&pattern(100_000, 1), &pattern(30_000, 2)]);
}

#[test]
fn a_refusal_with_another_tag_is_for_another_one() {
    let mut network = Network::<Connection>::new(2, Conditions::LOSSLESS);
    let (mut init, mut refusal) = (Vec::new(), Vec::new());
    assert!(network.client.transmit(network.now, &mut init));
    assert!(Connection::refuse(&init, &mut refusal));
    refusal[5] ^= 1;
    network.client.receive(&packet::sealed(&refusal), network.now);
    assert_eq!(network.client.failure(), None);
}
