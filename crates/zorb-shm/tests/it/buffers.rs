//! Runs of octets that bypass the ring.
#![cfg(feature = "buffers")]

use std::io::IoSlice;
use std::sync::Arc;
use std::thread;

use zorb_os::buffers::ReceivedBuffer;
use zorb_shm::ShmTransport;
use zorb_transport::{ConnectOptions, ListenOptions, SendBuffer, Stream, Transport};

/// Both ends of a connection: the client's and the server's.
fn connection(shm: &ShmTransport) -> (Arc<dyn Stream>, Arc<dyn Stream>) {
    let acceptor = shm.listen("shmiop://@", &ListenOptions::default()).unwrap();
    thread::scope(|scope| {
        let server = scope.spawn(|| acceptor.accept().unwrap());
        let client = shm.connect(acceptor.endpoint(), &ConnectOptions::default()).unwrap();
        (client, server.join().unwrap())
    })
}

fn send(stream: &dyn Stream, beginning: &[u8], run: &[u8]) {
    let mut parts = [IoSlice::new(beginning), IoSlice::new(run)];
    let mut rest = &mut parts[..];
    stream.try_send_run(&mut rest).unwrap();
    stream.send_vectored_all(rest).unwrap();
}

fn received(stream: &dyn Stream, len: usize) -> Vec<u8> {
    let mut all = vec![0; len];
    let mut done = 0;
    while done < len {
        done += stream.recv(&mut all[done..]).unwrap();
    }
    all
}

fn filled(stream: &dyn Stream, len: usize, octet: u8) -> SendBuffer {
    let mut buffer = stream.loan(len).unwrap();
    buffer.octets_mut().unwrap().fill(octet);
    buffer
}

fn borrowed(stream: &dyn Stream, before: usize, len: usize) -> ReceivedBuffer {
    assert_eq!(received(stream, before).len(), before);
    stream.borrow(len).unwrap()
}

#[test]
fn a_run_is_borrowed_where_its_sender_wrote_it() {
    let (client, server) = connection(&ShmTransport::new());
    let buffer = filled(&*client, 10_000, 5);
    send(&*client, b"head", &buffer);
    client.send_all(b"next").unwrap();
    assert!(server.borrow(10_000).is_none(), "octets precede it");
    assert!(server.is_readable());
    assert_eq!(received(&*server, 4), b"head");
    assert!(server.borrow(9_999).is_none() && server.borrow(10_001).is_none());
    let lent = server.borrow(10_000).unwrap();
    assert!(lent.iter().all(|octet| *octet == 5));
    assert!(buffer.is_in_use());
    assert_eq!(received(&*server, 4), b"next");
    drop(lent);
    assert!(!buffer.is_in_use());
    assert_eq!(server.try_recv(&mut [0; 8]).unwrap(), None);
}

