//! The allocations of sending and receiving.

use std::io::IoSlice;
use std::thread;
use std::time::Duration;

use crate::support::Authority;
use zorb_os::alloc::AllocationCount;
use zorb_tls::{Pem, Settings, TlsTransport};
use zorb_transport::{ConnectOptions, ListenOptions, Stream, Transport};

const WARM_UP: u64 = 10;
const ROUNDS: u64 = 200;
/// What rustls allocates for a message of one record: sent from one slice, sent from several, and
/// received. Zorb itself allocates nothing.
const SENT: u64 = 1;
const GATHERED: u64 = 2;
const RECEIVED: u64 = 1;

fn recv_exactly(stream: &dyn Stream, mut buffer: &mut [u8]) {
    while !buffer.is_empty() {
        let count = stream.recv(buffer).unwrap();
        assert_ne!(count, 0);
        buffer = &mut buffer[count..];
    }
}

#[test]
fn a_round_trip_allocates_only_in_rustls() {
    let authority = Authority::new("authority");
    let own = authority.server();
    let tls = Settings::new()
        .certificate(Pem::text(own.certificate), Pem::text(own.key))
        .roots(Pem::text(authority.certificate()));
    let tls = TlsTransport::new(tls.build().unwrap()).unwrap();
    let acceptor = tls.listen("127.0.0.1:0", &ListenOptions::default()).unwrap();

    let endpoint = acceptor.endpoint().clone();
    let server_side = thread::spawn(move || {
        let server = acceptor.accept().unwrap();
        let mut buffer = [0; 64];
        let mut serve = |rounds| {
            for _ in 0..rounds {
                recv_exactly(&*server, &mut buffer);
                let (head, body) = buffer.split_at(12);
                let mut parts = [IoSlice::new(head), IoSlice::new(body)];
                let mut rest = &mut parts[..];
                server.try_send_vectored(&mut rest).unwrap();
                server.send_vectored_all(rest).unwrap();
            }
        };
        serve(WARM_UP);
        AllocationCount::of(|| serve(ROUNDS)).1
    });
    let client = tls.connect(&endpoint, &ConnectOptions::default()).unwrap();
    let mut buffer = [0; 64];
    let mut call = |rounds| {
        for _ in 0..rounds {
            assert!(!client.is_readable());
            client.set_send_timeout(Some(Duration::from_secs(60))).unwrap();
            let sent = client.try_send(&[7; 64]).unwrap();
            client.send_all(&[7; 64][sent..]).unwrap();
            client.set_recv_timeout(Some(Duration::from_secs(60))).unwrap();
            recv_exactly(&*client, &mut buffer);
        }
    };
    call(WARM_UP);
    let ((), client_side) = AllocationCount::of(|| call(ROUNDS));
    assert_eq!(client_side.allocations, ROUNDS * (SENT + RECEIVED));
    // The server sends gathered slices.
    let server_side = server_side.join().unwrap();
    assert_eq!(server_side.allocations, ROUNDS * (GATHERED + RECEIVED));
    assert_eq!(buffer, [7; 64]);
}
