//! The tables of a report.

use super::counts::LadderCount;
use super::plan::{ENGINES, FOUND, LAST, TYPES};
use super::report::{FREES, LadderReport, SIDES, SIZES, VISITS, two_digits};
use crate::report::TextTable;
use crate::statistics::median;

/// Names of functions that put or get a number of a message.
const NUMBERS: &[&str] = &["put_", "get_octet", "get_short", "get_long"];
/// Of those that read the octets of a TypeCode.
const PARAMETERS: &[&str] = &["get_ulong", "skip_string", "get_type_code"];

/// The groups of functions whose calls are shown.
const GROUPS: [(&str, &[&str]); 5] = [
    ("visits", VISITS),
    ("numbers", NUMBERS),
    ("TypeCode reads", PARAMETERS),
    ("sizes", SIZES),
    ("frees", FREES),
];

impl LadderReport {
    /// All as text.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::new();
        let mut add = |title: &str, table: &dyn std::fmt::Display| {
            text += &format!("{title}\n\n{table}\n");
        };
        if !self.counts.is_empty() {
            add("Instructions per element", &self.instructions_table());
            add("Calls per element", &self.calls_table());
            add(
                "Instructions of the engine per message that a cache of 16 KiB does not have",
                &self.cache_table(),
            );
        }
        for engine in Self::ways() {
            add(&format!("{engine}: MB/s by octets of a sequence"), &self.throughput_table(engine));
        }
        add(
            "Share of time in `write` of the sender and in `read` of the receiver, largest sequences",
            &self.share_table(),
        );
        if !self.link.is_empty() {
            add("Over a link of 155 Mbit/s: MB/s", &self.link_table());
        }
        for claim in &self.claims {
            text += &claim.line("");
        }
        text
    }

    fn instructions_table(&self) -> TextTable {
        let columns = ["type", "side"].into_iter().chain(ENGINES).chain(["gain"]);
        let mut table = TextTable::new(columns);
        for elements_of in TYPES {
            for side in SIDES {
                let counts = ENGINES.map(|engine| self.count(engine, elements_of, side));
                let numbers = counts.map(|count| count.map_or(0.0, LadderCount::per_element));
                let [first, .., last] = numbers;
                let cells = numbers.into_iter().chain([first / last.max(f64::MIN_POSITIVE)]);
                table.row(
                    [elements_of, side].map(str::to_owned).into_iter().chain(cells.map(two_digits)),
                );
            }
            let both = |engine| self.instructions(engine, elements_of).unwrap_or_default();
            let gain = both(FOUND) / both(LAST).max(f64::MIN_POSITIVE);
            let cells = ENGINES.map(both).into_iter().chain([gain]).map(two_digits);
            table.row([elements_of, "both"].map(str::to_owned).into_iter().chain(cells));
        }
        table
    }

    fn calls_table(&self) -> TextTable {
        let columns = ["engine", "type", "side"].into_iter().chain(GROUPS.map(|(name, _)| name));
        let mut table = TextTable::new(columns);
        for count in &self.counts {
            let calls = GROUPS.map(|(_, names)| count.calls_per_element(names));
            if calls.iter().all(|&calls| calls < 0.01) {
                continue;
            }
            let words = [&count.engine, &count.elements_of, &count.side].map(Clone::clone);
            table.row(words.into_iter().chain(calls.map(two_digits)));
        }
        table
    }

    fn cache_table(&self) -> TextTable {
        let columns = ["type", "side", "after"].into_iter().chain(ENGINES);
        let mut table = TextTable::new(columns);
        for elements_of in TYPES {
            for side in SIDES {
                let counts = ENGINES.map(|engine| self.count(engine, elements_of, side));
                let of = |get: fn(&LadderCount) -> f64| {
                    counts.map(|count| format!("{:.1}", count.map_or(0.0, get)))
                };
                let warm = of(|count| count.i1_misses);
                let cold = of(|count| count.cold_i1_misses as f64);
                for (after, cells) in [("the same", warm), ("other code", cold)] {
                    let words = [elements_of, side, after].map(str::to_owned);
                    table.row(words.into_iter().chain(cells));
                }
            }
        }
        table
    }

    fn throughput_table(&self, engine: &str) -> TextTable {
        let mut buffers: Vec<usize> = self.floods.iter().map(|flood| flood.buffer).collect();
        buffers.sort_unstable();
        buffers.dedup();
        let columns = ["type".to_owned()].into_iter();
        let mut table = TextTable::new(columns.chain(buffers.iter().map(usize::to_string)));
        for elements_of in TYPES {
            let floods = self.floods.iter();
            let rates = floods.filter(|one| (one.engine, one.elements_of) == (engine, elements_of));
            let cells = rates.map(|flood| format!("{:.0}", flood.throughput()));
            table.row([elements_of.to_owned()].into_iter().chain(cells));
        }
        table
    }

    fn share_table(&self) -> TextTable {
        let columns = Self::ways().flat_map(|way| [format!("{way} write"), "read".to_owned()]);
        let mut table = TextTable::new(["type".to_owned()].into_iter().chain(columns));
        for elements_of in TYPES {
            let cells = Self::ways().flat_map(|engine| match self.largest(engine, elements_of) {
                Some(flood) => [&flood.write_share, &flood.read_share]
                    .map(|shares| two_digits(median(shares.iter().copied()))),
                None => [String::new(), String::new()],
            });
            table.row([elements_of.to_owned()].into_iter().chain(cells));
        }
        table
    }

    fn link_table(&self) -> TextTable {
        let mut engines: Vec<&str> = self.link.iter().map(|flood| flood.engine).collect();
        engines.dedup();
        let count = engines.len() / TYPES.len();
        engines.truncate(count);
        let mut table = TextTable::new(["type"].into_iter().chain(engines));
        for elements_of in TYPES {
            let floods = self.link.iter().filter(|flood| flood.elements_of == elements_of);
            let cells = floods.map(|flood| two_digits(flood.throughput()));
            table.row([elements_of.to_owned()].into_iter().chain(cells));
        }
        table
    }
}
