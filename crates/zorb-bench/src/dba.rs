//! Graph coloring by processes over sockets, the small ORB and the full one: `zorb bench dba`.

mod model;
mod plan;
mod program;
mod report;
mod row;

use crate::harness::Watch;
use crate::{Error, Result};
pub use plan::DbaPlan;
use plan::{Group, Timed, order};
use program::Program;
pub use report::DbaReport;
pub use row::DbaRow;
use row::instrumentation;

/// Runs the graphs in all ways, round by round, and judges the claims.
///
/// # Errors
/// The program `dba` is missing or fails; the observer stopped the measurement.
pub fn run(plan: &DbaPlan, watch: &mut dyn Watch) -> Result<DbaReport> {
    let program = Program::new(plan)?;
    let (groups, ways) = (plan.groups(), DbaPlan::coloring());
    let runs: usize = groups.iter().map(|group| group.ways.len() * group.rounds).sum();
    watch.begin(ways.len() + runs);
    let mut report = DbaReport::new(plan.quick);
    let [_, _, mesh] = plan.topologies();
    for way in ways {
        let what = format!("coloring, {}", way.name);
        stop_if_asked(watch)?;
        let run = program.color(mesh, way).map_err(|error| error.during(&what))?;
        report.add_coloring(way, &run);
        watch.block(&what);
    }
    let rounds = groups.iter().map(|group| group.rounds).max().unwrap_or_default();
    for round in 0..rounds {
        for group in groups.iter().filter(|group| round < group.rounds) {
            measure(&program, group, round, &mut report, watch)?;
        }
    }
    report.finish();
    Ok(report)
}

/// A round of a group's runs.
fn measure(
    program: &Program,
    group: &Group,
    round: usize,
    report: &mut DbaReport,
    watch: &mut dyn Watch,
) -> Result<()> {
    let (nodes, ways) = (group.topology.nodes, &group.ways);
    for way in order(ways.len(), round).filter_map(|index| ways.get(index)) {
        let what = format!("{nodes} nodes, {}", way.name);
        stop_if_asked(watch)?;
        let run = program.measure(group, *way).map_err(|error| error.during(&what))?;
        match group.timed {
            Timed::Alternating => report.instrumentation.push(instrumentation(&run)),
            _ => report.row_mut(group, *way).add(&run),
        }
        watch.block(&what);
    }
    Ok(())
}

fn stop_if_asked(watch: &mut dyn Watch) -> Result<()> {
    if watch.wants_to_stop() { Err(Error::Stopped) } else { Ok(()) }
}
