//! Lookup of the object and the operation of a request, by layers and without layers.

use std::ops::Range;

use super::runner::{Run, stop};
use crate::demux::{Layer, Search};
use crate::driver::{Command, Find};
use crate::error::Result;
use crate::harness::{Blocks, Pair, Watch, alternating, interleaved};
use crate::report::{Claim, Figure, Row, TextTable};

/// Numbers of objects of a server.
const OBJECTS: [usize; 5] = [1, 10, 100, 1000, 10_000];
/// Numbers of operations of an interface, for which Zorb's tables are compiled.
const OPERATIONS: [usize; 6] = [1, 5, 10, 50, 100, 500];
/// Numbers of both, if both are looked up.
const BOTH: ([usize; 3], [usize; 3]) = ([1, 100, 10_000], [1, 50, 500]);
/// Lookups that are timed together, because reading the clock takes as long as one of them.
const BATCH: u32 = 128;
/// Lookups of a block; fewer among many objects, where some algorithms are slow.
const LOOK_UPS: u32 = 100 * BATCH;
const LONG: usize = 1000;
const FEW_LOOK_UPS: u32 = 16 * BATCH;
const QUICK_LOOK_UPS: u32 = 2 * BATCH;
/// Maximum difference of the times of an algorithm of constant time, as a share.
const FLAT: f64 = 0.10;

/// Looks up objects, operations, and both, with all algorithms.
pub(super) fn demux(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let mut pairs = Vec::new();
    for search in Search::ALL {
        pairs.push(Pair::start_search(run.setup, search.name())?);
    }
    let works: Vec<Find> = works(run);
    let blocks: usize = works.iter().map(|find| those(find.layer).len()).sum();
    watch.begin(blocks * run.rounds() * 2);
    let rounds = run.rounds();
    let mut all: Vec<Vec<Blocks>> = works.iter().map(|_| Vec::new()).collect();
    // Every round has all sizes, so that a drift of the machine does not look like a growing time.
    for index in alternating(works.len(), rounds) {
        let (Some(find), Some(blocks)) = (works.get(index), all.get_mut(index)) else { continue };
        let those = pairs.get_mut(those(find.layer)).unwrap_or_default();
        append(blocks, interleaved(those, &Command::Find(*find), 1, watch)?);
    }
    for (find, blocks) in std::iter::zip(&works, &all) {
        let names = Search::ALL.get(those(find.layer)).unwrap_or_default();
        let names = names.iter().map(|search| search.name());
        let peers: Vec<_> = names.zip(blocks).collect();
        let (objects, operations) = (find.objects, find.operations);
        let operation = match find.layer {
            Layer::Object => format!("object/objects={objects}"),
            Layer::Operation => format!("operation/operations={operations}"),
            Layer::Request => format!("request/objects={objects}/operations={operations}"),
        };
        run.add("none", (&operation, 0), Figure::Latency, &peers);
    }
    stop(pairs)?;
    run.text = Some(table(&run.rows));
    run.claims = checks(&run.rows);
    Ok(())
}

/// The algorithms for a layer, which are adjacent.
fn those(layer: Layer) -> Range<usize> {
    let first = Search::ALL.iter().position(|search| search.has(layer)).unwrap_or_default();
    first..first + Search::ALL.iter().filter(|search| search.has(layer)).count()
}

/// Appends the blocks of a round.
fn append(blocks: &mut Vec<Blocks>, next: Vec<Blocks>) {
    if blocks.is_empty() {
        *blocks = next;
        return;
    }
    for (blocks, next) in blocks.iter_mut().zip(next) {
        if let (Some(blocks), Some(next)) = (blocks, next) {
            blocks.extend(next);
        }
    }
}

fn works(run: &Run<'_>) -> Vec<Find> {
    let find = |layer, objects: usize, operations| {
        let own = if objects < LONG { LOOK_UPS } else { FEW_LOOK_UPS };
        let calls = run.setup.options.calls.unwrap_or(if run.setup.options.quick {
            QUICK_LOOK_UPS
        } else {
            own
        });
        let calls = calls.next_multiple_of(BATCH);
        Find { layer, objects, operations, calls, batch: BATCH }
    };
    let (objects, operations) = BOTH;
    let both = objects.iter().flat_map(|objects| operations.iter().map(move |it| (objects, it)));
    let objects = OBJECTS.iter().map(|&objects| find(Layer::Object, objects, 1));
    let operations = OPERATIONS.iter().map(|&operations| find(Layer::Operation, 1, operations));
    let both = both.map(|(objects, operations)| find(Layer::Request, *objects, *operations));
    objects.chain(operations).chain(both).collect()
}

