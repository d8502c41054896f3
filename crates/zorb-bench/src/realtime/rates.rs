//! E3: clients with rates and deadlines at several priorities, and best-effort clients.
//!
//! After TAO's `Thread_Pool`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb::poa::PoaPolicies;
use zorb_os::clock::MonotonicTime;

use super::bed::{Bench, HIGH, Host, MEDIUM, SHARED, joined};
use super::finding::{Finding, named, rounded};
use super::quiet::Disturbed;
use crate::error::Result;
use crate::stubs::real_time::Worker;

/// Calls per second of the high, the medium and the low client. Each call must end before the next one
/// is due.
const RISING: [u32; 3] = [100, 50, 25];
const FALLING: [u32; 3] = [25, 50, 100];
const PRIORITIES: [i16; 3] = [HIGH, MEDIUM, SHARED];
/// The work of calls beside best-effort clients, which use the rest of the processor.
const BESIDE_US: u32 = 4_000;
/// Maximum utilization by real-time clients: the system throttles them beyond that.
const MOST: f64 = 0.9;
/// Maximum utilization at which both must be in time, with a margin for a slower machine.
const EASY: f64 = 0.8;
/// Tolerance for equal shares.
const SAME: f64 = 0.03;

/// Thread pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pool {
    /// One lane per priority with this number of threads.
    Lanes(usize),
    /// One pool of this priority and number of threads; clients' priorities are ignored.
    One(i16, usize),
}

/// One step of a sweep.
#[derive(Clone, Copy, Debug)]
struct Step {
    pool: Pool,
    rates: [u32; 3],
    micros: u32,
    /// Number of best-effort clients.
    best_effort: usize,
}

impl Step {
    fn name(&self) -> String {
        let pool = match self.pool {
            Pool::Lanes(threads) => format!("lanes {threads}"),
            Pool::One(priority, threads) => format!("pool at {priority} {threads}"),
        };
        let rates = if self.rates == RISING { "rising" } else { "falling" };
        let Self { micros, best_effort, .. } = self;
        format!("{pool} {rates} {micros} us best effort {best_effort}")
    }

    /// Utilization by the clients with real-time priorities, and by all with rates.
    fn demand(&self) -> (f64, f64) {
        let one = |rate: u32| f64::from(rate) * f64::from(self.micros) / 1e6;
        let [high, medium, low] = self.rates.map(one);
        (high + medium, high + medium + low)
    }
}

/// Each client's share of calls in time.
type Made = [f64; 3];

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let works: &[u32] = bench.count(&[1_000, 2_000, 4_000, 5_000, 5_900], &[1_000, 5_900]);
    let falling: &[u32] = bench.count(&[4_000, 8_000], &[8_000]);
    let crowds: &[usize] = bench.count(&[4, 10], &[4]);
    let threads: &[usize] = bench.count(&[2, 10], &[]);
    let others: &[i16] = bench.count(&[HIGH], &[]);

    let base = Step { pool: Pool::Lanes(1), rates: RISING, micros: BESIDE_US, best_effort: 0 };
    let mut lanes: Vec<Step> = works.iter().map(|&micros| Step { micros, ..base }).collect();
    lanes.extend(falling.iter().map(|&micros| Step { rates: FALLING, micros, ..base }));
    lanes.extend(crowds.iter().map(|&best_effort| Step { best_effort, ..base }));
    lanes.extend(threads.iter().map(|&threads| Step { pool: Pool::Lanes(threads), ..base }));
    let lanes = all(bench, &mut finding, &lanes)?;
    for (what, index, most) in [
        ("the high client", 0, MOST),
        ("the medium client when both use at most 80 % of the processor", 1, EASY),
    ] {
        let asked = lanes.iter().filter(|(step, _)| step.demand().0 <= most);
        let (least, worst) = least(asked, |made| made.get(index).copied().unwrap_or(0.0));
        finding.check(
            &format!(
                "lanes: calls of {what} that were in time, over all amounts of work, \
                 rates, threads and best-effort clients"
            ),
            "99 % or more",
            format!("{} % ({worst})", rounded(least * 100.0)),
            least >= 0.99,
        );
    }
    let late = |(step, [high, medium, low]): &&(Step, Made)| {
        let (_, demand) = step.demand();
        demand > 1.0 && !(*low < high - SAME && *low < medium - SAME)
    };
    let wrong = lanes.iter().filter(late).count();
    let loaded = lanes.iter().filter(|(step, _)| step.demand().1 > 1.0).count();
    finding.check(
        "lanes, overload: only the low client is late",
        &format!("in {loaded} of {loaded} configurations"),
        format!("in {}", loaded - wrong),
        wrong == 0 && loaded > 0,
    );
    let free = Step { pool: Pool::Lanes(1), micros: 1_000, ..base };
    let in_time = lanes.iter().find(|(step, _)| step.name() == free.name());
    let in_time = in_time.map_or(0.0, |(_, [.., low])| *low);
    finding.check(
        "lanes, no overload: calls of the low client that were in time",
        "95 % or more",
        format!("{} %", rounded(in_time * 100.0)),
        in_time >= 0.95,
    );

    let zero = Step { pool: Pool::One(SHARED, 1), ..base };
    let mut pools: Vec<Step> = works.iter().map(|&micros| Step { micros, ..zero }).collect();
    pools.push(Step { best_effort: 4, ..zero });
    pools.extend(others.iter().map(|&priority| Step { pool: Pool::One(priority, 1), ..zero }));
    let pools = all(bench, &mut finding, &pools)?;
    let full = pools.iter().filter(|(step, _)| step.demand().1 > 1.0 || step.best_effort > 0);
    let most = full.map(|(_, [high, ..])| *high).fold(0.0, f64::max);
    finding.control(
        "one pool without priorities, overload: calls of the high client that were in time",
        "less than 90 %",
        format!("at most {} %", rounded(most * 100.0)),
        most < 0.9,
    );
    Ok(finding)
}

