//! What has been measured, and what is claimed.

use serde::Serialize;

use super::counts::{Counted, LadderCount};
use super::flood::LadderFlood;
use super::link::RATE;
use super::plan::{ENGINES, FOUND, LAST, RAW, STRUCT, TYPES};
use crate::machine::Machine;
use crate::pin::Pin;
use crate::report::Claim;
use crate::statistics::Interval;

/// Counts and throughputs of the engines, and claims about them.
#[derive(Clone, Debug, Serialize)]
pub struct LadderReport {
    /// The machine.
    pub machine: Machine,
    /// Whether it was a quick run.
    pub quick: bool,
    /// Whether the engines were compiled with optimizations: else counts of instructions decide nothing.
    pub optimized: bool,
    /// The counts of each engine, type and side; empty without valgrind.
    pub counts: Vec<LadderCount>,
    /// Floods over the loopback interface.
    pub floods: Vec<LadderFlood>,
    /// Floods over a link of 155 Mbit/s; empty where no such link can be made.
    pub link: Vec<LadderFlood>,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// Names of functions that calculate sizes.
pub(super) const SIZES: &[&str] = &["calc_nested_size_and_alignment"];
/// Of those that visit a part of a value.
pub(super) const VISITS: &[&str] = &["::visit"];
/// Of those that visit one to encode it, to decode it, and to free it.
pub(super) const ENCODES: &[&str] = &["Encoder::visit"];
pub(super) const DECODES: &[&str] = &["Decoder::visit"];
pub(super) const FREES: &[&str] = &["Liberator::visit", "deep_free"];
/// Of those that swap octets.
const SWAPS: &[&str] = &["swap"];

/// The two directions.
pub(super) const SIDES: [&str; 2] = ["sender", "receiver"];

impl LadderReport {
    pub(super) fn new(quick: bool) -> Self {
        Self {
            machine: Machine::with(Pin::None, None),
            quick,
            optimized: false,
            counts: Vec::new(),
            floods: Vec::new(),
            link: Vec::new(),
            claims: Vec::new(),
        }
    }

    pub(super) fn counted(&mut self, counted: Counted) {
        self.optimized = counted.optimized;
        self.counts = counted.counts;
    }

    /// Judges the claims.
    pub(super) fn finish(&mut self) {
        self.machine.finish();
        let mut claims = self.of_calls();
        let optimized = self.optimized;
        claims.extend(self.of_instructions().into_iter().map(|one| one.unclear_if(!optimized)));
        claims.extend(self.of_caches().into_iter().map(|one| one.unclear_if(!optimized)));
        let timed = self.of_floods().into_iter().chain(self.of_link());
        claims.extend(timed.map(|one| one.unclear_if(self.quick)));
        self.claims = claims;
    }

    pub(super) fn count(
        &self,
        engine: &str,
        elements_of: &str,
        side: &str,
    ) -> Option<&LadderCount> {
        self.counts.iter().find(|count| {
            (&*count.engine, &*count.elements_of, &*count.side) == (engine, elements_of, side)
        })
    }

    /// How often functions are called per element, by both sides.
    fn calls(&self, engine: &str, elements_of: &str, names: &[&str]) -> Option<f64> {
        let of_side = |side| Some(self.count(engine, elements_of, side)?.calls_per_element(names));
        SIDES.into_iter().map(of_side).sum()
    }

    /// Instructions per element, of both sides.
    pub(super) fn instructions(&self, engine: &str, elements_of: &str) -> Option<f64> {
        let of_side = |side| Some(self.count(engine, elements_of, side)?.per_element());
        SIDES.into_iter().map(of_side).sum()
    }

