//! The server process, as seen by the first process.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use zorb_bench::child::LineChild;

use crate::failure::Failure;

/// The hidden command that runs the server.
pub(crate) const SERVER_COMMAND: &str = "demo-server";

/// The prefix of the line with the lobby's reference.
pub(super) const LOBBY: &str = "lobby";
/// The prefix of the line with the address of the raw server.
pub(super) const RAW: &str = "raw";

/// Timeout for the start of the server.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A running server. It ends when this value is dropped, or when this process ends.
#[derive(Debug)]
pub(super) struct ServerProcess {
    child: LineChild,
    lobby: String,
    raw: SocketAddr,
}

impl ServerProcess {
    /// Starts a server and waits until it is ready. Call it from the main thread: the server ends
    /// with the thread that starts it.
    pub(super) fn start() -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(SERVER_COMMAND);
        let mut child = LineChild::start(&mut command)?;
        let lobby = child.expect_word(LOBBY, START_TIMEOUT)?;
        let raw = child.expect_word(RAW, START_TIMEOUT)?;
        let raw =
            raw.parse().map_err(|_| Failure::new(format!("{raw:?} is not a valid address")))?;
        Ok(Self { child, lobby, raw })
    }

    /// The process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The reference of the lobby, which returns the other objects.
    pub(super) fn lobby(&self) -> &str {
        &self.lobby
    }

    /// The address of the bare TCP server.
    pub(super) fn raw_address(&self) -> SocketAddr {
        self.raw
    }

    /// Shuts the server down cleanly.
    pub(super) fn stop(self) -> Result<(), Failure> {
        Ok(self.child.stop()?)
    }
}
