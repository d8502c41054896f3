//! `zorb serve imr` starts a server of JacORB, which registers as with TAO's repository, and forwards the clients of all ORBs
//! to it.

use std::path::Path;
use std::time::Instant;

use zorb::{CompletionStatus, SystemException, SystemExceptionKind};
use zorb_interop_tests::interop::Suite;

use crate::outcome::{Outcome, totals};
use crate::pairings::orb;
use crate::peers::{self, JACORB, OMNIORB, Peer};
use crate::process::{LIMIT, Process};

type Checked = Result<(), String>;

/// The name of JacORB's server: its implementation name and its adapter.
const NAME: &str = "JACORB:zorb-interop/Interop";

/// A repository with a server of JacORB, which runs.
struct World {
    /// The repository.
    reference: String,
    /// The server's object.
    object: String,
    // Dropped first: the repository is killed.
    _process: Process,
    _folder: tempfile::TempDir,
}

pub(crate) fn run(pairing: &str) -> Result<Vec<Outcome>, String> {
    let world = World::start()?;
    let judged = |name: &str, result: Checked| Outcome::judged(pairing, name, result);
    let mut outcomes = vec![
        judged("jacorb/reference_leads_to_the_repository", world.has_own_address()),
        judged("jacorb/zorb_client_is_forwarded", world.zorb_client()),
        judged("jacorb/jacorb_client_is_forwarded", world.peer_client(JACORB)),
    ];
    outcomes.push(match peers::ready(OMNIORB) {
        Ok(()) => judged("jacorb/omniorb_client_is_forwarded", world.peer_client(OMNIORB)),
        Err(absent) => Outcome::new(pairing, "jacorb/omniorb_client_is_forwarded", absent.into()),
    });
    outcomes.push(judged("jacorb/killed_server_is_started_again", world.killed()));
    outcomes.push(judged("jacorb/server_ends_when_it_is_asked_to", world.imr(&["stop", NAME])));
    Ok(outcomes)
}

impl Drop for World {
    /// The server would outlive the repository.
    fn drop(&mut self) {
        let _ = self.imr(&["stop", NAME]);
    }
}

impl World {
    fn start() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut command = peers::zorb();
        command.args(["serve", "imr", "--listen", "iiop://127.0.0.1:0"]);
        let mut process = Process::start("zorb serve imr", &mut command)?;
        // One is output and the other one is not: they come in any order.
        let (mut reference, mut serves) = (String::new(), false);
        process.wait_until(|line| {
            serves |= line.starts_with("serving ");
            if line.starts_with("IOR:") {
                line.clone_into(&mut reference);
            }
            serves && !reference.is_empty()
        })?;
        let file = folder.path().join("suite.ior");
        let mut world =
            Self { reference, object: String::new(), _process: process, _folder: folder };
        world.add(&file)?;
        world.imr(&["start", NAME])?;
        // JacORB registers when it creates the adapter, before it has written the reference.
        let begun = Instant::now();
        while world.object.is_empty() {
            if begun.elapsed() > LIMIT {
                return Err("the server has not written its reference".to_owned());
            }
            std::thread::yield_now();
            world.object = std::fs::read_to_string(&file).unwrap_or_default().trim().to_owned();
        }
        Ok(world)
    }

    /// Adds the server, which writes its reference to a file.
    fn add(&self, file: &Path) -> Checked {
        let server = peers::program(JACORB, "server");
        let server = server.get_program().to_string_lossy().into_owned();
        let file = file.to_string_lossy();
        let command = [&*server, "--ior-file", &*file, "--repository", &self.reference];
        self.imr(&[&["add", NAME, "--"], &command[..]].concat())
    }

    /// Runs `zorb imr`.
    fn imr(&self, words: &[&str]) -> Checked {
        self.imr_says(words).map(drop)
    }

    fn imr_says(&self, words: &[&str]) -> Result<String, String> {
        let mut command = peers::zorb();
        command.args(["imr", "--repository", &self.reference, "-W", "250"]).args(words);
        let (said, status) = Process::start("zorb imr", &mut command)?.end_with_errors(LIMIT)?;
        match status.success() {
            true => Ok(said),
            false => Err(format!("zorb imr {words:?} ended with {status}: {said}")),
        }
    }

    fn has_own_address(&self) -> Checked {
        let address = |text: &str| {
            let ior = zorb::giop::Ior::from_stringified(text).map_err(|error| error.to_string())?;
            let profile = ior.profiles.first().ok_or("no profile")?;
            let profile = zorb::giop::IiopProfile::decode(&profile.data)
                .map_err(|error| error.to_string())?;
            Ok::<_, String>((profile.host, profile.port))
        };
        let (of_object, of_repository) = (address(&self.object)?, address(&self.reference)?);
        match of_object == of_repository {
            true => Ok(()),
            false => Err(format!("{of_object:?} instead of {of_repository:?}")),
        }
    }

    fn suite(&self) -> Result<(zorb::Orb, Suite), String> {
        let orb = orb()?;
        let suite = orb.resolve(&self.object).map_err(|error| error.to_string())?;
        Ok((orb, suite))
    }

    fn zorb_client(&self) -> Checked {
        let (orb, suite) = self.suite()?;
        let peer = suite.peer().map_err(|error| error.to_string())?;
        let texts = suite.text_types().map_err(|error| error.to_string())?;
        let texts = texts.ok_or("no object")?;
        let text = texts.repeat("ü", 3).map_err(|error| error.to_string())?;
        orb.shutdown(true).map_err(|error| error.to_string())?;
        match (peer.as_str(), text.as_str()) {
            ("JacORB", "üüü") => Ok(()),
            other => Err(format!("{other:?}")),
        }
    }

    /// A group of the checks that the peer's client makes with any server.
    fn peer_client(&self, peer: Peer) -> Checked {
        let mut command = peers::program(peer, "client");
        command.arg(&self.object).args(["--giop", "1.2", "--only", "basics"]);
        let client = Process::start(&format!("the client of {peer}"), &mut command)?;
        let (lines, status) = client.end(LIMIT)?;
        match totals(&lines) {
            Some((passed, 0)) if passed > 0 => Ok(()),
            _ => Err(format!("it ended with {status}: {}", lines.join("\n"))),
        }
    }

    /// A client goes on with the next process, by the reference that it has.
    fn killed(&self) -> Checked {
        use SystemExceptionKind::{CommFailure, Transient};
        let (orb, suite) = self.suite()?;
        suite.peer().map_err(|error| error.to_string())?;
        let before = self.process()?;
        let process = zorb_os::process::ProcessId::of(before).ok_or("it does not run")?;
        process.signal_group(9).map_err(|error| error.to_string())?;
        let is_temporary = |error: &SystemException| {
            matches!(error.kind, CommFailure | Transient)
                && error.completed != CompletionStatus::Yes
        };
        let answer = loop {
            match suite.peer() {
                Err(error) if is_temporary(&error) => {}
                other => break other.map_err(|error| error.to_string())?,
            }
        };
        orb.shutdown(true).map_err(|error| error.to_string())?;
        let after = self.process()?;
        match answer == "JacORB" && after != before {
            true => Ok(()),
            false => Err(format!("{answer:?} of process {after} after {before}")),
        }
    }

    /// The id of the server's process.
    fn process(&self) -> Result<u32, String> {
        let listed = self.imr_says(&["list"])?;
        let line = listed.lines().find_map(|line| line.trim().strip_prefix("process "));
        let id = line.and_then(|rest| rest.split(' ').next()?.parse().ok());
        id.ok_or_else(|| format!("no process in {listed}"))
    }
}
