//! Moving bytes, and the end of a stream.

use std::io::IoSlice;
use std::net::Shutdown;
use std::thread;

use super::{Subject, echo, eventually, pattern, recv_exactly, recv_to_end};

/// Messages of a few bytes make the round trip, one after the other.
pub fn small_messages_come_back(subject: &Subject) {
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

/// A message far larger than any buffer on its way makes the round trip.
pub fn large_messages_come_back(subject: &Subject) {
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

/// `recv` gives what fits and keeps the rest.
pub fn a_small_buffer_takes_a_message_in_parts(subject: &Subject) {
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

/// Gathered sends: empty parts, very many parts, parts larger than any buffer.
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
pub fn both_directions_flow_at_once(subject: &Subject) {
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

/// Dropping the last reference is the end of the stream for the peer, after all bytes sent.
pub fn dropping_a_stream_is_the_end_for_the_peer(subject: &Subject) {
    let link = subject.link();
    link.client.send_all(b"last words").unwrap();
    drop(link.client);
    assert_eq!(recv_to_end(&*link.server), b"last words");
    assert_eq!(link.server.recv(&mut [0; 8]).unwrap(), 0, "and it stays the end");
}

/// Half a connection goes on when the other half has ended.
pub fn ending_one_direction_leaves_the_other(subject: &Subject) {
    let link = subject.link();
    link.client.send_all(b"question").unwrap();
    link.client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(recv_to_end(&*link.server), b"question");
    link.server.send_all(b"answer").unwrap();
    assert_eq!(recv_exactly(&*link.client, 6), b"answer");
    assert!(link.client.send_all(b"more").is_err(), "the ended direction takes nothing");
}

/// Shutting down again, or after the peer has gone, is no error.
pub fn ending_twice_is_harmless(subject: &Subject) {
    let link = subject.link();
    link.client.shutdown(Shutdown::Both).unwrap();
    link.client.shutdown(Shutdown::Both).unwrap();
    link.client.shutdown(Shutdown::Read).unwrap();
    assert_eq!(recv_to_end(&*link.server), b"");
    drop(link.client);
    link.server.shutdown(Shutdown::Write).unwrap();
    link.server.shutdown(Shutdown::Both).unwrap();
}

/// Once the peer has gone, sending fails (sooner or later) and does not end the process.
pub fn sending_to_nobody_fails(subject: &Subject) {
    let link = subject.link();
    drop(link.server);
    eventually(|| link.client.send_all(&[7; 1024]).is_err());
    eventually(|| link.client.send_vectored_all(&mut [IoSlice::new(&[7; 64])]).is_err());
}

/// Both ends can be named in a message.
pub fn both_ends_have_names(subject: &Subject) {
    let link = subject.link();
    for stream in [&link.client, &link.server] {
        assert!(!stream.peer().is_empty() && !stream.local().is_empty(), "{stream:?}");
    }
}

/// An empty buffer receives nothing, at once.
pub fn receiving_into_nothing_is_nothing(subject: &Subject) {
    let link = subject.link();
    assert_eq!(link.client.recv(&mut []).unwrap(), 0);
    link.server.send_all(b"x").unwrap();
    assert_eq!(link.client.recv(&mut []).unwrap(), 0);
    assert_eq!(recv_exactly(&*link.client, 1), b"x");
}
