//! The memory of an idle server, and the time until it serves.

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

pub(super) struct Running(pub(super) Child);

impl Running {
    /// Its resident memory in octets.
    pub(super) fn resident(&self) -> io::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        kib.map(|kib| kib << 10).ok_or_else(|| io::Error::other("no VmRSS in /proc"))
    }
}

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

/// A server that has nothing to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Idle {
    /// Resident memory in octets after the first call.
    pub(super) resident: u64,
    /// From the start of the process until it accepts a connection.
    pub(super) start_up: Duration,
}

/// Starts the server several times, makes one call each, and returns the medians.
pub(super) fn measure(server: &Path, client: &Path) -> io::Result<Idle> {
    let copies = Relocated::copies(&[server, client], EXAMPLE_PORT)?;
    let address = SocketAddr::from(([127, 0, 0, 1], copies.port));
    let (server, client) = (copies.of(server), copies.of(client));
    let mut resident = [0; STARTS];
    let mut start_up = [Duration::ZERO; STARTS];
    for (resident, start_up) in resident.iter_mut().zip(&mut start_up) {
        let idle = once(address, &server, &client)?;
        (*resident, *start_up) = (idle.resident, idle.start_up);
    }
    resident.sort_unstable();
    start_up.sort_unstable();
    Ok(Idle { resident: resident[STARTS / 2], start_up: start_up[STARTS / 2] })
}

fn once(address: SocketAddr, server: &Path, client: &Path) -> io::Result<Idle> {
    let begun = Instant::now();
    let server = Command::new(server).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    let mut server = Running(server);
    let mut start_up = None;
    loop {
        if let Some(status) = server.0.try_wait()? {
            return Err(io::Error::other(format!("hello-server: {status}")));
        }
        if begun.elapsed() > LIMIT {
            return Err(io::Error::other("hello-server does not reply"));
        }
        let accepts = TcpStream::connect(address).is_ok();
        if accepts && start_up.is_none() {
            start_up = Some(begun.elapsed());
        }
        let greeted =
            accepts && Command::new(client).output().is_ok_and(|output| output.status.success());
        if greeted {
            break;
        }
        std::thread::yield_now();
    }
    Ok(Idle { resident: server.resident()?, start_up: start_up.unwrap_or_default() })
}
