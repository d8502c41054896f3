//! `zorb bench`: measures calls, and compares them with bare sockets and other ORBs.

mod args;
mod dba;
mod ladder;
mod naming;
mod output;
mod progress;
mod report;
mod rt;

use std::path::{Path, PathBuf};

use zorb_bench::catalog::{Experiment, Kind, Transports};
use zorb_bench::experiment;
use zorb_bench::harness::Setup;
use zorb_bench::options::Options;
use zorb_bench::peer::{self, PeerArguments};
use zorb_os::probe;

use crate::failure::{Failure, Outcome};
use crate::screen;
use args::{BenchCommand, Other};
use output::{Output, Results};

pub(crate) use args::BenchArgs;

/// The hidden command that runs a peer.
pub(crate) const PEER_COMMAND: &str = "bench-peer";

pub(crate) fn run(args: &BenchArgs, orb: &[String]) -> Outcome {
    match &args.command {
        BenchCommand::Experiment(experiment, common) => measure(experiment, common, orb),
        BenchCommand::Other(Other::Rt(args)) => rt::run(args),
        BenchCommand::Other(Other::Upcalls(args)) => rt::run_upcalls(args),
        BenchCommand::Other(Other::Naming(args)) => naming::run(args),
        BenchCommand::Other(Other::Dba(args)) => dba::run(args),
        BenchCommand::Other(Other::Ladder(args)) => ladder::run(args),
        BenchCommand::Other(Other::Report(args)) => report::run(args),
    }
}

fn measure(experiment: &'static Experiment, common: &args::Common, orb: &[String]) -> Outcome {
    let output = Output::new(common.json.as_deref(), common.html.as_deref(), None)?;
    let setup = setup(experiment, &common.options, orb)?;
    let found = Output::measure(|progress| experiment::run(experiment, &setup, progress))?;
    let (json, html) = (screen::json(&found)?, report::page_of(experiment.name, &found)?);
    output.write(&Results { json, html, table: found.table(), failures: found.failures() })
}

/// Runs one of the peers that are part of this program.
pub(crate) fn run_peer(arguments: PeerArguments, orb: Vec<String>) -> Outcome {
    Ok(peer::run(&PeerArguments { orb, ..arguments })?)
}

fn setup(experiment: &Experiment, options: &Options, orb: &[String]) -> Result<Setup, Failure> {
    let probes = experiment.kind == Kind::Probes;
    if options.transport.len() > 1 && experiment.transports == Transports::One {
        let name = experiment.name;
        return Err(Failure::new(format!("`{name}` supports only one transport")).into_usage());
    }
    let own_program = match probes && !probe::ON {
        true => probing_program(&options.peers)?,
        false => std::env::current_exe()?,
    };
    if probe::ON && !probes {
        screen::print_stderr("this program contains time probes: calls take slightly longer");
    }
    Ok(Setup::new(experiment, options.clone(), (own_program, PEER_COMMAND), orb)?)
}

/// The build of this program with time probes.
fn probing_program(peers: &Path) -> Result<PathBuf, Failure> {
    let program = peers.join("probing").join("zorb");
    if program.is_file() {
        return Ok(program);
    }
    Err(Failure::new(format!(
        "this program has no time probes, and {} does not exist",
        program.display()
    ))
    .hint("in Zorb's source tree, `cargo xtask peers probing` builds it"))
}
