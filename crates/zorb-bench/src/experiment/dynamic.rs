//! Values of types known at run time: how much faster Zorb is with them than omniORB.

use super::matrix;
use super::runner::Run;
use super::workloads::{DYNAMIC, works};
use crate::error::Result;
use crate::harness::{Setup, Watch};
use crate::operation::Operation;
use crate::report::{Claim, Row};

/// How many times omniORB's time Zorb's goes into: at least so often with large values, and with a single struct.
const CALLS: [f64; 2] = [2.0, 1.2];
/// Values that are composed and read member by member.
const LEAVES: [f64; 2] = [1.0; 2];
/// The octets of a single struct.
const SINGLE: usize = 24;
/// The least octets of large values: those of as many structs as fit into 64 KiB.
const LARGE: usize = 65_520;

/// All workloads, by all peers.
pub(super) fn dynamic(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    matrix::measure(run, &works(&run.setup.options, DYNAMIC), watch)?;
    run.claims.extend(checks(&run.rows));
    Ok(())
}

/// The claims on dynamic calls, by stubs' servants and by those without skeletons, and on values.
fn checks(rows: &[Row]) -> Vec<Claim> {
    let medians = rows.iter().filter_map(|row| {
        Some(Median {
            peer: &row.peer,
            operation: &row.operation,
            payload: row.payload,
            transport: &row.transport,
            micros: row.p50_us?,
        })
    });
    claims(&medians.collect::<Vec<_>>())
}

/// The median time of a row.
struct Median<'r> {
    peer: &'r str,
    operation: &'r str,
    payload: usize,
    transport: &'r str,
    micros: f64,
}

fn claims(medians: &[Median<'_>]) -> Vec<Claim> {
    let dynamic = format!("zorb{}", Setup::DYNAMIC);
    let own = medians.iter().filter(|one| one.peer == "zorb" || one.peer == dynamic);
    let claim = |one: &Median<'_>| {
        let of_size = match one.payload {
            SINGLE => 1,
            LARGE.. => 0,
            _ => return None,
        };
        let least = least(one.operation)?[of_size];
        let peer = one.peer.replace("zorb", "omniorb");
        let other = medians.iter().find(|other| {
            (other.peer, other.operation, other.payload, other.transport)
                == (&*peer, one.operation, one.payload, one.transport)
        })?;
        let ratio = other.micros / one.micros;
        let what = format!(
            "time of {} with {} octets by {peer} relative to {}",
            one.operation, one.payload, one.peer
        );
        let found = format!("{ratio:.2}");
        Some(Claim::new(what, format!("at least {least:.1}"), found, ratio >= least))
    };
    own.filter_map(claim).collect()
}

/// The minimum ratios of an operation, or `None` if nothing is claimed about it.
fn least(operation: &str) -> Option<[f64; 2]> {
    let is = |operations: [Operation; 4]| operations.iter().any(|one| one.name() == operation);
    if is([Operation::DiiStructs, Operation::DiiOctets, Operation::DiiLongs, Operation::DiiDoubles])
    {
        return Some(CALLS);
    }
    is([
        Operation::LeavesStructs,
        Operation::LeavesOctets,
        Operation::LeavesLongs,
        Operation::LeavesDoubles,
    ])
    .then_some(LEAVES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_is_compared_with_its_counterpart() {
        let medians = [
            ("zorb", "dii_structs", 24, 10.0),
            ("omniorb", "dii_structs", 24, 12.0),
            ("zorb", "dii_longs", 65_536, 10.0),
            ("zorb-dsi", "dii_longs", 65_536, 20.0),
            ("omniorb", "dii_longs", 65_536, 19.0),
            ("omniorb-dsi", "dii_longs", 65_536, 50.0),
            ("zorb", "dii_longs", 4_096, 2.0),
            ("omniorb", "dii_longs", 4_096, 1.0),
            ("zorb", "leaves_structs", 24, 2.0),
            ("omniorb", "leaves_structs", 24, 1.0),
            ("zorb", "echo_longs", 65_536, 1.0),
            ("omniorb", "echo_longs", 65_536, 1.0),
            ("raw", "dii_longs", 65_536, 1.0),
        ];
        let medians = medians.map(|(peer, operation, payload, micros)| Median {
            peer,
            operation,
            payload,
            transport: "iiop",
            micros,
        });
        let claims = claims(&medians);
        let found: Vec<_> = claims.iter().map(|claim| (&*claim.found, claim.holds)).collect();
        assert_eq!(found, [("1.20", true), ("1.90", false), ("2.50", true), ("0.50", false)]);
        assert!(claims[2].what.ends_with("by omniorb-dsi relative to zorb-dsi"));
    }
}
