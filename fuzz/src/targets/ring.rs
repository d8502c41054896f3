//! Arbitrary writes of a peer to the shared memory of a connection: by a client, and by a server.

use std::io::IoSlice;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use zorb_os::memory::SharedMemory;
use zorb_os::socket::{recv_descriptor, send_descriptor};
use zorb_shm::ShmTransport;
use zorb_testkit::short_folder;
use zorb_transport::{
    ConnectOptions, ListenOptions, ReceivedBuffer, SendBuffer, Stream, Transport,
};

use super::{AllocationBound, Target};

/// The first octet selects the hostile side. The rest consists of steps of 11 octets, alternately of the two: the
/// hostile one writes a number somewhere, the other one sends, receives, borrows.
pub const TARGET: Target = Target {
    name: "ring",
    run,
    // Names, and the two ends' own state.
    allocation: AllocationBound { per_octet: 64, constant: 64 << 10 },
    words: &[
        b"\0\0\0\0\0\0\0\0\0\0\0",
        b"\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\0\x10\0\0\0\0\0\0",
        b"\x01\x10\0\0\0\0\0\0",
        b"\x40\0\0\0\0\0\0\0",
        b"\x10\0\0\0\0\0\0\0",
        b"\0\x08\0\0\0\0\0\0",
    ],
};

/// Octets of a step: what is done, where, and with which number.
pub const STEP: usize = 11;
/// Longer inputs are left alone; they would only be slow.
const MAX_STEPS: usize = 200;
/// Octets of either ring.
pub const RING: usize = 4096;
/// How many buffers there are.
const BUFFERS: usize = 2;
/// Octets of the head of the rings' memory, and of that of the buffers'.
const HEAD: usize = 4096;

/// The word with which a client announces that it accepts pieces of buffers.
const TAKES_PIECES: usize = 1024 + 128 + 12;

/// Writes a double word into the head of the rings' memory.
pub const WRITE: u8 = 0;
/// Writes a double word into the head of the memory of either direction's buffers.
pub const WRITE_TO_BUFFERS: u8 = 1;
/// Adds the number to a double word of the head.
pub const ADD: u8 = 2;
/// Receives so many octets.
pub const RECEIVE: u8 = 3;
/// Borrows so many octets.
pub const BORROW: u8 = 4;
/// Sends so many octets.
pub const SEND: u8 = 5;
/// Takes a buffer for this number of octets and sends it after a first part.
pub const LEND: u8 = 6;
/// Returns borrowed octets and taken buffers.
pub const GIVE_BACK: u8 = 7;

/// A connection with a hostile end.
struct Hostile {
    socket: UnixStream,
    rings: SharedMemory,
    /// Those that clients fill, and those that servers fill.
    buffers: [SharedMemory; 2],
    honest: Arc<dyn Stream>,
}

