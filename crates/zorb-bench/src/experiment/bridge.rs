//! Calls through a bridge, compared with calls through a bare relay and direct calls.

use super::runner::{Run, stop};
use super::workloads;
use crate::driver::Done;
use crate::error::{Error, Result};
use crate::harness::{Blocks, Certificates, Pair, Setup, Watch, has_certificates, interleaved};
use crate::operation::Operation;
use crate::peer::Role;
use crate::report::{Claim, Figure};
use crate::statistics::Interval;
use crate::transport::bare_transport;

/// The protocols of client and server.
const WAYS: [(&str, &str); 9] = [
    ("iiop", "iiop"),
    ("uiop", "iiop"),
    ("iiop", "uiop"),
    ("shmiop", "uiop"),
    ("uiop", "shmiop"),
    ("iiop", "shmiop"),
    ("lite+iiop", "iiop"),
    ("iiop", "lite+iiop"),
    (TLS, "iiop"),
];
/// TLS over TCP.
const TLS: &str = "ssliop";
/// Octets of argument and result.
const PAYLOADS: [usize; 3] = [0, 1 << 10, 64 << 10];
const CALLS: u32 = 1000;
const LARGE: usize = 16 << 10;
const LARGE_CALLS: u32 = 400;
/// Maximum time that a bridge adds to a call, as a multiple of a bare call.
const MAX_ADDED: f64 = 1.15;
/// Maximum number of connections of each server.
const CONNECTIONS: usize = 8;

/// Calls between all protocols, of every size.
pub(super) fn bridge(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let payloads: &[usize] =
        if run.setup.options.payload.is_empty() { &PAYLOADS } else { &run.setup.options.payload };
    let mut ways: Vec<(&str, &str)> = WAYS.to_vec();
    let made = Certificates::for_peers(run.setup)?;
    let with_tls = made.as_ref().map_or_else(|| run.setup.clone(), Certificates::setup);
    if !has_certificates(&with_tls) {
        ways.retain(|(from, _)| *from != TLS);
        watch.note("ssliop is skipped: this build has no certificates, and no option names any");
    }
    let rounds = run.rounds();
    watch.begin(ways.len() * payloads.len() * 4 * rounds * 2);
    for (from, to) in ways {
        let setup = if from == TLS { &with_tls } else { run.setup };
        let mut pairs = start(setup, from, to, watch)?;
        let names: Vec<String> = pairs.iter().map(|pair| pair.name.clone()).collect();
        for &payload in payloads {
            let (operation, own) = match payload {
                0 => (Operation::Ping, CALLS),
                LARGE.. => (Operation::EchoOctets, LARGE_CALLS),
                _ => (Operation::EchoOctets, CALLS),
            };
            let asked = workloads::run(&run.setup.options, operation, payload, own);
            let work = workloads::work(asked, operation.to_string(), Figure::Latency);
            let blocks = interleaved(&mut pairs, &work.command, rounds, watch)?;
            let peers: Vec<_> = std::iter::zip(names.iter().map(String::as_str), &blocks).collect();
            let way = format!("{from}->{to}");
            run.add(&way, (&work.label, work.payload), work.figure, &peers);
            run.claims.extend(check(&format!("{way} {} {}", work.label, work.payload), &peers));
        }
        stop(pairs)?;
    }
    Ok(())
}

/// Bare calls, direct calls, and calls through a relay and through a bridge.
fn start(setup: &Setup, from: &str, to: &str, watch: &mut dyn Watch) -> Result<Vec<Pair>> {
    let over = |scheme: &str| Setup { transport: scheme.to_owned(), ..setup.clone() };
    let (near, far) = (over(from), over(to));
    let bare = over(bare_transport(from));
    // A bridge from TLS adds the connection behind it: direct calls use TLS, too.
    let straight = if from == TLS { &near } else { &far };
    let missing = |what: &str| Error::new(format!("{what} over {from} and {to} does not start"));
    let mut pairs = Vec::new();
    for (name, started) in [
        ("raw", Pair::start(&bare, "raw", CONNECTIONS)),
        ("direct", Pair::start(straight, "zorb", CONNECTIONS)),
    ] {
        let mut pair = started?.ok_or_else(|| missing(name))?;
        name.clone_into(&mut pair.name);
        pairs.push(pair);
    }
    for hop in [Role::Relay, Role::Bridge] {
        if hop == Role::Relay && from.starts_with("lite+") != to.starts_with("lite+") {
            watch.note(&format!(
                "there is no relay from {from} to {to}: it cannot convert messages"
            ));
            continue;
        }
        let pair = Pair::start_through(hop, &near, &far, CONNECTIONS)?;
        pairs.push(pair.ok_or_else(|| missing(hop.name()))?);
    }
    Ok(pairs)
}

/// The time that a bridge adds to calls, relative to a bare call, block by block.
fn check(what: &str, peers: &[(&str, &Blocks)]) -> Option<Claim> {
    let of = |name: &str| -> Option<&[Done]> {
        peers.iter().find(|(peer, _)| *peer == name)?.1.as_deref()
    };
    let (raw, direct) = (of("raw")?, of("direct")?);
    let added = |through: &[Done]| -> (Interval, Interval) {
        let all = std::iter::zip(raw, std::iter::zip(direct, through));
        let all: Vec<(f64, f64)> = all
            .map(|(raw, (direct, through))| (p50_us(through) - p50_us(direct), p50_us(raw)))
            .collect();
        let hops = all.iter().map(|(added, hop)| added / hop.max(f64::MIN_POSITIVE));
        (Interval::of(all.iter().map(|(added, _)| *added)), Interval::of(hops))
    };
    let (micros, hops) = added(of("bridge")?);
    let relay = of("relay").map(added);
    let relay = relay.map_or_else(String::new, |(micros, hops)| {
        format!("; a relay adds {:.2} ({:.1} us)", hops.median, micros.median)
    });
    Some(
        Claim::new(
            format!("{what}: a bridge adds"),
            format!("at most {MAX_ADDED} bare hops to the median"),
            format!(
                "{:.2} ({:.2} to {:.2}; {:.1} us){relay}",
                hops.median, hops.low, hops.high, micros.median
            ),
            hops.median <= MAX_ADDED,
        )
        .unclear_if(hops.contains(MAX_ADDED)),
    )
}

fn p50_us(block: &Done) -> f64 {
    block.histogram.quantile(0.5) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Histogram;

    /// Blocks of calls with these times in microseconds.
    fn blocks(micros: &[u64]) -> Blocks {
        let block = |micros: &u64| {
            let mut histogram = Histogram::new();
            (0..9).for_each(|_| histogram.record(micros * 1000));
            Done { calls: 9, histogram, ..Done::default() }
        };
        Some(micros.iter().map(block).collect())
    }

    #[test]
    fn a_bridge_may_add_a_bare_call_and_a_margin() {
        let (raw, direct) = (blocks(&[20, 40, 20]), blocks(&[30, 60, 30]));
        let found = |bridge: &[u64]| {
            let relay = blocks(&[50, 100, 50]);
            let bridge = blocks(bridge);
            let peers =
                [("raw", &raw), ("direct", &direct), ("relay", &relay), ("bridge", &bridge)];
            check("x", &peers).unwrap()
        };
        let good = found(&[50, 100, 52]);
        assert!(good.holds && good.found.contains("; a relay adds 1.0"), "{good:?}");
        assert!(!found(&[60, 120, 60]).holds);
        assert!(check("x", &[("raw", &raw), ("bridge", &direct)]).is_none());
    }
}
