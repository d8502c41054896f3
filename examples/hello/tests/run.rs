//! Runs the two programs as a user would.

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

#[test]
fn the_client_is_greeted() {
    let address = SocketAddr::from(([127, 0, 0, 1], 2809));
    if TcpListener::bind(address).is_err() {
        eprintln!("port 2809 is in use on this machine: the programs were not run");
        return;
    }
    let server = Command::new(env!("CARGO_BIN_EXE_hello-server")).spawn().unwrap();
    let mut server = Server(server);
    let deadline = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(address).is_err() {
        assert!(server.0.try_wait().unwrap().is_none(), "the server ended");
        assert!(Instant::now() < deadline, "the server does not listen");
        std::thread::yield_now();
    }
    // The greeter is published before long; until then the client says that it is not there.
    loop {
        let output = Command::new(env!("CARGO_BIN_EXE_hello-client")).output().unwrap();
        if output.status.success() {
            assert_eq!(String::from_utf8_lossy(&output.stdout), "Hello Rust!\n");
            break;
        }
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("OBJECT_NOT_EXIST"), "{error}");
        assert!(Instant::now() < deadline, "{error}");
    }
}