#[test]
fn a_run_is_received_like_any_octets() {
    let (client, server) = connection(&ShmTransport::new());
    let text: Vec<u8> = (0..9_000_u32).map(|number| number as u8).collect();
    for round in 0..50 {
        send(&*client, &[round], &text);
        send(&*client, b"ab", &text[1..]);
        let all = received(&*server, 1 + 9_000 + 2 + 8_999);
        assert_eq!(all[0], round);
        assert_eq!(&all[1..9_001], text);
        assert_eq!(&all[9_001..9_003], b"ab");
        assert_eq!(&all[9_003..], &text[1..]);
    }
    // Octet by octet, followed by the end of the stream.
    send(&*client, b"c", &text[..4_000]);
    drop(client);
    for octet in [&b"c"[..], &text[..4_000]].concat() {
        assert_eq!(received(&*server, 1), [octet]);
    }
    assert_eq!(server.recv(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn a_partly_received_piece_cannot_be_borrowed() {
    let (client, server) = connection(&ShmTransport::new());
    send(&*client, b"x", &[7; 5_000]);
    received(&*server, 1 + 1_000);
    assert!(server.borrow(4_000).is_none() && server.borrow(5_000).is_none());
    assert_eq!(received(&*server, 4_000), [7; 4_000]);
}

#[test]
fn without_a_free_buffer_octets_use_the_ring() {
    let (client, server) = connection(&ShmTransport::new().with_buffers(2, 8192));
    let (one, other) = (filled(&*client, 8192, 1), filled(&*client, 3_000, 2));
    assert!(client.loan(1).is_none() && client.loan(8193).is_none());
    send(&*client, b"a", &[3; 6_000]);
    send(&*client, b"b", &one);
    send(&*client, b"c", &other);
    assert_eq!(received(&*server, 1 + 6_000)[1..], [3; 6_000]);
    assert_eq!(borrowed(&*server, 1, 8192)[..], [1; 8192]);
    assert_eq!(borrowed(&*server, 1, 3_000)[..], [2; 3_000]);
    drop(one);
    assert!(client.loan(8192).is_some());
}

#[test]
fn a_buffer_can_be_on_its_way_many_times() {
    let (client, server) = connection(&ShmTransport::new().with_buffers(1, 4096));
    let buffer = filled(&*client, 4_000, 9);
    // More pieces than the queue has entries; the others go through the ring.
    thread::scope(|scope| {
        scope.spawn(|| (0..500).for_each(|_| send(&*client, b"h", &buffer)));
        for _ in 0..500 {
            assert_eq!(received(&*server, 4_001)[1..], [9; 4_000]);
        }
    });
    assert!(!buffer.is_in_use());
}

#[test]
fn short_runs_have_no_use_for_buffers() {
    let (client, server) = connection(&ShmTransport::new());
    send(&*client, b"head", b"short");
    assert_eq!(received(&*server, 9), b"headshort");
    assert!(client.gather_threshold().is_some() && server.gather_threshold().is_some());
    let (client, server) = connection(&ShmTransport::new().with_buffers(0, 1 << 20));
    for (here, there) in [(&client, &server), (&server, &client)] {
        assert!(here.loan(1).is_none() && here.gather_threshold().is_none());
        send(&**here, b"h", &[1; 9_000]);
        assert_eq!(received(&**there, 9_001)[1..], [1; 9_000]);
    }
}

#[test]
fn octets_of_a_server_are_borrowed() {
    let (client, server) = connection(&ShmTransport::new().with_buffers(2, 8192));
    let buffer = filled(&*server, 8_000, 6);
    send(&*server, b"head", &buffer);
    send(&*server, b"copied", &[7; 4_000]);
    send(&*server, b"x", &[8; 4_000]); // no buffer is free
    let lent = borrowed(&*client, 4, 8_000);
    assert!(lent.iter().all(|octet| *octet == 6));
    assert_eq!(borrowed(&*client, 6, 4_000)[..], [7; 4_000]);
    assert!(client.borrow(4_000).is_none());
    assert_eq!(received(&*client, 1 + 4_000)[1..], [8; 4_000]);
    assert!(buffer.is_in_use());
    // A borrowed buffer stays valid as long as it is held, even without the connection.
    drop((server, client));
    assert!(lent.iter().all(|octet| *octet == 6));
    drop(lent);
    assert!(!buffer.is_in_use());
}

#[test]
fn both_directions_have_buffers_of_their_own() {
    let (client, server) = connection(&ShmTransport::new().with_buffers(1, 4096));
    let (question, answer) = (filled(&*client, 4_000, 1), filled(&*server, 4_000, 2));
    assert!(client.loan(1).is_none() && server.loan(1).is_none());
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..300 {
                assert_eq!(received(&*server, 4_001)[1..], [1; 4_000]);
                send(&*server, b"a", &answer);
            }
        });
        // More at once than the queue of pieces has entries.
        for _ in 0..300 / 30 {
            (0..30).for_each(|_| send(&*client, b"q", &question));
            for _ in 0..30 {
                assert_eq!(received(&*client, 4_001)[1..], [2; 4_000]);
            }
        }
    });
    assert!(!question.is_in_use() && !answer.is_in_use());
}

#[test]
fn parts_of_a_message_that_are_no_run_are_not_borrowed() {
    let shm = ShmTransport::new();
    let (client, server) = connection(&shm);
    let (beginning, value) = ([1; 12], vec![7; 1 << 12]);
    let waiting = |parts: &mut [IoSlice<'_>]| client.send_vectored_all(parts).unwrap();
    let at_once = |mut parts: &mut [IoSlice<'_>]| {
        client.try_send_vectored(&mut parts).unwrap();
        assert!(parts.is_empty(), "there is room");
    };
    for send in [&waiting as &dyn Fn(&mut [IoSlice<'_>]), &at_once] {
        send(&mut [IoSlice::new(&beginning), IoSlice::new(&value)]);
        assert_eq!(received(&*server, beginning.len()), beginning);
        assert!(server.borrow(value.len()).is_none());
        assert_eq!(received(&*server, value.len()), value);
    }
}
