//! E15: the cost of unused real-time features, and of each serving strategy without load.

use zorb::Interface as _;
use zorb::poa::PoaPolicies;
use zorb_os::priority::{self, Schedule};
use zorb_rt::{PriorityBand, PriorityBands, Strategy};

use super::bed::{Bench, HIGH, Host, LOW, number};
use super::finding::{Finding, named, rounded};
use super::switches::Threads;
use super::times::{Sample, Times};
use crate::error::Result;
use crate::harness::alternating;
use crate::statistics::{Interval, median};
use crate::stubs::real_time::Worker;

/// Maximum ratio for calls that do not use the real-time features.
const UNUSED: f64 = 1.05;
/// Ratio of two equal ORBs.
const SAME: std::ops::RangeInclusive<f64> = 0.95..=1.05;
/// Calls before the first timed one of each kind.
const WARM: usize = 200;

/// An object to call, and its hosts.
struct Side {
    name: &'static str,
    worker: Worker,
    times: Vec<Times>,
    /// Context switches of the program per call.
    switches: Vec<f64>,
    /// Dropped after the references.
    _hosts: Vec<Host>,
}

impl Side {
    fn new(name: &'static str, worker: Worker, hosts: Vec<Host>) -> Self {
        Self { name, worker, times: Vec::new(), switches: Vec::new(), _hosts: hosts }
    }

    /// A block of calls.
    fn block(&mut self, bench: &Bench, calls: usize) -> Result<()> {
        let mut samples = Vec::with_capacity(calls);
        let before = Threads::now();
        for _ in 0..calls {
            let (sample, done) = Sample::of(|| self.worker.work(-1, 0));
            done?;
            samples.push(sample);
        }
        let switches = Threads::now().since(&before).all();
        self.switches.push(switches as f64 / calls as f64);
        self.times.push(bench.times(&samples));
        Ok(())
    }
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let (rounds, calls) = bench.count((60, 1000), (12, 300));
    let mut sides = vec![
        plain(bench, "no real-time side")?,
        plain(bench, "second ORB without real-time side")?,
    ];
    sides.push(unused(bench)?);
    sides.push(lane(bench, "leader/followers", Strategy::LeaderFollowers)?);
    sides.push(lane(bench, "thread per connection", Strategy::ThreadPerConnection)?);
    sides.push(lane(bench, "half-sync", Strategy::HalfSync)?);
    let placement = bench.client_placement();
    placement.run(|| {
        // The same for all, set without the real-time ORB.
        priority::set(Schedule::Fifo(HIGH.unsigned_abs().try_into().unwrap_or(1)))?;
        for side in &mut sides {
            (0..WARM).try_for_each(|_| side.worker.work(-1, 0))?;
        }
        // So that a drift of the machine affects all.
        for at in alternating(sides.len(), rounds) {
            if let Some(side) = sides.get_mut(at) {
                side.block(bench, calls)?;
            }
        }
        Ok(())
    })?;
    Ok(found(&sides))
}

/// Compares the blocks of each side with those of the first.
fn found(sides: &[Side]) -> Finding {
    let mut finding = Finding::default();
    let Some((plain, others)) = sides.split_first() else { return finding };
    let mut of_plain = Vec::new();
    for side in others {
        let [p50, p99] = [Times::p50, Times::p99].map(|share| beside(side, plain, share));
        for (share, Interval { low, median, high }) in [("p50", p50), ("p99", p99)] {
            let name = named(&format!("{} {share} of plain", side.name));
            finding.measure(&name, rounded_finely(median));
            finding.measure(&format!("{name}_low"), rounded_finely(low));
            finding.measure(&format!("{name}_high"), rounded_finely(high));
        }
        of_plain.push((p50, p99));
    }
    for side in sides {
        finding.times(side.name, "call", &Times::joined(side.times.clone()));
        let switches = median(side.switches.iter().copied());
        finding.measure(&named(&format!("{} switches", side.name)), rounded(switches));
    }
    let [(again, _), (unused, unused_tail), .., (half_sync, _)] = of_plain.as_slice() else {
        return finding;
    };
    for (share, found) in [("p50", unused), ("p99", unused_tail)] {
        finding.check(
            &format!(
                "{share} with pools, lanes, bands and priority models of other objects, relative to an ORB without \
                 real-time side"
            ),
            "at most 1.05 times",
            shown(found),
            found.median <= UNUSED,
        );
    }
    finding.control(
        "the same calls through a half-sync lane: p50 relative to the first ORB",
        "more than 1.05 times",
        shown(half_sync),
        half_sync.median > UNUSED,
    );
    finding.control(
        "a second ORB without real-time side: p50 relative to the first",
        "0.95 to 1.05",
        shown(again),
        SAME.contains(&again.median),
    );
    finding
}

/// A quantile of each block, relative to the first side's block in the same round.
fn beside(side: &Side, plain: &Side, share: impl Fn(&Times) -> f64) -> Interval {
    let pairs = side.times.iter().zip(&plain.times);
    let pairs = pairs.map(|(side, plain)| (share(side), share(plain)));
    Interval::of(pairs.filter(|(_, plain)| *plain > 0.0).map(|(side, plain)| side / plain))
}

fn shown(found: &Interval) -> String {
    let [low, median, high] = [found.low, found.median, found.high].map(rounded_finely);
    format!("{median} ({low} to {high})")
}

/// A number with three decimals.
fn rounded_finely(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// A server and a client without real-time extension.
fn plain(bench: &Bench, name: &'static str) -> Result<Side> {
    let (server, client) = bench.without_real_time()?;
    let worker = server.activate(PoaPolicies::new(), &client)?;
    Ok(Side::new(name, worker, vec![client, server]))
}

/// A server and a client with all real-time features, used by other objects than the one that is called.
fn unused(bench: &Bench) -> Result<Side> {
    let (server, client) = (bench.server(0)?, bench.client(&[])?);
    let pool = server.lanes(&[(LOW, 1), (HIGH, 1)])?;
    let other = server.propagated(&pool, LOW, &client)?;
    let band = |low, high| PriorityBand::new(number(low)?, number(high)?).map_err(Into::into);
    let bands: Result<Vec<_>> = [band(LOW, LOW), band(HIGH, HIGH)].into_iter().collect();
    let bands = PriorityBands::new(bands?)?;
    let bands = zorb::policy::Policies::new().with(bands);
    let banded = other.with_policies(&bands)?;
    // Uses them once, with threads of different priorities.
    for priority in [LOW, HIGH] {
        client.at(priority, || Ok(other.work(-1, 0)?))?;
        client.at(priority, || Ok(banded.work(-1, 0)?))?;
    }
    let worker = server.activate(PoaPolicies::new(), &client)?;
    Ok(Side::new("unused real-time side", worker, vec![client, server]))
}

/// A lane of two threads.
fn lane(bench: &Bench, name: &'static str, strategy: Strategy) -> Result<Side> {
    let (server, client) = (bench.server(0)?, bench.client(&[])?);
    let pool = server.pool().lane(server.lane(HIGH, 2)?).strategy(strategy);
    let pool = server.create(pool)?;
    let model = server.rt.server_declared(number(HIGH)?);
    let worker = server.object(Some(&pool), model, &client)?;
    Ok(Side::new(name, worker, vec![client, server]))
}
