//! Buffers whose other side dies or misbehaves.
#![cfg(feature = "buffers")]
#![allow(clippy::panic)]

use std::io::{ErrorKind, IoSlice};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use zorb_os::memory::SharedMemory;
use zorb_os::process::bind_to_this_process;
use zorb_os::socket::{recv_descriptor, send_descriptor};
use zorb_shm::ShmTransport;
use zorb_testkit::short_folder;
use zorb_transport::{Acceptor, ConnectOptions, ListenOptions, SendBuffer, Stream, Transport};

/// Names the socket that another process of this program connects to or listens on.
const MEET_AT: &str = "TEST_SHM_MEET";
const LEN: usize = 5000;
const PAGE: usize = 4096;

fn path(name: &str) -> PathBuf {
    short_folder().join(format!("zorb-shm-held-{name}-{}.sock", std::process::id()))
}

fn url(path: &Path) -> String {
    format!("shmiop://{}", path.display())
}

fn listen(url: &str) -> Arc<dyn Acceptor> {
    ShmTransport::new().listen(url, &ListenOptions::default()).unwrap()
}

/// Connects to a server that may not listen yet.
fn connect(path: &Path) -> Arc<dyn Stream> {
    let shm = ShmTransport::new();
    let endpoint = shm.parse_endpoint(&url(path)).unwrap();
    loop {
        match shm.connect(&endpoint, &ConnectOptions::default()) {
            Ok(stream) => return stream,
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionRefused, "{error}"),
        }
        thread::yield_now();
    }
}

fn filled(stream: &dyn Stream, octet: u8) -> SendBuffer {
    let mut buffer = stream.loan(LEN).unwrap();
    buffer.octets_mut().unwrap().fill(octet);
    buffer
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
        done += match stream.recv(&mut all[done..]).unwrap() {
            0 => panic!("the end"),
            count => count,
        };
    }
    all
}

/// Exchanges buffers before one side is killed: sends a buffer and holds it, and holds the buffer
/// of the other side.
fn exchange(stream: &dyn Stream, octet: u8) -> (SendBuffer, impl std::ops::Deref<Target = [u8]>) {
    // The server now knows that its client takes pieces.
    stream.send_all(b"here").unwrap();
    assert_eq!(received(stream, 4), b"here");
    let buffer = filled(stream, octet);
    send(stream, b"head", &buffer);
    assert_eq!(received(stream, 4), b"head");
    let lent = stream.borrow(LEN).unwrap();
    stream.send_all(b"mine").unwrap();
    assert_eq!(received(stream, 4), b"mine");
    (buffer, lent)
}

fn in_other_process(serves: bool) {
    let Ok(path) = std::env::var(MEET_AT) else { return };
    let stream = match serves {
        true => {
            let acceptor = listen(&url(Path::new(&path)));
            acceptor.accept().unwrap()
        }
        false => connect(Path::new(&path)),
    };
    let _held = exchange(&*stream, 7);
    loop {
        thread::park();
    }
}

#[test]
#[ignore = "the other process of the tests below"]
fn the_server() {
    in_other_process(true);
}

#[test]
#[ignore = "the other process of the tests below"]
fn the_client() {
    in_other_process(false);
}

fn other_process(name: &str, path: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored"]).env(MEET_AT, path);
    bind_to_this_process(&mut command).stdout(Stdio::null()).spawn().unwrap()
}

/// Kills the other process while each side holds buffers of the other.
fn is_killed(mut other: Child, stream: &dyn Stream) {
    let (mut buffer, lent) = exchange(stream, 9);
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(stream.recv(&mut [0; 8]).unwrap(), 0);
    assert_eq!(stream.send_all(b"x").unwrap_err().kind(), ErrorKind::BrokenPipe);
    // Its octets stay; buffers that it holds are never returned and never written to again.
    assert!(lent.iter().all(|octet| *octet == 7));
    assert!(buffer.is_in_use() && buffer.octets_mut().is_none());
    assert!(buffer.iter().all(|octet| *octet == 9));
    drop(buffer);
    let all: Vec<_> = std::iter::from_fn(|| stream.loan(1)).collect();
    assert_eq!(all.len(), zorb_shm::DEFAULT_BUFFERS - 1);
    drop(lent);
}

#[test]
fn a_server_is_killed_that_holds_buffers() {
    let path = path("server");
    let server = other_process("held::the_server", &path);
    let stream = connect(&path);
    is_killed(server, &*stream);
    // The server may have removed it: it stops listening once it has its client.
    let _ = std::fs::remove_file(&path);
}

#[test]
fn a_client_is_killed_that_holds_buffers() {
    let path = path("client");
    let acceptor = listen(&url(&path));
    let client = other_process("held::the_client", &path);
    let stream = acceptor.accept().unwrap();
    is_killed(client, &*stream);
}

/// One side of a connection that misuses the memory.
struct Hostile {
    _socket: UnixStream,
    rings: SharedMemory,
    /// The buffers that clients fill, and those that servers fill.
    buffers: [SharedMemory; 2],
    honest: Arc<dyn Stream>,
}

/// The positions of a direction's words in the rings' memory: see `ring.rs`.
struct Words {
    tail: usize,
    named: usize,
    takes: usize,
    names: usize,
}

const REQUESTS: Words = Words { tail: 0, named: 12, takes: 128 + 12, names: 2048 };
const REPLIES: Words =
    Words { tail: 1024, named: 1024 + 12, takes: 1024 + 128 + 12, names: 1024 + 640 };

