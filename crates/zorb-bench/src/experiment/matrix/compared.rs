//! Compares transports and messaging protocols.

use super::gains::{Gains, percent, points};
use super::measured::Measured;
use crate::driver::Done;
use crate::report::Claim;
use crate::statistics::Interval;

/// Other messaging protocols than GIOP, and what each is compared with.
const FRAMED: [(&str, &str); 4] =
    [("lite+iiop", "iiop"), ("short+iiop", "iiop"), (LITE_UIOP, "uiop"), ("short+uiop", "uiop")];
const LITE_UIOP: &str = "lite+uiop";
const LITE_IIOP: &str = "lite+iiop";

/// UIOP makes at least this many times the calls per second of IIOP, with every workload.
const UIOP_GAIN: f64 = 1.20;
/// The gain decreases from the first of these workloads to the second.
const SMALL: &str = "cube_void ";
const COMPLEX: &str = "cube_structs ";

/// Comparisons block by block.
#[derive(Default)]
pub(super) struct Compared {
    /// UIOP relative to IIOP.
    uiop: Gains,
    /// The same ratio of the bare program, for each workload.
    bare: Vec<(String, f64)>,
    /// Other messaging protocols relative to GIOP.
    framed: Vec<(&'static str, Gains)>,
}

impl Compared {
    pub(super) fn add(&mut self, work: &str, all: &[Measured<'_>]) {
        let of = |peer: &str, transport: &str| {
            let is_it = |it: &&Measured<'_>| (it.transport, it.peer) == (transport, peer);
            all.iter().find(is_it).and_then(|it| it.blocks.as_deref()).unwrap_or_default()
        };
        let gain = |peer: &str, one: &str, other: &str| -> Vec<f64> {
            std::iter::zip(of(peer, one), of(peer, other)).map(|(a, b)| rate(a) / rate(b)).collect()
        };
        // Below 1 is better.
        let spent = |one: &str, other: &str| -> Vec<f64> {
            let both = std::iter::zip(of("zorb", one), of("zorb", other));
            both.filter_map(|(one, other)| Some(processor(one)? / processor(other)?)).collect()
        };
        self.uiop.add(work, gain("zorb", "uiop", "iiop"), Vec::new());
        let bare = gain("raw", "uiop", "iiop");
        if !bare.is_empty() {
            self.bare.push((work.to_owned(), Interval::of(bare).median));
        }
        for (framed, plain) in FRAMED {
            let found = gain("zorb", framed, plain);
            if found.is_empty() {
                continue;
            }
            if !self.framed.iter().any(|(name, _)| *name == framed) {
                self.framed.push((framed, Gains::default()));
            }
            let gains = self.framed.iter_mut().find(|(name, _)| *name == framed);
            if let Some((_, gains)) = gains {
                gains.add(work, found, spent(framed, plain));
            }
        }
    }

    pub(super) fn checks(&self) -> Vec<Claim> {
        let of = |name: &str| Some(&self.framed.iter().find(|(framed, _)| *framed == name)?.1);
        let framed = self.framed.iter().flat_map(|(name, gains)| match name.starts_with("lite+") {
            true => gains.small_ones(name),
            false => gains.any(name),
        });
        let both = of(LITE_UIOP).zip(of(LITE_IIOP));
        let order = both.and_then(|(uiop, iiop)| uiop.beside(LITE_UIOP, iiop, LITE_IIOP));
        self.of_uiop().into_iter().chain(self.falls()).chain(framed).chain(order).collect()
    }

    /// The claim about the workload with the smallest gain of UIOP.
    fn of_uiop(&self) -> Option<Claim> {
        let (work, least) = self.uiop.least()?;
        let bare = self.bare.iter().find(|(of, _)| of == work);
        let bare = bare.map_or_else(String::new, |(_, bare)| {
            format!("; the bare program has {:+.1} %", (bare - 1.0) * 100.0)
        });
        Some(
            Claim::new(
                "calls per second over uiop relative to iiop",
                format!("at least {:+.0} % for each workload", (UIOP_GAIN - 1.0) * 100.0),
                format!("minimum {}, for {work}{bare}", percent(least)),
                least.median >= UIOP_GAIN,
            )
            .unclear_if(least.contains(UIOP_GAIN)),
        )
    }

    /// The claim that the gain of UIOP falls with the size of the workload.
    fn falls(&self) -> Option<Claim> {
        let (small, complex) = (self.uiop.first(SMALL)?, self.uiop.last(COMPLEX)?);
        let of = |gains: &[f64]| (Interval::of(gains.iter().copied()).median - 1.0) * 100.0;
        let (from, to) = (of(&small.gains), of(&complex.gains));
        let less = std::iter::zip(&small.gains, &complex.gains).map(|(one, other)| one - other);
        let less = Interval::of(less);
        Some(
            Claim::new(
                format!("gain of uiop from {} to {}", small.name, complex.name),
                "decreases, with 95 % confidence",
                format!("{from:+.1} % and {to:+.1} %: decreases by {}", points(less)),
                less.low > 0.0,
            )
            .unclear_if(less.contains(0.0)),
        )
    }
}

fn rate(block: &Done) -> f64 {
    block.calls as f64 / block.sum_ns.max(1) as f64
}

/// CPU time of both sides per call, if both are known.
fn processor(block: &Done) -> Option<f64> {
    let all = block.cpu_ns.checked_add(block.server_cpu_ns)?;
    let is_known = block.cpu_ns > 0 && block.server_cpu_ns > 0 && block.calls > 0;
    is_known.then(|| all as f64 / block.calls as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Blocks;

    fn blocks(micros: &[u64]) -> Blocks {
        let block = |micros: &u64| Done { calls: 1, sum_ns: micros * 1000, ..Done::default() };
        Some(micros.iter().map(block).collect())
    }

    fn found(uiop: &[u64], lite: &[u64]) -> Vec<Claim> {
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
        assert!(checks[0].found.starts_with("minimum +20.00 % (+20.00 to +20.00)"), "{checks:?}");
        assert!(!found(&[51; 20], &[51; 20])[0].holds);
    }

    #[test]
    fn a_gain_must_be_significant() {
        assert!(!found(&[50; 20], &[50; 20])[1].holds);
        assert!(found(&[50; 20], &[49; 20])[1].holds);
        let doubtful: Vec<u64> = [49, 51].repeat(10);
        assert!(!found(&[50; 20], &doubtful)[1].holds);
    }

    #[test]
    fn the_gain_falls_with_the_workload() {
        let mut compared = Compared::default();
        for (work, uiop) in [("cube_void 0", 40), ("cube_long 4", 44), ("cube_structs 4092", 50)] {
            let all = [("iiop", blocks(&[60; 20])), ("uiop", blocks(&[uiop; 20]))];
            let all = all.iter().map(|(transport, blocks)| Measured {
                transport,
                peer: "zorb",
                blocks,
                distances: &[],
            });
            compared.add(work, &all.collect::<Vec<_>>());
        }
        let checks = compared.checks();
        let falls = checks.last().unwrap();
        assert!(falls.holds && falls.found.contains("decreases by 30.00 points"), "{checks:?}");
        assert_eq!(checks.len(), 2);
    }
}
