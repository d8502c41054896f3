//! Runs a server and its client as a user would.

mod relocated;

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
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

/// The output of the client after the server has started. Both use `port`, which copies of them replace by a free one.
pub fn said_to(server: &str, client: &str, port: u16) -> String {
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
            return String::from_utf8_lossy(&output.stdout).into_owned();
        }
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("OBJECT_NOT_EXIST"), "{error}");
        assert!(Instant::now() < deadline, "{error}");
    }
}
