//! Timeouts, wake-ups and idle streams.

use std::io::{ErrorKind, IoSlice};
use std::net::Shutdown;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use zorb_os::poll::HangupWatch;
use zorb_transport::AcceptError;

use super::{Link, Subject, recv_exactly};
use crate::pattern;
use crate::until;

/// Short enough for a test, long enough to measure.
const SHORT: Duration = Duration::from_millis(20);

/// `recv` returns when another thread shuts the stream down.
pub fn shutdown_wakes_a_blocked_recv(subject: &Subject) {
    for how in [Shutdown::Both, Shutdown::Read] {
        let link = subject.link();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| link.client.recv(&mut [0; 8]));
            link.client.shutdown(how).unwrap();
            assert_eq!(waiting.join().unwrap().unwrap_or(0), 0);
        });
    }
}

/// Every `accept` returns when another thread closes the acceptor.
pub fn close_wakes_every_blocked_accept(subject: &Subject) {
    let acceptor = subject.listen();
    thread::scope(|scope| {
        let waiting: Vec<_> = (0..4).map(|_| scope.spawn(|| acceptor.accept())).collect();
        acceptor.close();
        for thread in waiting {
            assert!(matches!(thread.join().unwrap(), Err(AcceptError::Closed)));
        }
    });
}

/// `try_recv` reports that there is no octet, receives octets, and finds the end of the stream.
pub fn try_recv_never_blocks(subject: &Subject) {
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
    assert_eq!((next(), next()), (0, 0), "the end is permanent");
    let link = subject.link();
    link.client.shutdown(Shutdown::Read).unwrap();
    until(|| link.client.try_recv(&mut [0; 3]).is_ok_and(|count| count == Some(0)));
}

/// `recv` waits for the timeout, loses no octet, and waits without limit after the timeout is removed.
pub fn recv_times_out(subject: &Subject) {
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

/// A timeout of zero, the rest of a deadline that has passed, expires at once.
pub fn a_zero_timeout_expires(subject: &Subject) {
    let link = subject.link();
    link.client.set_recv_timeout(Some(Duration::ZERO)).unwrap();
    assert_eq!(link.client.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::TimedOut);
    link.client.set_recv_timeout(Some(Duration::MAX)).unwrap();
    link.server.send_all(b"x").unwrap();
    assert_eq!(recv_exactly(&*link.client, 1), b"x");
}

/// Sending to a peer that does not receive ends with the timeout.
pub fn send_times_out(subject: &Subject) {
    let link = subject.link();
    link.client.set_send_timeout(Some(SHORT)).unwrap();
    let start = Instant::now();
    let block = vec![0; 16 << 20];
    let error = loop {
        // All buffers are full eventually.
        if let Err(error) = link.client.send_all(&block) {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(start.elapsed() >= SHORT, "{:?}", start.elapsed());
}

/// Unexpected octets make an idle stream readable; the check does not consume them.
pub fn unexpected_octets_make_a_stream_readable(subject: &Subject) {
    let link = subject.link();
    assert!(!link.client.is_readable() && !link.server.is_readable());
    link.server.send_all(b"unasked").unwrap();
    until(|| link.client.is_readable());
    assert!(link.client.is_readable());
    assert_eq!(recv_exactly(&*link.client, 7), b"unasked");
    assert!(!link.client.is_readable());
}

/// A stream whose peer has closed is readable before this side sends on it.
pub fn a_stream_whose_peer_has_closed_is_readable(subject: &Subject) {
    let link = subject.link();
    link.server.shutdown(Shutdown::Write).unwrap();
    until(|| link.client.is_readable());
    let link = subject.link();
    drop(link.server);
    until(|| link.client.is_readable());
    let link = subject.link();
    link.client.shutdown(Shutdown::Both).unwrap();
    assert!(link.client.is_readable());
}

/// A sender that need not wait sends the rest later.
pub fn try_send_never_waits(subject: &Subject) {
    const PIECE: usize = 64 << 10;
    let Link { client, server, acceptor: _acceptor } = subject.link();
    let sent_at_once = |piece: &[u8]| server.try_send(piece).expect("try_send");
    // The client does not read, so at some point nothing more is taken.
    let octets = pattern(PIECE, 3);
    let (mut pieces, mut last) = (0, sent_at_once(&octets));
    while last == PIECE {
        pieces += 1;
        last = sent_at_once(&octets);
    }
    // What is not taken is taken after the client has read, in parts or by a sender that waits.
    let rest = octets.get(last..).expect("a prefix");
    let taken = sent_at_once(rest);
    let rest = rest.get(taken..).expect("a prefix");
    let (first, second) = rest.split_at(rest.len() / 2);
    let mut parts = [first, b"", second].map(IoSlice::new);
    let mut parts = &mut parts[..];
    server.try_send_vectored(&mut parts).expect("try_send_vectored");
    thread::scope(|scope| {
        let sending = scope.spawn(|| server.send_vectored_all(parts));
        for _ in 0..=pieces {
            assert!(recv_exactly(&*client, PIECE) == octets, "octets differ");
        }
        sending.join().unwrap().expect("send_vectored_all");
    });
    let mut parts = [IoSlice::new(b""), IoSlice::new(b"later "), IoSlice::new(b"parts")];
    let mut parts = &mut parts[..];
    server.try_send_vectored(&mut parts).expect("try_send_vectored");
    assert!(parts.is_empty());
    assert_eq!(recv_exactly(&*client, 11), b"later parts");
}

/// A stream that can tell reports that the peer has closed it, whatever it has sent before.
pub fn a_client_learns_that_its_server_has_hung_up(subject: &Subject) {
    let Link { client, server, .. } = subject.link();
    let Some(socket) = client.hangup_fd() else {
        let (notified, reports) = mpsc::channel();
        let notify = move || notified.send(()).unwrap();
        if client.notify_of_hangup(Box::new(notify)) {
            server.send_all(b"the end").unwrap();
            assert_eq!(reports.try_recv(), Err(mpsc::TryRecvError::Empty));
            drop(server);
            reports.recv().expect("the peer has closed the stream");
        }
        return;
    };
    let watch = HangupWatch::new().unwrap();
    watch.add(socket, 7).unwrap();
    server.send_all(b"the end").unwrap();
    drop(server);
    assert_eq!(watch.next().unwrap(), 7);
}
