//! The same work over several transports, in turns.

use super::{MOST_THREADS, Run, Work, stop};
use crate::driver::Done;
use crate::error::Result;
use crate::harness::{Blocks, Pair, Setup, Watch, bare_transport, in_turns};
use crate::report::{Check, Subject, rows};
use crate::statistics::{Interval, median};

/// What the matrix of cubes is measured over where nobody names a transport.
pub(super) const TRANSPORTS: [&str; 7] =
    ["iiop", "lite+iiop", "short+iiop", "uiop", "lite+uiop", "short+uiop", "shmiop"];

/// What frames messages otherwise than GIOP does, with what it is compared with.
const FRAMED: [(&str, &str); 4] =
    [("lite+iiop", "iiop"), ("short+iiop", "iiop"), ("lite+uiop", "uiop"), ("short+uiop", "uiop")];

/// How many more calls in a second UIOP is expected to make than IIOP, for every kind of work.
const UIOP_GAIN: f64 = 1.20;

/// The blocks of one peer over one transport.
struct Measured<'a> {
    transport: &'a str,
    peer: &'a str,
    blocks: &'a Blocks,
}

/// Asks all peers over all transports for all work, in turns: everything in one round is beside
/// everything else, and the rows of each transport are compared with its bare program.
pub(super) fn matrix(
    run: &mut Run<'_>,
    works: &[Work],
    transports: &[String],
    watch: &mut dyn Watch,
) -> Result<()> {
    let (mut pairs, mut places) = (Vec::new(), Vec::new());
    for transport in transports {
        let started = start(run, transport, transports, watch)?;
        places.extend(started.iter().map(|_| transport.as_str()));
        pairs.extend(started);
    }
    let names: Vec<String> = pairs.iter().map(|pair| pair.name.clone()).collect();
    let rounds = run.rounds();
    watch.begin(works.len() * pairs.len() * rounds * 2);
    let mut compared = Compared::default();
    for work in works {
        let blocks = in_turns(&mut pairs, &work.command, rounds, watch)?;
        let all: Vec<Measured<'_>> = std::iter::zip(&places, std::iter::zip(&names, &blocks))
            .map(|(transport, (peer, blocks))| Measured { transport, peer, blocks })
            .collect();
        for transport in transports {
            let subject = Subject {
                experiment: run.experiment.name(),
                transport,
                operation: work.label.clone(),
                payload: work.payload,
                rounds,
                figure: work.figure,
            };
            add_rows(run, &subject, &all);
        }
        compared.add(&format!("{} {}", work.label, work.payload), &all);
    }
    run.checks = compared.checks();
    stop(pairs)
}

/// Starts the peers over one transport. The bare program knows no messaging, so one serves all that
/// has the same transport below.
fn start(
    run: &Run<'_>,
    transport: &str,
    transports: &[String],
    watch: &mut dyn Watch,
) -> Result<Vec<Pair>> {
    let bare = bare_transport(transport);
    let is_elsewhere = bare != transport && transports.iter().any(|other| other == bare);
    let mut names = run.names();
    names.retain(|name| !(is_elsewhere && name.starts_with("raw")));
    let setup = Setup { transport: transport.to_owned(), ..run.plan.setup.clone() };
    run.start_over(&setup, &names, MOST_THREADS * 2, watch)
}

fn add_rows(run: &mut Run<'_>, subject: &Subject<'_>, all: &[Measured<'_>]) {
    let own = all.iter().filter(|one| one.transport == subject.transport);
    let mut peers: Vec<(&str, &Blocks)> = own.map(|one| (one.peer, one.blocks)).collect();
    let has_raw = peers.iter().any(|(peer, _)| *peer == "raw");
    if !has_raw {
        let bare = bare_transport(subject.transport);
        let raw = all.iter().find(|one| (one.transport, one.peer) == (bare, "raw"));
        peers.extend(raw.map(|one| (one.peer, one.blocks)));
    }
    for (row, detail) in rows(subject, &peers) {
        if has_raw || row.peer != "raw" {
            run.rows.push(row);
            run.details.push(detail);
        }
    }
}

/// How transports do beside each other, block by block.
#[derive(Default)]
struct Compared {
    /// Of each kind of work: how many times the calls in a second of IIOP UIOP makes.
    uiop: Vec<(String, f64)>,
    /// The same of other messaging protocols and GIOP; every block of every kind of work.
    framed: Vec<(&'static str, Vec<f64>)>,
}

impl Compared {
    fn add(&mut self, work: &str, all: &[Measured<'_>]) {
        let ratios = |one: &str, other: &str| -> Vec<f64> {
            let of = |transport: &str| {
                let is_it = |it: &&Measured<'_>| (it.transport, it.peer) == (transport, "zorb");
                all.iter().find(is_it).and_then(|it| it.blocks.as_deref()).unwrap_or_default()
            };
            std::iter::zip(of(one), of(other)).map(|(a, b)| rate(a) / rate(b)).collect()
        };
        let uiop = ratios("uiop", "iiop");
        if !uiop.is_empty() {
            self.uiop.push((work.to_owned(), median(uiop)));
        }
        for (framed, plain) in FRAMED {
            let found = ratios(framed, plain);
            match self.framed.iter_mut().find(|(name, _)| *name == framed) {
                Some((_, all)) => all.extend(found),
                None if !found.is_empty() => self.framed.push((framed, found)),
                None => {}
            }
        }
    }

    fn checks(&self) -> Vec<Check> {
        let least = self.uiop.iter().min_by(|one, other| one.1.total_cmp(&other.1));
        let uiop = least.map(|(work, ratio)| Check {
            what: "UIOP makes more calls in a second than IIOP".to_owned(),
            expected: format!("{:.0} % for everything", (UIOP_GAIN - 1.0) * 100.0),
            found: format!("{:+.1} % at least, for {work}", (ratio - 1.0) * 100.0),
            holds: *ratio >= UIOP_GAIN,
        });
        let framed = self.framed.iter().map(|(name, ratios)| {
            let Interval { low, median, high } = Interval::of(ratios.iter().copied());
            let percent = |ratio: f64| (ratio - 1.0) * 100.0;
            Check {
                what: format!("calls in a second of {name}, beside GIOP"),
                expected: "more, with 95 % confidence".to_owned(),
                found: format!(
                    "{:+.1} % ({:+.1} to {:+.1})",
                    percent(median),
                    percent(low),
                    percent(high)
                ),
                holds: low > 1.0,
            }
        });
        uiop.into_iter().chain(framed).collect()
    }
}

fn rate(block: &Done) -> f64 {
    block.calls as f64 / block.sum_ns.max(1) as f64
}
