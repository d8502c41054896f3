//! Graph coloring by processes over sockets, the small ORB and the full one: `zorb bench dba`.

mod model;
mod plan;
mod program;
mod report;
mod row;

use crate::harness::{Watch, alternating};
use crate::{Error, Result};
pub use plan::DbaPlan;
use program::Program;
pub use report::DbaReport;
pub use row::DbaRow;

/// Runs the graphs in all ways, interleaved, and judges the claims.
///
/// # Errors
/// The program `dba` is missing or fails; the observer stopped the measurement.
pub fn run(plan: &DbaPlan, watch: &mut dyn Watch) -> Result<DbaReport> {
    let program = Program::new(plan)?;
    let (runs, ways) = (plan.runs(), DbaPlan::coloring());
    watch.begin(ways.len() + runs.len() * plan.rounds());
    let mut report = DbaReport::new(plan.quick);
    let [_, _, mesh] = plan.topologies();
    for way in ways {
        let what = format!("coloring, {}", way.name);
        stop_if_asked(watch)?;
        let run = program.color(mesh, way).map_err(|error| error.during(&what))?;
        report.add_coloring(way, &run);
        watch.block(&what);
    }
    report.rows = runs.iter().map(|&(graph, way, timed)| DbaRow::new(graph, way, timed)).collect();
    for index in alternating(runs.len(), plan.rounds()) {
        let (Some(&(graph, way, timed)), Some(row)) = (runs.get(index), report.rows.get_mut(index))
        else {
            continue;
        };
        let what = format!("{} nodes, {}", graph.nodes, way.name);
        stop_if_asked(watch)?;
        let run = program.measure(graph, way, timed).map_err(|error| error.during(&what))?;
        row.add(&run);
        watch.block(&what);
    }
    report.finish();
    Ok(report)
}

fn stop_if_asked(watch: &mut dyn Watch) -> Result<()> {
    if watch.wants_to_stop() { Err(Error::Stopped) } else { Ok(()) }
}
