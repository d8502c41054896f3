//! What many names cost Zorb's naming service: the time of resolve and of starts, and memory.

use std::ops::Range;
use std::time::Instant;

use tempfile::TempDir;
use zorb::{ObjectRef, Orb};
use zorb_naming::cos_naming::{NameComponent, NamingContext};

use super::calls::{component, failed, reference, wrong};
use super::plan::NamingPlan;
use super::report::NamingLimit;
use super::service::Service;
use crate::harness::Watch;
use crate::statistics::percentile;
use crate::{Error, Result};

/// The names of the small context.
const FEW: u64 = 10;
/// How many threads bind names.
const THREADS: u64 = 8;
/// The names that are bound between two looks at whether to stop.
const BLOCK: u64 = 50_000;
/// The resolved names of a block.
const RESOLVED: u64 = 2_000;
/// The names that are bound before a service is killed.
const LAST: u64 = 100;

/// The most seconds of a start.
const START: f64 = 3.0;
const AFTER_SHUTDOWN: &str = "seconds of a start with these names";
/// The durabilities of services that are killed and started again.
const AFTER_KILL: [(&str, &str); 3] = [
    ("os", "seconds of a start after kill -9, `os`"),
    ("grouped", "seconds of a start after kill -9, `grouped`"),
    ("immediate", "seconds of a start after kill -9, `immediate`"),
];

/// The number of names, and of rounds.
fn size(plan: &NamingPlan) -> (u64, usize) {
    if plan.quick { (10_000, 3) } else { (1_000_000, 9) }
}

/// The number of blocks that [`run`] reports.
pub(super) fn blocks(plan: &NamingPlan) -> usize {
    let (count, rounds) = size(plan);
    2 * usize::try_from(count.div_ceil(BLOCK)).unwrap_or(usize::MAX) + rounds + 2 * AFTER_KILL.len()
}

/// Measures services with very many names.
///
/// # Errors
/// A service does not start, or an operation fails; the observer stopped the measurement.
pub(super) fn run(plan: &NamingPlan, watch: &mut dyn Watch) -> Result<Vec<NamingLimit>> {
    let (count, rounds) = size(plan);
    let service = Service::zorb(&plan.program, None)?;
    let names = Names::new(&service.url)?;
    names.bind(&names.few, 0..FEW)?;
    let before = service.resident()?;
    names.fill(count, watch)?;
    let text: u64 = (0..count).map(octets).sum();
    let grown = service.resident()?.saturating_sub(before).saturating_sub(text);
    let memory = NamingLimit {
        what: "octets of memory for a name, beside the name",
        limit: 150.0,
        measured: vec![grown as f64 / count as f64],
    };
    let mut ratios = Vec::new();
    for _ in 0..rounds {
        let few = names.resolve(&names.few, FEW)?;
        let many = names.resolve(&names.many, count)?;
        ratios.push(many as f64 / few.max(1) as f64);
        watch.block("resolve among many names");
        stop_if_wanted(watch)?;
    }
    let resolve = NamingLimit {
        what: "time of resolve, relative to that among 10 names",
        limit: 1.3,
        measured: ratios,
    };
    drop((names, service));

    let mut limits = vec![resolve, memory];
    limits.extend(starts(plan, count, watch)?);
    Ok(limits)
}

/// The times of starts with so many stored names.
fn starts(plan: &NamingPlan, count: u64, watch: &mut dyn Watch) -> Result<Vec<NamingLimit>> {
    let service = Service::zorb(&plan.program, Some("os"))?;
    Names::new(&service.url)?.fill(count, watch)?;
    let mut folder = service.end()?;
    let (mut count, mut after_shutdown, mut limits) = (count, Vec::new(), Vec::new());
    for (durability, what) in AFTER_KILL {
        let (seconds, service, names) = start(plan, durability, folder, count)?;
        after_shutdown.push(seconds);
        watch.block("start with many names");
        stop_if_wanted(watch)?;
        names.bind(&names.many, count..count + LAST)?;
        count += LAST;
        drop(names);
        let (seconds, service, _) = start(plan, durability, service.kill()?, count)?;
        limits.push(NamingLimit { what, limit: START, measured: vec![seconds] });
        watch.block("start with many names");
        stop_if_wanted(watch)?;
        folder = service.end()?;
    }
    limits.insert(0, NamingLimit { what: AFTER_SHUTDOWN, limit: START, measured: after_shutdown });
    Ok(limits)
}

/// Starts a service with so many stored names. Returns how long it took, until the first answer.
fn start(
    plan: &NamingPlan,
    durability: &str,
    folder: TempDir,
    count: u64,
) -> Result<(f64, Service, Names)> {
    let begun = Instant::now();
    let service = Service::zorb_in(&plan.program, Some(durability), folder)?;
    let names = Names::new(&service.url)?;
    let seconds = begun.elapsed().as_secs_f64();
    names.check_restored(count)?;
    Ok((seconds, service, names))
}

/// The octets of a bound name.
fn octets(number: u64) -> u64 {
    let NameComponent { id, kind } = component(number.to_string());
    (id.len() + kind.len()) as u64
}

fn stop_if_wanted(watch: &mut dyn Watch) -> Result<()> {
    if watch.wants_to_stop() { Err(Error::Stopped) } else { Ok(()) }
}

/// A client, with a context of few names and the root, which has many.
struct Names {
    orb: Orb,
    few: NamingContext,
    many: NamingContext,
    object: ObjectRef,
}

impl Names {
    fn new(url: &str) -> Result<Self> {
        let orb = Orb::builder().without_environment().build()?;
        let many: NamingContext = orb.resolve(url)?;
        let few = many.new_context()?.ok_or_else(wrong)?;
        let object = orb.object(reference(&few));
        Ok(Self { orb, few, many, object })
    }

    /// Binds many names.
    fn fill(&self, count: u64, watch: &mut dyn Watch) -> Result<()> {
        for first in (0..count).step_by(BLOCK as usize) {
            stop_if_wanted(watch)?;
            self.bind(&self.many, first..count.min(first + BLOCK))?;
            watch.block("bind many names");
        }
        Ok(())
    }

    /// Binds names, by several clients.
    fn bind(&self, context: &NamingContext, numbers: Range<u64>) -> Result<()> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let own = numbers.clone().skip(thread as usize).step_by(THREADS as usize);
                    scope.spawn(move || -> Result<()> {
                        for number in own {
                            let name = [component(number.to_string())];
                            context.bind(&name, Some(&self.object)).map_err(failed)?;
                        }
                        Ok(())
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|thread| {
                thread.join().map_err(|_| Error::new("a client panicked"))?
            })
        })
    }

    /// The median time of resolving some of `count` names, in nanoseconds.
    fn resolve(&self, context: &NamingContext, count: u64) -> Result<u64> {
        let mut times = Vec::new();
        for number in 0..RESOLVED {
            // A prime, so that they are all over the context.
            let name = [component((number.wrapping_mul(7_919) % count).to_string())];
            let begun = Instant::now();
            let object = context.resolve(&name);
            times.push(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX));
            object.map_err(failed)?.ok_or_else(wrong)?;
        }
        times.sort_unstable();
        Ok(percentile(&times, 50))
    }

    /// Whether the first and the last name are bound.
    fn check_restored(&self, count: u64) -> Result<()> {
        for number in [0, count - 1] {
            let name = [component(number.to_string())];
            self.many.resolve(&name).map_err(failed)?.ok_or_else(wrong)?;
        }
        Ok(())
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        // The measurement is over.
        let _ = self.orb.shutdown(true);
    }
}
