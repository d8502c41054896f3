#![allow(clippy::unwrap_used)]

use std::io::IoSlice;
use std::net::Shutdown;
use std::os::fd::AsFd as _;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use socket2::SockRef;
use zorb_os::socket::{dont_route, pacing_rate};
use zorb_transport::{StreamOptions, forward_stream};

use super::*;
use crate::{Pem, Settings};

/// Both sides have one certificate and trust one authority.
fn transport() -> TlsTransport {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let mut own = CertificateParams::new(names.clone()).unwrap();
    own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(own, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let settings = Settings::new()
        .certificate(Pem::text(certificate.pem()), Pem::text(key.serialize_pem()))
        .roots(Pem::text(authority.pem()));
    TlsTransport::new(settings.build().unwrap()).unwrap()
}

/// The socket options, as read from the sockets of both sides.
#[test]
fn socket_options_are_set() {
    let transport = transport();
    let options = StreamOptions {
        no_delay: false,
        keep_alive: true,
        send_buffer: Some(40_000),
        receive_buffer: Some(30_000),
        dont_route: true,
        dscp: Some(46),
        socket_priority: Some(5),
        pacing_rate: Some(1 << 24),
    };
    let listening = ListenOptions::with_stream(options.clone());
    let inner = transport.tcp.listen("127.0.0.1:0", &listening).unwrap();
    let endpoint = inner.endpoint().clone();
    let tls = transport.tls().unwrap();
    let serves = thread::spawn({
        let tls = tls.clone();
        move || {
            let stream = TlsStream::accepted(inner.accept().unwrap(), tls);
            stream.establish().unwrap();
            stream
        }
    });
    let connecting = ConnectOptions::with_stream(options);
    let inner = transport.tcp.connect(&endpoint, &connecting).unwrap();
    let client = transport.secure(&endpoint, &tls, inner, None).unwrap();
    let server = serves.join().unwrap();
    for stream in [&client, &server] {
        let fd = stream.socket().unwrap();
        let socket = SockRef::from(&fd);
        assert_eq!((socket.tcp_nodelay().unwrap(), socket.keepalive().unwrap()), (false, true));
        assert_eq!((socket.tos_v4().unwrap(), socket.priority().unwrap()), (46 << 2, 5));
        // The system doubles the size for its own overhead.
        assert_eq!(socket.send_buffer_size().unwrap(), 80_000);
        assert_eq!(socket.recv_buffer_size().unwrap(), 60_000);
        assert_eq!(pacing_rate(fd.as_fd()).unwrap(), Some(1 << 24));
        assert!(dont_route(fd.as_fd()).unwrap());
    }
    // Changed later, as policies of object adapters do.
    let anew = StreamOptions { dscp: Some(10), ..StreamOptions::default() };
    server.set_options(&anew).unwrap();
    let fd = server.socket().unwrap();
    let socket = SockRef::from(&fd);
    assert_eq!((socket.tos_v4().unwrap(), socket.tcp_nodelay().unwrap()), (10 << 2, true));
    assert!(!dont_route(fd.as_fd()).unwrap());
    assert_eq!(pacing_rate(fd.as_fd()).unwrap(), None);
}

/// Receives one octet at a time, and records the timeouts for receiving and sending.
#[derive(Debug)]
struct Drips {
    inner: Arc<dyn Stream>,
    receiving: Mutex<Vec<Option<Duration>>>,
    sending: Mutex<Vec<Option<Duration>>>,
}

impl Stream for Drips {
    forward_stream!(
        inner: try_recv, is_readable, shutdown, set_options, peer, local, readiness_fd
    );

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.inner.send_all(bytes)
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.inner.send_vectored_all(parts)
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.try_send(bytes)
    }

    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.recv(&mut buffer[..1])
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.receiving.lock().unwrap().push(timeout);
        self.inner.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.sending.lock().unwrap().push(timeout);
        self.inner.set_send_timeout(timeout)
    }
}

#[test]
fn the_time_for_a_record_is_for_all_its_octets_together() {
    const HOUR: Duration = Duration::from_secs(3600);
    let transport = transport();
    let inner = transport.tcp.listen("127.0.0.1:0", &ListenOptions::default()).unwrap();
    let endpoint = inner.endpoint().clone();
    let tls = transport.tls().unwrap();
    let serves = thread::spawn({
        let tls = tls.clone();
        move || {
            let stream = TlsStream::accepted(inner.accept().unwrap(), tls);
            let mut all = vec![0; 1 << 20];
            let mut at = 0;
            while at < all.len() {
                at += stream.recv(&mut all[at..]).unwrap();
            }
            stream.send_all(b"a record").unwrap();
            // So that nothing is lost.
            let _ = stream.recv(&mut [0]);
        }
    });
    let inner = transport.tcp.connect(&endpoint, &ConnectOptions::default()).unwrap();
    let drips = Arc::new(Drips { inner, receiving: Mutex::default(), sending: Mutex::default() });
    let below = Arc::<Drips>::clone(&drips);
    let client = transport.secure(&endpoint, &tls, below, None).unwrap();
    client.set_recv_timeout(Some(HOUR)).unwrap();
    client.set_send_timeout(Some(HOUR)).unwrap();
    drips.receiving.lock().unwrap().clear();
    drips.sending.lock().unwrap().clear();
    client.send_all(&vec![7; 1 << 20]).unwrap();
    assert_eq!(client.recv(&mut [0; 100]).unwrap(), 8);
    for set in [&drips.receiving, &drips.sending] {
        let set = set.lock().unwrap();
        let (last, left) = set.split_last().unwrap();
        assert!(left.len() > 5 && left.is_sorted_by(|before, after| before >= after), "{set:?}");
        assert!(left.iter().all(|left| left.is_some_and(|left| left < HOUR)), "{set:?}");
        assert_eq!(*last, Some(HOUR), "the next operation has all of it");
    }
    client.shutdown(Shutdown::Both).unwrap();
    serves.join().unwrap();
}
