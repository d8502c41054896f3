//! Peers that die, misbehave, or do not speak SHMIOP.

use std::io::{ErrorKind, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use zorb_os::memory::SharedMemory;
use zorb_os::process::bind_to_this_process;
use zorb_os::socket::recv_descriptor;
use zorb_shm::ShmTransport;
use zorb_testkit::{short_folder, until};
use zorb_transport::{
    Acceptor, ConnectOptions, ConnectPhase, ListenOptions, Stream, StreamOptions, Transport,
};

/// Names the socket that another process of this program listens on.
const LISTEN_AT: &str = "TEST_SHM_PEER";

fn path(name: &str) -> PathBuf {
    short_folder().join(format!("zorb-shm-{name}-{}.sock", std::process::id()))
}

fn url(path: &Path) -> String {
    format!("shmiop://{}", path.display())
}

fn listen() -> Arc<dyn Acceptor> {
    ShmTransport::new().listen("shmiop://", &ListenOptions::default()).unwrap()
}

/// The other process: sends three octets and reads nothing.
#[test]
#[ignore = "the other process of the tests below"]
fn the_other_process() {
    let Ok(path) = std::env::var(LISTEN_AT) else { return };
    let shm = ShmTransport::new();
    let acceptor = shm.listen(&url(Path::new(&path)), &ListenOptions::default()).unwrap();
    let stream = acceptor.accept().unwrap();
    stream.send_all(b"abc").unwrap();
    loop {
        thread::park();
    }
}

/// A connection to another process, which can be killed.
fn other_process(name: &str) -> (Child, Arc<dyn Stream>) {
    let path = path(name);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "peers::the_other_process", "--ignored"]).env(LISTEN_AT, &path);
    let child = bind_to_this_process(&mut command).stdout(Stdio::null()).spawn().unwrap();
    let shm = ShmTransport::new();
    let endpoint = shm.parse_endpoint(&url(&path)).unwrap();
    loop {
        match shm.connect(&endpoint, &ConnectOptions::default()) {
            Ok(stream) => {
                std::fs::remove_file(&path).unwrap();
                return (child, stream);
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionRefused, "{error}"),
        }
        thread::yield_now();
    }
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_thread_that_receives_notices_that_its_peer_was_killed() {
    let (child, stream) = other_process("recv");
    let mut buffer = [0; 8];
    assert_eq!(stream.recv(&mut buffer).unwrap(), 3);
    assert!(!stream.is_readable());
    thread::scope(|scope| {
        let waiting = scope.spawn(|| stream.recv(&mut [0; 8]));
        kill(child);
        assert_eq!(waiting.join().unwrap().unwrap(), 0);
    });
    assert!(stream.is_readable());
    assert_eq!(stream.try_recv(&mut buffer).unwrap(), Some(0));
    assert_eq!(stream.send_all(b"x").unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[test]
fn a_thread_that_sends_notices_that_its_peer_was_killed() {
    let (child, stream) = other_process("send");
    // It has sent something.
    until(|| stream.is_readable());
    thread::scope(|scope| {
        let waiting = scope.spawn(|| stream.send_all(&vec![0; 4 << 20]));
        kill(child);
        assert_eq!(waiting.join().unwrap().unwrap_err().kind(), ErrorKind::BrokenPipe);
    });
    // Octets that it sent before are not lost.
    let mut buffer = [0; 8];
    assert_eq!(stream.recv(&mut buffer).unwrap(), 3);
    assert_eq!(stream.recv(&mut buffer).unwrap(), 0);
}

/// Names the socket that another process of this program connects to.
const CONNECT_TO: &str = "TEST_SHM_SERVER";

/// Starts a child that inherits its end of a connection, as a forked child does, and reports this
/// on a second connection.
#[test]
#[ignore = "the other process of the test below"]
fn the_parent() {
    let Ok(path) = std::env::var(CONNECT_TO) else { return };
    let held = UnixStream::connect(&path).unwrap();
    let mut holder = Command::new("tail");
    // It reads until the other side has closed the connection.
    holder.args(["-c", "1"]).stdin(OwnedFd::from(held.try_clone().unwrap()));
    let mut holder = holder.stdout(Stdio::null()).spawn().unwrap();
    let _ready = UnixStream::connect(&path).unwrap();
    holder.wait().unwrap();
}

#[test]
fn a_peer_that_was_killed_is_noticed_although_its_children_hold_the_socket() {
    let acceptor = listen();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "peers::the_parent", "--ignored"]);
    command.env(CONNECT_TO, acceptor.endpoint().address());
    let child = bind_to_this_process(&mut command).stdout(Stdio::null()).spawn().unwrap();
    let streams = [(); 2].map(|()| acceptor.accept().unwrap());
    assert!(!streams[0].is_readable());
    thread::scope(|scope| {
        let waiting = scope.spawn(|| streams[0].recv(&mut [0; 8]));
        kill(child);
        assert_eq!(waiting.join().unwrap().unwrap(), 0);
    });
    assert!(streams[0].is_readable());
}

