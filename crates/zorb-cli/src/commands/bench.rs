//! `zorb bench`: measures calls, and compares them with bare sockets and other ORBs.

mod args;
mod output;
mod progress;
mod report;
mod rt;

use std::path::{Path, PathBuf};

use zorb_bench::experiment::{Experiment, Plan};
use zorb_bench::harness::{Pin, Setup};
use zorb_bench::peer::{self, PeerArguments};
use zorb_os::{probe, thread};

use crate::failure::{Failure, Outcome};
use crate::screen;
use args::Selected;
use output::{Output, Results};

pub(crate) use args::BenchArgs;

/// The hidden command that runs a peer.
pub(crate) const PEER_COMMAND: &str = "bench-peer";

/// The socket buffer size of the TTCP benchmark, in octets.
const TTCP_QUEUE: usize = 64 << 10;

pub(crate) fn run(args: &BenchArgs, orb: &[String]) -> Outcome {
    match args.selected() {
        Selected::Experiment(experiment, common, total) => measure(experiment, common, total, orb),
        Selected::Rt(args) => rt::run(args),
        Selected::Upcalls(args) => rt::run_upcalls(args),
        Selected::Report(args) => report::run(args),
    }
}

fn measure(experiment: Experiment, common: &args::Common, total: u64, orb: &[String]) -> Outcome {
    let output = Output::new(common.json.as_deref(), common.html.as_deref(), None)?;
    let plan = plan(experiment, common, total, orb)?;
    let found = Output::measure(|progress| experiment.run(&plan, progress))?;
    let (json, html) = (output::json(&found)?, report::page_of(experiment, &found)?);
    output.write(&Results { json, html, table: found.table(), failures: found.failures() })
}

/// Runs one of the peers that are part of this program.
pub(crate) fn run_peer(words: &[String], orb: &[String]) -> Outcome {
    let arguments = PeerArguments::parse(words, orb);
    let arguments = arguments.map_err(|reason| Failure::new(reason).into_usage())?;
    Ok(peer::run(&arguments)?)
}

fn plan(
    experiment: Experiment,
    common: &args::Common,
    total: u64,
    orb: &[String],
) -> Result<Plan, Failure> {
    let pin = match common.pin {
        Some(pin) => pin.into(),
        // Waking another processor takes much longer, and varies much more, than the steps that are
        // measured.
        None if experiment == Experiment::Probes => Pin::Same,
        // Two processors are preferred, but not always available.
        None if thread::affinity()?.len() > 1 => Pin::Split,
        None => Pin::Same,
    };
    let own_program = match experiment {
        Experiment::Probes if !probe::ON => probing_program(&common.peers)?,
        _ => std::env::current_exe()?,
    };
    if probe::ON && experiment != Experiment::Probes {
        screen::print_stderr("this program contains time probes: calls take slightly longer");
    }
    let transports = common.transport.clone();
    if transports.len() > 1 && !experiment.takes_transports() {
        let name = experiment.name();
        return Err(Failure::new(format!("`{name}` supports only one transport")).into_usage());
    }
    let setup = Setup {
        own_program,
        own_word: PEER_COMMAND.to_owned(),
        peers: common.peers.clone(),
        transport: transports.first().cloned().unwrap_or_else(|| "iiop".to_owned()),
        pin,
        fifo: common.fifo,
        socket_queue: socket_queue(experiment, common.socket_queue),
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
        total,
        quick: common.quick,
    })
}

/// The size of the socket buffers; `None` keeps the system's default.
///
/// With buffers that the system resizes, a flood runs at one of two speeds at random, with bare
/// sockets too; with the buffer size of the TTCP benchmark it runs at one.
fn socket_queue(experiment: Experiment, wanted: Option<usize>) -> Option<usize> {
    let own = (experiment == Experiment::Ttcp).then_some(TTCP_QUEUE);
    wanted.or(own).filter(|octets| *octets > 0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ttcp_has_its_own_default_buffer_size() {
        assert_eq!(socket_queue(Experiment::Ttcp, None), Some(64 << 10));
        assert_eq!(socket_queue(Experiment::Ttcp, Some(8192)), Some(8192));
        assert_eq!(socket_queue(Experiment::Ttcp, Some(0)), None);
        assert_eq!(socket_queue(Experiment::Latency, None), None);
    }
}
