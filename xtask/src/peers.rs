//! `cargo xtask peers`: installs and builds the programs that `zorb bench` compares Zorb with.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use clap::Args;

/// Build the peers of `zorb bench` into target/peers/NAME/{server,client}
///
/// Requirements of a peer are installed if possible (Debian packages as root, jars by Maven, crates by Cargo); a peer
/// whose tools are missing is reported and skipped. Built only if they are named: nano, Zorb's small ORB, for
/// `zorb bench latency --vs raw,nano`; tonic and capnp, for `zorb bench pending`; capnp and iceoryx2, for `zorb bench views`;
/// and probing, which is Zorb with time probes in target/peers/probing/zorb, for `zorb bench probes`.
///
/// Exits with 0 if at least one peer was built and none failed to compile, otherwise with 1.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Names of peers
    #[arg(
        value_name = "NAME",
        default_values = ["ace", "omniorb", "jacorb"],
        value_parser = ["ace", "omniorb", "jacorb", "nano", "tonic", "capnp", "iceoryx2", PROBING]
    )]
    pub(crate) names: Vec<String>,
}

/// Zorb with time probes, which is built only on request.
pub(crate) const PROBING: &str = "probing";

/// The exit status of `build.sh` if a tool is missing.
const MISSING: i32 = 3;

/// The result for a peer.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Built,
    /// Skipped, with the missing tools.
    Skipped(String),
    /// Failed, with the standard error.
    Failed(String),
}

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    let mut outcomes = Vec::new();
    for name in &options.names {
        let outcome = build(root, name)?;
        report(out, name, &outcome)?;
        out.flush()?;
        outcomes.push(outcome);
    }
    Ok(if is_good(&outcomes) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn is_good(outcomes: &[Outcome]) -> bool {
    outcomes.contains(&Outcome::Built)
        && !outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)))
}

fn build(root: &Path, name: &str) -> io::Result<Outcome> {
    if name == PROBING {
        return build_probing(root);
    }
    let scripts = root.join("bench/peers");
    // Failures of the installation are ignored: the build script reports missing tools.
    let installed = Command::new(scripts.join("install.sh")).arg(name).output()?;
    let built =
        Command::new(scripts.join("build.sh")).arg(root.join("target/peers")).arg(name).output()?;
    Ok(outcome(&installed, &built))
}

/// Builds in a separate target folder, so that no other program gets probes.
fn build_probing(root: &Path) -> io::Result<Outcome> {
    let folder = root.join("target/peers").join(PROBING);
    let status = Command::new("cargo")
        .args(["build", "--profile=lto", "--package", "zorb-cli", "--features", "probes"])
        .arg("--target-dir")
        .arg(folder.join("build"))
        .current_dir(root)
        .status()?;
    if !status.success() {
        return Ok(Outcome::Failed("see the output of cargo".to_owned()));
    }
    std::fs::copy(folder.join("build/lto/zorb"), folder.join("zorb"))?;
    Ok(Outcome::Built)
}

fn outcome(installed: &Output, built: &Output) -> Outcome {
    let text = |output: &Output| String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match built.status.code() {
        Some(0) => Outcome::Built,
        Some(MISSING) => {
            let mut why = text(built);
            if !installed.status.success() {
                why = format!("{why}\n{}", text(installed)).trim().to_owned();
            }
            Outcome::Skipped(why)
        }
        _ => Outcome::Failed(text(built)),
    }
}

fn report(out: &mut dyn Write, name: &str, outcome: &Outcome) -> io::Result<()> {
    match outcome {
        Outcome::Built => writeln!(out, "{name}: target/peers/{name}"),
        Outcome::Skipped(why) => {
            writeln!(out, "{name}: skipped: {}", why.replace('\n', "; "))
        }
        Outcome::Failed(why) => writeln!(out, "{name}: failed:\n{why}"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::*;

    fn ended(code: i32, stderr: &str) -> Output {
        let status = ExitStatus::from_raw(code << 8);
        Output { status, stdout: Vec::new(), stderr: stderr.as_bytes().to_vec() }
    }

    #[test]
    fn a_peer_with_missing_tools_is_skipped() {
        let missing = ended(3, "build.sh: omniidl is missing\n");
        let skipped = |why: &str| Outcome::Skipped(why.to_owned());
        assert_eq!(outcome(&ended(0, ""), &missing), skipped("build.sh: omniidl is missing"));
        let not_root = ended(1, "install.sh: not root\n");
        let both = skipped("build.sh: omniidl is missing\ninstall.sh: not root");
        assert_eq!(outcome(&not_root, &missing), both);
        let mut line = Vec::new();
        report(&mut line, "omniorb", &both).expect("written");
        let expected = "omniorb: skipped: build.sh: omniidl is missing; install.sh: not root\n";
        assert_eq!(String::from_utf8_lossy(&line), expected);
    }

    #[test]
    fn a_built_peer_succeeds_without_an_installation() {
        assert_eq!(outcome(&ended(1, "offline"), &ended(0, "")), Outcome::Built);
        assert_eq!(outcome(&ended(0, ""), &ended(1, "x\n")), Outcome::Failed("x".to_owned()));
    }

    #[test]
    fn some_peers_are_enough_but_none_may_fail() {
        let skipped = || Outcome::Skipped(String::new());
        assert!(is_good(&[skipped(), Outcome::Built]));
        assert!(!is_good(&[skipped(), skipped()]));
        assert!(!is_good(&[Outcome::Built, Outcome::Failed(String::new())]));
    }
}
