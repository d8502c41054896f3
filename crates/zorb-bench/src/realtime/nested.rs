//! E10: nested calls: A calls B, which calls A back, and so on.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb::poa::PoaPolicies;
use zorb::{Interface as _, SystemExceptionKind};

use super::bed::{Bench, HIGH, Host, LOW, ONE_CONNECTION, joined};
use super::finding::{Finding, named};
use super::servant::until;
use crate::error::{Error, Result};
use crate::report::Claim;
use crate::stubs::real_time::Worker;

/// Timeout of calls in milliseconds, if no thread is left to serve them.
const TIMEOUT_MS: &str = "300";
/// Depth of calls if there is a thread for each: three upcalls in A and two in B.
const DEEP: i32 = 4;

/// Configurations of A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Servers {
    /// Thread per connection: a thread hands the input to another one before it makes a call.
    OwnThreads,
    /// The ORBs' own threads, with one connection between two ORBs.
    OwnThreadsOneConnection,
    /// Lanes with this number of threads each.
    Lanes(usize),
}

/// The result: the number of calls that returned, or a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Returned(i32),
    TimedOut,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned(calls) => write!(f, "{calls} returned"),
            Self::TimedOut => f.write_str("TIMEOUT"),
        }
    }
}

/// The nesting of A's upcalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Depth {
    /// Maximum number of concurrent ones.
    pub(super) at_once: usize,
    /// Maximum number on one thread, where later ones delay earlier ones.
    pub(super) on_a_thread: usize,
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    for (name, servers, times) in [
        ("thread per connection", Servers::OwnThreads, DEEP),
        ("thread per connection, one connection", Servers::OwnThreadsOneConnection, DEEP),
        ("lane with one thread per upcall", Servers::Lanes(3), DEEP),
    ] {
        let (came, depth) = bounced(bench, servers, times)?;
        let key = named(name);
        finding.measure(&format!("{key}_depth"), depth.at_once);
        finding.measure(&format!("{key}_depth_on_a_thread"), depth.on_a_thread);
        finding.check(
            &format!(
                "{name}: maximum concurrent upcalls, in total and per thread (no waiting upcall is delayed)"
            ),
            "3, 1",
            format!("{}, {}", depth.at_once, depth.on_a_thread),
            depth == Depth { at_once: 3, on_a_thread: 1 },
        );
        finding.measure(&name.replace([' ', ','], "_"), format!("{came}"));
        finding.check(
            &format!("{name}: {times} nested calls"),
            "all return",
            format!("{came}"),
            came == Outcome::Returned(times),
        );
    }
    for (name, servers) in [
        ("thread per connection", Servers::OwnThreads),
        ("thread per connection, one connection", Servers::OwnThreadsOneConnection),
        ("lane with one thread per upcall", Servers::Lanes(3)),
        ("lane with one thread", Servers::Lanes(1)),
    ] {
        let order = ordered(bench, servers)?;
        let what = format!("{name}: a request that arrives while an upcall waits for a reply");
        finding.measure(&named(&format!("{name} order")), format!("{order:?}"));
        let found = match order {
            Order { served_meanwhile: true, delayed: true } => "is served, and delays the upcall",
            Order { served_meanwhile: true, delayed: false } => {
                "is served without delaying the upcall"
            }
            Order { served_meanwhile: false, .. } => "waits",
        };
        let (expected, holds) = match servers {
            Servers::Lanes(1) => ("waits", !order.served_meanwhile),
            _ => ("is served without delaying the upcall", order == Order::GOOD),
        };
        finding.claim(servers == Servers::Lanes(1), Claim::new(what, expected, found, holds));
    }
    let (came, _) = bounced(bench, Servers::Lanes(1), 2)?;
    finding.measure("lane_with_one_thread", format!("{came}"));
    finding.control(
        "lane with one thread that waits for a callback to itself",
        "TIMEOUT",
        format!("{came}"),
        came == Outcome::TimedOut,
    );
    Ok(finding)
}

/// Lets A and B call each other.
pub(super) fn bounced(bench: &Bench, servers: Servers, times: i32) -> Result<(Outcome, Depth)> {
    let options = match servers {
        Servers::OwnThreads | Servers::Lanes(2..) => &[][..],
        Servers::OwnThreadsOneConnection => &ONE_CONNECTION[..],
        // No thread is left for the nested call. The others need no timeout.
        Servers::Lanes(_) => &[("RoundTripTimeout", TIMEOUT_MS)][..],
    };
    let (a, b) = (bench.server_with(options, 0)?, bench.server_with(options, 0)?);
    let client = bench.client(&[])?;
    let (near, far) = (object(&a, servers, &client)?, object(&b, servers, &client)?);
    let came = client.at(HIGH, || match near.bounce(Some(&near), Some(&far), times) {
        Ok(came) => Ok(Outcome::Returned(came)),
        Err(exception) if exception.kind == SystemExceptionKind::Timeout => Ok(Outcome::TimedOut),
        Err(exception) => Err(Error::from(exception)),
    })?;
    let of = |most: &AtomicUsize| most.load(Ordering::Relaxed);
    let depth = Depth {
        at_once: of(&a.servant.most_calling),
        on_a_thread: of(&a.servant.most_on_a_thread),
    };
    Ok((came, depth))
}

/// The outcome of a request that arrives while an upcall waits for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Its upcall started before the reply arrived.
    pub(super) served_meanwhile: bool,
    /// The waiting upcall was delayed by it although its reply had arrived.
    pub(super) delayed: bool,
}

impl Order {
    pub(super) const GOOD: Self = Self { served_meanwhile: true, delayed: false };
}

/// Lets an upcall of A wait for B, and sends another request to A; B replies before that request's upcall may
/// end. The result depends on order, not on time: if the request is not served, requests to another lane have
/// been.
pub(super) fn ordered(bench: &Bench, servers: Servers) -> Result<Order> {
    const WAITS: i32 = 0;
    const COMES: i32 = 1;
    let options = match servers {
        Servers::OwnThreadsOneConnection => &ONE_CONNECTION[..],
        _ => &[][..],
    };
    let (a, b) = (bench.server_with(options, 2)?, bench.server_with(options, 1)?);
    let (client, other) = (bench.client(&[])?, bench.client(&[])?);
    let (near, far) = (object(&a, servers, &client)?, object(&b, servers, &client)?);
    let same: Worker = other.orb.resolve(&near.as_object().to_ior_string())?;
    let (here, there) = (&a.servant, &b.servant);
    there.shut([WAITS]);
    here.shut([COMES]);
    std::thread::scope(|scope| {
        let waits = client.thread(scope, HIGH, || Ok(near.through(Some(&far), WAITS)?));
        let called = until("the first upcall calls on", || there.log.has_begun(WAITS));
        let comes = other.thread(scope, HIGH, || Ok(same.work(COMES, 0)?));
        let waited = called.and_then(|()| match servers {
            Servers::Lanes(1) => client.at(LOW, || {
                (0..20).try_for_each(|_| near.rest(-1, 1_000))?;
                Ok(())
            }),
            _ => until("the second is served", || here.log.has_begun(COMES)),
        });
        let served_meanwhile = here.log.has_begun(COMES);
        there.open([WAITS]);
        // Releases a blocked upcall at the end, so that a failure does not hang.
        let ended = until("the first upcall ends", || here.log.has_ended(WAITS));
        let delayed = ended.is_err() || here.log.has_ended(COMES);
        here.open([COMES]);
        joined(waits.join())?;
        joined(comes.join())?;
        waited?;
        Ok(Order { served_meanwhile, delayed })
    })
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
