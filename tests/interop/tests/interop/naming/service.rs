//! A naming service of one's own: omniNames, or that of Zorb.

use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;

use tempfile::TempDir;

use crate::peers;
use crate::process::{LIMIT, Process};

/// How often a port that was free a moment ago may be taken by somebody else.
const ATTEMPTS: usize = 5;

/// Whose naming service it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vendor {
    OmniOrb,
    Zorb,
}

/// A naming service, until dropped.
pub(super) struct Service {
    port: u16,
    // Dropped first: the folder is the process's.
    _process: Process,
    _folder: TempDir,
}

impl Service {
    pub(super) fn start(vendor: Vendor) -> Result<Self, String> {
        if vendor == Vendor::Zorb {
            return Self::zorb();
        }
        let mut failure = String::new();
        for _ in 0..ATTEMPTS {
            match Self::attempt() {
                Ok(service) => return Ok(service),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn attempt() -> Result<Self, String> {
        let port = free_port().map_err(|error| error.to_string())?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut command = Command::new("omniNames");
        command.args(["-start", &port.to_string(), "-always", "-nohostname", "-datadir"]);
        // Without these it listens on, and names, every address of the machine.
        command.arg(folder.path());
        command.args(["-ORBendPointPublish", "giop:tcp:127.0.0.1:"]);
        let mut process = Process::start("omniNames", &mut command)?;
        process.wait_until(|line| line.contains("Root context is IOR:"))?;
        Ok(Self { port, _process: process, _folder: folder })
    }

    /// `zorb serve naming`, which chooses a port itself and prints it.
    fn zorb() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut command = peers::zorb();
        command.args(["serve", "naming", "--listen", "iiop://127.0.0.1:0"]);
        let mut process = Process::start("zorb serve", &mut command)?;
        let mut line = String::new();
        process.wait_until(|text| {
            line = text.to_owned();
            text.starts_with("IOR:")
        })?;
        let ior = zorb::giop::Ior::from_stringified(&line).map_err(|error| error.to_string())?;
        let profile = ior.profiles.first().ok_or("a reference without profiles")?;
        let profile = zorb::giop::IiopProfile::decode(&profile.data).map_err(|e| e.to_string())?;
        Ok(Self { port: profile.port, _process: process, _folder: folder })
    }

    /// The address of the service, as in a `corbaloc:`.
    pub(super) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The URL of the root context.
    pub(super) fn root(&self) -> String {
        format!("corbaloc::{}/NameService", self.address())
    }

    /// Runs `nameclt` with these words.
    pub(super) fn nameclt(&self, words: &[&str]) -> Result<Said, String> {
        let initial = format!("NameService={}", self.root());
        let mut command = Command::new("nameclt");
        command.args(["-ORBInitRef", &initial]).args(words);
        said("nameclt", command)
    }

    /// Runs JacORB's ContextLister.
    pub(super) fn context_lister(&self) -> Result<Said, String> {
        let mut command = peers::program(peers::JACORB, "names");
        command.args(["-url", &self.root()]);
        said("ContextLister", command)
    }
}

fn said(what: &str, mut command: Command) -> Result<Said, String> {
    let (text, status) = Process::start(what, &mut command)?.end_with_errors(LIMIT)?;
    Ok(Said { text, well: status.success() })
}

/// What a program said and how it ended.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) well: bool,
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
