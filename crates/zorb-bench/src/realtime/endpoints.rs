//! E2: one endpoint for all priorities, one for each, and an ORB for each.
//!
//! After TAO's `Multiple_Endpoints`.

use std::time::Duration;

use super::bed::{Bench, HIGH, Host, SHARED};
use super::finding::{Finding, rounded};
use super::load::{Crowd, Paced, beside};
use super::times::ratio;
use crate::error::Result;
use crate::stubs::real_time::Worker;

const LOW_CLIENTS: usize = 5;
/// Five clients with so much work a call keep a processor busy all the time.
const LOW_WORK_US: u32 = 1_000;
const HIGH_WORK_US: u32 = 200;
const PERIOD: Duration = Duration::from_millis(3);

/// Which endpoints there are.
#[derive(Clone, Copy, Debug)]
enum Endpoints {
    PerPriority,
    OrbPerPriority,
    Single,
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let found = measured(bench, &mut finding, "endpoint per priority", Endpoints::PerPriority)?;
    finding.check(
        "an endpoint for each priority: p99 of high calls under load, of that without",
        "at most 2 times",
        rounded(found),
        found <= 2.0,
    );
    let found = measured(bench, &mut finding, "orb per priority", Endpoints::OrbPerPriority)?;
    finding.check(
        "an ORB for each priority: the same",
        "at most 2 times",
        rounded(found),
        found <= 2.0,
    );
    let found = measured(bench, &mut finding, "single endpoint", Endpoints::Single)?;
    finding.control(
        "one endpoint with one thread: the same",
        "at least 5 times",
        rounded(found),
        found >= 5.0,
    );
    Ok(finding)
}

/// How many times as long the high calls take under load.
fn measured(bench: &Bench, finding: &mut Finding, name: &str, which: Endpoints) -> Result<f64> {
    let client = bench.client(&[])?;
    let server = bench.server(0)?;
    let other = match which {
        Endpoints::OrbPerPriority => Some(bench.server(0)?),
        _ => None,
    };
    let (high, low) = workers(which, &server, other.as_ref(), &client)?;
    let paced = Paced { calls: bench.count(3_000, 250), period: PERIOD, micros: HIGH_WORK_US };
    let crowd = |clients| Crowd { clients, period: Duration::ZERO, micros: LOW_WORK_US };
    let free = beside(bench, &client, (&high, paced), (&low, crowd(0)))?;
    let loaded = beside(bench, &client, (&high, paced), (&low, crowd(LOW_CLIENTS)))?;
    finding.times(&format!("{name} without load"), "high calls", &free);
    finding.times(name, "high calls", &loaded);
    let found = ratio(loaded.p99(), free.p99());
    finding.measure(&format!("{name} p99_ratio").replace(' ', "_"), rounded(found));
    Ok(found)
}

/// The objects that high and low clients call.
fn workers(
    which: Endpoints,
    server: &Host,
    other: Option<&Host>,
    client: &Host,
) -> Result<(Worker, Worker)> {
    let both = match (which, other) {
        (Endpoints::OrbPerPriority, Some(other)) => {
            let (high, low) = (server.lanes(&[(HIGH, 1)])?, other.lanes(&[(SHARED, 1)])?);
            return Ok((
                server.propagated(&high, HIGH, client)?,
                other.propagated(&low, SHARED, client)?,
            ));
        }
        (Endpoints::Single, _) => server.one_pool(SHARED, 1)?,
        _ => server.lanes(&[(SHARED, 1), (HIGH, 1)])?,
    };
    let worker = server.propagated(&both, SHARED, client)?;
    Ok((worker.clone(), worker))
}
