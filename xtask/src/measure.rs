//! `cargo xtask measure`: the results in the README and the book.

use std::io::{self, Error, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::Args;

use crate::peers::{self, PROBING};

/// Measure all results in bench/results, one file per experiment, and write the README's tables
///
/// Run it on an idle machine with the peers (`cargo xtask peers`); missing peers are skipped. Each experiment begins when
/// the load average is below 1, and fails if that takes more than 10 min. Each file is the output of one run, with the
/// machine's load, the versions and the date. Exits with 1 if a claim failed in one of them.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Experiments; all by default
    #[arg(value_name = "EXPERIMENT", value_parser = RUNS.map(|(name, _)| name))]
    experiments: Vec<String>,
    /// The machine's name, a part of the names of the files
    #[arg(long, default_value = MACHINE)]
    machine: String,
    /// List the experiments with their commands
    #[arg(long)]
    list: bool,
}

const RESULTS: &str = "bench/results";
const MACHINE: &str = "vm-2core";
/// The load average below which a machine is idle.
const IDLE: f64 = 1.0;
/// Maximum time to wait for that.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// The name of a file, and the arguments of `zorb bench` for it.
const RUNS: [(&str, &str); 27] = [
    ("latency", "latency --vs raw,ace,omniorb --rounds 5"),
    ("latency-uiop", "latency --transport uiop --vs raw,ace,omniorb --rounds 5"),
    ("latency-busy-wait", "latency --payload 4 --vs raw,omniorb --busy-wait"),
    ("latency-nano", "latency --payload 4 --vs raw,nano"),
    ("latency-shmiop", "latency --transport shmiop --payload 4,65536 --rounds 3 --busy-wait"),
    ("pending", "pending --vs raw,omniorb,tonic,capnp"),
    ("views", "views --vs raw,capnp,iceoryx2"),
    ("param", "param"),
    ("ladder", "ladder"),
    ("conventional", "conventional"),
    ("naming", "naming"),
    ("first-call", "first-call"),
    ("ttcp", "ttcp --payload 131072 --vs raw,ace,omniorb"),
    ("threads", "threads --vs raw,ace,omniorb --rounds 3"),
    ("connections", "connections --vs raw,omniorb --rounds 3"),
    ("collocated", "collocated --vs omniorb"),
    ("cubit", "cubit --vs raw,ace,omniorb --rounds 3 --calls 2000"),
    (
        "cubit-protocols",
        "cubit --transport iiop,lite+iiop,uiop,lite+uiop,shmiop --rounds 21 --calls 400",
    ),
    (
        "cubit-same",
        "cubit --transport iiop,lite+iiop,uiop,lite+uiop --pin same --rounds 60 --calls 400",
    ),
    ("dynamic", "dynamic --vs raw,omniorb --rounds 5"),
    ("bridge", "bridge --rounds 5 --calls 400"),
    ("demux", "demux"),
    ("probes", "probes"),
    ("rt", "rt"),
    ("rt-unused", "rt --only E15"),
    ("upcalls", "upcalls"),
    ("dba", "dba"),
];

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    let Options { experiments, machine, list } = options;
    if *list {
        for (name, words) in RUNS {
            writeln!(out, "{name:<16} zorb bench {words}")?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = ["build", "--profile=lto", "-p", "zorb-cli", "-p", "zorb-ladder", "-p", "dba"];
    succeed(Command::new(&cargo).current_dir(root).args(build))?;
    let commit = commit(root)?;
    let is_chosen = |name: &str| experiments.is_empty() || experiments.iter().any(|it| it == name);
    if is_chosen("probes") {
        let probing = peers::Options { names: vec![PROBING.to_owned()] };
        peers::command(root, &probing, out)?;
    }
    let mut failed = Vec::new();
    let mut incomplete = Vec::new();
    for (name, words) in RUNS {
        if !is_chosen(name) {
            continue;
        }
        let file = format!("{RESULTS}/{machine}-{name}.json");
        writeln!(out, "{file}: zorb bench {words}")?;
        out.flush()?;
        wait_until_idle()?;
        let mut zorb = Command::new(root.join("target/lto/zorb"));
        zorb.current_dir(root)
            .env("BENCH_COMMIT", &commit)
            .arg("bench")
            .args(words.split(' '))
            .args(["--json", &file]);
        let _ = std::fs::remove_file(root.join(&file));
        match zorb.status()? {
            status if status.success() => {}
            // A claim failed; the results were measured and written nevertheless.
            _ if root.join(&file).is_file() => failed.push(name),
            // The others do not depend on it.
            status => incomplete.push(format!("zorb bench {words}: {status}")),
        }
    }
    if !incomplete.is_empty() {
        return Err(Error::other(incomplete.join("; ")));
    }
    if machine == MACHINE {
        let mut tables = Command::new(&cargo);
        tables.current_dir(root).env("UPDATE_BOOK", "1");
        tables.args(["test", "--quiet", "-p", "zorb-book-tests"]);
        succeed(tables.args(["--test", "it", "--", "numbers::", "realtime::"]))?;
    }
    if !failed.is_empty() {
        writeln!(out, "claims failed in: {}", failed.join(", "))?;
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The commit that is measured, with `-dirty` if files have changed since.
fn commit(root: &Path) -> io::Result<String> {
    let describe = ["describe", "--always", "--dirty", "--exclude=*"];
    let output = Command::new("git").current_dir(root).args(describe).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Waits until the load average of the last minute is below 1, also after the experiment before.
#[expect(clippy::disallowed_methods, reason = "nothing reports that the load has changed")]
fn wait_until_idle() -> io::Result<()> {
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string("/proc/loadavg")?;
        let load = text.split(' ').next().and_then(|load| load.parse::<f64>().ok());
        match load {
            Some(load) if load < IDLE => return Ok(()),
            Some(load) if start.elapsed() > MAX_WAIT => {
                return Err(Error::other(format!("the machine is busy: its load is {load}")));
            }
            Some(_) => std::thread::sleep(Duration::from_secs(5)),
            None => return Err(Error::other("/proc/loadavg has no number")),
        }
    }
}

/// Runs a program, which inherits the standard output.
fn succeed(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() {
        return Ok(());
    }
    Err(Error::other(format!("{}: {status}", command.get_program().display())))
}