impl Hostile {
    fn client() -> Self {
        let acceptor = listen("shmiop://");
        let socket = UnixStream::connect(acceptor.endpoint().address()).unwrap();
        let honest = acceptor.accept().unwrap();
        let take = |len: usize| {
            let (count, descriptor) = recv_descriptor(socket.as_fd(), &mut vec![0; len]).unwrap();
            assert_eq!(count, len);
            SharedMemory::open(descriptor.unwrap()).unwrap()
        };
        let (rings, buffers) = (take(24), [take(16), take(8)]);
        Self { _socket: socket, rings, buffers, honest }
    }

    fn server(name: &str) -> Self {
        let path = path(name);
        let listener = UnixListener::bind(&path).unwrap();
        let memory = |pages| SharedMemory::create("hostile", pages * PAGE).unwrap();
        let (rings, buffers) = (memory(3), [memory(5), memory(5)]);
        let (socket, honest) = thread::scope(|scope| {
            let client = scope.spawn(|| connect(&path));
            let (socket, _) = listener.accept().unwrap();
            let sizes = |sizes: &[u32]| sizes.iter().flat_map(|it| it.to_le_bytes()).collect();
            let page = 4096;
            let hello = [b"ZORBSHM2".to_vec(), sizes(&[page, page, 2, 2 * page])].concat();
            let follow_up = [b"BUFFERS!".to_vec(), sizes(&[2, 2 * page])].concat();
            send_descriptor(socket.as_fd(), &hello, rings.as_fd()).unwrap();
            send_descriptor(socket.as_fd(), &follow_up, buffers[0].as_fd()).unwrap();
            send_descriptor(socket.as_fd(), b"REPLIES!", buffers[1].as_fd()).unwrap();
            (socket, client.join().unwrap())
        });
        std::fs::remove_file(&path).unwrap();
        Self { _socket: socket, rings, buffers, honest }
    }

    /// Names a piece at the beginning of the ring.
    fn name(&self, words: &Words, name: u64) {
        self.rings.u64_at(words.names + 8).store(name, Ordering::SeqCst);
        self.rings.u32_at(words.named).store(1, Ordering::SeqCst);
        self.rings.u64_at(words.tail).store(0, Ordering::SeqCst);
    }
}

/// The encoded name of a piece.
fn word(index: u64, offset: u64, len: u64) -> u64 {
    index << 56 | offset << 28 | len
}

#[test]
fn invalid_pieces_end_the_connection() {
    let size = 2 * PAGE as u64;
    for nonsense in [
        word(2, 0, 1),
        word(255, 0, 1),
        word(0, 0, 0),
        word(0, size, 1),
        word(1, 1, size),
        word(1, (1 << 28) - 1, (1 << 28) - 1),
        u64::MAX,
    ] {
        let of_server = Hostile::server("range");
        of_server.name(&REPLIES, nonsense);
        assert!(of_server.honest.borrow(1).is_none());
        let error = of_server.honest.recv(&mut [0; 8]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{nonsense:x}");
    }
    // A server has more and larger buffers.
    let size = zorb_shm::DEFAULT_BUFFER_SIZE as u64;
    for nonsense in [word(8, 0, 1), word(0, 0, 0), word(7, size - 1, 2), u64::MAX] {
        let of_client = Hostile::client();
        of_client.name(&REQUESTS, nonsense);
        assert!(of_client.honest.borrow(1).is_none());
        let error = of_client.honest.recv(&mut [0; 8]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{nonsense:x}");
    }
}

#[test]
fn a_buffer_returned_too_often_is_lost() {
    let Hostile { buffers: [_, replies], rings, honest, .. } = &Hostile::client();
    assert!(honest.loan(1).is_none(), "the client has not announced that it takes pieces");
    rings.u32_at(REPLIES.takes).store(1, Ordering::SeqCst);
    let all = || std::iter::from_fn(|| honest.loan(1)).collect::<Vec<_>>().len();
    assert_eq!(all(), 8);
    for times in [1, 2, u32::MAX] {
        // The word of the first buffer.
        replies.u32_at(0).store(times, Ordering::SeqCst);
        assert_eq!(all(), 7);
        let mut buffer = honest.loan(LEN).unwrap();
        buffer.octets_mut().unwrap().fill(1);
        send(&**honest, b"head", &buffer);
        assert!(buffer.is_in_use());
        drop(buffer);
        assert_eq!(all(), 6, "one is lost, one is in transit");
        replies.u32_at(64).fetch_add(1, Ordering::SeqCst);
    }
    replies.u32_at(0).store(0, Ordering::SeqCst);
    assert_eq!(all(), 8);
}

#[test]
fn a_piece_renamed_during_a_copy_keeps_its_length() {
    let hostile = Hostile::server("changing");
    let Hostile { buffers: [_, replies], rings, honest, .. } = &hostile;
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut octet = 1;
            while !done.load(Ordering::Relaxed) {
                // Changes the contents, and names the same piece again, longer or shorter.
                replies.write(PAGE, &[octet; LEN]);
                let len = LEN as u64 - u64::from(octet % 2);
                rings.u64_at(REPLIES.names + 8).store(word(0, 0, len), Ordering::Relaxed);
                octet = octet % 200 + 1;
            }
        });
        let mut all = 0;
        hostile.name(&REPLIES, word(0, 0, LEN as u64));
        while all < LEN - 1 {
            let mut space = [0; 700];
            let count = honest.recv(&mut space).unwrap();
            assert!(count <= 700 && space[count..].iter().all(|octet| *octet == 0));
            all += count;
        }
        done.store(true, Ordering::Relaxed);
        assert!(all <= LEN);
    });
}
