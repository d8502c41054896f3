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
fn values_go_there_and_come_back() {
    let address = SocketAddr::from(([127, 0, 0, 1], 2810));
    if TcpListener::bind(address).is_err() {
        eprintln!("port 2810 is in use on this machine: the programs were not run");
        return;
    }
    let server = Command::new(env!("CARGO_BIN_EXE_values-server")).spawn().unwrap();
    let mut server = Server(server);
    let deadline = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(address).is_err() {
        assert!(server.0.try_wait().unwrap().is_none(), "the server ended");
        assert!(Instant::now() < deadline, "the server does not listen");
        std::thread::yield_now();
    }
    // The shelf is published before long; until then the client says that it is not there.
    loop {
        let output = Command::new(env!("CARGO_BIN_EXE_values-client")).output().unwrap();
        if output.status.success() {
            let expected = "\"A report\", which refers to 2 of 1845\n- A report (1845)\n- The law\n- An essay: \
                            read it twice\n";
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
            break;
        }
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("OBJECT_NOT_EXIST"), "{error}");
        assert!(Instant::now() < deadline, "{error}");
    }
}
