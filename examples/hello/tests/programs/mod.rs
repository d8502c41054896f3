//! Runs a server and its client as a user would.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// A process that does not outlive the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the client says once the server is there, which listens at `port` of this machine.
pub fn said_to(server: &str, client: &str, port: u16) -> Option<String> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    if TcpListener::bind(address).is_err() {
        eprintln!("port {port} is in use on this machine: the programs were not run");
        return None;
    }
    let mut server = Server(Command::new(server).spawn().unwrap());
    let deadline = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(address).is_err() {
        assert!(server.0.try_wait().unwrap().is_none(), "the server ended");
        assert!(Instant::now() < deadline, "the server does not listen");
        std::thread::yield_now();
    }
    // The object is published before long; until then the client says that it is not there.
    loop {
        let output = Command::new(client).output().unwrap();
        if output.status.success() {
            return Some(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("OBJECT_NOT_EXIST"), "{error}");
        assert!(Instant::now() < deadline, "{error}");
    }
}
