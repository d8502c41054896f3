//! Text tables: the steps of client and server, the cost of octets, and their cost by copy threshold.

use std::fmt::Write as _;

use super::measured::Measured;
use super::steps::{Call, Side, mean_of, median_of};

/// All tables.
pub(super) fn tables(all: &[Measured], by_threshold: &[Measured]) -> String {
    let largest = all.iter().map(|measured| measured.payload).max().unwrap_or_default();
    let shown: Vec<&Measured> =
        all.iter().filter(|one| one.is_void() || one.payload == largest).collect();
    let client = "Table 1: the client's steps, in microseconds: mean and median";
    let server = "Table 2: the server's steps, in microseconds: mean and median";
    let mut text = steps(client, Side::Client, &shown);
    for (name, number) in [
        ("sum of the means", mean_sum as fn(&Measured) -> f64),
        ("measured round trip", |one| one.mean_ns()),
    ] {
        let _ = write!(text, "{name:NAME$}");
        for one in &shown {
            let _ = write!(text, " {:>9.3} {:9}", number(one) / 1e3, "");
        }
        end_line(&mut text);
    }
    text.push('\n');
    text += &steps(server, Side::Server, &shown);
    text.push('\n');
    text += &octets(all);
    if !by_threshold.is_empty() {
        text.push('\n');
        text += &thresholds(by_threshold);
    }
    text
}

fn mean_sum(one: &Measured) -> f64 {
    mean_of(&one.client, Call::whole)
}

/// The width of names.
const NAME: usize = 34;

fn end_line(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push('\n');
}

fn steps(heading: &str, side: Side, shown: &[&Measured]) -> String {
    let mut text = format!("{heading}\n{:NAME$}", "");
    for one in shown {
        let what = match one.payload {
            0 => "void".to_owned(),
            octets => format!("{octets} octets"),
        };
        let _ = write!(text, " {:>19}", format!("{} {what}", one.transport));
    }
    end_line(&mut text);
    for (name, steps) in side.lines() {
        let _ = write!(text, "{name:NAME$}");
        for one in shown {
            let took = |call: &Call| call.of(steps) / 1e3;
            let calls = one.side(side);
            let _ = write!(text, " {:>9.3} {:>9.3}", mean_of(calls, took), median_of(calls, took));
        }
        end_line(&mut text);
    }
    text
}

/// The cost of octets in the ORB, both sides together, and in the system.
fn octets(all: &[Measured]) -> String {
    let transports: Vec<&str> =
        all.iter().filter(|one| one.is_void()).map(|one| one.transport.as_str()).collect();
    let mut text = String::from(
        "Table 3: octets, in microseconds: medians of the round trip, of the ORB on both sides, and \
         of what is left, the system and I/O\n",
    );
    let _ = write!(text, "{:NAME$}", "octets");
    for transport in &transports {
        let _ = write!(text, " {transport:>12} {:>8} {:>8}", "ORB", "I/O");
    }
    end_line(&mut text);
    let mut payloads: Vec<usize> = all.iter().map(|one| one.payload).collect();
    payloads.dedup();
    for payload in payloads.into_iter().filter(|payload| *payload > 0) {
        let _ = write!(text, "{payload:<NAME$}");
        for one in all.iter().filter(|one| one.payload == payload) {
            let [round_trip, orb, system] =
                [one.p50_ns(), one.orb_ns(), one.system_ns()].map(|nanos| nanos / 1e3);
            let _ = write!(text, " {round_trip:>12.3} {orb:>8.3} {system:>8.3}");
        }
        end_line(&mut text);
    }
    text
}

/// The cost of octets in the ORB, by copy threshold.
fn thresholds(all: &[Measured]) -> String {
    let mut text = String::from(
        "Table 4: octets by copy threshold, in microseconds: medians of the ORB on both sides\n",
    );
    let of = |payload| all.iter().filter(move |one| one.payload == payload);
    let _ = write!(text, "{:NAME$}", "octets");
    for one in of(all.first().map_or(0, |one| one.payload)) {
        let threshold = one.threshold.unwrap_or_default();
        let _ = write!(text, " {:>12}", format!("{} {threshold}", one.transport));
    }
    end_line(&mut text);
    let mut payloads: Vec<usize> = all.iter().map(|one| one.payload).collect();
    payloads.dedup();
    for payload in payloads {
        let _ = write!(text, "{payload:<NAME$}");
        for one in of(payload) {
            let _ = write!(text, " {:>12.3}", one.orb_ns() / 1e3);
        }
        end_line(&mut text);
    }
    text
}
