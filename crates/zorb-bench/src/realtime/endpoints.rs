//! E2: one endpoint for all priorities, one per priority, and one ORB per priority.
//!
//! After TAO's `Multiple_Endpoints`.

use std::time::Duration;

use super::bare::Bare;
use super::bed::{Bench, HIGH, Host, SHARED};
use super::finding::Finding;
use super::limit::Limit;
use super::load::Crowd;
use super::turns::{Calls, Compared};
use crate::error::Result;
use crate::stubs::real_time::Worker;

/// Five clients with this work per call saturate a processor.
const CROWD: Crowd = Crowd { clients: 5, period: Duration::ZERO, micros: 1_000 };
const WORK_US: u32 = 200;
const PERIOD: Duration = Duration::from_millis(3);

/// Configurations of endpoints.
#[derive(Clone, Copy, Debug)]
enum Endpoints {
    PerPriority,
    OrbPerPriority,
    Single,
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let found = measured(bench, Endpoints::PerPriority)?;
    finding.compared("endpoint per priority", "high calls", &found);
    let what =
        "one endpoint per priority: p99 of high-priority calls under load, relative to p99 without";
    finding.judged(what, &found);
    let found = measured(bench, Endpoints::OrbPerPriority)?;
    finding.compared("orb per priority", "high calls", &found);
    finding.judged("one ORB per priority: the same", &found);
    let found = measured(bench, Endpoints::Single)?;
    finding.compared("single endpoint", "high calls", &found);
    finding.judged("one endpoint with one thread: the same", &found);
    Ok(finding)
}

fn measured(bench: &Bench, which: Endpoints) -> Result<Compared> {
    let client = bench.client(&[])?;
    let server = bench.server(0)?;
    let other = match which {
        Endpoints::OrbPerPriority => Some(bench.server(0)?),
        _ => None,
    };
    let (high, low) = workers(which, &server, other.as_ref(), &client)?;
    let calls = Calls {
        client: &client,
        priority: HIGH,
        count: bench.count(800, 480),
        period: PERIOD,
        call: &|| Ok(high.work(-1, WORK_US)?),
        bare: &Bare::beside(&server, &bench.transport, HIGH, WORK_US)?,
        bare_every: 1,
        awake: true,
    };
    let limit = match which {
        Endpoints::Single => Limit::AtLeast(5.0),
        _ => Limit::AtMost(2.0),
    };
    calls.in_turns(bench, CROWD.calling(&client, &low), limit)
}

/// The objects that high-priority and low-priority clients call.
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
