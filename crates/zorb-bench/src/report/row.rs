//! The numbers of one peer for one workload.

use serde::Serialize;

use crate::driver::Done;
use crate::harness::Blocks;
use crate::histogram::Histogram;
use crate::statistics::{Spread, median};

/// The numbers of one peer for one workload. Times are in microseconds, payloads in octets; a MB is 10^6
/// octets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The experiment's name.
    pub experiment: &'static str,
    /// The peer's name.
    pub peer: String,
    /// The URL scheme of the transport.
    pub transport: String,
    /// The operation.
    pub operation: String,
    /// Octets of the argument in memory.
    pub payload: usize,
    /// Rounds of two blocks each.
    pub rounds: usize,
    /// Timed calls in total.
    pub calls: u64,
    /// The median of the blocks' means.
    pub mean_us: f64,
    /// The median of the blocks' medians; calls of a flood are not timed individually.
    pub p50_us: Option<f64>,
    /// The 99th percentile of all calls.
    pub p99_us: Option<f64>,
    /// The 99.9th percentile of all calls.
    pub p999_us: Option<f64>,
    /// The longest call.
    pub max_us: Option<f64>,
    /// The median of the blocks' calls per second.
    pub calls_per_s: f64,
    /// Payload per second in one direction.
    pub mb_per_s: f64,
    /// The median of the ratios of a block to the adjacent block of the bare program: of median times if
    /// one thread called and calls were timed individually (below 1 is faster than bare sockets),
    /// otherwise of calls per second (above 1 is faster).
    pub ratio_to_raw: Option<f64>,
}

/// Details of a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Detail {
    /// The lower quartile of the blocks' medians, in microseconds.
    pub p50_q1_us: Option<f64>,
    /// The upper quartile.
    pub p50_q3_us: Option<f64>,
    /// The lower quartile of the ratios.
    pub ratio_q1: Option<f64>,
    /// The upper quartile of the ratios.
    pub ratio_q3: Option<f64>,
    /// CPU time of the client's process per call, in nanoseconds, if it is known.
    pub client_cpu_ns_per_call: Option<f64>,
    /// CPU time of the server's process per call, in nanoseconds, if one thread called and it is known.
    pub server_cpu_ns_per_call: Option<f64>,
    /// CPU time of the client per octet of payload.
    pub client_cpu_ns_per_octet: Option<f64>,
    /// CPU time of the server per octet of payload; only of floods.
    pub server_cpu_ns_per_octet: Option<f64>,
    /// The histogram of all blocks, as `INDEX:COUNT` pairs (`bench/peers/PROTOCOL.md`).
    pub histogram: String,
    /// Median and maximum of successive calls, as `CALLS;MEDIAN:LONGEST,...` in nanoseconds; only in
    /// experiments about jitter.
    #[serde(rename = "course", skip_serializing_if = "String::is_empty")]
    pub timeline: String,
}

/// The number of a block that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// The median time of a call.
    Latency,
    /// Calls per second of all threads.
    Throughput,
}

/// The subject of rows.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The experiment's name.
    pub experiment: &'static str,
    /// The URL scheme of the transport.
    pub transport: &'a str,
    /// What was done.
    pub operation: String,
    /// Octets of the argument in memory.
    pub payload: usize,
    /// Rounds; a peer had two blocks in each.
    pub rounds: usize,
    /// The number that is compared.
    pub figure: Figure,
}

/// The rows of all peers that took part, in their order.
#[must_use]
pub fn rows(subject: &Subject<'_>, peers: &[(&str, &Blocks)]) -> Vec<(Row, Detail)> {
    let raw = peers.iter().find(|(name, _)| *name == "raw").and_then(|(_, blocks)| blocks.as_ref());
    let row = |(name, blocks): &(&str, &Blocks)| {
        let blocks = blocks.as_ref()?;
        Some(one_row(subject, name, blocks, raw))
    };
    peers.iter().filter_map(row).collect()
}

