//! The experiments of `zorb bench`: workloads and claims.

mod bridge;
mod connections;
mod conventional;
mod copies;
mod demux;
mod dynamic;
mod first;
mod matrix;
mod param;
mod pending;
mod probes;
mod runner;
mod views;
mod workloads;

use crate::catalog::{Experiment, Kind};
use crate::error::Result;
use crate::harness::{Setup, Watch};
use crate::machine::Machine;
use crate::report::Report;
use runner::Run;
use workloads::{COLLOCATED, CUBIT, FLOODS, LATENCY, threads, works};

/// Runs an experiment.
///
/// # Errors
/// A peer fails or gives a wrong answer, or the run was interrupted.
pub fn run(
    experiment: &'static Experiment,
    setup: &Setup,
    watch: &mut dyn Watch,
) -> Result<Report> {
    let options = &setup.options;
    let mut machine = Machine::here(setup);
    let mut run = Run::new(experiment, setup);
    match experiment.kind {
        Kind::Latency => matrix::measure(&mut run, &works(options, LATENCY), watch)?,
        Kind::Cubit => matrix::measure(&mut run, &works(options, CUBIT), watch)?,
        Kind::Conventional => conventional::conventional(&mut run, watch)?,
        Kind::Dynamic => dynamic::dynamic(&mut run, watch)?,
        Kind::Collocated => matrix::measure(&mut run, &works(options, COLLOCATED), watch)?,
        Kind::Ttcp => matrix::measure(&mut run, &works(options, FLOODS), watch)?,
        Kind::Threads => matrix::measure(&mut run, &threads(options), watch)?,
        Kind::Pending => pending::pending(&mut run, watch)?,
        Kind::FirstCall => first::first_call(&mut run, watch)?,
        Kind::Connections => connections::connections(&mut run, watch)?,
        Kind::Bridge => bridge::bridge(&mut run, watch)?,
        Kind::Demux => demux::demux(&mut run, watch)?,
        Kind::Copies => copies::copies(&mut run, watch)?,
        Kind::Param => param::param(&mut run, watch)?,
        Kind::Views => views::views(&mut run, watch)?,
        Kind::Probes => probes::probes(&mut run, watch)?,
    }
    let Run { rows, details, claims, text, instructions, .. } = run;
    machine.finish();
    // A quick run is too short for claims about times.
    let unclear = options.quick && !experiment.counts;
    let checks = claims.into_iter().map(|claim| claim.unclear_if(unclear)).collect();
    Ok(Report { machine, rows, details, checks, text, instructions })
}
