//! The number of copies of a sequence's octets: as counted by valgrind's DHAT in `memcpy` and
//! `memmove`, in units of the sequence.

use std::path::Path;

use libtest_mimic::Trial;
use serde::Deserialize;
use zorb_costs::operation::{OCTETS, Operation, WARM_UP};

use crate::program::{Side, run_pair};
use crate::tool;

/// Enough calls that one-time costs are negligible.
const CALLS: u64 = 2000;
/// Small copies that are part of every call (keys, names) and of the start, in units of the
/// sequence.
const SLACK: f64 = 0.1;

/// A `CopyThreshold` that the sequence exceeds.
const LOW: &str = "1024";

/// Copies of 4 KiB in one call: by the client, and by the server; with the threshold that there is
/// unless one is set, which the sequence is below, or another.
const EXPECTED: [(Operation, Option<&str>, [u64; 2]); 5] = [
    // Into the buffer that is sent; the servant borrows from the one received.
    (Operation::OctetsIn, None, [1, 0]),
    // Out of the servant's sequence into the buffer that is sent; into the caller's own.
    (Operation::OctetsOut, None, [1, 1]),
    // Sent from the caller's memory.
    (Operation::OctetsIn, Some(LOW), [0, 0]),
    // The same; into the caller's own.
    (Operation::OctetsOut, Some(LOW), [1, 0]),
    // From the any, without a copy per element.
    (Operation::DiiOctets, None, [1, 0]),
];

pub(crate) fn trials() -> Vec<Trial> {
    let one = |(operation, threshold, expected): (Operation, Option<&'static str>, [u64; 2])| {
        let beyond = threshold.map_or_else(String::new, |octets| format!("/threshold={octets}"));
        let name = format!("copies/{}{beyond}", operation.name());
        crate::trial(name, tool::valgrind(), move || check(operation, threshold, expected))
    };
    EXPECTED.into_iter().map(one).collect()
}

fn check(
    operation: Operation,
    threshold: Option<&str>,
    [client, server]: [u64; 2],
) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let tool = |side| {
        let set = |octets| ["env".to_owned(), format!("COSTS_COPY_THRESHOLD={octets}")];
        let threshold = threshold.map(set).into_iter().flatten();
        threshold.chain(counted(folder.path(), side)).collect()
    };
    run_pair("uiop://", &tool, CALLS, &[operation])?;
    for (side, expected) in [(Side::Client, client), (Side::Server, server)] {
        let units = (CALLS + u64::from(WARM_UP)) * OCTETS as u64;
        let copies = octets(&folder.path().join(side.name()))? as f64 / units as f64;
        let beyond = copies - expected as f64;
        if !(0.0..SLACK).contains(&beyond) {
            let who = side.name();
            return Err(format!("the {who} copies the octets {copies:.3} times, not {expected}"));
        }
    }
    Ok(())
}

fn counted(folder: &Path, side: Side) -> Vec<String> {
    let output = folder.join(side.name()).display().to_string();
    let output = format!("--dhat-out-file={output}");
    ["valgrind", "-q", "--tool=dhat", "--mode=copy", &output].map(str::to_owned).into()
}

#[derive(Deserialize)]
struct Profile {
    pps: Vec<Place>,
}

/// A call site that copies.
#[derive(Deserialize)]
struct Place {
    /// Its octets in all.
    tb: u64,
}

/// All octets that were copied.
fn octets(path: &Path) -> Result<u64, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("the profile: {error}"))?;
    let profile: Profile = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(profile.pps.iter().map(|place| place.tb).sum())
}
