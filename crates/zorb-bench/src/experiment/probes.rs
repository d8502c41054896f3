//! The steps of a call: time probes in every layer of client and server.

mod checks;
mod measured;
mod steps;
mod tables;
mod thresholds;

use super::runner::{Run, stop};
use crate::error::{Error, Result};
use crate::harness::{Pair, Setup, Watch, order};
use crate::operation::Operation;
use crate::options::Options;
use crate::report::Figure;
use measured::Measured;

/// Calls of a block, limited by the rings of the probes.
const CALLS: u32 = 1000;
/// Maximum number of connections of the server.
const CONNECTIONS: usize = 16;

/// Calls without arguments and with octets over each transport, interleaved; those with octets also with
/// two copy thresholds.
pub(super) fn probes(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let name = if run.setup.options.busy_wait.is_some() { "zorb-busy-wait" } else { "zorb" };
    let payloads = payloads(&run.setup.options);
    let own_threshold = thresholds::in_force(&run.setup.orb);
    let compared = thresholds::to_compare(&payloads, own_threshold);
    let thresholds: Vec<Option<usize>> =
        std::iter::once(None).chain(compared.into_iter().flatten().map(Some)).collect();
    let calls = run.setup.options.calls.unwrap_or(if run.setup.options.quick { 20 } else { CALLS });
    let (mut pairs, mut all) = (Vec::new(), Vec::new());
    for transport in run.experiment.transports(&run.setup.options.transport) {
        for &threshold in &thresholds {
            let mut orb = run.setup.orb.clone();
            orb.extend(threshold.into_iter().flat_map(thresholds::option));
            let setup = Setup { transport: transport.clone(), orb, ..run.setup.clone() };
            let Some(mut pair) = Pair::start(&setup, name, CONNECTIONS)? else {
                watch.note(&format!("{transport} is skipped: this build does not support it"));
                break;
            };
            let void = threshold.is_none().then_some(0);
            for payload in void.into_iter().chain(payloads.iter().copied()) {
                let measured = Measured::new(&transport, threshold, payload);
                // Warms up.
                measured.clone().block(&mut pair, calls.min(CALLS))?;
                all.push((pairs.len(), measured));
            }
            pairs.push(pair);
        }
    }
    // The same payload of all pairs is adjacent.
    all.sort_by_key(|(number, one)| (one.payload, *number));
    let (rounds, count) = (run.rounds(), all.len());
    watch.begin(count * rounds * 2);
    // Every round has all payloads, so that a drift of the machine does not look like a cost of
    // octets.
    for index in (0..rounds).flat_map(|_| order(count)) {
        let Some((number, measured)) = all.get_mut(index) else { continue };
        let Some(pair) = pairs.get_mut(*number) else { continue };
        if watch.wants_to_stop() {
            return Err(Error::Stopped);
        }
        // More calls than the rings can record take several blocks.
        for begun in (0..calls).step_by(CALLS as usize) {
            measured.block(pair, (calls - begun).min(CALLS))?;
        }
        watch.block(&measured.name());
    }
    stop(pairs)?;
    let all = all.into_iter().map(|(_, measured)| measured);
    let (all, by_threshold): (Vec<Measured>, Vec<Measured>) =
        all.partition(|measured| measured.threshold.is_none());
    for measured in &all {
        for (what, done) in measured.parts() {
            let operation = format!("{}/{what}", measured.operation());
            let peers = [(name, &Some(vec![done]))];
            run.add(&measured.transport, (&operation, measured.payload), Figure::Latency, &peers);
        }
    }
    run.text = Some(tables::tables(&all, &by_threshold));
    run.claims = checks::checks(&all, own_threshold);
    run.claims.extend(thresholds::checks(&by_threshold));
    Ok(())
}

/// Sizes of octet sequences by powers of two, or the selected ones.
fn payloads(options: &Options) -> Vec<usize> {
    let powers = if options.quick { 2..=4 } else { 2..=11 };
    let octets: Vec<usize> = powers.map(|power| 1 << power).collect();
    options.payloads_of(Operation::EchoOctets, &octets)
}
