//! The conformance suite of reliable streams over datagrams: protocols that implement [`Driven`].
//!
//! [`driven_suite!`](crate::driven_suite) runs both ends over a simulated [`Network`] with a simulated clock.

mod network;

pub use network::{Conditions, Network, address};

use zorb_transport::driven::{Driven, Failure, Micros, Settings};

use crate::pattern;

/// What a [`Driven`] protocol guarantees.
#[derive(Clone, Copy, Debug)]
pub struct Guarantees {
    /// The length of the longest datagram that it sends.
    pub max_datagram: usize,
    /// The loss rate at which all octets still arrive, in percent.
    pub max_loss_percent: u64,
    /// The maximum number of datagrams for 600,000 octets without loss.
    pub max_datagrams: u64,
    /// How many more are sent at a loss rate of 5 %, in percent.
    pub max_overhead_percent: u64,
    /// The maximum number of datagrams that an idle connection sends in ten minutes at a loss rate of 30 %.
    pub max_idle_datagrams: u64,
}

/// Makes a `#[test]` of every test of the suite, for a [`Driven`] protocol and its [`Guarantees`](crate::driven::Guarantees).
#[macro_export]
macro_rules! driven_suite {
    ($driven:ty, $guarantees:expr) => {
        $crate::driven_suite! { @tests $driven, $guarantees;
            octets_arrive_in_order_despite_loss
            octets_arrive_in_order_despite_reordering
            only_lost_datagrams_are_retransmitted
            a_call_without_loss_takes_one_round_trip
            a_slow_reader_slows_the_sender_down
            a_reader_that_resumes_receives_the_rest_soon
            a_vanished_peer_is_detected
            idle_peers_stay_connected
            an_unanswered_attempt_fails
            a_refused_attempt_fails
            an_unvalidated_client_is_forgotten
            a_peer_that_neither_reads_nor_ends_is_left
            acknowledgements_are_handled_without_memory
        }
    };
    (@tests $driven:ty, $guarantees:expr; $($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                $crate::driven::$test::<$driven>(&$guarantees);
            }
        )*
    };
}

/// The octets of both directions arrive in order when no, some and many datagrams are lost, and some are duplicated.
pub fn octets_arrive_in_order_despite_loss<D: Driven>(guarantees: &Guarantees) {
    for (loss_percent, seeds) in [(0, 3), (5, 8), (guarantees.max_loss_percent, 8)] {
        for seed in 0..seeds {
            let conditions =
                Conditions { loss_percent, duplicate_percent: 5, latency: 10_000, jitter: 3000 };
            let mut network = Network::<D>::new(seed, conditions);
            network.exchange([&pattern(150_000, seed), &pattern(70_000, seed + 7)]);
            assert!(network.max_datagram <= guarantees.max_datagram, "{}", network.max_datagram);
        }
    }
}

/// A side without memory for received octets handles the acknowledgements that come with them, and receives the octets
/// when it has memory.
pub fn acknowledgements_are_handled_without_memory<D: Driven>(_: &Guarantees) {
    let mut network = Network::<D>::new(1, Conditions::LOSSLESS);
    network.establish();
    let octets = pattern(2000, 1);
    assert_eq!(network.client.send(&octets), Ok(octets.len()));
    network.client_has_memory = false;
    let mut received = [0; 4000];
    let mut count = 0;
    while network.client.buffered() > 0 || count < octets.len() {
        // Each acknowledgement of the server comes with octets.
        assert!(network.server().send(&octets[..500]).is_ok());
        assert!(network.step());
        count += network.server().recv(&mut received).unwrap().unwrap_or(0);
        assert!(network.datagrams < 1000);
    }
    assert_eq!(network.client.recv(&mut received), Ok(None));
    network.client_has_memory = true;
    while network.client.recv(&mut received) == Ok(None) {
        assert!(network.step());
    }
    assert_eq!(received[..500], octets[..500]);
}

/// The octets of both directions arrive in order when many datagrams are reordered.
pub fn octets_arrive_in_order_despite_reordering<D: Driven>(_: &Guarantees) {
    for seed in 0..4 {
        let conditions =
            Conditions { loss_percent: 5, duplicate_percent: 20, latency: 100, jitter: 20_000 };
        Network::<D>::new(seed, conditions).exchange([&pattern(60_000, seed), &pattern(60_000, 3)]);
    }
}

