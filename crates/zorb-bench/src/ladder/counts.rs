//! What callgrind has counted.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::profile::Profile;
use crate::{Error, Result};

/// What the program prints: the work between callgrind's dumps.
#[derive(Debug, Deserialize)]
struct Printed {
    optimized: bool,
    phases: Vec<Phase>,
}

#[derive(Debug, Deserialize)]
struct Phase {
    engine: String,
    elements_of: String,
    side: String,
    elements: u64,
    messages: u64,
    cold: bool,
}

/// All counts.
#[derive(Debug)]
pub(super) struct Counted {
    /// Whether the engines were compiled with optimizations.
    pub(super) optimized: bool,
    pub(super) counts: Vec<LadderCount>,
}

/// What one side of an engine does with a sequence of one type.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LadderCount {
    /// The engine.
    pub engine: String,
    /// The type of elements.
    pub elements_of: String,
    /// `sender` or `receiver`; `swapping sender` or `swapping receiver` of a message in the other byte order; `dynamic
    /// sender`, that of a DII request.
    pub side: String,
    /// Elements of a message.
    pub elements: u64,
    /// Instructions of a message.
    pub instructions: u64,
    /// Instructions of the engine for a message that the simulated cache does not have after messages of the same kind.
    pub i1_misses: f64,
    /// The same after other code.
    pub cold_i1_misses: u64,
    /// The same with the instructions of the C library.
    pub cold_i1_misses_of_all: u64,
    /// How often functions of the engine are called for a message.
    pub calls: BTreeMap<String, f64>,
}

/// The counts in callgrind's files.
pub(super) fn read(printed: &[u8], file: &Path) -> Result<Counted> {
    let printed: Printed = serde_json::from_slice(printed)
        .map_err(|error| Error::new(format!("`zorb-ladder count`: {error}")))?;
    let empty = profile(file, 0)?;
    let mut counts: Vec<LadderCount> = Vec::new();
    for (number, phase) in (1..).zip(&printed.phases) {
        let profile = profile(file, number)?.without(&empty);
        match counts.last_mut().filter(|_| phase.cold) {
            Some(count) => {
                count.cold_i1_misses = profile.i1_misses;
                count.cold_i1_misses_of_all = profile.i1_misses_of_all;
            }
            None => counts.push(LadderCount::new(phase, &profile)),
        }
    }
    Ok(Counted { optimized: printed.optimized, counts })
}

/// The profile of the phase of this number.
fn profile(file: &Path, number: usize) -> Result<Profile> {
    // Counts are written at every mark, and phases have two.
    let path = format!("{}.{}", file.display(), 2 * number + 2);
    let text = std::fs::read_to_string(path)
        .map_err(|_| Error::new("callgrind did not find the functions of this program"))?;
    Profile::parse(&text)
}

impl LadderCount {
    fn new(phase: &Phase, profile: &Profile) -> Self {
        let messages = phase.messages.max(1);
        let of_message = |count: u64| count as f64 / messages as f64;
        let calls = profile.calls.iter().map(|(name, &count)| (name.clone(), of_message(count)));
        Self {
            engine: phase.engine.clone(),
            elements_of: phase.elements_of.clone(),
            side: phase.side.clone(),
            elements: phase.elements,
            instructions: profile.instructions / messages,
            i1_misses: of_message(profile.i1_misses),
            cold_i1_misses: 0,
            cold_i1_misses_of_all: 0,
            calls: calls.collect(),
        }
    }

    /// Instructions per element.
    pub(super) fn per_element(&self) -> f64 {
        self.instructions as f64 / self.elements.max(1) as f64
    }

    /// Calls per element of functions whose names contain one of these.
    pub(super) fn calls_per_element(&self, names: &[&str]) -> f64 {
        self.calls_of(names) / self.elements.max(1) as f64
    }

    /// Calls per message of functions whose names contain one of these.
    pub(super) fn calls_of(&self, names: &[&str]) -> f64 {
        let selected =
            self.calls.iter().filter(|(name, _)| names.iter().any(|part| name.contains(part)));
        // The sum of nothing would be negative zero.
        selected.fold(0.0, |sum, (_, count)| sum + count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_those_of_every_second_dump() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("counts");
        for (dump, instructions) in [(2, 10), (4, 210), (6, 120)] {
            let text = format!(
                "events: Ir I1mr\ncfn=zorb_ladder::put_long\ncalls=8 1\n1 8\ntotals: {instructions} 4\n"
            );
            std::fs::write(folder.path().join(format!("counts.{dump}")), text).unwrap();
        }
        let phase = |messages, cold| {
            format!(
                r#"{{"engine":"interp0","elements_of":"long","side":"sender","elements":4,"messages":{messages},"cold":{cold}}}"#
            )
        };
        let printed =
            format!(r#"{{"optimized":true,"phases":[{},{}]}}"#, phase(2, false), phase(1, true));
        let counted = read(printed.as_bytes(), &file).unwrap();
        let [count] = &counted.counts[..] else { panic!("{:?}", counted.counts) };
        assert_eq!((count.instructions, count.per_element()), (100, 25.0));
        assert_eq!((count.calls_of(&["put_"]), count.calls_per_element(&["put_"])), (4.0, 1.0));
        read(printed.as_bytes(), &folder.path().join("other")).unwrap_err();
    }
}
