//! The experiments of `zorb bench`: workloads and claims.

mod bridge;
mod calls;
mod connections;
mod copies;
mod demux;
mod first;
mod kind;
mod matrix;
mod probes;
mod runner;

pub use kind::Experiment;
pub use runner::Plan;

use crate::error::Result;
use crate::harness::Watch;
use crate::machine::Machine;
use crate::report::Report;
use runner::Run;

impl Experiment {
    /// Runs it.
    ///
    /// # Errors
    /// A peer fails or gives a wrong answer, or the run was interrupted.
    pub fn run(self, plan: &Plan, watch: &mut dyn Watch) -> Result<Report> {
        let machine = Machine::here(&plan.setup);
        let mut run = Run::new(self, plan);
        match self {
            Self::Latency => matrix::measure(&mut run, &calls::latency(plan), watch)?,
            Self::Cubit => matrix::cubit(&mut run, watch)?,
            Self::Dynamic => matrix::measure(&mut run, &calls::dynamic(plan), watch)?,
            Self::Threads => matrix::measure(&mut run, &calls::threads(plan), watch)?,
            Self::Collocated => matrix::measure(&mut run, &calls::collocated(plan), watch)?,
            Self::Ttcp => matrix::measure(&mut run, &calls::ttcp(plan), watch)?,
            Self::FirstCall => first::first_call(&mut run, watch)?,
            Self::Connections => connections::connections(&mut run, watch)?,
            Self::Bridge => bridge::bridge(&mut run, watch)?,
            Self::Demux => demux::demux(&mut run, watch)?,
            Self::Copies => copies::copies(&mut run, watch)?,
            Self::Probes => probes::probes(&mut run, &plan.transports, watch)?,
        }
        let Run { rows, details, checks, text, .. } = run;
        // A quick run is too short for claims about times.
        let unclear = plan.quick && self != Self::Copies;
        let checks = checks.into_iter().map(|claim| claim.unclear_if(unclear)).collect();
        Ok(Report { machine, rows, details, checks, text })
    }
}