fn one_row(
    subject: &Subject<'_>,
    peer: &str,
    blocks: &[Done],
    raw: Option<&Vec<Done>>,
) -> (Row, Detail) {
    let mut histogram = Histogram::new();
    for block in blocks {
        histogram.merge(&block.histogram);
    }
    // Calls of a flood are not timed individually.
    let timed = histogram.total() > 0;
    let of_all = |share| timed.then(|| micros(histogram.quantile(share)));
    let p50 = Spread::of(blocks.iter().map(p50_ns));
    let calls: u64 = blocks.iter().map(|block| block.calls).sum();
    let calls_per_s = median(blocks.iter().map(|block| per_second(subject.figure, block)));
    let ratio = raw.map(|raw| {
        let pairs = blocks.iter().zip(raw);
        Spread::of(pairs.map(|(block, raw)| match subject.figure {
            Figure::Latency => p50_ns(block) / p50_ns(raw).max(1.0),
            Figure::Throughput => {
                per_second(subject.figure, block) / per_second(subject.figure, raw)
            }
        }))
    });
    let row = Row {
        experiment: subject.experiment,
        peer: peer.to_owned(),
        transport: subject.transport.to_owned(),
        operation: subject.operation.clone(),
        payload: subject.payload,
        rounds: subject.rounds,
        calls,
        mean_us: micros(median(blocks.iter().map(mean_ns))),
        p50_us: timed.then(|| micros(p50.median)),
        p99_us: of_all(0.99),
        p999_us: of_all(0.999),
        max_us: timed.then(|| {
            micros(blocks.iter().map(|block| block.max_ns).max().unwrap_or_default() as f64)
        }),
        calls_per_s: rounded(calls_per_s),
        mb_per_s: rounded(calls_per_s * subject.payload as f64 / 1e6),
        ratio_to_raw: ratio.map(|ratio| rounded(ratio.median)),
    };
    let per_call = |cpu: fn(&Done) -> u64| {
        median(blocks.iter().map(|block| cpu(block) as f64 / block.calls.max(1) as f64))
    };
    let per_octet = |cpu_ns: f64| {
        (subject.payload > 0 && cpu_ns > 0.0).then(|| rounded(cpu_ns / subject.payload as f64))
    };
    let client_cpu = per_call(|block| block.cpu_ns);
    let server_cpu = per_call(|block| block.server_cpu_ns);
    let detail = Detail {
        p50_q1_us: timed.then(|| micros(p50.q1)),
        p50_q3_us: timed.then(|| micros(p50.q3)),
        ratio_q1: ratio.map(|ratio| rounded(ratio.q1)),
        ratio_q3: ratio.map(|ratio| rounded(ratio.q3)),
        client_cpu_ns_per_call: (client_cpu > 0.0).then(|| rounded(client_cpu)),
        server_cpu_ns_per_call: (timed && server_cpu > 0.0).then(|| rounded(server_cpu)),
        client_cpu_ns_per_octet: per_octet(client_cpu),
        server_cpu_ns_per_octet: if timed { None } else { per_octet(server_cpu) },
        histogram: histogram.to_string(),
        ..Detail::default()
    };
    (row, detail)
}

fn p50_ns(block: &Done) -> f64 {
    block.histogram.quantile(0.5)
}

fn mean_ns(block: &Done) -> f64 {
    let all = if block.histogram.total() > 0 { block.sum_ns } else { block.wall_ns };
    all as f64 / block.calls.max(1) as f64
}

/// Calls per second: of one caller without the time between calls, otherwise of all callers.
fn per_second(figure: Figure, block: &Done) -> f64 {
    let nanos = match figure {
        Figure::Latency => block.sum_ns,
        Figure::Throughput => block.wall_ns,
    };
    block.calls as f64 * 1e9 / nanos.max(1) as f64
}

fn micros(nanos: f64) -> f64 {
    rounded(nanos / 1000.0)
}

/// A number with its significant digits.
fn rounded(value: f64) -> f64 {
    let unit = if value.abs() < 1.0 { 1e6 } else { 1e3 };
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests;
