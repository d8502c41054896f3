//! The steps of a call: time probes in every layer of client and server.

mod checks;
mod measured;
mod steps;
mod tables;
mod thresholds;

use super::runner::{Plan, Run, stop};
use super::workloads;
use crate::driver::{Answer, Command};
use crate::error::{Error, Result};
use crate::harness::{Pair, Setup, Watch, order};
use crate::histogram::Histogram;
use crate::operation::Operation;
use crate::report::{Detail, Row};
use measured::Measured;
use steps::{Call, Side, last_calls, mean_of};

/// Calls of a block, limited by the rings of the probes.
const CALLS: u32 = 1000;
/// Maximum number of connections of the server.
const CONNECTIONS: usize = 16;

/// A client and a server, and their workloads.
struct Subject {
    transport: String,
    /// The copy threshold, if it is one of those that are compared.
    threshold: Option<usize>,
    pair: Pair,
    works: Vec<(Operation, usize)>,
}

/// Calls without arguments and with octets over each transport, interleaved; those with octets also with
/// two copy thresholds.
pub(super) fn probes(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let transports = run.experiment.transports(&run.plan.transports);
    let name = if run.plan.setup.spin.is_some() { "zorb-spin" } else { "zorb" };
    let works = works(run.plan);
    let octets: Vec<_> = works.iter().copied().filter(|(_, payload)| *payload > 0).collect();
    let payloads: Vec<usize> = octets.iter().map(|(_, payload)| *payload).collect();
    let own_threshold = thresholds::in_force(&run.plan.setup.orb);
    let compared = thresholds::to_compare(&payloads, own_threshold);
    let thresholds: Vec<Option<usize>> =
        std::iter::once(None).chain(compared.into_iter().flatten().map(Some)).collect();
    let mut subjects = Vec::new();
    for (transport, &threshold) in
        transports.iter().flat_map(|transport| thresholds.iter().map(move |it| (transport, it)))
    {
        let mut orb = run.plan.setup.orb.clone();
        orb.extend(threshold.into_iter().flat_map(thresholds::option));
        let setup = Setup { transport: transport.clone(), orb, ..run.plan.setup.clone() };
        let works = if threshold.is_some() { octets.clone() } else { works.clone() };
        match (Pair::start(&setup, name, CONNECTIONS)?, threshold) {
            (Some(pair), _) => {
                subjects.push(Subject { transport: transport.clone(), threshold, pair, works });
            }
            (None, None) => {
                watch.note(&format!("{transport} is skipped: this build does not support it"));
            }
            (None, Some(_)) => {}
        }
    }
    let calls = run.plan.calls.unwrap_or(if run.plan.quick { 20 } else { CALLS });
    // More calls than the rings can record take several blocks.
    let blocks: Vec<u32> =
        (0..calls.div_ceil(CALLS)).map(|block| (calls - block * CALLS).min(CALLS)).collect();
    let rounds = run.rounds();
    let mut all: Vec<(usize, Measured)> = Vec::new();
    for (number, subject) in subjects.iter_mut().enumerate() {
        for &(operation, payload) in &subject.works {
            // Warms up.
            block(&mut subject.pair, operation, payload, calls.min(CALLS))?;
            let (transport, threshold) = (subject.transport.clone(), subject.threshold);
            let nothing = Measured::new(operation, payload);
            all.push((number, Measured { transport, threshold, ..nothing }));
        }
    }
    // The same workload of all subjects is adjacent.
    all.sort_by_key(|(number, one)| (one.payload, *number));
    watch.begin(all.len() * rounds * 2);
    // Every round has all workloads, so that a drift of the machine does not look like a cost of
    // octets.
    for _ in 0..rounds {
        for index in order(all.len()) {
            let Some((number, measured)) = all.get_mut(index) else { continue };
            let Some(Subject { pair, .. }) = subjects.get_mut(*number) else { continue };
            if watch.wants_to_stop() {
                return Err(Error::Stopped);
            }
            let (operation, payload) = (measured.operation, measured.payload);
            for &calls in &blocks {
                measured.add(block(pair, operation, payload, calls)?);
            }
            watch.block(&format!("{operation} {payload}"));
        }
    }
    stop(subjects.into_iter().map(|subject| subject.pair).collect())?;
    let all = all.into_iter().map(|(_, measured)| measured);
    let (all, by_threshold): (Vec<Measured>, Vec<Measured>) =
        all.partition(|measured| measured.threshold.is_none());
    for measured in &all {
        run.add_rows(name, measured, rounds);
    }
    run.text = Some(tables::tables(&all, &by_threshold));
    run.claims = checks::checks(&all, own_threshold);
    run.claims.extend(thresholds::checks(&by_threshold));
    Ok(())
}

