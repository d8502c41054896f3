//! Calls with many structs, which the servant gets decoded, or as a view that reads them in place.

use super::matrix;
use super::runner::Run;
use super::workloads::{VIEWS, works};
use crate::error::Result;
use crate::harness::Watch;
use crate::operation::Operation;
use crate::report::{Claim, Row};

/// What the time of a call with a view is compared with, over the same transport: another peer and operation, and the
/// maximum ratio.
const LIMITS: [Limit; 4] = [
    Limit::new("iiop", "zorb", ("zorb", Operation::SumStructs), 1.0),
    Limit::new("iiop", "zorb", ("capnp", Operation::ViewStructs), 1.0),
    Limit::new("shmiop", "zorb-busy-wait", ("zorb-busy-wait", Operation::SumStructs), 1.0),
    Limit::new("shmiop", "zorb-busy-wait", ("iceoryx2", Operation::ViewStructs), 1.2),
];

struct Limit {
    transport: &'static str,
    peer: &'static str,
    other: (&'static str, Operation),
    most: f64,
}

impl Limit {
    const fn new(
        transport: &'static str,
        peer: &'static str,
        other: (&'static str, Operation),
        most: f64,
    ) -> Self {
        Self { transport, peer, other, most }
    }

    /// The claim, if `time` has both: the median of a transport, a peer and an operation.
    fn check(&self, time: impl Fn(&str, &str, Operation) -> Option<f64>) -> Option<Claim> {
        let Self { transport, peer, other: (other, operation), most } = *self;
        let own = time(transport, peer, Operation::ViewStructs)?;
        let ratio = own / time(transport, other, operation)?;
        let what = format!(
            "time of {} by {peer} over {transport} relative to {operation} by {other}",
            Operation::ViewStructs
        );
        Some(Claim::new(what, format!("at most {most:.1}"), format!("{ratio:.2}"), ratio <= most))
    }
}

/// Both operations over all transports, by all peers.
pub(super) fn views(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    matrix::measure(run, &works(&run.setup.options, VIEWS), watch)?;
    run.claims = checks(&run.rows);
    Ok(())
}

fn checks(rows: &[Row]) -> Vec<Claim> {
    let time = |transport: &str, peer: &str, operation: Operation| {
        let mut rows = rows.iter().filter(|row| row.transport == transport && row.peer == peer);
        rows.find(|row| row.operation == operation.name())?.p50_us
    };
    LIMITS.iter().filter_map(|limit| limit.check(time)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_compared_with_what_was_measured() {
        let (sum, view) = (Operation::SumStructs, Operation::ViewStructs);
        let times = [
            ("iiop", "zorb", sum, 20.0),
            ("iiop", "zorb", view, 19.0),
            ("iiop", "capnp", view, 18.0),
            ("shmiop", "zorb", view, 9.0),
            ("shmiop", "zorb-busy-wait", view, 6.0),
            ("shmiop", "iceoryx2", view, 5.0),
        ];
        let time = |transport: &str, peer: &str, operation| {
            let found = times.iter().find(|it| (it.0, it.1, it.2) == (transport, peer, operation));
            found.map(|it| it.3)
        };
        let claims: Vec<_> = LIMITS.iter().filter_map(|limit| limit.check(time)).collect();
        let found: Vec<_> = claims.iter().map(|claim| (&*claim.found, claim.holds)).collect();
        assert_eq!(found, [("0.95", true), ("1.06", false), ("1.20", true)]);
    }
}
