//! The second process, as the first sees it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use zorb_os::process::bind_to_this_process;

use crate::failure::Failure;

/// The hidden command that is the server.
pub(crate) const SERVER_COMMAND: &str = "demo-server";

/// Begins the line with the lobby's reference.
pub(super) const LOBBY: &str = "lobby";
/// Begins the line with the address of the raw server.
pub(super) const RAW: &str = "raw";

/// How long the server may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(3);

/// A running server. It ends with this value, and with this process in any case.
#[derive(Debug)]
pub(super) struct ServerProcess {
    child: Child,
    /// The server ends when this closes.
    stdin: Option<ChildStdin>,
    /// What the server prints; disconnected when it has ended.
    lines: Receiver<String>,
    lobby: String,
    raw: SocketAddr,
}

impl ServerProcess {
    /// Starts a server and waits until it serves. To be called from the main thread, with which the
    /// server ends.
    pub(super) fn start() -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(SERVER_COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C at the terminal is for the first process, which then ends the second.
        command.process_group(0);
        let mut child = bind_to_this_process(&mut command).spawn()?;
        let stdin = child.stdin.take();
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::Builder::new().name("server-output".to_owned()).spawn(move || {
                let lines = BufReader::new(stdout).lines().map_while(Result::ok);
                for line in lines {
                    // Nobody listens any more when the demo is over; the pipe is still read empty.
                    let _ = sender.send(line);
                }
            })?;
        }
        let raw = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut server = Self { child, stdin, lines, lobby: String::new(), raw };
        server.lobby = server.expect(LOBBY)?;
        let raw = server.expect(RAW)?;
        server.raw = raw.parse().map_err(|_| Failure::new(format!("{raw:?} is no address")))?;
        Ok(server)
    }

    /// What the server's next line says about `what`.
    fn expect(&mut self, what: &str) -> Result<String, Failure> {
        let Ok(line) = self.lines.recv() else {
            let status = self.child.wait()?;
            return Err(Failure::new(format!("it ended before it served: {status}")));
        };
        match line.split_once(' ') {
            Some((word, rest)) if word == what => Ok(rest.to_owned()),
            _ => Err(Failure::new(format!("it said {line:?} where {what} was expected"))),
        }
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
    pub(super) fn stop(mut self) -> Result<(), Failure> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Failure> {
        drop(self.stdin.take());
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.child.kill()?;
                    break;
                }
            }
        }
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(Failure::new(format!("it ended: {status}"))) }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if self.stdin.is_some() {
            let _ = self.end();
        }
    }
}
