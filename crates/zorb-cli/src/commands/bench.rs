//! `zorb bench`: measures calls, and compares them with bare sockets and other ORBs.

mod args;
mod output;
mod progress;
mod report;
mod rt;

use std::path::{Path, PathBuf};

use zorb_bench::catalog::{Experiment, Kind, Transports};
use zorb_bench::experiment::{self, Plan};
use zorb_bench::harness::{Pin, Setup};
use zorb_bench::peer::{self, PeerArguments};
use zorb_os::{probe, thread};

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
        BenchCommand::Other(Other::Report(args)) => report::run(args),
    }
}

fn measure(experiment: &'static Experiment, common: &args::Common, orb: &[String]) -> Outcome {
    let output = Output::new(common.json.as_deref(), common.html.as_deref(), None)?;
    let plan = plan(experiment, common, orb)?;
    let found = Output::measure(|progress| experiment::run(experiment, &plan, progress))?;
    let (json, html) = (output::json(&found)?, report::page_of(experiment.name, &found)?);
    output.write(&Results { json, html, table: found.table(), failures: found.failures() })
}

/// Runs one of the peers that are part of this program.
pub(crate) fn run_peer(words: &[String], orb: &[String]) -> Outcome {
    let arguments = PeerArguments::parse(words, orb);
    let arguments = arguments.map_err(|reason| Failure::new(reason).into_usage())?;
    Ok(peer::run(&arguments)?)
}

fn plan(experiment: &Experiment, common: &args::Common, orb: &[String]) -> Result<Plan, Failure> {
    let probes = experiment.kind == Kind::Probes;
    let pin = match common.pin {
        Some(pin) => pin.into(),
        // Waking another processor takes much longer, and varies much more, than the steps that are
        // measured.
        None if probes => Pin::Same,
        // Two processors are preferred, but not always available.
        None if thread::affinity()?.len() > 1 => Pin::Split,
        None => Pin::Same,
    };
    let own_program = match probes && !probe::ON {
        true => probing_program(&common.peers)?,
        false => std::env::current_exe()?,
    };
    if probe::ON && !probes {
        screen::print_stderr("this program contains time probes: calls take slightly longer");
    }
    let transports = common.transport.clone();
    if transports.len() > 1 && experiment.transports == Transports::One {
        let name = experiment.name;
        return Err(Failure::new(format!("`{name}` supports only one transport")).into_usage());
    }
    let setup = Setup {
        own_program,
        own_word: PEER_COMMAND.to_owned(),
        peers: common.peers.clone(),
        transport: transports.first().cloned().unwrap_or_else(|| "iiop".to_owned()),
        pin,
        fifo: common.fifo,
        // 0 is the system's size.
        socket_queue: common.socket_queue.or(experiment.socket_queue).filter(|octets| *octets > 0),
        spin: common.spin,
        orb: orb.to_vec(),
    };
    Ok(Plan {
        setup,
        transports,
        versus: common.versus(),
        payloads: common.payload.clone(),
        calls: common.calls,
        rounds: common.rounds,
        total: common.octets(),
        quick: common.quick,
    })
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