/// Runs all steps, and adds the share of each client.
fn all(bench: &Bench, finding: &mut Finding, steps: &[Step]) -> Result<Vec<(Step, Made)>> {
    let mut found = Vec::new();
    for step in steps.iter().filter(|step| step.demand().0 <= MOST) {
        let made = step.made(bench, 1.2)?;
        for (client, made) in ["high", "medium", "low"].iter().zip(made) {
            let what = named(&format!("{} {client} made_percent", step.name()));
            finding.measure(&what, rounded(made * 100.0));
        }
        found.push((*step, made));
    }
    Ok(found)
}

/// The minimum of a value, and its step.
fn least<'s>(
    steps: impl Iterator<Item = &'s (Step, Made)>,
    of: impl Fn(&Made) -> f64,
) -> (f64, String) {
    let least = steps.map(|(step, made)| (of(made), step.name()));
    let least = least.min_by(|(one, _), (other, _)| one.total_cmp(other));
    least.unwrap_or_else(|| (0.0, "no step".to_owned()))
}

impl Step {
    /// Runs all clients for so many seconds.
    fn made(&self, bench: &Bench, seconds: f64) -> Result<Made> {
        let Self { pool, rates, micros, best_effort } = *self;
        let server = bench.server(0)?;
        let client = bench.client(&[])?;
        let worker = pool.object(&server, &client, best_effort)?;
        let stop = AtomicBool::new(false);
        let (stop, worker, client) = (&stop, &worker, &client);
        std::thread::scope(|scope| {
            let crowd: Vec<_> = (0..best_effort)
                .map(|_| {
                    client.thread(scope, SHARED, move || {
                        while !stop.load(Ordering::Relaxed) {
                            worker.work(-1, micros)?;
                        }
                        Ok(())
                    })
                })
                .collect();
            let paced = [0, 1, 2].map(|index: usize| {
                let priority = PRIORITIES.get(index).copied().unwrap_or(SHARED);
                let rate = rates.get(index).copied().unwrap_or(1);
                client
                    .thread(scope, priority, move || in_time(bench, worker, micros, rate, seconds))
            });
            let [high, medium, low] = paced.map(|thread| joined(thread.join()));
            stop.store(true, Ordering::Relaxed);
            for thread in crowd {
                joined(thread.join())?;
            }
            Ok([high?, medium?, low?])
        })
    }
}

impl Pool {
    fn object(self, server: &Host, client: &Host, best_effort: usize) -> Result<Worker> {
        match self {
            Self::Lanes(threads) => {
                let low = (SHARED, threads + best_effort);
                let pool = server.lanes(&[low, (MEDIUM, threads), (HIGH, threads)])?;
                server.propagated(&pool, SHARED, client)
            }
            Self::One(priority, threads) => {
                let pool = server.one_pool(priority, threads)?;
                server.activate(PoaPolicies::new().with(pool.policy()), client)
            }
        }
    }
}

/// A period of a client.
#[derive(Clone, Copy, Debug)]
struct Period {
    due: MonotonicTime,
    end: MonotonicTime,
    /// Start and end of its call; `None` if there was no call.
    call: Option<(MonotonicTime, MonotonicTime)>,
}