/// A large transfer takes few more datagrams than necessary.
pub fn only_lost_datagrams_are_retransmitted<D: Driven>(guarantees: &Guarantees) {
    let octets = pattern(600_000, 5);
    let datagrams = |loss_percent| {
        let mut network = Network::<D>::new(1, Conditions { loss_percent, ..Conditions::LOSSLESS });
        network.exchange([&octets, b""]);
        network.datagrams
    };
    let (without, with) = (datagrams(0), datagrams(5));
    assert!(without <= guarantees.max_datagrams, "{without}");
    let limit = without * (100 + guarantees.max_overhead_percent);
    assert!(with * 100 <= limit, "{with}, without loss {without}");
}

/// A call waits for no timer if no datagram is lost.
pub fn a_call_without_loss_takes_one_round_trip<D: Driven>(_: &Guarantees) {
    let mut network = Network::<D>::new(1, Conditions::LOSSLESS);
    network.establish();
    let begun = network.now;
    let (mut buffer, mut answered) = ([0; 100], false);
    assert_eq!(network.client.send(b"question"), Ok(8));
    while network.client.recv(&mut buffer) == Ok(None) {
        if !answered && network.server().recv(&mut buffer) == Ok(Some(8)) {
            assert_eq!(network.server().send(b"answer"), Ok(6));
            answered = true;
        }
        assert!(network.step());
    }
    assert_eq!(network.now - begun, 2 * Conditions::LOSSLESS.latency);
}

/// A connection whose receive buffer is smaller than what will be sent.
fn with_small_buffer<D: Driven>(send_buffer: usize, loss_percent: u64) -> Network<D> {
    let settings = Settings { receive_buffer: 8000, send_buffer, ..Settings::default() };
    let mut network =
        Network::with(3, Conditions { loss_percent, ..Conditions::LOSSLESS }, settings);
    network.establish();
    network
}

/// Octets that the reader has not taken wait at the sender, whose buffer limits them.
pub fn a_slow_reader_slows_the_sender_down<D: Driven>(_: &Guarantees) {
    let mut network = with_small_buffer::<D>(10_000, 5);
    let octets = pattern(60_000, 9);
    let (mut sent, mut received, mut buffer) = (0, Vec::new(), [0; 700]);
    for step in 0.. {
        assert!(step < 100_000);
        sent += network.client.send(&octets[sent..]).unwrap();
        assert!(sent <= received.len() + 30_000, "the number of octets that wait is limited");
        if step % 20 == 0
            && let Ok(Some(count)) = network.server().recv(&mut buffer)
        {
            received.extend_from_slice(&buffer[..count]);
        }
        if received.len() == octets.len() {
            break;
        }
        assert!(network.step());
    }
    assert!(received == octets);
}

/// A reader that takes nothing for a minute and then resumes receives the rest soon.
pub fn a_reader_that_resumes_receives_the_rest_soon<D: Driven>(_: &Guarantees) {
    let mut network = with_small_buffer::<D>(30_000, 0);
    let octets = pattern(20_000, 9);
    assert_eq!(network.client.send(&octets), Ok(octets.len()));
    let begun = network.now;
    while network.now < begun + 60_000_000 {
        assert!(network.step());
    }
    assert_eq!(network.client.failure(), None, "the peer is reachable, and its buffer full");
    let (begun, mut received, mut buffer) = (network.now, Vec::new(), [0; 700]);
    while received.len() < octets.len() {
        while let Ok(Some(count)) = network.server().recv(&mut buffer) {
            received.extend_from_slice(&buffer[..count]);
        }
        assert!(network.step());
    }
    let waited = network.now - begun;
    assert!(waited < 2_500_000, "{waited}");
    assert!(received == octets);
}

/// A connection whose peer no longer answers fails after the peer timeout, idle or not.
pub fn a_vanished_peer_is_detected<D: Driven>(_: &Guarantees) {
    for busy in [false, true] {
        let mut network = Network::<D>::new(4, Conditions::LOSSLESS);
        network.establish();
        network.server_reachable = false;
        let begun = network.now;
        if busy {
            assert!(network.client.send(b"is anybody there?").is_ok());
        }
        while network.step() {}
        assert_eq!(network.client.failure(), Some(Failure::Silence));
        let (waited, peer_timeout) = (network.now - begun, Settings::default().peer_timeout);
        assert!((peer_timeout - 1_000_000..peer_timeout + 6_000_000).contains(&waited), "{waited}");
    }
}

