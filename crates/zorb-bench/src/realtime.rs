//! The real-time experiments of `zorb bench rt`: whether priorities take effect.
//!
//! Client and server are two ORBs of this process, on one processor each. Each experiment states what
//! must hold, and repeats the measurement in a configuration that is known to fail, its *control*: if
//! the failure is not detected there, the experiment is not conclusive. Orders of upcalls are judged by
//! [`oracle`]; times are compared with those of the same calls without load, in the same run.

mod awake;
mod bare;
mod bed;
mod blocked;
mod bursts;
mod crowds;
mod endpoints;
mod exhaustion;
mod finding;
mod growth;
mod hops;
mod interleaved;
mod interval;
mod jitter;
mod limit;
mod load;
mod locks;
mod nested;
mod network;
pub mod oracle;
mod placement;
mod private;
mod quiet;
mod rates;
mod report;
mod scopes;
mod servant;
mod strategies;
mod switches;
mod times;
mod unused;
mod upcalls;
mod work;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::time::{Duration, Instant};

pub use bed::denial;
pub use finding::Finding;
pub use report::{Outcome, RtReport};

use crate::error::{Error, Result};
use crate::harness::Watch;
use bed::Bench;

/// The transports that the experiments run over unless told otherwise.
pub const TRANSPORTS: [&str; 3] = ["uiop", "shmiop", "iiop"];

/// One of the real-time experiments.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its short name, `E1`.
    pub name: &'static str,
    /// A short description.
    pub title: &'static str,
    run: fn(&Bench) -> Result<Finding>,
}

impl Experiment {
    /// Whether the experiment applies to the transport: E8 needs a network, and thus TCP.
    #[must_use]
    pub fn runs_over(&self, transport: &str) -> bool {
        self.name != "E8" || transport == "iiop"
    }
}

/// All of them, in order.
pub const ALL: &[Experiment] = &[
    Experiment { name: "E1", title: "bursts of low and high priority", run: bursts::run },
    Experiment { name: "E2", title: "one endpoint, or one for each priority", run: endpoints::run },
    Experiment { name: "E3", title: "rates and deadlines", run: rates::run },
    Experiment { name: "E4", title: "strategies of pools", run: strategies::run },
    Experiment { name: "E5", title: "increasing number of low-priority clients", run: crowds::run },
    Experiment { name: "E6", title: "locks with priority inheritance", run: locks::run },
    Experiment { name: "E7", title: "private connections beside a flood", run: private::run },
    Experiment {
        name: "E8",
        title: "high-priority calls over a saturated link",
        run: network::run,
    },
    Experiment { name: "E9", title: "exhausted and borrowed threads", run: exhaustion::run },
    Experiment { name: "E10", title: "nested calls back into a waiting server", run: nested::run },
    Experiment { name: "E11", title: "priorities at every hop", run: hops::run },
    Experiment { name: "E12", title: "sync scopes of one-way calls", run: scopes::run },
    Experiment { name: "E13", title: "jitter of calls, idle and under load", run: jitter::run },
    Experiment { name: "E14", title: "dynamic threads", run: growth::run },
    Experiment { name: "E15", title: "cost of unused real-time features", run: unused::run },
];

/// A selection of experiments.
#[derive(Clone, Debug, Default)]
pub struct RtPlan {
    /// Names of experiments; empty for all.
    pub only: Vec<String>,
    /// URL schemes of transports; empty for [`TRANSPORTS`].
    pub transports: Vec<String>,
    /// Fewer and shorter runs, all in a few minutes.
    pub quick: bool,
}

impl RtPlan {
    /// The selected experiments.
    ///
    /// # Errors
    /// There is no experiment of a selected name.
    pub fn experiments(&self) -> Result<Vec<Experiment>, String> {
        let same = |name: &str, wanted: &String| wanted.eq_ignore_ascii_case(name);
        for wanted in &self.only {
            if !ALL.iter().any(|experiment| same(experiment.name, wanted)) {
                let names: Vec<_> = ALL.iter().map(|experiment| experiment.name).collect();
                return Err(format!(
                    "no experiment is called {wanted}; there are {}",
                    names.join(", ")
                ));
            }
        }
        let wanted = |experiment: &&Experiment| {
            self.only.is_empty() || self.only.iter().any(|wanted| same(experiment.name, wanted))
        };
        Ok(ALL.iter().filter(wanted).copied().collect())
    }

    fn transports(&self) -> Vec<String> {
        if self.transports.is_empty() {
            return TRANSPORTS.map(str::to_owned).to_vec();
        }
        let mut seen = HashSet::new();
        self.transports.iter().filter(|name| seen.insert(*name)).cloned().collect()
    }
}

/// Runs the selected experiments. Without permission for real-time priorities they are skipped, with the
/// reason.
///
/// # Errors
/// There is no experiment of a selected name, or the run was stopped. An experiment that fails is
/// reported as one that does not hold.
pub fn run(plan: &RtPlan, watch: &mut dyn Watch) -> Result<RtReport> {
    let experiments = plan.experiments().map_err(Error::new)?;
    let transports = plan.transports();
    let mut report = RtReport::new(plan.quick);
    let denial = bed::denial();
    watch.begin(experiments.len() * transports.len());
    for experiment in experiments {
        for transport in &transports {
            if !experiment.runs_over(transport) {
                continue;
            }
            if watch.wants_to_stop() {
                return Err(Error::Stopped);
            }
            watch.block(&format!("{} over {transport}", experiment.name));
            let found = match &denial {
                Some(reason) => Ok(Finding::not_run(reason)),
                None => one(&experiment, transport, plan.quick),
            };
            report.add(experiment.name, experiment.title, transport, found);
        }
    }
    report.machine.finish();
    Ok(report)
}

/// Runs three periodic tasks with rate-monotonic priorities beside threads that saturate their
/// processor, and without priorities for a tenth of the time: whether deadlines are met, and what an
/// upcall costs.
///
/// # Errors
/// The run was stopped.
pub fn upcalls(time: Duration, watch: &mut dyn Watch) -> Result<RtReport> {
    let mut report = RtReport::new(false);
    watch.begin(1);
    if watch.wants_to_stop() {
        return Err(Error::Stopped);
    }
    watch.block("periodic upcalls");
    let found = match bed::denial() {
        Some(reason) => Ok(Finding::not_run(&reason)),
        None => upcalls::run(time),
    };
    report.add("upcalls", "periodic tasks by rate monotonic priorities", "none", found);
    report.machine.finish();
    Ok(report)
}

fn one(experiment: &Experiment, transport: &str, quick: bool) -> Result<Finding> {
    let begun = Instant::now();
    let bench = Bench::over(transport, quick)?;
    let mut finding = (experiment.run)(&bench)?;
    finding.measure("disturbances", bench.disturbances());
    finding.measure("seconds", finding::rounded(begun.elapsed().as_secs_f64()));
    Ok(finding)
}

/// The order of E6, without times: whether a high-priority upcall that waits for a lock held by a
/// low-priority one ends before a medium-priority one that saturates the processor. It does if the lock
/// `inherits` priorities.
///
/// # Errors
/// Priorities cannot be set, or a call fails.
pub fn overtakes(transport: &str, inherits: bool) -> Result<bool> {
    locks::overtakes(&Bench::ordered(transport), inherits)
}
