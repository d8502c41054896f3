//! Runs a server and its client as a user would.

mod relocated;

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use relocated::Relocated;

/// How long a program may take to do what takes a moment.
const LIMIT: Duration = Duration::from_secs(60);

/// A process that does not outlive the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    /// Sends it a signal as soon as it waits for one, and waits until it has ended.
    fn end(&mut self, signal: &str) -> ExitStatus {
        let id = self.0.id().to_string();
        let deadline = Instant::now() + LIMIT;
        while !self.has_thread("zorb-signals") {
            assert!(Instant::now() < deadline, "the server does not wait for signals");
            std::thread::yield_now();
        }
        let sent = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", signal, &id]).status();
        assert!(sent.unwrap().success());
        self.0.wait().unwrap()
    }

    fn has_thread(&self, name: &str) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.0.id())).unwrap();
        let named = |path| std::fs::read_to_string(path).is_ok_and(|comm| comm.trim() == name);
        threads.flatten().any(|thread| named(thread.path().join("comm")))
    }
}

/// The output of the client after the server has started, which then ends orderly when it gets `signal`, for example
/// `TERM`. Both use `port`, which copies of them replace by a free one.
pub fn said_to(server: &str, client: &str, port: u16, signal: &str) -> String {
    let (server, client) = (Path::new(server), Path::new(client));
    let copies = Relocated::copies(&[server, client], port).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], copies.port));
    let mut server = Server(Command::new(copies.of(server)).spawn().unwrap());
    let deadline = Instant::now() + LIMIT;
    while TcpStream::connect(address).is_err() {
        assert!(server.0.try_wait().unwrap().is_none(), "the server ended");
        assert!(Instant::now() < deadline, "the server does not listen");
        std::thread::yield_now();
    }
    // The object is published before long; until then the client says that it is not there.
    loop {
        let output = Command::new(copies.of(client)).output().unwrap();
        if output.status.success() {
            assert_eq!(server.end(signal).code(), Some(0));
            return String::from_utf8_lossy(&output.stdout).into_owned();
        }
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("OBJECT_NOT_EXIST"), "{error}");
        assert!(Instant::now() < deadline, "{error}");
    }
}