fn run(octets: &[u8]) {
    let Some((first, steps)) = octets.split_first() else { return };
    if steps.len() > STEP * MAX_STEPS {
        return;
    }
    let Hostile { socket, rings, buffers, honest } =
        if first & 1 == 0 { hostile_client() } else { hostile_server() };
    honest.set_recv_timeout(Some(Duration::ZERO)).expect("a time-out");
    honest.set_send_timeout(Some(Duration::ZERO)).expect("a time-out");
    let (mut drawn, mut lent): (Option<SendBuffer>, Vec<ReceivedBuffer>) = (None, Vec::new());
    let mut space = vec![0; RING * 2];
    for step in steps.chunks_exact(STEP) {
        let (what, at) = (step[0] % 8, usize::from(u16::from_le_bytes([step[1], step[2]])));
        let number = u64::from_le_bytes(step[3..].try_into().expect("eight octets"));
        let len = number as usize % (space.len() + 1);
        match what {
            WRITE => rings.u64_at(at % (HEAD / 8) * 8).store(number, Ordering::SeqCst),
            WRITE_TO_BUFFERS => {
                let [requests, replies] = &buffers;
                let buffers = if (at / (HEAD / 8)).is_multiple_of(2) { requests } else { replies };
                buffers.u64_at(at % (HEAD / 8) * 8).store(number, Ordering::SeqCst);
            }
            ADD => {
                rings.u64_at(at % (HEAD / 8) * 8).fetch_add(number, Ordering::SeqCst);
            }
            RECEIVE => {
                if let Ok(Some(count)) = honest.try_recv(&mut space[..len]) {
                    assert!(count <= len, "more than there is room for");
                }
            }
            BORROW => {
                if let Some(borrowed) = honest.borrow(len) {
                    assert_eq!(borrowed.len(), len);
                    std::hint::black_box(borrowed.iter().fold(0, |all, octet| all ^ octet));
                    lent.push(borrowed);
                }
            }
            SEND => drop(honest.send_all(&space[..len])),
            LEND => {
                drawn = drawn.or_else(|| honest.loan(len));
                if let Some(buffer) = &mut drawn {
                    if let Some(octets) = buffer.octets_mut() {
                        octets.fill(at as u8);
                    }
                    let mut parts = [IoSlice::new(b"beginning"), IoSlice::new(buffer)];
                    let mut rest = &mut parts[..];
                    let _ = honest.try_send_run(&mut rest);
                    let _ = honest.send_vectored_all(rest);
                }
            }
            _ => {
                drawn = None;
                lent.clear();
            }
        }
        let _ = honest.is_readable();
    }
    drop((drawn, lent));
    // The end of the other process is noticed however the memory looks: what is received is an
    // error, octets as long as there are some, or the end.
    drop(socket);
    while !honest.is_readable() {
        std::thread::yield_now();
    }
}

fn hostile_client() -> Hostile {
    let shm = ShmTransport::new().with_ring_size(RING).with_buffers(BUFFERS, RING);
    let acceptor = shm.listen("shmiop://", &ListenOptions::default()).expect("a listener");
    let socket = UnixStream::connect(acceptor.endpoint().address()).expect("a connection");
    let honest = acceptor.accept().expect("a connection");
    let mut hello = [0; 24];
    let take = |hello: &mut [u8]| {
        let (_, descriptor) = recv_descriptor(socket.as_fd(), hello).expect("a message");
        SharedMemory::open(descriptor.expect("memory")).expect("sealed memory")
    };
    let rings = take(&mut hello);
    let buffers = [take(&mut [0; 16]), take(&mut [0; 8])];
    // An honest client announces that it accepts pieces.
    rings.u32_at(TAKES_PIECES).store(1, Ordering::SeqCst);
    Hostile { socket, rings, buffers, honest }
}

fn hostile_server() -> Hostile {
    let folder = short_folder().join(format!("zorb-ring-{}.sock", std::process::id()));
    let _ = std::fs::remove_file(&folder);
    let listener = UnixListener::bind(&folder).expect("a listener");
    let rings = SharedMemory::create("hostile", HEAD + 2 * RING).expect("memory");
    let memory = || SharedMemory::create("hostile", HEAD + BUFFERS * RING).expect("memory");
    let buffers = [memory(), memory()];
    let shm = ShmTransport::new();
    let url = format!("shmiop://{}", folder.display());
    let endpoint = shm.parse_endpoint(&url).expect("an endpoint");
    let (socket, honest) = std::thread::scope(|scope| {
        let client = scope.spawn(|| shm.connect(&endpoint, &ConnectOptions::default()));
        let (socket, _) = listener.accept().expect("a connection");
        let mut hello = b"ZORBSHM2".to_vec();
        let sizes = |sizes: &[usize]| -> Vec<u8> {
            sizes.iter().flat_map(|size| (*size as u32).to_le_bytes()).collect()
        };
        hello.extend(sizes(&[RING, RING, BUFFERS, RING]));
        let follow_up = [b"BUFFERS!".to_vec(), sizes(&[BUFFERS, RING])].concat();
        let [requests, replies] = &buffers;
        let messages =
            [(&hello[..], &rings), (&follow_up[..], requests), (&b"REPLIES!"[..], replies)];
        for (octets, memory) in messages {
            send_descriptor(socket.as_fd(), octets, memory.as_fd()).expect("it has room");
        }
        (socket, client.join().expect("no panic").expect("a connection"))
    });
    let _ = std::fs::remove_file(&folder);
    Hostile { socket, rings, buffers, honest }
}
