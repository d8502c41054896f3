//! The processes of naming services.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use zorb_os::process::{ProcessId, bind_to_this_process};
use zorb_os::signal::Signal;

use crate::{Error, Result};

/// How long a service may take to start.
const START: Duration = Duration::from_secs(20);

/// The longest reference that a service may print, in octets.
const MAX_LINE: u64 = 1 << 20;

/// A naming service with a folder of its own, until dropped.
pub(super) struct Service {
    /// The root context.
    pub(super) url: String,
    process: Process,
    folder: TempDir,
}

/// A process, which is killed when this is dropped.
struct Process(Child);

impl Service {
    /// `zorb serve naming` with a store of this durability, or in memory.
    pub(super) fn zorb(program: &Path, durability: Option<&str>) -> Result<Self> {
        Self::zorb_in(program, durability, tempfile::tempdir()?)
    }

    /// Ends the service as an operator does. Returns its folder.
    pub(super) fn end(self) -> Result<TempDir> {
        let Self { mut process, folder, .. } = self;
        if let Some(id) = ProcessId::of(process.0.id()) {
            id.signal_group(Signal::TERMINATE.number())?;
        }
        process.0.wait()?;
        Ok(folder)
    }

    /// Ends the service as a crash does. Returns its folder.
    pub(super) fn kill(self) -> Result<TempDir> {
        let Self { mut process, folder, .. } = self;
        process.0.kill()?;
        process.0.wait()?;
        Ok(folder)
    }

    /// The resident memory of the process, in octets.
    pub(super) fn resident(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.0.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        kib.map(|kib| kib * 1024).ok_or_else(|| Error::new("the system does not tell VmRSS"))
    }

    /// The same in the folder of an earlier service.
    pub(super) fn zorb_in(
        program: &Path,
        durability: Option<&str>,
        folder: TempDir,
    ) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(["serve", "naming", "--listen", "iiop://127.0.0.1:0"]).process_group(0);
        if let Some(durability) = durability {
            command.arg("--store").arg(folder.path()).args(["--durability", durability]);
        }
        for (variable, _) in std::env::vars_os() {
            if variable.as_encoded_bytes().starts_with(b"ZORB_") {
                command.env_remove(variable);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        Self::printing(command, folder, START)
    }

    /// A service that prints the URL of its root context.
    fn printing(mut command: Command, folder: TempDir, limit: Duration) -> Result<Self> {
        let child = bind_to_this_process(&mut command).spawn()?;
        let mut service = Self { url: String::new(), process: Process(child), folder };
        let line = service.process.0.stdout.take().and_then(|output| first_line(output, limit));
        service.url = line.unwrap_or_default().trim().to_owned();
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
        let mut service = Self { url, process: Process(child), folder };
        let begun = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if begun.elapsed() > START || service.process.0.try_wait()?.is_some() {
                return Err(Error::new("omniNames does not start"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(service)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The first line of an output; `None` if there is none in this time. The thread that reads ends with the output.
fn first_line(output: ChildStdout, limit: Duration) -> Option<String> {
    let (sender, lines) = channel();
    let read = move || {
        let mut line = String::new();
        let whole = BufReader::new(output.take(MAX_LINE)).read_line(&mut line);
        // Nobody may wait for it any more.
        let _ = sender.send(whole.map(|_| line));
    };
    std::thread::Builder::new().name("service-output".to_owned()).spawn(read).ok()?;
    lines.recv_timeout(limit).ok()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printing(script: &str, limit: Duration) -> Result<Service> {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped());
        Service::printing(command, tempfile::tempdir()?, limit)
    }

    #[test]
    fn a_service_that_says_nothing_has_a_time_limit() {
        printing("exec sleep 600", Duration::from_millis(1)).map(|_| ()).unwrap_err();
        printing("exit 1", START).map(|_| ()).unwrap_err();
        assert_eq!(printing("echo URL; exec sleep 600", START * 15).unwrap().url, "URL");
    }
}
