//! Marshalling engines from that of a paper, as found and after each step of its optimization: `zorb bench ladder`.

mod counts;
mod flood;
mod link;
mod plan;
mod profile;
mod program;
mod report;
mod tables;

use crate::harness::{Watch, alternating};
use crate::{Error, Result};
pub use counts::LadderCount;
pub use flood::LadderFlood;
pub use plan::LadderPlan;
use program::Program;
pub use report::LadderReport;

/// Counts and times all engines with all types, and judges the claims.
///
/// # Errors
/// The program `zorb-ladder` is missing or fails; the observer stopped the measurement.
pub fn run(plan: &LadderPlan, watch: &mut dyn Watch) -> Result<LadderReport> {
    let program = Program::new(plan)?;
    let mut floods = plan.floods();
    watch.begin(1 + floods.len() * plan.rounds() + 1);
    let mut report = LadderReport::new(plan.quick);
    stop_if_asked(watch)?;
    match program.count(plan).map_err(|error| error.during("callgrind"))? {
        Some(counted) => report.counted(counted),
        None => watch.note("without valgrind, nothing is counted"),
    }
    watch.block("counts");
    for index in alternating(floods.len(), plan.rounds()) {
        let Some(flood) = floods.get_mut(index) else { continue };
        stop_if_asked(watch)?;
        let what = flood.what();
        let done = program.flood(flood.engine, flood.elements_of, flood.buffer, plan.total());
        flood.add(&done.map_err(|error| error.during(&what))?);
        watch.block(&what);
    }
    report.floods = floods;
    stop_if_asked(watch)?;
    let mut linked = plan.floods_over_link();
    match link::measure(&program, plan, &mut linked)? {
        Ok(()) => report.link = linked,
        Err(reason) => watch.note(&format!("no link of 155 Mbit/s: {reason}")),
    }
    watch.block("155 Mbit/s");
    report.finish();
    Ok(report)
}

fn stop_if_asked(watch: &mut dyn Watch) -> Result<()> {
    if watch.wants_to_stop() { Err(Error::Stopped) } else { Ok(()) }
}
