//! The counts on record.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use zorb_costs::operation::Operation;

use super::Counts;
use crate::program::Side;

/// Where they are kept, from the root.
pub(super) const PATH: &str = "tests/costs/instructions.toml";

/// Instructions a call, and which compiler they are of.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) rustc: String,
    pub(super) host: String,
    pub(super) counts: Counts,
}

const HEAD: &str = "\
# Instructions that one call takes in the code of the program, release profile, over UIOP, in GIOP,
# GIOPlite and short messages; the last three are client and servant in one ORB, by each strategy of collocated calls. dii-long and
# dii-octets are dynamic calls, leaves is a DynAny of 64 structures. Growth beyond 3 % and ten
# instructions fails the tests. Written by UPDATE_COSTS=1 cargo test -p zorb-costs --test costs
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
        Ok(Self { rustc: words("rustc")?, host: words("host")?, counts })
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
        std::fs::write(path(), text).map_err(|error| format!("{PATH}: {error}"))
    }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.toml")
}
