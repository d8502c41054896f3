//! What every reliable stream over datagrams keeps, whatever the network does.

use super::pattern;
use super::simulated::{Network, Weather, address};
use crate::driven::{Driven, Failure, Micros, Settings};

/// What a [`Driven`] protocol says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Promises {
    /// The longest datagram that it sends.
    pub longest: usize,
    /// So many datagrams of a hundred may be lost, and all arrives.
    pub worst_loss: u64,
    /// The most datagrams that 600,000 octets take where nothing is lost.
    pub large_transfer: u64,
    /// How many more, in percent, where five of a hundred are lost.
    pub rough_transfer: u64,
    /// The most datagrams that ten minutes without a word take, where thirty of a hundred are lost.
    pub idle: u64,
}

/// Makes a `#[test]` of every rule, for a [`Driven`] protocol that promises so much.
#[macro_export]
macro_rules! driven_suite {
    ($driven:ty, $promises:expr) => {
        $crate::driven_suite! { @tests $driven, $promises;
            all_arrives_in_order_whatever_is_lost
            heavy_reordering_changes_nothing
            what_is_lost_is_sent_again_and_little_else
            a_call_over_a_good_way_takes_a_round_trip
            a_slow_reader_holds_the_sender_back_and_loses_nothing
            who_reads_again_after_a_long_time_gets_the_rest_soon
            a_peer_that_has_gone_is_noticed
            idle_peers_stay_connected
            nobody_there_ends_the_attempt
            who_wants_no_connection_ends_the_attempt
            who_does_not_answer_is_forgotten
        }
    };
    (@tests $driven:ty, $promises:expr; $($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                $crate::conformance::driven::$test::<$driven>(&$promises);
            }
        )*
    };
}

/// Octets of both directions arrive, in order, when none, some and many datagrams are lost and some come twice.
pub fn all_arrives_in_order_whatever_is_lost<D: Driven>(promises: &Promises) {
    for (lost, seeds) in [(0, 3), (5, 8), (promises.worst_loss, 8)] {
        for seed in 0..seeds {
            let weather = Weather { lost, doubled: 5, way: 10_000, wander: 3000 };
            let mut network = Network::<D>::new(seed, weather);
            network.exchange([&pattern(150_000, seed), &pattern(70_000, seed + 7)]);
            assert!(network.longest <= promises.longest, "{}", network.longest);
        }
    }
}

/// The same when datagrams overtake each other all the time.
pub fn heavy_reordering_changes_nothing<D: Driven>(_: &Promises) {
    for seed in 0..4 {
        let weather = Weather { lost: 5, doubled: 20, way: 100, wander: 20_000 };
        Network::<D>::new(seed, weather).exchange([&pattern(60_000, seed), &pattern(60_000, 3)]);
    }
}

/// A large transfer takes few datagrams beside those that are needed.
pub fn what_is_lost_is_sent_again_and_little_else<D: Driven>(promises: &Promises) {
    let octets = pattern(600_000, 5);
    let datagrams = |lost| {
        let mut network = Network::<D>::new(1, Weather { lost, ..Weather::CALM });
        network.exchange([&octets, b""]);
        network.datagrams
    };
    let (calm, rough) = (datagrams(0), datagrams(5));
    assert!(calm <= promises.large_transfer, "{calm}");
    assert!(rough * 100 <= calm * (100 + promises.rough_transfer), "{rough} for {calm}");
}

/// Nothing waits for a timer when nothing is lost.
pub fn a_call_over_a_good_way_takes_a_round_trip<D: Driven>(_: &Promises) {
    let mut network = Network::<D>::new(1, Weather::CALM);
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
    assert_eq!(network.now - begun, 2 * Weather::CALM.way);
}

/// Both sides of a connection whose reader has little room, with more to read than that.
fn with_little_room<D: Driven>(send_buffer: usize, lost: u64) -> Network<D> {
    let settings = Settings { receive_buffer: 8000, send_buffer, ..Settings::default() };
    let mut network = Network::with(3, Weather { lost, ..Weather::CALM }, settings);
    network.establish();
    network
}