impl Period {
    fn is_made(&self) -> bool {
        self.call.is_some_and(|(_, back)| back <= self.end)
    }

    /// Whether it would have been in time if the call before it had ended when this one was due.
    fn is_quick(&self, before: MonotonicTime) -> bool {
        match self.call {
            Some((begun, back)) => back.duration_since(begun) <= self.end.duration_since(self.due),
            None => before >= self.end,
        }
    }

    /// The share of periods whose calls were in time. Disturbed periods do not count, nor those after them
    /// whose calls started late only because a call that does not count ended late.
    fn made(periods: &[Self], disturbed: &Disturbed) -> f64 {
        let (mut made, mut counted) = (0_usize, 0_usize);
        let mut held_up: Option<MonotonicTime> = None;
        for period in periods {
            let elsewhere = disturbed.overlaps(period.due, period.end);
            let held = held_up.filter(|back| *back > period.due);
            if elsewhere || held.is_some_and(|back| period.is_quick(back)) {
                held_up = period.call.map(|(_, back)| back).or(held_up);
                continue;
            }
            held_up = None;
            counted += 1;
            made += usize::from(period.is_made());
        }
        made as f64 / counted.max(1) as f64
    }
}

/// The share of calls that ended before the next one was due; skipped calls are late.
fn in_time(bench: &Bench, worker: &Worker, micros: u32, rate: u32, seconds: f64) -> Result<f64> {
    worker.work(-1, 0)?;
    let period = Duration::from_secs(1) / rate;
    let calls = (f64::from(rate) * seconds) as u32;
    let begun = MonotonicTime::now();
    let mut periods = Vec::with_capacity(calls as usize);
    for number in 0..calls {
        let due = begun + period * number;
        let end = due + period;
        std::thread::sleep(due.time_left());
        // A call that would start after its period is skipped.
        let begun = MonotonicTime::now();
        let called = begun < end;
        if called {
            worker.work(-1, micros)?;
        }
        periods.push(Period { due, end, call: called.then(|| (begun, MonotonicTime::now())) });
    }
    Ok(Period::made(&periods, &bench.disturbed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disturbed_periods_and_their_consequences_do_not_count() {
        let at = |ms: u64| MonotonicTime::from_nanos(ms * 1_000_000);
        // Start and end of the call of each 10 ms period.
        let periods = |calls: &[Option<(u64, u64)>]| -> Vec<Period> {
            let periods = (0..).zip(calls).map(|(number, call)| Period {
                due: at(number * 10),
                end: at(number * 10 + 10),
                call: call.map(|(begun, back)| (at(begun), at(back))),
            });
            periods.collect()
        };
        let elsewhere = |from, to| Disturbed::of(vec![(at(from), at(to))]);
        let calls = [Some((0, 6)), Some((10, 25)), Some((25, 31)), Some((31, 37)), Some((40, 46))];
        // The second is disturbed; the next two start late, and one of them ends late because of that.
        assert_eq!(Period::made(&periods(&calls), &elsewhere(12, 19)), 1.0);
        // Without a disturbance, both count.
        assert_eq!(Period::made(&periods(&calls), &Disturbed::default()), 0.6);
        assert_eq!(Period::made(&periods(&calls), &elsewhere(2, 4)), 0.5);
        // Calls that take longer than a period count in any case.
        let slow = periods(&[Some((0, 25)), Some((25, 36)), Some((36, 48))]);
        assert_eq!(Period::made(&slow, &elsewhere(2, 4)), 0.0);
        // A call that could not start is disturbed, too; an undisturbed one is late.
        let skipped = periods(&[Some((0, 21)), None, Some((21, 27)), None]);
        assert_eq!(Period::made(&skipped, &elsewhere(2, 4)), 0.0);
        assert_eq!(Period::made(skipped.get(..3).unwrap_or_default(), &elsewhere(12, 13)), 0.5);
        assert_eq!(Period::made(&[], &elsewhere(2, 4)), 0.0);
    }

    #[test]
    fn the_utilization_of_a_step_is_computed() {
        let step = Step { pool: Pool::Lanes(1), rates: RISING, micros: 6_000, best_effort: 0 };
        let (real_time, all) = step.demand();
        assert!((real_time - 0.9).abs() < 1e-9 && (all - 1.05).abs() < 1e-9);
        assert_eq!(step.name(), "lanes 1 rising 6000 us best effort 0");
        let falling = Step { rates: FALLING, pool: Pool::One(10, 2), ..step };
        assert_eq!(falling.name(), "pool at 10 2 falling 6000 us best effort 0");
        assert!((falling.demand().0 - 0.45).abs() < 1e-9);
    }
}
