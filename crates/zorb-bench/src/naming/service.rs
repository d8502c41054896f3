//! The processes of naming services.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use zorb_os::process::bind_to_this_process;

use crate::{Error, Result};

/// How long a service may take to start.
const START: Duration = Duration::from_secs(20);

/// A naming service with a folder of its own, until dropped.
pub(super) struct Service {
    /// The root context.
    pub(super) url: String,
    child: Child,
    _folder: TempDir,
}

impl Service {
    /// `zorb serve naming` with a store.
    pub(super) fn zorb(program: &Path, durability: &str) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(program);
        command.args(["serve", "naming", "--listen", "iiop://127.0.0.1:0", "--store"]);
        command.arg(folder.path()).args(["--durability", durability]);
        for (variable, _) in std::env::vars_os() {
            if variable.as_encoded_bytes().starts_with(b"ZORB_") {
                command.env_remove(variable);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = bind_to_this_process(&mut command).spawn()?;
        let mut url = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut url)?;
        }
        let service = Self { url: url.trim().to_owned(), child, _folder: folder };
        match service.url.is_empty() {
            true => Err(Error::new("`zorb serve naming` does not start")),
            false => Ok(service),
        }
    }

    /// omniNames.
    pub(super) fn omninames() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        // Free a moment ago.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut command = Command::new("omniNames");
        command.args(["-start", &port.to_string(), "-always", "-nohostname", "-datadir"]);
        command.arg(folder.path()).args(["-ORBendPointPublish", "giop:tcp:127.0.0.1:"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = bind_to_this_process(&mut command).spawn();
        let child = started.map_err(|error| {
            Error::new(format!("omniNames: {error}; install the package omniorb-nameserver"))
        })?;
        let url = format!("corbaloc::127.0.0.1:{port}/NameService");
        let mut service = Self { url, child, _folder: folder };
        let begun = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if begun.elapsed() > START || service.child.try_wait()?.is_some() {
                return Err(Error::new("omniNames does not start"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(service)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
