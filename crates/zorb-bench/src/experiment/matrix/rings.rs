//! Compares SHMIOP with bare rings, with blocking and with busy-waiting readers.

use super::measured::{Measured, SHARED};
use crate::driver::{Command, Done, Flood};
use crate::experiment::runner::Work;
use crate::operation::Operation;
use crate::options::Options;
use crate::report::{Claim, Figure};
use crate::statistics::{Interval, median};

/// Maximum time of a void call relative to a bare ring: of blocking and of busy-waiting peers.
const MAX_ASLEEP: f64 = 1.2;
const MAX_AWAKE: f64 = 1.5;
/// Minimum calls per second of a flood relative to a bare ring.
const MIN_FLOOD: f64 = 0.9;
/// Octets of a call of a flood, and of all calls.
const FLOOD: usize = 128 << 10;
const TOTAL: u64 = 64 << 20;
const QUICK_CALLS: u32 = 8;
/// Processors with a smaller handover time, in nanoseconds, are hardware threads of one core, which also
/// share its execution units.
const ONE_CORE: f64 = 48.0;
/// Processors with a larger handover time have no cache in common.
const NEAR: f64 = 120.0;

/// A flood of one-way calls with many octets.
pub(super) fn flood(options: &Options) -> Work {
    let own = if options.quick { QUICK_CALLS } else { (TOTAL / FLOOD as u64) as u32 };
    let operation = Operation::SendOctets;
    let calls = if options.quick { own } else { options.calls.map_or(own, |calls| calls.min(own)) };
    Work {
        command: Command::Flood(Flood { operation, payload: FLOOD, calls }),
        label: operation.to_string(),
        payload: FLOOD,
        figure: Figure::Throughput,
    }
}

/// The claims about SHMIOP.
#[derive(Default)]
pub(super) struct Rings(Vec<Claim>);

impl Rings {
    pub(super) fn add(&mut self, work: &Work, all: &[Measured<'_>]) {
        let of = |peer: &str| all.iter().find(|one| (one.transport, one.peer) == (SHARED, peer));
        let beside = |zorb: &str, raw: &str| Beside::of(of(zorb)?, of(raw)?);
        let (asleep, awake) = (beside("zorb", "raw"), beside("zorb-busy-wait", "raw-busy-wait"));
        match &work.command {
            Command::Run(run) if run.operation == Operation::CubeVoid => {
                self.0.extend(asleep.map(|both| both.call("that sleep", MAX_ASLEEP)));
                self.0.extend(awake.into_iter().flat_map(|both| both.by_distance()));
            }
            Command::Flood(_) => {
                self.0.extend(asleep.map(|both| both.flood("that sleep")));
                self.0.extend(awake.map(|both| both.flood("that busy-wait")));
            }
            Command::Run(_) | Command::Find(_) => {}
        }
    }

    pub(super) fn checks(self) -> Vec<Claim> {
        self.0
    }
}

/// Adjacent blocks of both.
struct Beside<'a>(Vec<Both<'a>>);

#[derive(Clone, Copy)]
struct Both<'a> {
    zorb: &'a Done,
    raw: &'a Done,
    /// The handover times between the processors before either block.
    distances: [Option<f64>; 2],
}

impl<'a> Beside<'a> {
    fn of(zorb: &Measured<'a>, raw: &Measured<'a>) -> Option<Self> {
        let blocks = std::iter::zip(zorb.blocks.as_deref()?, raw.blocks.as_deref()?);
        let distance = |of: &Measured<'_>, index: usize| of.distances.get(index).copied().flatten();
        let both = |(index, (own, bare)): (usize, (&'a Done, &'a Done))| Both {
            zorb: own,
            raw: bare,
            distances: [distance(zorb, index), distance(raw, index)],
        };
        let all: Vec<Both<'a>> = blocks.enumerate().map(both).collect();
        (!all.is_empty()).then_some(Self(all))
    }

    /// The claim about the median time of a void call.
    fn call(&self, rings: &str, most: f64) -> Claim {
        let ratio = Interval::of(self.0.iter().map(|both| p50_us(both.zorb) / p50_us(both.raw)));
        let zorb = median(self.0.iter().map(|both| p50_us(both.zorb)));
        let raw = median(self.0.iter().map(|both| p50_us(both.raw)));
        let more = median(self.0.iter().map(|both| p50_us(both.zorb) - p50_us(both.raw)));
        Claim::new(
            format!("median void call over shmiop, relative to bare rings {rings}"),
            format!("at most {most} times as long"),
            format!(
                "{} times as long: {zorb:.2} us, bare {raw:.2} us, {:+.0} ns",
                around(ratio),
                more * 1000.0
            ),
            ratio.median <= most,
        )
        .unclear_if(ratio.contains(most))
    }

