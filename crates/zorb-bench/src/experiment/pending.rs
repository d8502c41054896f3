//! Pending calls on one connection, compared with a caller that waits for each reply.

use super::matrix;
use super::runner::{Run, Work};
use super::workloads;
use crate::driver;
use crate::error::Result;
use crate::harness::Watch;
use crate::operation::Operation;
use crate::options::Options;
use crate::report::{Claim, Figure, Row};

/// Calls that are sent before the first result is taken.
const IN_FLIGHT: u32 = 250;
/// Calls of a block.
const CALLS: u32 = 20_000;
/// Minimum calls per second of pending calls, in those of a caller that waits.
const GAIN: f64 = 5.0;
/// Minimum calls per second of pending calls, in those of bare sockets that send as many requests ahead.
const OF_BARE: f64 = 0.8;

/// Void calls of a caller that waits for each, and of one that sends many before it takes the first result.
pub(super) fn pending(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    matrix::measure(run, &works(&run.setup.options), watch)?;
    run.claims = checks(&run.rows);
    Ok(())
}

fn works(options: &Options) -> Vec<Work> {
    let of = |in_flight: u32| {
        let run = workloads::run(options, Operation::Ping, 0, CALLS);
        let calls = run.calls.next_multiple_of(in_flight);
        let run = driver::Run { calls, batch: in_flight, pipelined: in_flight > 1, ..run };
        workloads::work(run, label(in_flight), Figure::Throughput)
    };
    [1, IN_FLIGHT].map(of).into()
}

fn label(in_flight: u32) -> String {
    format!("{}/in-flight={in_flight}", Operation::Ping)
}

/// The claims about pending calls.
fn checks(rows: &[Row]) -> Vec<Claim> {
    let rate = |peer: &str, in_flight: u32| {
        let label = label(in_flight);
        let row = rows.iter().find(|row| row.peer == peer && row.operation == label);
        row.map(|row| row.calls_per_s)
    };
    let pending = rate("zorb", IN_FLIGHT);
    let gain = pending.zip(rate("zorb", 1));
    let gain = gain.map(|(pending, waiting)| {
        at_least("pending calls relative to a caller that waits", GAIN, pending / waiting)
    });
    let bare = pending.zip(rate("raw", IN_FLIGHT));
    let bare = bare.map(|(pending, bare)| {
        at_least("pending calls relative to bare sockets", OF_BARE, pending / bare)
    });
    gain.into_iter().chain(bare).collect()
}

/// The claim that a ratio of calls per second is at least this.
fn at_least(what: &str, least: f64, found: f64) -> Claim {
    Claim::new(what, format!("at least {least:.1}"), format!("{found:.2}"), found >= least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_small_a_gain_fails_the_claim() {
        assert!(!at_least("gain", GAIN, 5.0).fails() && at_least("gain", GAIN, 4.9).fails());
    }

    #[test]
    fn blocks_consist_of_whole_batches() {
        let options = Options::parsed("--calls 300");
        let runs = works(&options).into_iter().map(|work| match work.command {
            driver::Command::Run(run) => (run.calls, run.batch, run.pipelined),
            other => panic!("{other}"),
        });
        assert_eq!(runs.collect::<Vec<_>>(), [(300, 1, false), (500, 250, true)]);
    }
}
