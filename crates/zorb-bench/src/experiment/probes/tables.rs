//! Text tables: the steps of client and server, the cost of octets, and their cost by copy threshold.

use super::measured::Measured;
use super::steps::{Call, Side, mean_of, median_of};
use crate::report::TextTable;

/// All tables.
pub(super) fn tables(all: &[Measured], by_threshold: &[Measured]) -> String {
    let largest = all.iter().map(|measured| measured.payload).max().unwrap_or_default();
    let shown: Vec<&Measured> =
        all.iter().filter(|one| one.is_void() || one.payload == largest).collect();
    let mut client = steps(Side::Client, &shown);
    for (name, number) in [
        ("sum of the means", mean_sum as fn(&Measured) -> f64),
        ("measured round trip", Measured::mean_ns),
    ] {
        let numbers = shown.iter().flat_map(|one| [micros(number(one)), String::new()]);
        client.row([name.to_owned()].into_iter().chain(numbers));
    }
    let mut text = format!(
        "Table 1: the client's steps, in microseconds: mean and median\n{client}\n\
         Table 2: the server's steps, in microseconds: mean and median\n{}\n\
         Table 3: octets, in microseconds: medians of the round trip, of the ORB on both sides, and \
         of what is left, the system and I/O\n{}",
        steps(Side::Server, &shown),
        octets(all)
    );
    if !by_threshold.is_empty() {
        text += &format!(
            "\nTable 4: octets by copy threshold, in microseconds: medians of the ORB on both \
             sides\n{}",
            thresholds(by_threshold)
        );
    }
    text
}

fn mean_sum(one: &Measured) -> f64 {
    mean_of(&one.client, Call::whole)
}

fn micros(nanos: f64) -> String {
    format!("{:.3}", nanos / 1e3)
}

fn steps(side: Side, shown: &[&Measured]) -> TextTable {
    let heading = shown.iter().flat_map(|one| {
        let what = match one.payload {
            0 => "void".to_owned(),
            octets => octets.to_string(),
        };
        [format!("{} {what}", one.transport), "median".to_owned()]
    });
    let mut table = TextTable::new([String::new()].into_iter().chain(heading));
    for (name, steps) in side.lines() {
        let took = |call: &Call| call.of(steps);
        let numbers = shown.iter().flat_map(|one| {
            let calls = one.side(side);
            [micros(mean_of(calls, took)), micros(median_of(calls, took))]
        });
        table.row([(*name).to_owned()].into_iter().chain(numbers));
    }
    table
}

/// The cost of octets in the ORB, both sides together, and in the system.
fn octets(all: &[Measured]) -> TextTable {
    let transports = all.iter().filter(|one| one.is_void()).map(|one| one.transport.clone());
    let columns = transports.flat_map(|name| [name, "ORB".to_owned(), "I/O".to_owned()]);
    by_payload(all, columns.collect(), |one| {
        [one.p50_ns(), one.orb_ns(), one.system_ns()].map(micros).to_vec()
    })
}

/// The cost of octets in the ORB, by copy threshold.
fn thresholds(all: &[Measured]) -> TextTable {
    let first = all.first().map_or(0, |one| one.payload);
    let columns = all.iter().filter(|one| one.payload == first);
    let name = |one: &Measured| format!("{} {}", one.transport, one.threshold.unwrap_or_default());
    by_payload(all, columns.map(name).collect(), |one| vec![micros(one.orb_ns())])
}

/// A row for each payload, with the numbers of all measurements of it.
fn by_payload(
    all: &[Measured],
    columns: Vec<String>,
    numbers: impl Fn(&Measured) -> Vec<String>,
) -> TextTable {
    let mut table = TextTable::new(["octets".to_owned()].into_iter().chain(columns));
    for same in all.chunk_by(|a, b| a.payload == b.payload) {
        let payload = same.first().map_or(0, |one| one.payload);
        if payload > 0 {
            table.row([payload.to_string()].into_iter().chain(same.iter().flat_map(&numbers)));
        }
    }
    table
}