/// What a reader has not taken waits at the sender, within limits.
pub fn a_slow_reader_holds_the_sender_back_and_loses_nothing<D: Driven>(_: &Promises) {
    let mut network = with_little_room::<D>(10_000, 5);
    let octets = pattern(60_000, 9);
    let (mut sent, mut received, mut buffer) = (0, Vec::new(), [0; 700]);
    for step in 0.. {
        assert!(step < 100_000);
        sent += network.client.send(&octets[sent..]).unwrap();
        assert!(sent <= received.len() + 30_000, "what waits is limited");
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

/// A reader that took nothing for a minute is soon sent more.
pub fn who_reads_again_after_a_long_time_gets_the_rest_soon<D: Driven>(_: &Promises) {
    let mut network = with_little_room::<D>(30_000, 0);
    let octets = pattern(20_000, 9);
    assert_eq!(network.client.send(&octets), Ok(octets.len()));
    let begun = network.now;
    while network.now < begun + 60_000_000 {
        assert!(network.step());
    }
    assert_eq!(network.client.failure(), None, "the peer is there, and has no room");
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

/// A peer that is no longer there counts as gone after the time that is said, whether anything was sent or not.
pub fn a_peer_that_has_gone_is_noticed<D: Driven>(_: &Promises) {
    for busy in [false, true] {
        let mut network = Network::<D>::new(4, Weather::CALM);
        network.establish();
        network.is_there = false;
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

/// Nobody counts as gone because nothing is sent, on a bad network either, and few datagrams go to make sure.
pub fn idle_peers_stay_connected<D: Driven>(promises: &Promises) {
    let mut network = Network::<D>::new(2, Weather { lost: 30, ..Weather::CALM });
    network.establish();
    let begun = network.now;
    while network.now < begun + 600_000_000 {
        assert!(network.step());
    }
    assert_eq!([network.client.failure(), network.server().failure()], [None; 2]);
    assert!(network.datagrams <= promises.idle, "{}", network.datagrams);
}

/// An attempt to connect ends when nobody answers.
pub fn nobody_there_ends_the_attempt<D: Driven>(_: &Promises) {
    let mut network = Network::<D>::new(2, Weather::CALM);
    network.is_there = false;
    while network.step() {}
    assert_eq!(network.client.failure(), Some(Failure::Silence));
}

/// An attempt to connect ends when it is refused, but not when another one is.
pub fn who_wants_no_connection_ends_the_attempt<D: Driven>(_: &Promises) {
    let [mut network, mut other] = [2, 3].map(|seed| Network::<D>::new(seed, Weather::CALM));
    let refusal = |network: &mut Network<D>| {
        let (mut opens, mut refusal) = (Vec::new(), Vec::new());
        assert!(network.client.transmit(network.now, &mut opens));
        assert!(D::refuse(&opens, &mut refusal));
        assert!(refusal.len() <= opens.len(), "no more is sent than has come");
        refusal
    };
    let now = network.now;
    network.client.receive(&refusal(&mut other), now);
    assert_eq!(network.client.failure(), None, "that is for another one");
    let own = refusal(&mut network);
    network.client.receive(&own, now);
    assert_eq!(network.client.failure(), Some(Failure::Refused));
}

/// A client that has not proven to be where it says is told little and forgotten.
pub fn who_does_not_answer_is_forgotten<D: Driven>(_: &Promises) {
    let settings = Settings::default();
    let mut network = Network::<D>::new(2, Weather::CALM);
    let (mut opens, mut out) = (Vec::new(), Vec::new());
    assert!(network.client.transmit(network.now, &mut opens));
    let begun = network.now;
    let mut server = D::accept(&opens, address(1), settings, begun).expect("a connection");
    assert!(server.transmit(begun, &mut out), "how the server calls it");
    assert!(!server.transmit(begun, &mut out), "and nothing else");
    // What comes again is answered again, and not by anything else.
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
