//! Waiting: time-outs, waking up, idle streams.

use std::io::ErrorKind;
use std::net::Shutdown;
use std::thread;
use std::time::{Duration, Instant};

use super::{Subject, eventually, recv_exactly};
use crate::AcceptError;

/// Short enough for a test, long enough to see that there was a wait.
const SHORT: Duration = Duration::from_millis(20);

/// A thread in `recv` comes back when another thread shuts the stream down.
pub fn shutdown_ends_a_waiting_recv(subject: &Subject) {
    for how in [Shutdown::Both, Shutdown::Read] {
        let link = subject.link();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| link.client.recv(&mut [0; 8]));
            link.client.shutdown(how).unwrap();
            assert_eq!(waiting.join().unwrap().unwrap_or(0), 0);
        });
    }
}

/// Every thread in `accept` comes back when another closes the acceptor.
pub fn close_ends_every_waiting_accept(subject: &Subject) {
    let acceptor = subject.listen();
    thread::scope(|scope| {
        let waiting: Vec<_> = (0..4).map(|_| scope.spawn(|| acceptor.accept())).collect();
        acceptor.close();
        for thread in waiting {
            assert!(matches!(thread.join().unwrap(), Err(AcceptError::Closed)));
        }
    });
}

/// `try_recv` says that nothing is there, takes what has come, and finds the end.
pub fn what_is_there_is_had_without_waiting(subject: &Subject) {
    let link = subject.link();
    let mut buffer = [0; 3];
    let now = |buffer: &mut [u8]| link.client.try_recv(buffer).unwrap();
    assert_eq!(now(&mut buffer), None);
    link.server.send_all(b"0123").unwrap();
    let mut next = || {
        loop {
            if let Some(count) = now(&mut buffer) {
                return buffer[..count].to_vec();
            }
            thread::yield_now();
        }
    };
    let mut whole = Vec::new();
    while whole.len() < 4 {
        whole.extend(next());
    }
    assert_eq!(whole, b"0123");
    assert_eq!(now(&mut [0; 3]), None);
    link.server.shutdown(Shutdown::Write).unwrap();
    let next = || {
        loop {
            if let Some(count) = now(&mut [0; 3]) {
                return count;
            }
            thread::yield_now();
        }
    };
    assert_eq!((next(), next()), (0, 0), "the end, and it stays the end");
    let link = subject.link();
    link.client.shutdown(Shutdown::Read).unwrap();
    eventually(|| link.client.try_recv(&mut [0; 3]).is_ok_and(|count| count == Some(0)));
}

/// `recv` waits as long as it was told, loses nothing, and waits for ever when told so again.
pub fn a_recv_timeout_is_kept(subject: &Subject) {
    let link = subject.link();
    link.client.set_recv_timeout(Some(SHORT)).unwrap();
    link.client.set_recv_timeout(Some(SHORT)).unwrap();
    let start = Instant::now();
    let error = link.client.recv(&mut [0; 8]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(start.elapsed() >= SHORT, "{:?}", start.elapsed());
    link.server.send_all(b"late").unwrap();
    link.client.set_recv_timeout(None).unwrap();
    assert_eq!(recv_exactly(&*link.client, 4), b"late");
}

/// A time-out of zero, as is left of a deadline that has passed, ends the wait.
pub fn a_zero_timeout_does_not_wait_for_ever(subject: &Subject) {
    let link = subject.link();
    link.client.set_recv_timeout(Some(Duration::ZERO)).unwrap();
    assert_eq!(link.client.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::TimedOut);
    link.client.set_recv_timeout(Some(Duration::MAX)).unwrap();
    link.server.send_all(b"x").unwrap();
    assert_eq!(recv_exactly(&*link.client, 1), b"x");
}

/// Sending to a peer that takes nothing ends with the time-out.
pub fn a_send_timeout_is_kept(subject: &Subject) {
    let link = subject.link();
    link.client.set_send_timeout(Some(SHORT)).unwrap();
    let start = Instant::now();
    let block = vec![0; 16 << 20];
    let error = loop {
        // However much the buffers on the way hold, they are full at last.
        if let Err(error) = link.client.send_all(&block) {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(start.elapsed() >= SHORT, "{:?}", start.elapsed());
}

/// Bytes that nobody waits for make an idle stream stale; looking does not take them.
pub fn a_stream_is_stale_with_bytes_pending(subject: &Subject) {
    let link = subject.link();
    assert!(!link.client.is_stale() && !link.server.is_stale());
    link.server.send_all(b"unasked").unwrap();
    eventually(|| link.client.is_stale());
    assert!(link.client.is_stale());
    assert_eq!(recv_exactly(&*link.client, 7), b"unasked");
    assert!(!link.client.is_stale());
}

/// A stream whose peer has closed is stale before anything is sent on it.
pub fn a_stream_is_stale_when_its_peer_has_gone(subject: &Subject) {
    let link = subject.link();
    link.server.shutdown(Shutdown::Write).unwrap();
    eventually(|| link.client.is_stale());
    let link = subject.link();
    drop(link.server);
    eventually(|| link.client.is_stale());
    let link = subject.link();
    link.client.shutdown(Shutdown::Both).unwrap();
    assert!(link.client.is_stale());
}