/// A table for each layer, with a row for each number and a column for each algorithm.
fn table(rows: &[Row]) -> String {
    let mut text = String::from("Nanoseconds per lookup, medians\n");
    for layer in Layer::ALL {
        let searches = || Search::ALL.into_iter().filter(|search| search.has(layer));
        let columns = searches().map(|search| match (search, layer) {
            (Search::Zorb, Layer::Object) => "zorb: active",
            (Search::Zorb, Layer::Operation) => "zorb: perfect",
            (Search::Zorb, Layer::Request) => "zorb: both",
            _ => search.name(),
        });
        let columns = columns.map(str::to_owned);
        let mut table = TextTable::new([format!("{layer} by")].into_iter().chain(columns));
        for operation in operations(rows, layer) {
            let numbers = operation.split_once('/').map_or("", |(_, numbers)| numbers);
            let nanos = searches().map(|search| {
                let nanos = nanos(rows, operation, search);
                nanos.map_or_else(|| "-".to_owned(), |nanos| format!("{nanos:.1}"))
            });
            table.row([numbers.replace('/', "  ")].into_iter().chain(nanos));
        }
        text += &format!("\n{table}");
    }
    text
}

/// The operations of a layer, in rising order of their sizes.
fn operations(rows: &[Row], layer: Layer) -> Vec<&str> {
    let mut operations: Vec<&str> = rows.iter().map(|row| row.operation.as_str()).collect();
    operations.retain(|operation| operation.starts_with(&format!("{layer}/")));
    operations.dedup();
    operations
}

/// The time of a lookup: the mean of a block, which has fractions of a nanosecond.
fn nanos(rows: &[Row], operation: &str, search: Search) -> Option<f64> {
    let mut rows = rows.iter().filter(|row| row.operation == operation);
    Some(rows.find(|row| row.peer == search.name())?.mean_us * 1e3)
}

fn checks(rows: &[Row]) -> Vec<Claim> {
    let series = |layer: Layer, search: Search| -> Vec<f64> {
        let operations = operations(rows, layer).into_iter();
        operations.filter_map(|operation| nanos(rows, operation, search)).collect()
    };
    let flat = |what: &str, layer, from: usize| {
        let times = series(layer, Search::Zorb);
        let times = times.get(from..).unwrap_or_default();
        let most = times.iter().copied().fold(0.0, f64::max);
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        Claim::new(
            format!("{what} does not grow"),
            format!("slowest within {:.0} % of the fastest", FLAT * 100.0),
            format!("{least:.1} to {most:.1} ns, {:+.0} %", (most / least - 1.0) * 100.0),
            times.len() > 1 && most <= least * (1.0 + FLAT),
        )
    };
    let grows = |what: &str, layer| {
        let times = series(layer, Search::Linear);
        let (first, last) = (times.first().copied(), times.last().copied());
        let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
        Claim::new(
            format!("{what} grows"),
            "at least ten times",
            format!("{first:.1} to {last:.1} ns"),
            first > 0.0 && last >= 10.0 * first,
        )
    };
    let both = |search| series(Layer::Request, search).last().copied().unwrap_or_default();
    let (layered, delayered) = (both(Search::Zorb), both(Search::Delayered));
    vec![
        flat("active demultiplexing", Layer::Object, 0),
        // For one name, the compiler replaces the hash by a comparison.
        flat("perfect hashing, from 5 operations on,", Layer::Operation, 1),
        grows("a linear search for objects", Layer::Object),
        grows("a linear search for operations", Layer::Operation),
        Claim::new(
            "without layers a lookup is one index",
            "less than with them",
            format!("{delayered:.1} of {layered:.1} ns"),
            delayered < layered,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row for each layer, two sizes and each way to search, which takes as many nanoseconds.
    fn rows(nanos: impl Fn(Layer, Search, usize) -> f64) -> Vec<Row> {
        let mut rows = Vec::new();
        for layer in Layer::ALL {
            for size in [1, 10, 1000] {
                for search in Search::ALL.into_iter().filter(|search| search.has(layer)) {
                    rows.push(Row {
                        experiment: "demux",
                        peer: search.name().to_owned(),
                        transport: String::new(),
                        operation: format!("{layer}/{size}"),
                        payload: 0,
                        rounds: 1,
                        calls: 1,
                        mean_us: nanos(layer, search, size) / 1e3,
                        p50_us: None,
                        p99_us: None,
                        p999_us: None,
                        max_us: None,
                        calls_per_s: 0.0,
                        mb_per_s: 0.0,
                        ratio_to_raw: None,
                    });
                }
            }
        }
        rows
    }

    fn verdicts(nanos: impl Fn(Layer, Search, usize) -> f64) -> Vec<bool> {
        checks(&rows(nanos)).iter().map(|claim| claim.holds).collect()
    }

    #[test]
    fn each_claim_can_fail() {
        let good = |_, search, size: usize| match search {
            Search::Linear => size as f64,
            Search::Delayered => 1.0,
            _ => 5.0,
        };
        assert_eq!(verdicts(good), [true; 5]);
        // Everything takes ten times as long for more objects and operations.
        let growing = |_, _, size: usize| size as f64;
        assert_eq!(verdicts(growing), [false, false, true, true, false]);
        let all_flat = |_, _, _| 5.0;
        assert_eq!(verdicts(all_flat), [true, true, false, false, false]);
    }

    #[test]
    fn no_claim_holds_without_measurements() {
        assert!(checks(&[]).iter().all(|claim| !claim.holds));
        let mut one_size = rows(|_, _, _| 5.0);
        one_size.retain(|row| row.operation.ends_with("/1"));
        assert!(checks(&one_size).iter().all(|claim| !claim.holds));
    }
}