/// Calls without arguments, and with octets by powers of two.
fn works(plan: &Plan) -> Vec<(Operation, usize)> {
    let powers = if plan.quick { 2..=4 } else { 2..=11 };
    let octets: Vec<usize> = powers.map(|power| 1 << power).collect();
    let octets = plan.payloads_of(Operation::EchoOctets, &octets);
    let octets = octets.into_iter().map(|payload| (Operation::EchoOctets, payload));
    std::iter::once((Operation::Ping, 0)).chain(octets).collect()
}

/// Calls of one block.
fn block(pair: &mut Pair, operation: Operation, payload: usize, calls: u32) -> Result<Measured> {
    let mut measured = Measured::new(operation, payload);
    pair.mark().map_err(|error| error.during("the program has no time probes"))?;
    let run = crate::driver::Run {
        warm: workloads::WARM.min(calls),
        ..crate::driver::Run::new(operation, payload, calls)
    };
    let done = match pair.ask(&Command::Run(run))? {
        Answer::Done(done) => done,
        Answer::Unsupported(reason) | Answer::Failed(reason) => return Err(Error::new(reason)),
    };
    let [client, server] = pair.traces()?;
    let count = calls as usize;
    if client.lost + server.lost > 0 {
        return Err(Error::new("the calls passed more probes than the rings can record"));
    }
    measured.client = last_calls(Side::Client, &client, count);
    measured.server = last_calls(Side::Server, &server, count);
    if measured.client.len() != count || measured.server.is_empty() {
        return Err(Error::new("the probes do not show the calls"));
    }
    measured.costs = vec![client.cost_ns, server.cost_ns];
    measured.round_trips = done.histogram;
    (measured.sum_ns, measured.longest_ns, measured.calls) = (done.sum_ns, done.max_ns, done.calls);
    Ok(measured)
}

impl Run<'_> {
    /// A row for each step of both sides, and one for the measured round trip.
    fn add_rows(&mut self, peer: &str, measured: &Measured, rounds: usize) {
        let mut round_trip = Times {
            histogram: measured.round_trips.clone(),
            mean_ns: measured.mean_ns(),
            longest_ns: measured.longest_ns as f64,
        };
        self.add_row((peer, measured), "round trip", rounds, &round_trip);
        for side in [Side::Client, Side::Server] {
            for (name, steps) in side.lines() {
                round_trip = Times::of(measured.side(side), |call| call.of(steps));
                self.add_row(
                    (peer, measured),
                    &format!("{}/{name}", side.name()),
                    rounds,
                    &round_trip,
                );
            }
        }
    }

    fn add_row(
        &mut self,
        (peer, measured): (&str, &Measured),
        what: &str,
        rounds: usize,
        times: &Times,
    ) {
        let micros = |nanos: f64| (nanos / 1e3 * 1e6).round() / 1e6;
        let quantile = |share| Some(micros(times.histogram.quantile(share)));
        let calls_per_s = if times.mean_ns > 0.0 { 1e9 / times.mean_ns } else { 0.0 };
        self.rows.push(Row {
            experiment: self.experiment.name,
            peer: peer.to_owned(),
            transport: measured.transport.clone(),
            operation: format!("{}/{what}", measured.operation),
            payload: measured.payload,
            rounds,
            calls: times.histogram.total(),
            mean_us: micros(times.mean_ns),
            p50_us: quantile(0.5),
            p99_us: quantile(0.99),
            p999_us: quantile(0.999),
            max_us: Some(micros(times.longest_ns)),
            calls_per_s: calls_per_s.round(),
            mb_per_s: (calls_per_s * measured.payload as f64 / 1e3).round() / 1e3,
            ratio_to_raw: None,
        });
        let histogram = times.histogram.to_string();
        self.details.push(Detail { histogram, ..Detail::default() });
    }
}

/// Times of many calls.
struct Times {
    histogram: Histogram,
    mean_ns: f64,
    longest_ns: f64,
}

impl Times {
    fn of(calls: &[Call], took: impl Fn(&Call) -> f64) -> Self {
        let mut histogram = Histogram::new();
        for call in calls {
            histogram.record(took(call).round() as u64);
        }
        let longest_ns = calls.iter().map(&took).fold(0.0, f64::max);
        Self { histogram, mean_ns: mean_of(calls, &took), longest_ns }
    }
}
