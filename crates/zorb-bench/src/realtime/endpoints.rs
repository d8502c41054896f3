//! E2: one endpoint for all priorities, one per priority, and one ORB per priority.
//!
//! After TAO's `Multiple_Endpoints`.

use std::time::Duration;

use super::bare::Bare;
use super::bed::{Bench, HIGH, Host, SHARED};
use super::finding::Finding;
use super::interleaved::{Calls, Compared};
use super::limit::Limit;
use super::load::Clients;
use crate::error::Result;
use crate::stubs::real_time::Worker;

/// Five clients with this work per call saturate a processor.
const CROWD: Clients = Clients { clients: 5, period: Duration::ZERO, micros: 1_000 };
const WORK_US: u32 = 200;
const PERIOD: Duration = Duration::from_millis(3);

/// Configurations of endpoints.
#[derive(Clone, Copy, Debug)]
enum Endpoints {
    PerPriority,
    OrbPerPriority,
    Single,
}

/// Names and claims.
const CASES: [(Endpoints, &str, &str); 3] = [
    (
        Endpoints::PerPriority,
        "endpoint per priority",
        "one endpoint per priority: p99 of high-priority calls under load, relative to p99 without",
    ),
    (Endpoints::OrbPerPriority, "orb per priority", "one ORB per priority: the same"),
    (Endpoints::Single, "single endpoint", "one endpoint with one thread: the same"),
];

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    for (endpoints, config, what) in CASES {
        finding.comparison(config, "high calls", what, &measured(bench, endpoints)?);
    }
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
    let bare = Bare::beside(&server, &bench.transport, HIGH, WORK_US)?;
    let call = || Ok(high.work(-1, WORK_US)?);
    let calls = Calls::new(&client, HIGH, &call, &bare).paced(bench.count(800, 480), PERIOD);
    let limit = match which {
        Endpoints::Single => Limit::AtLeast(5.0),
        _ => Limit::AtMost(2.0),
    };
    calls.interleaved(bench, CROWD.calling(&client, &low), limit)
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