    /// The same claim for processors of one core, with a common cache, and without; blocks during which
    /// that changed are skipped. For all blocks, if handover times are unknown.
    fn by_distance(&self) -> Vec<Claim> {
        let known = |both: &&Both<'_>| both.distances.iter().all(Option::is_some);
        if self.0.iter().filter(known).count() * 2 < self.0.len() {
            return vec![self.call("that busy-wait", MAX_AWAKE)];
        }
        let part = |rings: &str, is_in: fn(f64) -> bool| {
            let of = |both: &&Both<'_>| both.distances.iter().flatten().all(|far| is_in(*far));
            let part: Vec<Both<'_>> = self.0.iter().filter(known).filter(of).copied().collect();
            if part.is_empty() {
                return None;
            }
            let nanos = Interval::of(part.iter().flat_map(|both| both.distances).flatten());
            let rings = format!("{rings} ({:.0} ns apart, {} blocks)", nanos.median, part.len());
            Some(Self(part).call(&rings, MAX_AWAKE))
        };
        let one_core = part("that busy-wait on processors of one core", |nanos| nanos < ONE_CORE);
        let near = part("that busy-wait on processors with one cache", |nanos| {
            (ONE_CORE..=NEAR).contains(&nanos)
        });
        let far = part("that busy-wait on processors far from each other", |nanos| nanos > NEAR);
        [one_core, near, far].into_iter().flatten().collect()
    }

    /// The claim about calls per second of floods.
    fn flood(&self, rings: &str) -> Claim {
        let rate = |done: &Done| done.calls as f64 / done.wall_ns.max(1) as f64;
        let ratio = Interval::of(self.0.iter().map(|both| rate(both.zorb) / rate(both.raw)));
        let mb_per_s = median(self.0.iter().map(|both| rate(both.zorb) * FLOOD as f64 * 1e3));
        Claim::new(
            format!("one-way calls of {FLOOD} octets over shmiop, relative to bare rings {rings}"),
            format!("at least {MIN_FLOOD} times as fast"),
            format!("{} times as fast, {mb_per_s:.0} MB/s", around(ratio)),
            ratio.median >= MIN_FLOOD,
        )
        .unclear_if(ratio.contains(MIN_FLOOD))
    }
}

/// A ratio with its 95 % confidence interval.
fn around(ratio: Interval) -> String {
    format!("{:.2} ({:.2} to {:.2})", ratio.median, ratio.low, ratio.high)
}

fn p50_us(block: &Done) -> f64 {
    (block.histogram.quantile(0.5) / 1000.0).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Blocks;
    use crate::histogram::Histogram;

    fn block(nanos: u64) -> Done {
        let mut histogram = Histogram::new();
        (0..9).for_each(|_| histogram.record(nanos));
        Done { calls: 9, wall_ns: nanos * 9, sum_ns: nanos * 9, histogram, ..Done::default() }
    }

    fn checks(zorb: &[u64], raw: &[u64], distances: &[Option<f64>]) -> Vec<Claim> {
        let of = |nanos: &[u64]| -> Blocks { Some(nanos.iter().copied().map(block).collect()) };
        let (zorb, raw) = (of(zorb), of(raw));
        let measured = |peer, blocks| Measured { transport: SHARED, peer, blocks, distances };
        let (zorb, raw) = (measured("zorb-busy-wait", &zorb), measured("raw-busy-wait", &raw));
        Beside::of(&zorb, &raw).map(|both| both.by_distance()).unwrap_or_default()
    }

    #[test]
    fn near_and_far_processors_are_judged_separately() {
        let distances = [36.0, 54.0, 60.0, 300.0, 310.0].map(Some);
        let found = checks(&[500, 600, 600, 1300, 1300], &[140, 300, 300, 1200, 1200], &distances);
        let [one_core, near, far] = found.as_slice() else { panic!("{found:?}") };
        assert!(!one_core.holds && one_core.found.starts_with("3.57"), "{one_core:?}");
        assert!(!near.holds && near.found.starts_with("2.0"), "{near:?}");
        assert!(near.what.ends_with("(57 ns apart, 2 blocks)"), "{near:?}");
        assert!(far.holds && far.found.starts_with("1.08"), "{far:?}");
    }

    #[test]
    fn handover_times_may_be_unknown() {
        let found = checks(&[400, 400], &[300, 300], &[]);
        assert!(found.len() == 1 && found[0].holds, "{found:?}");
        assert!(checks(&[], &[], &[]).is_empty());
    }
}
