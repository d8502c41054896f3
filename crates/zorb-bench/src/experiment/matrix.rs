//! The same work over several transports, interleaved.

mod compared;
mod gains;
mod measured;
mod rings;
mod small;

use zorb_os::thread;

use super::runner::{MAX_THREADS, Run, Work, stop};
use crate::catalog::Kind;
use crate::error::Result;
use crate::harness::{Blocks, Pair, Setup, Watch, handover_ns, interleaved_after};
use crate::operation::Operation;
use crate::pin::Pin;
use crate::transport::bare_transport;
use compared::Compared;
use measured::{Measured, SHARED};
use rings::Rings;

/// Default maximum busy-wait of busy-waiting peers, in microseconds.
const BUSY_WAIT: u32 = 100;

/// Runs all workloads on all peers, interleaved, over one transport or several.
pub(super) fn measure(run: &mut Run<'_>, works: &[Work], watch: &mut dyn Watch) -> Result<()> {
    let transports = run.experiment.transports(&run.setup.options.transport);
    let is_cubit = run.experiment.kind == Kind::Cubit;
    if is_cubit || transports.len() > 1 && !run.experiment.is_collocated() {
        return matrix(run, works, &transports, watch);
    }
    let mut pairs = run.start(MAX_THREADS * 2, watch)?;
    watch.begin(works.len() * pairs.len() * run.rounds() * 2);
    for work in works {
        run.work(&mut pairs, work, watch)?;
    }
    let ping = works.iter().find(|work| work.label == Operation::Ping.name());
    if let Some(work) = ping.filter(|_| run.experiment.kind == Kind::Latency) {
        run.claims.extend(small::measure(&mut pairs, work, run.setup.options.quick, watch)?);
    }
    stop(pairs)
}

/// Runs all workloads on all peers over all transports, interleaved in each round. The rows of each
/// transport are compared with its bare program.
fn matrix(
    run: &mut Run<'_>,
    works: &[Work],
    transports: &[String],
    watch: &mut dyn Watch,
) -> Result<()> {
    let (mut pairs, mut pair_transports) = (Vec::new(), Vec::new());
    for transport in transports {
        let started = start(run, transport, transports, watch)?;
        pair_transports.extend(started.iter().map(|_| transport.as_str()));
        pairs.extend(started);
    }
    // Pairs over one transport are adjacent.
    let first = pair_transports.iter().take_while(|transport| **transport != SHARED).count();
    let shared = pair_transports.iter().filter(|transport| **transport == SHARED).count();
    let flood = (run.experiment.kind == Kind::Cubit && shared > 0)
        .then(|| rings::flood(&run.setup.options));
    let rounds = run.rounds();
    let blocks = works.len() * pairs.len() + flood.as_ref().map_or(0, |_| shared);
    watch.begin(blocks * rounds * 2);
    let mut compared = Compared::default();
    let mut rings = Rings::default();
    for work in works {
        let all = WorkloadRun::of(&mut pairs, &pair_transports, work, run, watch)?;
        let all = all.measured();
        for transport in transports {
            add_rows(run, work, transport, &all);
        }
        compared.add(&format!("{} {}", work.label, work.payload), &all);
        rings.add(work, &all);
    }
    if let Some(work) = &flood {
        let (pairs, transports) = (pairs.get_mut(first..), pair_transports.get(first..));
        let (pairs, transports) = (pairs.unwrap_or_default(), transports.unwrap_or_default());
        let (pairs, transports) = (pairs.get_mut(..shared), transports.get(..shared));
        let (pairs, transports) = (pairs.unwrap_or_default(), transports.unwrap_or_default());
        let all = WorkloadRun::of(pairs, transports, work, run, watch)?;
        let all = all.measured();
        add_rows(run, work, SHARED, &all);
        rings.add(work, &all);
    }
    run.claims = compared.checks().into_iter().chain(rings.checks()).collect();
    stop(pairs)
}

/// The blocks of all pairs for one workload.
struct WorkloadRun<'a> {
    transports: &'a [&'a str],
    names: Vec<String>,
    blocks: Vec<Blocks>,
    distances: Vec<Vec<Option<f64>>>,
}

impl<'a> WorkloadRun<'a> {
    fn of(
        pairs: &mut [Pair],
        transports: &'a [&'a str],
        work: &Work,
        run: &Run<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let names: Vec<String> = pairs.iter().map(|pair| pair.name.clone()).collect();
        let processors = run.setup.pin.choose(&thread::affinity()?)?;
        let mut distances = vec![Vec::new(); pairs.len()];
        let mut look = |index: usize| {
            let busy_waits = names.get(index).is_some_and(|name| name.ends_with("-busy-wait"));
            if let (true, [Some(client), Some(server)], Some(distances)) =
                (busy_waits, processors, distances.get_mut(index))
            {
                distances.push(handover_ns([client, server]));
            }
        };
        let blocks = interleaved_after(pairs, &work.command, run.rounds(), watch, &mut look)?;
        Ok(Self { transports, names, blocks, distances })
    }

    fn measured(&self) -> Vec<Measured<'_>> {
        let peers = std::iter::zip(self.transports, &self.names);
        let found = std::iter::zip(&self.blocks, &self.distances);
        std::iter::zip(peers, found)
            .map(|((transport, peer), (blocks, distances))| Measured {
                transport,
                peer,
                blocks,
                distances,
            })
            .collect()
    }
}

/// Starts the peers over one transport. The bare program has no messaging protocol, so one is compared
/// with all protocols over the same transport. Over shared memory, busy-waiting peers take part, too.
fn start(
    run: &Run<'_>,
    transport: &str,
    transports: &[String],
    watch: &mut dyn Watch,
) -> Result<Vec<Pair>> {
    let bare = bare_transport(transport);
    let is_elsewhere = bare != transport && transports.iter().any(|other| other == bare);
    let mut setup = Setup { transport: transport.to_owned(), ..run.setup.clone() };
    let kind = run.experiment.kind;
    if matches!(kind, Kind::Cubit | Kind::Views) && transport == SHARED && setup.pin == Pin::Split {
        setup.options.busy_wait = setup.options.busy_wait.or(Some(BUSY_WAIT));
    }
    let mut names = run.names_in(&setup);
    names.retain(|name| !(is_elsewhere && name.starts_with("raw")));
    run.start_over(&setup, &names, MAX_THREADS * 2, watch)
}

fn add_rows(run: &mut Run<'_>, work: &Work, transport: &str, all: &[Measured<'_>]) {
    let own = all.iter().filter(|one| one.transport == transport);
    let mut peers: Vec<(&str, &Blocks)> = own.map(|one| (one.peer, one.blocks)).collect();
    let has_raw = peers.iter().any(|(peer, _)| *peer == "raw");
    if !has_raw {
        let bare = bare_transport(transport);
        let raw = all.iter().find(|one| (one.transport, one.peer) == (bare, "raw"));
        peers.extend(raw.map(|one| (one.peer, one.blocks)));
    }
    let begun = run.rows.len();
    run.add(transport, (&work.label, work.payload), work.figure, &peers);
    if !has_raw {
        run.forget("raw", begun);
    }
}
