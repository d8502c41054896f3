//! Pending calls on one connection, compared with a caller that waits for each reply and with peers that send ahead, and
//! threads that share a connection.

use super::runner::{MAX_THREADS, Run, Work, stop};
use super::workloads;
use crate::driver::{self, Done};
use crate::error::Result;
use crate::harness::{Blocks, Watch};
use crate::operation::Operation;
use crate::options::Options;
use crate::report::{Claim, Figure};
use crate::statistics::Interval;

/// Calls that are sent before the first result is taken.
const IN_FLIGHT: u32 = 250;
/// Threads that share a connection.
const THREADS: usize = 8;
/// Calls of a block.
const CALLS: u32 = 20_000;
/// Minimum calls per second of pending calls, in those of a caller that waits.
const GAIN: f64 = 5.0;
/// Minimum calls per second of pending calls, in those of bare sockets that send as many requests ahead.
const OF_BARE: f64 = 0.8;
/// Minimum calls per second of threads that share a connection, in those of bare sockets with a mutex.
const SHARED_OF_BARE: f64 = 4.0;

/// Void calls of a caller that waits for each, of one that sends many before it takes the first result, and of threads
/// that share a connection.
pub(super) fn pending(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let mut pairs = run.start(MAX_THREADS * 2, watch)?;
    let works = works(&run.setup.options);
    watch.begin(works.len() * pairs.len() * run.rounds() * 2);
    let names: Vec<String> = pairs.iter().map(|pair| pair.name.clone()).collect();
    let mut blocks = Vec::new();
    for work in &works {
        blocks.push(run.work(&mut pairs, work, watch)?);
    }
    if let [waiting, pending, shared] = &*blocks {
        run.claims = checks(&Measured { names: &names, waiting, pending, shared });
    }
    stop(pairs)
}

fn works(options: &Options) -> [Work; 3] {
    let run = workloads::run(options, Operation::Ping, 0, CALLS);
    let of = |in_flight: u32| {
        let calls = run.calls.next_multiple_of(in_flight);
        let run = driver::Run { calls, batch: in_flight, pipelined: in_flight > 1, ..run };
        let label = format!("{}/in-flight={in_flight}", Operation::Ping);
        workloads::work(run, label, Figure::Throughput)
    };
    let calls = run.calls.div_ceil(THREADS as u32);
    let shared = driver::Run { calls, threads: THREADS, shared: true, ..run };
    let label = format!("{}/threads={THREADS}/shared", Operation::Ping);
    [of(1), of(IN_FLIGHT), workloads::work(shared, label, Figure::Throughput)]
}

/// The blocks of all peers, by the work.
struct Measured<'a> {
    names: &'a [String],
    waiting: &'a [Blocks],
    pending: &'a [Blocks],
    shared: &'a [Blocks],
}

impl Measured<'_> {
    /// The ratios of Zorb's calls per second with one work to those of a peer with another one, of adjacent blocks; none if
    /// one of them does not support it.
    fn gains(&self, own: &[Blocks], peer: &str, others: &[Blocks]) -> Option<Interval> {
        let of = |peer: &str, all: &[Blocks]| -> Option<Vec<f64>> {
            let place = self.names.iter().position(|name| name == peer)?;
            Some(all.get(place)?.as_ref()?.iter().map(rate).collect())
        };
        let (own, others) = (of("zorb", own)?, of(peer, others)?);
        Some(Interval::of(std::iter::zip(own, others).map(|(own, other)| own / other)))
    }

    /// The peers other than Zorb. Those that busy-wait are no comparison for one that does not.
    fn others(&self) -> impl Iterator<Item = &str> {
        let is_other = |name: &&str| *name != "zorb" && !name.ends_with("-busy-wait");
        self.names.iter().map(String::as_str).filter(is_other)
    }
}

/// The claims about pending calls, and about threads that share a connection.
fn checks(measured: &Measured<'_>) -> Vec<Claim> {
    let Measured { waiting, pending, shared, .. } = *measured;
    let what = "pending calls relative to a caller that waits";
    let gain =
        measured.gains(pending, "zorb", waiting).map(|gain| Claim::at_least(what, GAIN, gain));
    let beside = measured.others().filter_map(|peer| {
        let least = if peer == "raw" { OF_BARE } else { 1.0 };
        let what = format!("pending calls relative to {}", named(peer));
        Some(Claim::at_least(what, least, measured.gains(pending, peer, pending)?))
    });
    let of_threads = measured.others().filter_map(|peer| {
        let least = if peer == "raw" { SHARED_OF_BARE } else { 1.0 };
        let what = format!("{THREADS} threads on a connection relative to {}", named(peer));
        Some(Claim::at_least(what, least, measured.gains(shared, peer, shared)?))
    });
    gain.into_iter().chain(beside).chain(of_threads).collect()
}

fn named(peer: &str) -> &str {
    if peer == "raw" { "bare sockets" } else { peer }
}

fn rate(block: &Done) -> f64 {
    block.calls as f64 / block.wall_ns.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(nanos: &[u64]) -> Blocks {
        let block = |nanos: &u64| Done { calls: 1, wall_ns: *nanos, ..Done::default() };
        Some(nanos.iter().map(block).collect())
    }

    fn found(pending: [Blocks; 3], shared: [Blocks; 3]) -> Vec<(String, bool, bool)> {
        let names = ["raw", "zorb", "other"].map(str::to_owned);
        let waiting = [blocks(&[100; 20]), blocks(&[100; 20]), blocks(&[100; 20])];
        let (waiting, pending, shared) = (&waiting, &pending, &shared);
        let claims = checks(&Measured { names: &names, waiting, pending, shared });
        claims.into_iter().map(|claim| (claim.what.clone(), claim.holds, claim.fails())).collect()
    }

    #[test]
    fn claims_are_about_each_peer_that_can_do_it() {
        let pending = [blocks(&[16; 20]), blocks(&[20; 20]), blocks(&[21; 20])];
        let shared = [blocks(&[80; 20]), blocks(&[20; 20]), None];
        let held = |what: &str| (what.to_owned(), true, false);
        assert_eq!(
            found(pending, shared),
            [
                held("pending calls relative to a caller that waits"),
                held("pending calls relative to bare sockets"),
                held("pending calls relative to other"),
                held("8 threads on a connection relative to bare sockets"),
            ]
        );
    }

    #[test]
    fn too_small_a_gain_fails_the_claim() {
        let pending = [blocks(&[15; 20]), blocks(&[21; 20]), blocks(&[20; 20])];
        let shared = [blocks(&[79; 20]), blocks(&[20; 20]), blocks(&[19; 20])];
        let found = found(pending, shared);
        assert!(found.len() == 5 && found.iter().all(|(_, holds, fails)| !holds && *fails));
    }

    #[test]
    fn a_ratio_that_varies_about_the_limit_is_unclear() {
        let pending = [None, blocks(&[19, 21].repeat(10)), None];
        assert!(found(pending, [None, None, None]).iter().all(|(_, _, fails)| !fails));
    }

    #[test]
    fn blocks_consist_of_whole_batches() {
        let options = Options::parsed("--calls 300");
        let runs = works(&options).map(|work| match work.command {
            driver::Command::Run(run) => (run.calls, run.batch, run.pipelined, run.threads),
            other => panic!("{other}"),
        });
        assert_eq!(runs, [(300, 1, false, 1), (500, 250, true, 1), (38, 1, false, 8)]);
    }
}
