//! The work of creating, finding and destroying an adapter does not grow with the number of adapters.

use libtest_mimic::Trial;

use crate::instructions::{callgrind, instructions};
use crate::program::{SUBJECT, Side, run_adapters};
use crate::tool;

/// The numbers of adapters. The first ones warm up.
const COUNTS: [u64; 3] = [100, 200, 6_400];

/// The maximum growth of the work per adapter from the second to the third of them. It grows with the logarithm: the tables
/// are trees.
const GROWTH: f64 = 1.5;

pub(crate) fn trials() -> Vec<Trial> {
    vec![crate::trial("adapters".into(), tool::valgrind(), work_does_not_grow)]
}

fn work_does_not_grow() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    // In one ORB, as the calls that are called so.
    let side = Side::ThruPoa;
    run_adapters(callgrind(folder.path(), side), &COUNTS)?;
    let per_adapter = |phase: usize, count: u64| {
        instructions(SUBJECT, folder.path(), side, phase).map(|all| all / count)
    };
    let [_, few, many] = COUNTS;
    let (few, many) = (per_adapter(1, few)?, per_adapter(2, many)?);
    if many as f64 <= few as f64 * GROWTH {
        return Ok(());
    }
    Err(format!("an adapter takes {few} instructions among few, and {many} among many"))
}
