//! Transfers, and the end of a stream.

use std::io::IoSlice;
use std::net::Shutdown;
use std::thread;

use super::{Subject, echo, recv_exactly, recv_to_end};
use crate::pattern;
use crate::until;

/// Messages of a few octets make the round trip, one after the other.
pub fn small_messages_are_echoed(subject: &Subject) {
    let link = subject.link();
    thread::scope(|scope| {
        scope.spawn(|| echo(&*link.server));
        for len in 1..200 {
            let message = pattern(len, len as u64);
            link.client.send_all(&message).unwrap();
            assert_eq!(recv_exactly(&*link.client, len), message);
        }
        link.client.shutdown(Shutdown::Write).unwrap();
    });
}

/// A message larger than all buffers makes the round trip.
pub fn large_messages_are_echoed(subject: &Subject) {
    const LEN: usize = 8 << 20;
    let link = subject.link();
    let message = pattern(LEN, 1);
    thread::scope(|scope| {
        scope.spawn(|| echo(&*link.server));
        scope.spawn(|| {
            link.client.send_all(&message).unwrap();
            link.client.shutdown(Shutdown::Write).unwrap();
        });
        assert!(recv_exactly(&*link.client, LEN) == message);
    });
}

/// `recv` returns what fits in the buffer and leaves the rest.
pub fn a_small_buffer_receives_a_message_in_parts(subject: &Subject) {
    let link = subject.link();
    link.client.send_all(b"0123456789").unwrap();
    link.client.shutdown(Shutdown::Write).unwrap();
    let (mut whole, mut buffer) = (Vec::new(), [0; 3]);
    loop {
        let count = link.server.recv(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        whole.extend_from_slice(&buffer[..count]);
    }
    assert_eq!(whole, b"0123456789");
}

/// Gathered sends: empty parts, many parts, parts larger than all buffers.
pub fn gathered_parts_arrive_in_order(subject: &Subject) {
    let link = subject.link();
    let large = pattern(3 << 20, 2);
    let small: Vec<_> = (0..3000).map(|n| pattern(n % 5, n as u64)).collect();
    let mut expected: Vec<u8> = small.concat();
    expected.extend_from_slice(&large);
    expected.extend_from_slice(b"end");
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut parts: Vec<_> = small.iter().map(|part| IoSlice::new(part)).collect();
            parts.push(IoSlice::new(&large));
            parts.push(IoSlice::new(b""));
            link.client.send_vectored_all(&mut parts).unwrap();
            link.client.send_vectored_all(&mut []).unwrap();
            link.client.send_vectored_all(&mut [IoSlice::new(b"")]).unwrap();
            link.client.send_vectored_all(&mut [IoSlice::new(b"en"), IoSlice::new(b"d")]).unwrap();
            link.client.shutdown(Shutdown::Write).unwrap();
        });
        assert!(recv_to_end(&*link.server) == expected);
    });
}

/// On each side one thread sends while another receives.
pub fn both_directions_transfer_concurrently(subject: &Subject) {
    let link = subject.link();
    let (forth, back) = (pattern(4 << 20, 3), pattern(4 << 20, 4));
    thread::scope(|scope| {
        scope.spawn(|| link.client.send_all(&forth).unwrap());
        scope.spawn(|| link.server.send_all(&back).unwrap());
        let at_client = scope.spawn(|| recv_exactly(&*link.client, back.len()));
        assert!(recv_exactly(&*link.server, forth.len()) == forth);
        assert!(at_client.join().unwrap() == back);
    });
}

/// Dropping the last reference ends the stream for the peer, after the octets that were sent.
pub fn dropping_a_stream_ends_it_for_the_peer(subject: &Subject) {
    let link = subject.link();
    link.client.send_all(b"last words").unwrap();
    drop(link.client);
    assert_eq!(recv_to_end(&*link.server), b"last words");
    assert_eq!(link.server.recv(&mut [0; 8]).unwrap(), 0, "the end is permanent");
}

/// One direction of a connection works after the other has ended.
pub fn shutting_down_one_direction_leaves_the_other_open(subject: &Subject) {
    let link = subject.link();
    link.client.send_all(b"question").unwrap();
    link.client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(recv_to_end(&*link.server), b"question");
    link.server.send_all(b"answer").unwrap();
    assert_eq!(recv_exactly(&*link.client, 6), b"answer");
    assert!(link.client.send_all(b"more").is_err(), "the direction has ended");
}

/// A second shutdown is no error, nor is one after the peer has closed.
pub fn repeated_shutdown_is_harmless(subject: &Subject) {
    let link = subject.link();
    link.client.shutdown(Shutdown::Both).unwrap();
    link.client.shutdown(Shutdown::Both).unwrap();
    link.client.shutdown(Shutdown::Read).unwrap();
    assert_eq!(recv_to_end(&*link.server), b"");
    drop(link.client);
    link.server.shutdown(Shutdown::Write).unwrap();
    link.server.shutdown(Shutdown::Both).unwrap();
}

/// Sending to a peer that has closed fails eventually, without a signal that ends the process.
pub fn sending_to_a_closed_peer_fails(subject: &Subject) {
    let link = subject.link();
    drop(link.server);
    until(|| link.client.send_all(&[7; 1024]).is_err());
    until(|| link.client.send_vectored_all(&mut [IoSlice::new(&[7; 64])]).is_err());
}

/// Both ends have an address for messages.
pub fn both_ends_have_addresses(subject: &Subject) {
    let link = subject.link();
    for stream in [&link.client, &link.server] {
        assert!(!stream.peer().is_empty() && !stream.local().is_empty(), "{stream:?}");
    }
}

/// Receiving into an empty buffer returns 0 at once.
pub fn an_empty_buffer_receives_nothing(subject: &Subject) {
    let link = subject.link();
    assert_eq!(link.client.recv(&mut []).unwrap(), 0);
    link.server.send_all(b"x").unwrap();
    assert_eq!(link.client.recv(&mut []).unwrap(), 0);
    assert_eq!(recv_exactly(&*link.client, 1), b"x");
}
