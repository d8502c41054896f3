#![allow(clippy::unwrap_used)]

use std::os::fd::AsFd as _;
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use socket2::SockRef;
use zorb_os::socket::{dont_route, pacing_rate};
use zorb_transport::StreamOptions;

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