/// An idle connection does not fail, even on a bad network, and sends few datagrams.
pub fn idle_peers_stay_connected<D: Driven>(guarantees: &Guarantees) {
    let mut network = Network::<D>::new(2, Conditions { loss_percent: 30, ..Conditions::LOSSLESS });
    network.establish();
    let begun = network.now;
    while network.now < begun + 600_000_000 {
        assert!(network.step());
    }
    assert_eq!([network.client.failure(), network.server().failure()], [None; 2]);
    assert!(network.datagrams <= guarantees.max_idle_datagrams, "{}", network.datagrams);
}

/// An attempt to connect fails if the server does not answer.
pub fn an_unanswered_attempt_fails<D: Driven>(_: &Guarantees) {
    let mut network = Network::<D>::new(2, Conditions::LOSSLESS);
    network.server_reachable = false;
    while network.step() {}
    assert_eq!(network.client.failure(), Some(Failure::Silence));
}

/// An attempt to connect fails if the server refuses it, but not if it refuses another one.
pub fn a_refused_attempt_fails<D: Driven>(_: &Guarantees) {
    let [mut network, mut other] = [2, 3].map(|seed| Network::<D>::new(seed, Conditions::LOSSLESS));
    let refusal = |network: &mut Network<D>| {
        let (mut opens, mut refusal) = (Vec::new(), Vec::new());
        assert!(network.client.transmit(network.now, &mut opens));
        assert!(D::refuse(&opens, &mut refusal));
        assert!(refusal.len() <= opens.len(), "a refusal is no longer than the datagram");
        refusal
    };
    let now = network.now;
    network.client.receive(&refusal(&mut other), now);
    assert_eq!(network.client.failure(), None, "the refusal is for another attempt");
    let own = refusal(&mut network);
    network.client.receive(&own, now);
    assert_eq!(network.client.failure(), Some(Failure::Refused));
}

/// A server sends little to a client whose address is not validated, and forgets it.
pub fn an_unvalidated_client_is_forgotten<D: Driven>(_: &Guarantees) {
    let settings = Settings::default();
    let mut network = Network::<D>::new(2, Conditions::LOSSLESS);
    let (mut opens, mut out) = (Vec::new(), Vec::new());
    assert!(network.client.transmit(network.now, &mut opens));
    let begun = network.now;
    let mut server = D::accept(&opens, address(1), settings, begun).expect("a connection");
    assert!(server.transmit(begun, &mut out), "the id of the server's side");
    assert!(!server.transmit(begun, &mut out), "nothing else");
    // A repeated datagram gets the same answer.
    server.receive(&opens, begun);
    let answer = out.clone();
    assert!(server.transmit(begun, &mut out));
    assert_eq!(out, answer);
    let mut now: Micros = begun;
    while !server.is_over(now) {
        assert!(!server.transmit(now, &mut out), "at {now}");
        now += 100_000;
    }
    assert!(now - begun <= settings.peer_timeout + 100_000);
}

/// A side that is no longer used does not stay for a peer that answers, but neither reads nor ends its side.
pub fn a_peer_that_neither_reads_nor_ends_is_left<D: Driven>(_: &Guarantees) {
    for octets in [0, 20_000] {
        let mut network = with_small_buffer::<D>(30_000, 0);
        assert_eq!(network.server().send(&vec![7; octets]), Ok(octets));
        network.server().finish();
        network.server().stop_receiving();
        let (begun, linger) = (network.now, Settings::default().linger);
        while !network.has_removed_server() {
            assert!(network.now <= begun + linger + 6_000_000, "it is still there");
            assert!(network.step());
        }
        while network.step() && network.client.failure().is_none() {}
        let mut buffer = vec![0; octets + 1];
        let client = &mut network.client;
        while matches!(client.recv(&mut buffer), Ok(Some(1..))) {}
        assert!(client.send(b"more").is_err() || client.recv(&mut buffer) == Ok(Some(0)));
    }
}
