//! The memory of an idle server.

#[path = "../../../examples/hello/tests/programs/relocated.rs"]
mod relocated;

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use relocated::Relocated;

/// The time limit until the server replies.
const LIMIT: Duration = Duration::from_secs(30);

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The number of starts. The resident size of the C library depends on its address, so the median
/// is used.
const STARTS: usize = 5;

/// The port in the example's source.
const EXAMPLE_PORT: u16 = 2809;

/// Starts the server, makes one call, and returns the resident memory in octets.
pub(super) fn measure(server: &Path, client: &Path) -> io::Result<u64> {
    let copies = Relocated::copies(&[server, client], EXAMPLE_PORT)?;
    let address = SocketAddr::from(([127, 0, 0, 1], copies.port));
    let (server, client) = (copies.of(server), copies.of(client));
    let mut measured = [0; STARTS];
    for octets in &mut measured {
        *octets = once(address, &server, &client)?;
    }
    measured.sort_unstable();
    Ok(measured[STARTS / 2])
}

fn once(address: SocketAddr, server: &Path, client: &Path) -> io::Result<u64> {
    let server = Command::new(server).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    let mut server = Running(server);
    let begun = Instant::now();
    loop {
        if let Some(status) = server.0.try_wait()? {
            return Err(io::Error::other(format!("hello-server: {status}")));
        }
        if begun.elapsed() > LIMIT {
            return Err(io::Error::other("hello-server does not reply"));
        }
        let greeted = TcpStream::connect(address).is_ok()
            && Command::new(client).output().is_ok_and(|output| output.status.success());
        if greeted {
            break;
        }
        std::thread::yield_now();
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.0.id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kib.map(|kib| kib << 10).ok_or_else(|| io::Error::other("no VmRSS in /proc"))
}
