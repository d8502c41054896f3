//! Calls and floods beside an ORB that works as conventional ORBs did: what the papers on such ORBs found, and how Zorb
//! compares.

use super::matrix;
use super::runner::Run;
use super::workloads::{CONVENTIONAL, works};
use crate::error::Result;
use crate::harness::{Setup, Watch};
use crate::operation::Operation;
use crate::report::{Claim, Row};

/// Octets of the largest argument of two-way calls.
const MOST_OCTETS: usize = 1024;
const MOST_STRUCTS: usize = 1024 * 24;
/// Buffers of floods from which on the ORBs compare with sockets.
const LARGE: usize = 8 << 10;

/// All workloads, by all peers.
pub(super) fn conventional(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    matrix::measure(run, &works(&run.setup.options, CONVENTIONAL), watch)?;
    run.claims.extend(checks(&run.rows));
    Ok(())
}

/// The claims on Zorb, and on what is conventional.
fn checks(rows: &[Row]) -> Vec<Claim> {
    let figures = rows.iter().filter_map(|row| {
        let (peer, operation, payload) = (&*row.peer, &*row.operation, row.payload);
        Some(Figure { peer, operation, payload, ratio: row.ratio_to_raw? })
    });
    claims(&figures.collect::<Vec<_>>())
}

/// Time of calls, or rate of floods, divided by that of bare sockets.
struct Figure<'r> {
    peer: &'r str,
    operation: &'r str,
    payload: usize,
    ratio: f64,
}

/// What a ratio has to be.
#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn claim(self, figure: &Figure<'_>) -> Claim {
        let Figure { peer, operation, payload, ratio } = *figure;
        let of = if operation.starts_with("send") { "rate" } else { "time" };
        let what =
            format!("{of} of {operation} with {payload} octets by {peer} relative to bare sockets");
        let (expected, holds) = match self {
            Self::AtLeast(least) => (format!("at least {least}"), ratio >= least),
            Self::AtMost(most) => (format!("at most {most}"), ratio <= most),
        };
        Claim::new(what, expected, format!("{ratio:.2}"), holds)
    }
}

fn claims(figures: &[Figure<'_>]) -> Vec<Claim> {
    let claim = |figure: &Figure<'_>| Some(bound(figure)?.claim(figure));
    let mut claims: Vec<_> = figures.iter().filter_map(claim).collect();
    let of_structs = |payload| {
        let is = |one: &&Figure<'_>| {
            (one.peer, one.operation) == (Setup::CONVENTIONAL, Operation::EchoStructs.name())
                && one.payload == payload
        };
        figures.iter().find(is).map(|one| one.ratio)
    };
    if let (Some(one), Some(most)) = (of_structs(24), of_structs(MOST_STRUCTS)) {
        claims.push(Claim::new(
            "the ratio of a conventional ORB's calls to bare sockets grows with the number of structs",
            "from 1 to 1024".to_owned(),
            format!("{one:.2} to {most:.2}"),
            most > one,
        ));
    }
    claims
}

/// What the ratio of a workload has to be, or `None` if nothing is claimed about it.
fn bound(figure: &Figure<'_>) -> Option<Bound> {
    let is = |operation: Operation| figure.operation == operation.name();
    let is_large = is(Operation::SendOctets) || is(Operation::SendStructs);
    let is_large = is_large && figure.payload + 24 > LARGE;
    Some(match figure.peer {
        "zorb" if is(Operation::Ping) => Bound::AtMost(1.2),
        "zorb" if is(Operation::EchoOctets) && figure.payload == MOST_OCTETS => Bound::AtMost(1.3),
        "zorb" if is(Operation::EchoStructs) && figure.payload == MOST_STRUCTS => {
            Bound::AtMost(1.5)
        }
        "zorb" if is_large && is(Operation::SendOctets) => Bound::AtLeast(0.9),
        "zorb" if is_large => Bound::AtLeast(0.7),
        Setup::CONVENTIONAL if is(Operation::Ping) => Bound::AtLeast(1.5),
        Setup::CONVENTIONAL if is_large && is(Operation::SendStructs) => Bound::AtMost(0.35),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orbs_are_compared_with_bare_sockets() {
        let figures = [
            ("raw", "ping", 0, 1.0),
            ("zorb", "ping", 0, 1.3),
            ("conventional", "ping", 0, 1.6),
            ("zorb", "echo_octets", 64, 2.0),
            ("zorb", "echo_octets", 1024, 1.2),
            ("conventional", "echo_structs", 24, 1.5),
            ("conventional", "echo_structs", 24 * 1024, 9.0),
            ("omniorb", "send_structs", 1 << 20, 0.1),
            ("zorb", "send_structs", 1024, 0.1),
            ("zorb", "send_structs", 8184, 0.8),
            ("zorb", "send_octets", 8192, 0.8),
            ("conventional", "send_structs", 65_520, 0.5),
        ];
        let figures = figures.map(|(peer, operation, payload, ratio)| Figure {
            peer,
            operation,
            payload,
            ratio,
        });
        let found: Vec<_> =
            claims(&figures).into_iter().map(|claim| (claim.found, claim.holds)).collect();
        let expected = [
            ("1.30", false),
            ("1.60", true),
            ("1.20", true),
            ("0.80", true),
            ("0.80", false),
            ("0.50", false),
            ("1.50 to 9.00", true),
        ];
        assert_eq!(found, expected.map(|(found, holds)| (found.to_owned(), holds)));
    }
}
