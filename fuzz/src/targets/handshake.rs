//! What a client makes of the octets and the memory that an SHMIOP server passes to it.

use std::collections::VecDeque;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use zorb_os::memory::SharedMemory;
use zorb_os::socket::send_descriptor;
use zorb_shm::ShmTransport;
use zorb_transport::{ConnectOptions, Endpoint, Transport};

use super::{AllocationBound, Target};

/// Up to three messages of the server. Each has an octet for the memory that goes with it (0: none, otherwise 4 KiB
/// for each), then an octet with its length. Behind them the server ends the connection.
pub const TARGET: Target = Target {
    name: "handshake",
    run,
    allocation: AllocationBound { per_octet: 256, constant: 1 << 20 },
    words: &[
        b"ZORBSHM2",
        b"BUFFERS!",
        b"REPLIES!",
        b"\0\x10\0\0",
        b"\0\0\x01\0",
        b"\0\0\0\0",
        b"\xff\xff\xff\xff",
    ],
};

const MESSAGES: usize = 3;
const PAGE: usize = 4096;
/// Connecting takes no time: passing it is a hang.
const HANG: Duration = Duration::from_secs(60);

/// What the server sends next, and where it listens.
struct Server {
    answers: Mutex<VecDeque<Vec<u8>>>,
    endpoint: Endpoint,
    transport: ShmTransport,
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let path = std::env::temp_dir().join(format!("zorb-fuzz-{}.sock", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).expect("a socket");
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let answer = server().answers.lock().unwrap_or_else(PoisonError::into_inner);
                let next = { answer }.pop_front().unwrap_or_default();
                answer_with(&stream, &next);
            }
        });
        let transport = ShmTransport::new();
        let endpoint = transport.parse_endpoint(path.to_str().expect("text")).expect("an endpoint");
        Server { answers: Mutex::default(), endpoint, transport }
    })
}

/// Sends what the input says.
fn answer_with(mut stream: &UnixStream, mut octets: &[u8]) {
    for _ in 0..MESSAGES {
        let Some((&[pages, length], rest)) = octets.split_first_chunk() else { return };
        let (message, rest) = rest.split_at(usize::from(length).min(rest.len()));
        octets = rest;
        // The client may have gone.
        let _ = match usize::from(pages) {
            0 => stream.write_all(message),
            pages => {
                let memory = SharedMemory::create("zorb-fuzz", pages * PAGE).expect("memory");
                send_descriptor(stream.as_fd(), message, memory.as_fd())
            }
        };
    }
}

fn run(octets: &[u8]) {
    // The answers are in the order of the connections.
    static CONNECTING: Mutex<()> = Mutex::new(());
    let _connecting = CONNECTING.lock().unwrap_or_else(PoisonError::into_inner);
    let server = server();
    server.answers.lock().unwrap_or_else(PoisonError::into_inner).push_back(octets.to_vec());
    let options = ConnectOptions::with_timeout(Some(HANG));
    if let Ok(stream) = server.transport.connect(&server.endpoint, &options) {
        // The server has ended it, which a stream over valid memory notices.
        stream.set_recv_timeout(Some(HANG)).expect("a time-out");
        let _ = stream.send_all(&[0; 64]);
        let received = stream.recv(&mut [0; 64]);
        assert!(
            received.as_ref().is_ok_and(|count| *count <= 64)
                || received.is_err_and(|error| error.kind() != std::io::ErrorKind::TimedOut),
            "the end goes unnoticed"
        );
    }
}
