//! Numbers of one peer at one kind of work.

use serde::Serialize;

use crate::driver::Done;
use crate::harness::Blocks;
use crate::histogram::Histogram;
use crate::statistics::{Spread, median};

/// One peer at one kind of work. Times in microseconds, payloads in octets, MB are 10^6 octets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The experiment's name.
    pub experiment: &'static str,
    /// The peer's name.
    pub peer: String,
    /// The URL scheme of the transport.
    pub transport: String,
    /// What was done.
    pub operation: String,
    /// Octets of the argument in memory.
    pub payload: usize,
    /// Rounds; a peer had two blocks in each.
    pub rounds: usize,
    /// Timed calls in all.
    pub calls: u64,
    /// The median of the blocks' means.
    pub mean_us: f64,
    /// The median of the blocks' medians; calls of a flood are not timed one by one.
    pub p50_us: Option<f64>,
    /// What 99 of 100 calls of all blocks do not exceed.
    pub p99_us: Option<f64>,
    /// What 999 of 1000 calls of all blocks do not exceed.
    pub p999_us: Option<f64>,
    /// The longest call.
    pub max_us: Option<f64>,
    /// The median of the blocks' calls in a second.
    pub calls_per_s: f64,
    /// The payload of those, in one direction.
    pub mb_per_s: f64,
    /// The median of the ratios of a block to that of the bare program just beside it: of the
    /// blocks' medians where single calls were timed and one thread called (below 1: faster than
    /// bare sockets), else of calls in a second (above 1: faster).
    pub ratio_to_raw: Option<f64>,
}

/// What lies behind a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Detail {
    /// A quarter of the blocks have a median not above this, in microseconds.
    pub p50_q1_us: Option<f64>,
    /// Three quarters of them.
    pub p50_q3_us: Option<f64>,
    /// A quarter of the ratios are not above this.
    pub ratio_q1: Option<f64>,
    /// Three quarters of them.
    pub ratio_q3: Option<f64>,
    /// What the client's process used of the processor for a call, in nanoseconds.
    pub client_cpu_ns_per_call: Option<f64>,
    /// What the server's process used for a call, in nanoseconds, where one thread called and it is known.
    pub server_cpu_ns_per_call: Option<f64>,
    /// The client's share for an octet of payload.
    pub client_cpu_ns_per_octet: Option<f64>,
    /// What the server's process used for an octet of payload; of floods only.
    pub server_cpu_ns_per_octet: Option<f64>,
    /// All times of all blocks, as `INDEX:COUNT` pairs (`bench/peers/PROTOCOL.md`).
    pub histogram: String,
    /// Median and maximum of successive calls, as `CALLS;MEDIAN:LONGEST,...` in nanoseconds; only in
    /// experiments about jitter.
    #[serde(rename = "course", skip_serializing_if = "String::is_empty")]
    pub timeline: String,
}

/// Which number of a block counts in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// The median time of a call.
    Latency,
    /// Calls in a second, all threads together.
    Throughput,
}

/// What rows are about.
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
    /// Which number counts.
    pub figure: Figure,
}

/// Makes the rows of all peers that took part, in their order.
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
    // Calls of a flood are not timed one by one.
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
    let per_octet =
        |cpu_ns: f64| (subject.payload > 0).then(|| rounded(cpu_ns / subject.payload as f64));
    let client_cpu = per_call(|block| block.cpu_ns);
    let server_cpu = per_call(|block| block.server_cpu_ns);
    let detail = Detail {
        p50_q1_us: timed.then(|| micros(p50.q1)),
        p50_q3_us: timed.then(|| micros(p50.q3)),
        ratio_q1: ratio.map(|ratio| rounded(ratio.q1)),
        ratio_q3: ratio.map(|ratio| rounded(ratio.q3)),
        client_cpu_ns_per_call: Some(rounded(client_cpu)),
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

/// Calls in a second: of one caller, without what it does between calls; else of all together.
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

/// Further digits would say nothing.
fn rounded(value: f64) -> f64 {
    let unit = if value.abs() < 1.0 { 1e6 } else { 1e3 };
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests;
