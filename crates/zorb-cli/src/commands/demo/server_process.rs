//! The second process, as the first sees it.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use zorb_bench::child::LineChild;

use crate::failure::Failure;

/// The hidden command that is the server.
pub(crate) const SERVER_COMMAND: &str = "demo-server";

/// Begins the line with the lobby's reference.
pub(super) const LOBBY: &str = "lobby";
/// Begins the line with the address of the raw server.
pub(super) const RAW: &str = "raw";

/// How long the server may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server. It ends with this value, and with this process in any case.
#[derive(Debug)]
pub(super) struct ServerProcess {
    child: LineChild,
    lobby: String,
    raw: SocketAddr,
}

impl ServerProcess {
    /// Starts a server and waits until it serves. To be called from the main thread, with which the
    /// server ends.
    pub(super) fn start() -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(SERVER_COMMAND);
        let mut child = LineChild::start(&mut command)?;
        let lobby = child.expect_word(LOBBY, PATIENCE)?;
        let raw = child.expect_word(RAW, PATIENCE)?;
        let raw = raw.parse().map_err(|_| Failure::new(format!("{raw:?} is no address")))?;
        Ok(Self { child, lobby, raw })
    }

    /// The process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The reference of the object that leads to the others.
    pub(super) fn lobby(&self) -> &str {
        &self.lobby
    }

    /// Where bare TCP is served.
    pub(super) fn raw_address(&self) -> SocketAddr {
        self.raw
    }

    /// Ends the server in good order.
    pub(super) fn stop(self) -> Result<(), Failure> {
        Ok(self.child.stop()?)
    }
}