/// A client that misuses the memory.
struct Hostile {
    socket: UnixStream,
    memory: SharedMemory,
    server: Arc<dyn Stream>,
}

fn hostile() -> Hostile {
    let acceptor = listen();
    let socket = UnixStream::connect(acceptor.endpoint().address()).unwrap();
    let server = acceptor.accept().unwrap();
    let mut hello = [0; 64];
    let (count, descriptor) = recv_descriptor(socket.as_fd(), &mut hello).unwrap();
    assert_eq!(&hello[..8], b"ZORBSHM2");
    assert_eq!(count, 24);
    Hostile { socket, memory: SharedMemory::open(descriptor.unwrap()).unwrap(), server }
}

/// The offset of the client's position.
const TAIL: usize = 0;
/// The offset of the client's position in the server's ring.
const HEAD_OF_REPLIES: usize = 1024 + 128;

#[test]
fn positions_that_cannot_be_end_the_connection() {
    for nonsense in [u64::MAX, (256 << 10) + 1, 1 << 63] {
        let Hostile { memory, server, socket: _open } = hostile();
        memory.u64_at(TAIL).store(nonsense, Ordering::SeqCst);
        memory.u64_at(HEAD_OF_REPLIES).store(nonsense, Ordering::SeqCst);
        let mut buffer = vec![0; 1 << 20];
        assert_eq!(server.recv(&mut buffer).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(server.try_recv(&mut buffer).unwrap_err().kind(), ErrorKind::InvalidData);
        assert!(server.is_readable());
        // A writer loads the position when it considers the ring full.
        assert_eq!(server.send_all(&buffer).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

#[test]
fn arbitrary_words_are_harmless() {
    let Hostile { memory, server, socket } = hostile();
    server.set_recv_timeout(Some(Duration::ZERO)).unwrap();
    server.set_send_timeout(Some(Duration::ZERO)).unwrap();
    let mut noise = 1_u64;
    let mut buffer = vec![0; 10_000];
    for _ in 0..20_000 {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let at = (noise >> 33) as usize % 512 * 8;
        memory.u64_at(at).store(noise >> (noise & 63), Ordering::SeqCst);
        if let Ok(count) = server.recv(&mut buffer) {
            assert!(count <= buffer.len());
        }
        let _ = server.send_all(&buffer[..100]);
    }
    drop(socket);
    until(|| server.is_readable());
}

#[test]
fn octets_on_the_socket_are_ignored() {
    let Hostile { memory, server, mut socket } = hostile();
    socket.write_all(b"GIOP and more").unwrap();
    assert_eq!(server.try_recv(&mut [0; 8]).unwrap(), None);
    assert!(!server.is_readable());
    memory.write(4096, b"in the ring");
    memory.u64_at(TAIL).store(11, Ordering::SeqCst);
    let mut buffer = [0; 16];
    assert_eq!(server.recv(&mut buffer).unwrap(), 11);
    assert_eq!(&buffer[..11], b"in the ring");
    drop(socket);
    assert_eq!(server.recv(&mut buffer).unwrap(), 0);
}

#[test]
fn a_client_that_does_not_read_delays_nobody() {
    let acceptor = listen();
    let silent: Vec<_> =
        (0..5).map(|_| UnixStream::connect(acceptor.endpoint().address()).unwrap()).collect();
    let streams: Vec<_> = silent.iter().map(|_| acceptor.accept().unwrap()).collect();
    thread::scope(|scope| {
        let server = scope.spawn(|| acceptor.accept().unwrap());
        let options = ConnectOptions::default();
        let client = ShmTransport::new().connect(acceptor.endpoint(), &options).unwrap();
        client.send_all(b"x").unwrap();
        assert_eq!(server.join().unwrap().recv(&mut [0; 4]).unwrap(), 1);
    });
    drop(streams);
}

#[test]
fn connecting_waits_for_accept_until_the_timeout() {
    let acceptor = listen();
    let options = ConnectOptions::with_timeout(Some(Duration::from_millis(10)));
    let error = ShmTransport::new().connect(acceptor.endpoint(), &options).unwrap_err();
    assert!(error.is_timed_out(), "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn a_server_of_another_protocol_is_reported() {
    let path = path("foreign");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let shm = ShmTransport::new();
    let endpoint = shm.parse_endpoint(&url(&path)).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| listener.accept().unwrap().0.write_all(b"220 mail.example ESMTP").unwrap());
        let error = shm.connect(&endpoint, &ConnectOptions::default()).unwrap_err();
        assert_eq!(error.phase(), ConnectPhase::Setup);
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains("not an SHMIOP server"), "{error}");
    });
    std::fs::remove_file(path).unwrap();
}

/// Unless the client requests others.
#[test]
fn a_client_requests_ring_sizes() {
    let options = |send_buffer, receive_buffer| {
        let stream = StreamOptions { send_buffer, receive_buffer, ..StreamOptions::default() };
        ConnectOptions::with_stream(stream)
    };
    let acceptor = ShmTransport::new().with_ring_size(8192);
    let acceptor = acceptor.listen("shmiop://@", &ListenOptions::default()).unwrap();
    let room = |stream: &dyn Stream| {
        stream.set_send_timeout(Some(Duration::ZERO)).unwrap();
        (0_usize..).find(|_| stream.send_all(&[0; 64]).is_err()).map(|times| times * 64)
    };
    for (granted, expected) in [
        (options(Some(5000), Some(100_000)), [8 << 10, 128 << 10]),
        (options(Some(30_000), None), [32 << 10, 8 << 10]),
        (options(None, Some(1)), [8 << 10, 4 << 10]),
        (options(None, None), [8 << 10, 8 << 10]),
    ] {
        thread::scope(|scope| {
            let server = scope.spawn(|| acceptor.accept().unwrap());
            let client = ShmTransport::new().connect(acceptor.endpoint(), &granted).unwrap();
            let server = server.join().unwrap();
            assert_eq!([room(&*client), room(&*server)], expected.map(Some), "{granted:?}");
        });
    }
}

#[test]
fn the_sizes_of_rings_are_the_servers_choice() {
    let stream = StreamOptions {
        send_buffer: Some(5000),
        receive_buffer: Some(100_000),
        ..StreamOptions::default()
    };
    let options = ListenOptions::with_stream(stream);
    let acceptor = ShmTransport::new().listen("shmiop://@", &options).unwrap();
    thread::scope(|scope| {
        let server = scope.spawn(|| acceptor.accept().unwrap());
        let shm = ShmTransport::new();
        let client = shm.connect(acceptor.endpoint(), &ConnectOptions::default()).unwrap();
        let server = server.join().unwrap();
        let room = |stream: &dyn Stream| {
            stream.set_send_timeout(Some(Duration::ZERO)).unwrap();
            (0_usize..).find(|_| stream.send_all(&[0; 64]).is_err()).map(|times| times * 64)
        };
        assert_eq!(room(&*client), Some(128 << 10));
        assert_eq!(room(&*server), Some(8 << 10));
    });
}
