//! The peers' programs: built once, and started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use crate::process::Process;

/// How long the compilation of a peer may take on a slow machine.
const BUILD_LIMIT: Duration = Duration::from_secs(1200);

/// A peer: what its folders are called.
pub(crate) type Peer = &'static str;
pub(crate) const OMNIORB: Peer = "omniorb";
pub(crate) const JACORB: Peer = "jacorb";
/// omniNames and nameclt, which come with omniORB and need no building.
pub(crate) const OMNINAMES: Peer = "omniNames";

/// The program `zorb`, which tests of the whole workspace build.
pub(crate) const ZORB: Peer = "zorb";

/// Why a peer cannot take part.
#[derive(Clone, Debug)]
pub(crate) enum Absent {
    /// It is not installed.
    Missing(String),
    /// It is there, but something is wrong.
    Broken(String),
}

static PREPARED: Mutex<BTreeMap<Peer, Result<(), Absent>>> = Mutex::new(BTreeMap::new());

/// Makes the peers ready to run, if they are not yet.
pub(crate) fn prepare(peers: impl IntoIterator<Item = Peer>) {
    let mut prepared = PREPARED.lock().unwrap();
    for peer in peers {
        prepared.entry(peer).or_insert_with(|| match peer {
            OMNINAMES => names_installed(),
            ZORB => zorb_built(),
            _ => build(peer),
        });
    }
}

/// Whether the peer is ready; with `REQUIRE_PEERS` in the environment a missing one is an
/// error.
pub(crate) fn ready(peer: Peer) -> Result<(), Absent> {
    let result = PREPARED.lock().unwrap().get(peer).cloned();
    let required = std::env::var_os("REQUIRE_PEERS").is_some_and(|value| value != "0");
    match result {
        Some(Err(Absent::Missing(what))) if required => {
            Err(Absent::Broken(format!("{what}, and REQUIRE_PEERS is set")))
        }
        Some(result) => result,
        None => Err(Absent::Broken(format!("{peer} was not prepared"))),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("interop-peers")
}

/// The peer's client or server.
pub(crate) fn program(peer: Peer, which: &str) -> Command {
    Command::new(folder().join(peer).join(which))
}

/// Runs the build script, which compiles what is out of date; one at a time, in all runs.
fn build(peer: Peer) -> Result<(), Absent> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interop/peers/build.sh");
    let folder = folder();
    if let Err(error) = std::fs::create_dir_all(&folder) {
        return Err(Absent::Broken(format!("{}: {error}", folder.display())));
    }
    let mut command = Command::new("bash");
    command.arg("-c").arg(
        "if command -v flock >/dev/null; then exec flock \"$1/.lock\" \"$0\" \"$@\"; \
         else exec \"$0\" \"$@\"; fi",
    );
    command.arg(script).arg(&folder).arg(peer);
    // The two outputs in one, so that the failure is whole.
    let built = Process::start("build.sh", &mut command)
        .map_err(Absent::Missing)
        .and_then(|process| process.end_with_errors(BUILD_LIMIT).map_err(Absent::Broken))?;
    let (said, status) = built;
    match status.code() {
        Some(0) => Ok(()),
        Some(3) => Err(Absent::Missing(said)),
        _ => Err(Absent::Broken(format!("{peer} does not build: {said}"))),
    }
}

/// The program `zorb`, with nobody else's options.
pub(crate) fn zorb() -> Command {
    let mut command = Command::new(zorb_program());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ZORB_") {
            command.env_remove(name);
        }
    }
    command
}

/// It is beside the programs of these tests.
fn zorb_program() -> PathBuf {
    let neighbour = option_env!("CARGO_BIN_EXE_zorb-interop-server").unwrap_or_default();
    Path::new(neighbour).with_file_name("zorb")
}

fn zorb_built() -> Result<(), Absent> {
    match zorb_program().is_file() {
        true => Ok(()),
        false => Err(Absent::Missing("zorb is not built: cargo build -p zorb-cli".to_owned())),
    }
}

fn names_installed() -> Result<(), Absent> {
    for program in ["omniNames", "nameclt"] {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&paths).any(|path| path.join(program).is_file()) {
            return Err(Absent::Missing(format!("{program} is missing")));
        }
    }
    Ok(())
}
