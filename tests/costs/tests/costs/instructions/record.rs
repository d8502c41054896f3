//! The counts on record.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use zorb_costs::operation::Operation;

use super::Counts;
use crate::lanes::{KINDS, OfLanes};
use crate::program::Side;

/// The path of the record, from the root.
pub(super) const PATH: &str = "tests/costs/instructions.toml";

/// Instructions per call, and the compiler.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) rustc: String,
    pub(super) host: String,
    pub(super) counts: Counts,
    /// Of void requests at servers with lanes, and at those without beside them.
    pub(super) lanes: OfLanes,
}

/// The part of the record that is about lanes.
const LANES: &str = "lanes";

const HEAD: &str = "\
# Instructions that one call takes in the code of the program, profile `lto`, over UIOP, in GIOP,
# GIOPlite and short messages; the last three are client and servant in one ORB, by each strategy of collocated calls. dii-long and
# dii-octets are dynamic calls, leaves is a DynAny of 64 structures, pending is one of 125 void calls that are
# sent before their results are taken. track is a structure of 16 members that is marshalled: by a Premarshalled value where one
# has changed, and where all have. lanes has void requests at servers: without
# a real-time side, with one that nothing uses, and by each strategy of lanes. Growth beyond 3 % and ten
# instructions (of lanes beyond a tenth) fails the tests. Written by UPDATE_COSTS=1 cargo test -p zorb-costs --test costs
";

impl Record {
    pub(super) fn read() -> Result<Self, String> {
        let text = std::fs::read_to_string(path()).map_err(|error| format!("{PATH}: {error}"))?;
        let table: toml::Table = text.parse().map_err(|error| format!("{PATH}: {error}"))?;
        let words = |name: &str| {
            let value = table.get(name).and_then(toml::Value::as_str);
            value.map(str::to_owned).ok_or_else(|| format!("{PATH}: no {name}"))
        };
        let mut counts = Counts::new();
        for side in Side::ALL {
            for operation in Operation::every() {
                let rows = table.get(side.name()).and_then(toml::Value::as_table);
                let count = rows.and_then(|rows| rows.get(operation.name())?.as_integer());
                let count = count.and_then(|count| u64::try_from(count).ok());
                counts.extend(count.map(|count| ((side, operation.name()), count)));
            }
        }
        let rows = table.get(LANES).and_then(toml::Value::as_table);
        let lane = |kind| {
            let count = rows.and_then(|rows| rows.get(kind)?.as_integer());
            Some((kind, u64::try_from(count?).ok()?))
        };
        let lanes = KINDS.into_iter().filter_map(lane).collect();
        Ok(Self { rustc: words("rustc")?, host: words("host")?, counts, lanes })
    }

    pub(super) fn write(&self) -> Result<(), String> {
        let mut text = HEAD.to_owned();
        let _ = writeln!(text, "rustc = {:?}\nhost = {:?}", self.rustc, self.host);
        for side in Side::ALL {
            let _ = writeln!(text, "\n[{}]", side.name());
            for operation in Operation::every() {
                if let Some(count) = self.counts.get(&(side, operation.name())) {
                    let _ = writeln!(text, "{} = {count}", operation.name());
                }
            }
        }
        let _ = writeln!(text, "\n[{LANES}]");
        for kind in KINDS {
            if let Some(count) = self.lanes.get(kind) {
                let _ = writeln!(text, "{kind} = {count}");
            }
        }
        std::fs::write(path(), text).map_err(|error| format!("{PATH}: {error}"))
    }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.toml")
}
