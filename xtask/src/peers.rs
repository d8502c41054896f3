//! `cargo xtask peers`: installs and builds the programs that `zorb bench` compares Zorb with.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Output};

const HELP: &str = "\
Build the peers of `zorb bench` into target/peers/NAME/{server,client}.

Usage: cargo xtask peers [NAME]...

Names: ace, omniorb, jacorb; without any, all of them. What a peer needs is installed when it can
be (Debian packages as root, jars by Maven); a peer whose tools are missing is named and left out.
The name probing builds target/peers/probing/zorb: Zorb with time probes, for `zorb bench probes`.

Exit status: 0 at least one peer is there, and none failed to compile; else 1.
";

const NAMES: [&str; 3] = ["ace", "omniorb", "jacorb"];

/// Zorb with time probes, which is built when it is asked for by name.
const PROBING: &str = "probing";

/// The exit status of `build.sh` that means: a tool is missing.
const MISSING: i32 = 3;

/// What became of a peer.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Built,
    /// For want of what this says.
    LeftOut(String),
    /// With this on standard error.
    Failed(String),
}

pub(crate) fn command(root: &Path, args: &[String], out: &mut dyn Write) -> io::Result<ExitCode> {
    if let [help] = args
        && (help == "--help" || help == "-h")
    {
        out.write_all(HELP.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let names = match selected(args) {
        Ok(names) => names,
        Err(stranger) => {
            return crate::usage_error(&format!("there is no peer `{stranger}`"), HELP);
        }
    };
    let mut outcomes = Vec::new();
    for name in names {
        let outcome = build(root, name)?;
        report(out, name, &outcome)?;
        out.flush()?;
        outcomes.push(outcome);
    }
    Ok(if is_good(&outcomes) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The peers that are asked for, or the first name that is none.
fn selected(args: &[String]) -> Result<Vec<&'static str>, &str> {
    if args.is_empty() {
        return Ok(NAMES.to_vec());
    }
    args.iter()
        .map(|arg| {
            let mut names = NAMES.into_iter().chain([PROBING]);
            names.find(|name| name == arg).ok_or(arg.as_str())
        })
        .collect()
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
    // Whether it could install everything is seen by the next script, which names what is missing.
    let installed = Command::new(scripts.join("install.sh")).arg(name).output()?;
    let built =
        Command::new(scripts.join("build.sh")).arg(root.join("target/peers")).arg(name).output()?;
    Ok(outcome(&installed, &built))
}

/// Has a folder of its own for what Cargo makes, so that no other program of it gets probes.
fn build_probing(root: &Path) -> io::Result<Outcome> {
    let place = root.join("target/peers").join(PROBING);
    let status = Command::new("cargo")
        .args(["build", "--release", "--package", "zorb-cli", "--features", "probes"])
        .arg("--target-dir")
        .arg(place.join("build"))
        .current_dir(root)
        .status()?;
    if !status.success() {
        return Ok(Outcome::Failed("cargo has said why".to_owned()));
    }
    std::fs::copy(place.join("build/release/zorb"), place.join("zorb"))?;
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
            Outcome::LeftOut(why)
        }
        _ => Outcome::Failed(text(built)),
    }
}

fn report(out: &mut dyn Write, name: &str, outcome: &Outcome) -> io::Result<()> {
    match outcome {
        Outcome::Built => writeln!(out, "{name}: target/peers/{name}"),
        Outcome::LeftOut(why) => {
            writeln!(out, "{name}: left out: {}", why.replace('\n', "; "))
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
    fn a_missing_tool_leaves_the_peer_out_and_is_named() {
        let missing = ended(3, "build.sh: omniidl is missing\n");
        let left_out = |why: &str| Outcome::LeftOut(why.to_owned());
        assert_eq!(outcome(&ended(0, ""), &missing), left_out("build.sh: omniidl is missing"));
        let not_root = ended(1, "install.sh: not root\n");
        let both = left_out("build.sh: omniidl is missing\ninstall.sh: not root");
        assert_eq!(outcome(&not_root, &missing), both);
        let mut line = Vec::new();
        report(&mut line, "omniorb", &both).expect("written");
        let expected = "omniorb: left out: build.sh: omniidl is missing; install.sh: not root\n";
        assert_eq!(String::from_utf8_lossy(&line), expected);
    }

    #[test]
    fn what_is_built_counts_even_when_nothing_could_be_installed() {
        assert_eq!(outcome(&ended(1, "offline"), &ended(0, "")), Outcome::Built);
        assert_eq!(outcome(&ended(0, ""), &ended(1, "x\n")), Outcome::Failed("x".to_owned()));
    }

    #[test]
    fn some_peers_are_enough_but_none_may_fail() {
        let left_out = || Outcome::LeftOut(String::new());
        assert!(is_good(&[left_out(), Outcome::Built]));
        assert!(!is_good(&[left_out(), left_out()]));
        assert!(!is_good(&[Outcome::Built, Outcome::Failed(String::new())]));
    }

    #[test]
    fn names_are_checked() {
        assert_eq!(selected(&[]), Ok(NAMES.to_vec()));
        assert_eq!(selected(&["jacorb".to_owned()]), Ok(vec!["jacorb"]));
        assert_eq!(selected(&["probing".to_owned()]), Ok(vec!["probing"]));
        assert_eq!(selected(&["ace".to_owned(), "tao".to_owned()]), Err("tao"));
    }
}
