//! The first call of a reference, compared with later ones.

use super::matrix;
use super::runner::{Run, Work};
use super::workloads;
use crate::driver;
use crate::error::Result;
use crate::harness::Watch;
use crate::operation::Operation;
use crate::options::Options;
use crate::report::{Claim, Figure, Row};

/// References of a block; each needs an ORB, a connection, and calls that are not timed.
const REFERENCES: u32 = 160;
/// Warm-up references before a block.
const WARM: u32 = 16;
/// The number of the later call.
const LATER: u32 = 100;
/// Maximum extra time of the first call of a bound reference, as a share of a later call.
const LONGER: f64 = 0.10;

/// The first call of unbound references, the first call of bound ones, and a later call.
pub(super) fn first_call(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    matrix::measure(run, &works(&run.setup.options), watch)?;
    run.claims = checks(&run.rows);
    Ok(())
}

fn works(options: &Options) -> Vec<Work> {
    let (operation, payload) = workloads::echo_or_ping(options);
    let of = |(nth, bound): (u32, bool)| {
        let run = workloads::run(options, operation, payload, REFERENCES);
        let run = driver::Run { fresh: nth, bound, warm: run.warm.min(WARM), ..run };
        workloads::work(run, label(operation, nth, bound), Figure::Latency)
    };
    [(1, false), (1, true), (LATER, true)].map(of).into()
}

fn label(operation: Operation, nth: u32, bound: bool) -> String {
    format!("{operation}/call={nth}/{}", if bound { "bound" } else { "unbound" })
}

/// The claim about bound references.
fn checks(rows: &[Row]) -> Vec<Claim> {
    let p50 = |what: &str| {
        let mut rows = rows.iter().filter(|row| row.peer == "zorb");
        rows.find(|row| row.operation.ends_with(what))?.p50_us
    };
    let (first, later) = (p50("/call=1/bound"), p50(&format!("/call={LATER}/bound")));
    first.zip(later).map(|(first, later)| claim(first, later)).into_iter().collect()
}

/// The claim about the medians of a first and a later call.
fn claim(first: f64, later: f64) -> Claim {
    Claim::new(
        "first call of a bound reference relative to a later one",
        format!("at most {:.0} % more", LONGER * 100.0),
        format!("{:+.1} %", (first / later - 1.0) * 100.0),
        first <= later * (1.0 + LONGER),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binding_is_what_the_labels_tell_apart() {
        let labels = [(1, false), (1, true), (LATER, true)]
            .map(|(nth, bound)| label(Operation::Ping, nth, bound));
        assert_eq!(labels, ["ping/call=1/unbound", "ping/call=1/bound", "ping/call=100/bound"]);
    }

    #[test]
    fn a_first_call_that_takes_longer_fails_the_claim() {
        assert!(!claim(10.9, 10.0).fails() && claim(11.1, 10.0).fails());
    }
}
