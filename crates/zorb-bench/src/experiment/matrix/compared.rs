//! What sockets and messaging protocols do beside each other.

use super::Measured;
use crate::driver::Done;
use crate::report::Check;
use crate::statistics::Interval;

/// What frames messages otherwise than GIOP does, with what it is compared with.
const FRAMED: [(&str, &str); 4] =
    [("lite+iiop", "iiop"), ("short+iiop", "iiop"), ("lite+uiop", "uiop"), ("short+uiop", "uiop")];

/// How many more calls in a second UIOP is expected to make than IIOP, for every kind of work.
const UIOP_GAIN: f64 = 1.20;

/// How transports do beside each other, block by block.
#[derive(Default)]
pub(super) struct Compared {
    /// Of each kind of work: how many times the calls in a second of IIOP UIOP makes, and the same of
    /// the bare program.
    uiop: Vec<(String, Interval, Option<f64>)>,
    /// The same of other messaging protocols and GIOP.
    framed: Vec<(&'static str, Gains)>,
}

/// Every block of every kind of work, and the median of each kind.
#[derive(Default)]
struct Gains {
    all: Vec<f64>,
    works: Vec<(String, f64)>,
}

impl Compared {
    pub(super) fn add(&mut self, work: &str, all: &[Measured<'_>]) {
        let ratios_of = |peer: &str, one: &str, other: &str| -> Vec<f64> {
            let of = |transport: &str| {
                let is_it = |it: &&Measured<'_>| (it.transport, it.peer) == (transport, peer);
                all.iter().find(is_it).and_then(|it| it.blocks.as_deref()).unwrap_or_default()
            };
            std::iter::zip(of(one), of(other)).map(|(a, b)| rate(a) / rate(b)).collect()
        };
        let ratios = |one: &str, other: &str| ratios_of("zorb", one, other);
        let uiop = ratios("uiop", "iiop");
        if !uiop.is_empty() {
            let raw = ratios_of("raw", "uiop", "iiop");
            let raw = (!raw.is_empty()).then(|| Interval::of(raw).median);
            self.uiop.push((work.to_owned(), Interval::of(uiop), raw));
        }
        for (framed, plain) in FRAMED {
            let found = ratios(framed, plain);
            if found.is_empty() {
                continue;
            }
            if !self.framed.iter().any(|(name, _)| *name == framed) {
                self.framed.push((framed, Gains::default()));
            }
            let gains = self.framed.iter_mut().find(|(name, _)| *name == framed);
            if let Some((_, Gains { all, works })) = gains {
                works.push((work.to_owned(), Interval::of(found.iter().copied()).median));
                all.extend(found);
            }
        }
    }

    pub(super) fn checks(&self) -> Vec<Check> {
        let by_median = |(_, one, _): &&(_, Interval, _), (_, other, _): &&(_, Interval, _)| {
            one.median.total_cmp(&other.median)
        };
        let uiop = self.uiop.iter().min_by(by_median).map(|(work, least, raw)| {
            let raw = raw.map_or_else(String::new, |raw| {
                format!(", where the bare program makes {:+.1} %", (raw - 1.0) * 100.0)
            });
            Check {
                what: "calls in a second of uiop, beside iiop".to_owned(),
                expected: format!("{:+.0} % for each kind of work", (UIOP_GAIN - 1.0) * 100.0),
                found: format!("{} at least, for {work}{raw}", percent(*least)),
                holds: least.median >= UIOP_GAIN,
            }
        });
        let framed = self.framed.iter().map(|(name, Gains { all, works })| {
            let gain = Interval::of(all.iter().copied());
            let least = works.iter().min_by(|one, other| one.1.total_cmp(&other.1));
            let least = least.map_or_else(String::new, |(work, least)| {
                format!("; {:+.1} % at least, for {work}", (least - 1.0) * 100.0)
            });
            Check {
                what: format!("calls in a second of {name}, beside GIOP"),
                expected: "more, with 95 % confidence".to_owned(),
                found: format!("{} for all{least}", percent(gain)),
                holds: gain.low > 1.0,
            }
        });
        uiop.into_iter().chain(framed).collect()
    }
}

/// By how much more than 1 a ratio is, and between what it is with 95 % confidence.
fn percent(ratio: Interval) -> String {
    let of = |ratio: f64| (ratio - 1.0) * 100.0;
    format!("{:+.1} % ({:+.1} to {:+.1})", of(ratio.median), of(ratio.low), of(ratio.high))
}

fn rate(block: &Done) -> f64 {
    block.calls as f64 / block.sum_ns.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Blocks;

    fn blocks(micros: &[u64]) -> Blocks {
        let block = |micros: &u64| Done { calls: 1, sum_ns: micros * 1000, ..Done::default() };
        Some(micros.iter().map(block).collect())
    }

    fn found(uiop: &[u64], lite: &[u64]) -> Vec<Check> {
        let all =
            [("iiop", blocks(&[60; 20])), ("uiop", blocks(uiop)), ("lite+uiop", blocks(lite))];
        let all = all.iter().map(|(transport, blocks)| Measured {
            transport,
            peer: "zorb",
            blocks,
            distances: &[],
        });
        let mut compared = Compared::default();
        compared.add("x", &all.collect::<Vec<_>>());
        compared.checks()
    }

    #[test]
    fn sockets_without_a_network_are_faster() {
        let checks = found(&[50; 20], &[50; 20]);
        assert!(checks[0].holds, "{checks:?}");
        assert!(checks[0].found.starts_with("+20.0 % (+20.0 to +20.0)"), "{checks:?}");
        assert!(!found(&[51; 20], &[51; 20])[0].holds);
    }

    #[test]
    fn a_gain_is_one_where_it_is_beyond_doubt() {
        assert!(!found(&[50; 20], &[50; 20])[1].holds);
        assert!(found(&[50; 20], &[49; 20])[1].holds);
        let doubtful: Vec<u64> = [49, 51].repeat(10);
        assert!(!found(&[50; 20], &doubtful)[1].holds);
    }
}
