//! Sending and receiving allocate nothing.

use std::io::IoSlice;
use std::thread;
use std::time::Duration;

use zorb_os::alloc::AllocationCount;
use zorb_tcp::TcpTransport;
use zorb_transport::{ConnectOptions, ListenOptions, Stream, Transport};

const ROUNDS: usize = 200;

fn recv_exactly(stream: &dyn Stream, mut buffer: &mut [u8]) {
    while !buffer.is_empty() {
        let count = stream.recv(buffer).unwrap();
        assert_ne!(count, 0);
        buffer = &mut buffer[count..];
    }
}

#[test]
fn a_round_trip_allocates_nothing_on_either_side() {
    let tcp = TcpTransport::new();
    let acceptor = tcp.listen("127.0.0.1:0", &ListenOptions::default()).unwrap();
    let client = tcp.connect(acceptor.endpoint(), &ConnectOptions::default()).unwrap();
    let server = acceptor.accept().unwrap();
    let mut buffer = [0; 64];

    let server_side = thread::spawn(move || {
        let mut buffer = [0; 64];
        let serve = || {
            for _ in 0..ROUNDS {
                recv_exactly(&*server, &mut buffer);
                let (head, body) = buffer.split_at(12);
                server.send_vectored_all(&mut [IoSlice::new(head), IoSlice::new(body)]).unwrap();
            }
        };
        AllocationCount::of(serve).1
    });
    let ((), client_side) = AllocationCount::of(|| {
        for _ in 0..ROUNDS {
            assert!(!client.is_readable());
            client.set_send_timeout(Some(Duration::from_secs(60))).unwrap();
            client.send_all(&[7; 64]).unwrap();
            client.set_recv_timeout(Some(Duration::from_secs(60))).unwrap();
            recv_exactly(&*client, &mut buffer);
        }
    });
    assert_eq!(client_side, AllocationCount::default());
    assert_eq!(server_side.join().unwrap(), AllocationCount::default());
    assert_eq!(buffer, [7; 64]);
}