    /// Claims about numbers of calls.
    fn of_calls(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        let visitors = [("sender", "encoder", ENCODES), ("receiver", "decoder", DECODES)];
        for elements_of in TYPES {
            for (side, visitor, names) in visitors {
                let Some(count) = self.count(FOUND, elements_of, side) else { continue };
                let found = count.calls_per_element(names);
                // A struct and each of its members; one more for the sequence.
                let expected = if elements_of == STRUCT { 7.0 } else { 1.0 };
                let holds = (expected..=expected + 0.01).contains(&found);
                let what = format!("{FOUND}, {elements_of}: visits of the {visitor} per element");
                claims.push(Claim::new(what, expected.to_string(), format!("{found:.3}"), holds));
            }
        }
        if let Some(count) = self.count(FOUND, STRUCT, "receiver") {
            let found = count.calls_per_element(SIZES);
            let what = format!("{FOUND}, {STRUCT}: size calculations of the receiver per element");
            claims.push(Claim::new(what, "at least 14", format!("{found:.2}"), found >= 13.99));
        }
        if let Some(found) = self.calls("interp2", STRUCT, SIZES) {
            let what = format!("interp2, {STRUCT}: size calculations per element");
            claims.push(Claim::new(what, "0", found, found == 0.0));
        }
        for elements_of in TYPES {
            let Some(count) = self.count("interp2", elements_of, "receiver") else { continue };
            let found = count.calls_of(FREES);
            let what = format!("interp2, {elements_of}: calls that free a sequence");
            claims.push(Claim::new(what, "1", found, found == 1.0));
        }
        claims.extend(self.of_swaps());
        claims
    }

    /// Claims about the byte order: messages in that of the machine need no code that swaps octets, and others do.
    fn of_swaps(&self) -> Vec<Claim> {
        let split = [("interp3", "receiver"), (LAST, "sender"), (LAST, "receiver")];
        let same = TYPES.into_iter().flat_map(|elements_of| {
            split.into_iter().filter_map(move |(engine, side)| {
                let found = self.count(engine, elements_of, side)?.calls_of(SWAPS);
                let what = format!("{engine}, {elements_of}: calls of the {side} that swap octets");
                Some(Claim::new(what, "0", found, found == 0.0))
            })
        });
        let others = ["swapping sender", "swapping receiver"].into_iter().filter_map(|side| {
            let found = self.count(LAST, "long", side)?.calls_of(SWAPS);
            let what = format!("{LAST}, long: calls of the {side} that swap octets");
            Some(Claim::new(what, "at least 1", found, found >= 1.0))
        });
        same.chain(others).collect()
    }

    /// Claims about instructions.
    fn of_instructions(&self) -> Vec<Claim> {
        let gain = |from, to, elements_of| {
            let found =
                self.instructions(from, elements_of)? / self.instructions(to, elements_of)?;
            Some((format!("{elements_of}: instructions of {from} in relation to {to}"), found))
        };
        let mut claims = Vec::new();
        for elements_of in TYPES {
            let side = |side| Some(self.count(FOUND, elements_of, side)?.per_element());
            let Some((sender, receiver)) = side("sender").zip(side("receiver")) else { continue };
            let what = format!(
                "{FOUND}, {elements_of}: instructions of the receiver in relation to the sender"
            );
            let found = receiver / sender;
            claims.push(Claim::new(what, "more than 1", two_digits(found), found > 1.0));
        }
        if let Some((what, found)) = gain(FOUND, "interp1", STRUCT) {
            claims.push(Claim::new(what, "less than 1.15", two_digits(found), found < 1.15));
        }
        let mut at_least = |gain: Option<(String, f64)>, limit: f64| {
            claims.extend(gain.map(|(what, found)| {
                Claim::new(what, format!("at least {limit}"), two_digits(found), found >= limit)
            }));
        };
        at_least(gain("interp1", "interp2", STRUCT), 2.0);
        for elements_of in TYPES {
            let limit = if elements_of == STRUCT { 4.0 } else { 2.0 };
            at_least(gain(FOUND, LAST, elements_of), limit);
        }
        claims
    }

    /// Claims about the instruction cache.
    fn of_caches(&self) -> Vec<Claim> {
        let misses = |engine: &str, elements_of, side| -> Option<u64> {
            Some(self.count(engine, elements_of, side)?.cold_i1_misses)
        };
        let claim = |whose: String, before: u64, after: u64| {
            let what =
                format!("{whose}: its instructions that the cache does not have after other code");
            let expected = format!("less than {before}, those of interp2");
            Claim::new(what, expected, after, after < before)
        };
        // Not of the sender of interp4: it needs as many lines as that of interp2, one more or less by the code's addresses.
        let receivers = TYPES.into_iter().filter_map(|elements_of| {
            let of = |engine| misses(engine, elements_of, "receiver");
            let whose = format!("interp3, receiver of a message of {elements_of}");
            Some(claim(whose, of("interp2")?, of("interp3")?))
        });
        receivers.collect()
    }

