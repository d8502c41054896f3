//! The real-time experiments of `zorb bench rt`: whether priorities hold where it is hard.
//!
//! Client and server are two ORBs of this process, on a processor each, with the transport between
//! them. Each experiment asks for something that has to hold, and then does the same in a set-up that
//! is known to fail, its *control*: what is not detected there, the experiment could not have seen
//! either. Orders of upcalls are judged where there is one to judge ([`oracle`]); times are compared
//! with those of the same calls without load, of the same run.

mod awake;
mod bare;
mod bed;
mod bursts;
mod crowds;
mod endpoints;
mod exhaustion;
mod finding;
mod growth;
mod hops;
mod interval;
mod jitter;
mod limit;
mod load;
mod locks;
mod nested;
mod network;
pub mod oracle;
mod place;
mod private;
mod quiet;
mod rates;
mod report;
mod scopes;
mod servant;
mod strategies;
mod switches;
mod times;
mod turns;
mod unused;
mod upcalls;
mod verdict;
mod work;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::time::{Duration, Instant};

pub use bed::denial;
pub use finding::Finding;
pub use report::{Outcome, RtReport};
pub use verdict::{Judged, Verdict};

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
    /// What it is about.
    pub title: &'static str,
    run: fn(&Bench) -> Result<Finding>,
}

impl Experiment {
    /// Whether the transport has what the experiment is about: there is a network below TCP alone.
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
    Experiment { name: "E5", title: "more and more clients of low priority", run: crowds::run },
    Experiment { name: "E6", title: "locks with priority inheritance", run: locks::run },
    Experiment { name: "E7", title: "private connections beside a flood", run: private::run },
    Experiment { name: "E8", title: "high calls over a link that is full", run: network::run },
    Experiment { name: "E9", title: "exhausted threads, and borrowed ones", run: exhaustion::run },
    Experiment { name: "E10", title: "calls back into a server that waits", run: nested::run },
    Experiment { name: "E11", title: "priorities at every hop", run: hops::run },
    Experiment { name: "E12", title: "what a one-way call waits for", run: scopes::run },
    Experiment { name: "E13", title: "jitter of calls, idle and under load", run: jitter::run },
    Experiment { name: "E14", title: "dynamic threads", run: growth::run },
    Experiment { name: "E15", title: "a real-time side that nothing uses", run: unused::run },
];

/// How they are done.
#[derive(Clone, Debug, Default)]
pub struct RtPlan {
    /// The names of those that are wanted; none for all.
    pub only: Vec<String>,
    /// The URL schemes of transports; none for [`TRANSPORTS`].
    pub transports: Vec<String>,
    /// Fewer and shorter runs, all in a few minutes.
    pub quick: bool,
}

impl RtPlan {
    /// The experiments that are wanted.
    ///
    /// # Errors
    /// A name that no experiment has, in words.
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

/// Does the experiments that are asked for. Where the system does not let this process give threads
/// real-time priorities, none of them is run, and each says why.
///
/// # Errors
/// A name that no experiment has; the watcher wants to stop. An experiment that fails is reported as
/// one that did not hold.
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
    Ok(report)
}

/// Runs three periodic tasks by rate monotonic priorities for so long, beside threads that want all of
/// their processor, and without priorities for a tenth of it: whether deadlines are met, and what an
/// upcall costs.
///
/// # Errors
/// The watcher wants to stop.
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

/// The order of E6, without times: whether a high upcall that waits for a lock of a low one ended before
/// one of middle priority that hogs the processor. It does where the lock `inherits` priorities.
///
/// # Errors
/// Where priorities cannot be set, and what goes wrong in the calls.
pub fn overtakes(transport: &str, inherits: bool) -> Result<bool> {
    locks::overtakes(&Bench::ordered(transport), inherits)
}
