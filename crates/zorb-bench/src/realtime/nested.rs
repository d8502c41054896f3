//! E10: A calls B, which calls A back, and so on: who serves the call back?

use std::sync::atomic::{AtomicUsize, Ordering};

use zorb::SystemExceptionKind;
use zorb::poa::PoaPolicies;

use super::bed::{Bench, HIGH, Host, LOW, ONE_CONNECTION};
use super::finding::{Finding, named};
use crate::error::{Error, Result};
use crate::stubs::real_time::Worker;

/// How long a call waits for its reply where nobody may be left to serve it, in milliseconds.
const TIMEOUT_MS: &str = "300";
/// Calls back and forth where a thread is there for each: three upcalls at A and two at B.
const DEEP: i32 = 4;

/// Who serves A's and B's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Servers {
    /// The ORBs' own threads, which pass the reading on before they call out.
    OwnThreads,
    /// The same over one connection for all calls between two ORBs.
    OwnThreadsOneConnection,
    /// Lanes with so many threads each.
    Lanes(usize),
}

/// What became of it: how many calls came back, or that it took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    Back(i32),
    TimedOut,
}

/// How deep A's upcalls were in each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Depth {
    /// The most at once.
    pub(super) at_once: usize,
    /// The most on one thread: what waits there for its reply is kept by those that came later.
    pub(super) on_a_thread: usize,
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    for (name, servers, times) in [
        ("own threads", Servers::OwnThreads, DEEP),
        ("own threads, one connection", Servers::OwnThreadsOneConnection, DEEP),
        ("a lane with a thread for each upcall", Servers::Lanes(3), DEEP),
    ] {
        let (came, depth) = bounced(bench, servers, times)?;
        let key = named(name);
        finding.measure(&format!("{key}_depth"), depth.at_once);
        finding.measure(&format!("{key}_depth_on_a_thread"), depth.on_a_thread);
        finding.check(
            &format!(
                "{name}: upcalls at once, and on one thread: no waiting one is kept by another"
            ),
            "3, 1",
            format!("{}, {}", depth.at_once, depth.on_a_thread),
            depth == Depth { at_once: 3, on_a_thread: 1 },
        );
        finding.measure(&name.replace([' ', ','], "_"), format!("{came:?}"));
        finding.check(
            &format!("{name}: {times} nested calls"),
            "come back",
            format!("{came:?}"),
            came == Came::Back(times),
        );
    }
    let (came, _) = bounced(bench, Servers::Lanes(1), 2)?;
    finding.measure("a_lane_with_one_thread", format!("{came:?}"));
    finding.control(
        "a lane with one thread, which waits for the call back to itself",
        "TIMEOUT, and no hang",
        format!("{came:?}"),
        came == Came::TimedOut,
    );
    Ok(finding)
}

/// Has A and B call each other.
pub(super) fn bounced(bench: &Bench, servers: Servers, times: i32) -> Result<(Came, Depth)> {
    let options = match servers {
        Servers::OwnThreads | Servers::Lanes(2..) => &[][..],
        Servers::OwnThreadsOneConnection => &ONE_CONNECTION[..],
        // Nobody is left for the call back. Elsewhere a machine may be as slow as it is.
        Servers::Lanes(_) => &[("RoundTripTimeout", TIMEOUT_MS)][..],
    };
    let (a, b) = (bench.server_with(options, 0)?, bench.server_with(options, 0)?);
    let client = bench.client(&[])?;
    let (near, far) = (object(&a, servers, &client)?, object(&b, servers, &client)?);
    let came = client.at(HIGH, || match near.bounce(Some(&near), Some(&far), times) {
        Ok(came) => Ok(Came::Back(came)),
        Err(exception) if exception.kind == SystemExceptionKind::Timeout => Ok(Came::TimedOut),
        Err(exception) => Err(Error::from(exception)),
    })?;
    let of = |most: &AtomicUsize| most.load(Ordering::Relaxed);
    let depth = Depth {
        at_once: of(&a.servant.most_calling),
        on_a_thread: of(&a.servant.most_on_a_thread),
    };
    Ok((came, depth))
}

fn object(server: &Host, servers: Servers, client: &Host) -> Result<Worker> {
    match servers {
        Servers::OwnThreads | Servers::OwnThreadsOneConnection => {
            server.activate(PoaPolicies::new(), client)
        }
        Servers::Lanes(threads) => {
            let pool = server.lanes(&[(LOW, 1), (HIGH, threads)])?;
            server.propagated(&pool, LOW, client)
        }
    }
}