    /// The flood of an engine with the largest buffer.
    pub(super) fn largest(&self, engine: &str, elements_of: &str) -> Option<&LadderFlood> {
        let of =
            self.floods.iter().filter(|one| (one.engine, one.elements_of) == (engine, elements_of));
        of.max_by_key(|flood| flood.buffer)
    }

    /// Claims about floods.
    fn of_floods(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        let mut claim =
            |what: String, expected: String, found: Interval, limit: f64, above: bool| {
                let holds = (found.median >= limit) == above;
                let claim = Claim::new(what, expected, shown(found), holds);
                claims.push(claim.unclear_if(found.contains(limit)));
            };
        for faster in ["double", "long", "short"].windows(2).chain([
            ["short", "octet"].as_slice(),
            &["short", "char"],
            &["short", STRUCT],
        ]) {
            let &[one, other] = faster else { continue };
            let Some((one_flood, other_flood)) =
                self.largest(FOUND, one).zip(self.largest(FOUND, other))
            else {
                continue;
            };
            let what = format!("{FOUND}: throughput of {one} in relation to {other}");
            claim(what, "more than 1".to_owned(), one_flood.relative_to(other_flood), 1.0, true);
        }
        for elements_of in TYPES {
            let raw = self.largest(RAW, elements_of);
            let Some((flood, raw)) = self.largest(FOUND, elements_of).zip(raw) else { continue };
            let what = format!("{FOUND}, {elements_of}: throughput in relation to raw");
            claim(what, "less than 0.5".to_owned(), flood.relative_to(raw), 0.5, false);
        }
        for elements_of in ["double", "octet"] {
            let raw = self.largest(RAW, elements_of);
            let Some((flood, raw)) = self.largest(LAST, elements_of).zip(raw) else { continue };
            let what = format!("{LAST}, {elements_of}: throughput in relation to raw");
            claim(what, "at least 0.9".to_owned(), flood.relative_to(raw), 0.9, true);
        }
        for elements_of in TYPES.into_iter().filter(|&name| name != STRUCT) {
            let Some(flood) = self.largest(LAST, elements_of) else { continue };
            for (call, shares) in [("write", &flood.write_share), ("read", &flood.read_share)] {
                let what = format!("{LAST}, {elements_of}: share of time in `{call}`");
                let found = Interval::of(shares.iter().copied());
                claim(what, "at least 0.5".to_owned(), found, 0.5, true);
            }
        }
        claims
    }

    /// Claims about the link.
    fn of_link(&self) -> Vec<Claim> {
        let of = |engine, elements_of| {
            let mut floods = self.link.iter();
            floods.find(|one| (one.engine, one.elements_of) == (engine, elements_of))
        };
        let claims = TYPES.into_iter().map(|elements_of| {
            let what = format!("{LAST}, {elements_of}: share of a link of 155 Mbit/s that it uses");
            let expected = "at least 0.9";
            match of(LAST, elements_of) {
                Some(flood) => {
                    let found = Interval::of(flood.mb_per_s.iter().map(|rate| rate * 1e6 / RATE));
                    let claim = Claim::new(what, expected, shown(found), found.median >= 0.9);
                    claim.unclear_if(found.contains(0.9))
                }
                None => Claim::new(what, expected, "no such link here", false).unclear_if(true),
            }
        });
        claims.collect()
    }

    /// The claims that fail.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let failed = self.claims.iter().filter(|claim| claim.fails());
        failed.map(|claim| format!("{}: {}", claim.what, claim.found)).collect()
    }

    /// The engines of a table of floods.
    pub(super) fn ways() -> impl Iterator<Item = &'static str> {
        [RAW].into_iter().chain(ENGINES)
    }
}

pub(super) fn two_digits(number: f64) -> String {
    format!("{number:.2}")
}

fn shown(found: Interval) -> String {
    let Interval { low, median, high } = found;
    format!("{median:.2} ({low:.2}..{high:.2})")
}

#[cfg(test)]
mod tests;
