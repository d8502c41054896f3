//! The sizes on record, which belong to one version of the compiler.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::Row;
use crate::record::{self, Compiler};

/// The path of the record, from the root.
const PATH: &str = "tests/stubsize/sizes.toml";

const HEAD: &str = "\
# Octets that Param_Test's seven operations add to programs at opt-level z. Growth beyond 3 % and 256 octets fails
# `cargo xtask stubsize --check`. Written by `cargo xtask stubsize --update`.
";

/// Growth that is no regression: a percentage, and octets.
const PERCENT: i64 = 3;
const OCTETS: i64 = 256;

/// The level that is on record.
pub(super) const LEVEL: &str = "z";

/// Octets by row, and the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    compiler: Compiler,
    octets: BTreeMap<String, i64>,
}

impl Record {
    /// The sizes of rows, with this compiler.
    pub(super) fn new(compiler: Compiler, rows: &[Row<'_>]) -> Self {
        let recorded = rows.iter().filter(|row| row.level == LEVEL && row.comparison.recorded);
        let octets = recorded.map(|row| (row.comparison.what.to_owned(), row.sum())).collect();
        Self { compiler, octets }
    }

    pub(super) fn read(root: &Path) -> io::Result<Self> {
        record::read(root, PATH, Self::parse)
    }

    pub(super) fn write(&self, root: &Path) -> io::Result<()> {
        std::fs::write(root.join(PATH), self.to_toml())
    }

    fn parse(text: &str) -> Option<Self> {
        let table: toml::Table = text.parse().ok()?;
        let octets = table.get("octets")?.as_table()?.iter();
        let octets = octets.map(|(what, octets)| Some((what.clone(), octets.as_integer()?)));
        Some(Self { compiler: Compiler::of(&table)?, octets: octets.collect::<Option<_>>()? })
    }

    fn to_toml(&self) -> String {
        let mut text = format!("{HEAD}{}\n[octets]\n", self.compiler);
        for (what, octets) in &self.octets {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{what:?} = {octets}");
        }
        text
    }

    /// Reports which rows of `now` have grown; an error is why they cannot be compared.
    pub(super) fn growth(&self, now: &Self) -> Result<Vec<String>, String> {
        self.compiler.compares_with(&now.compiler, PATH)?;
        let mut faults = Vec::new();
        for (what, &octets) in &now.octets {
            match self.octets.get(what) {
                None => faults.push(format!("{what}: not in {PATH}; write it with --update")),
                Some(&before) if octets > before + (before * PERCENT / 100).max(OCTETS) => faults.push(
                    format!("{what}: {octets} octets, and {before} on record; justify it, and use --update"),
                ),
                Some(_) => {}
            }
        }
        Ok(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of the book with a table of them.
    const PAGE: &str = "docs/src/idl-compiler.md";

    fn record(rustc: &str, octets: &[(&str, i64)]) -> Record {
        let octets = octets.iter().map(|(what, octets)| ((*what).to_owned(), *octets)).collect();
        Record { compiler: Compiler { rustc: rustc.to_owned(), host: "x".to_owned() }, octets }
    }

    #[test]
    fn a_record_survives_its_file() {
        let written = record("1.95.0", &[("compiled client", 20_000), ("engine", 7)]);
        assert_eq!(Record::parse(&written.to_toml()), Some(written));
        assert_eq!(Record::parse("rustc = \"1\""), None);
    }

    #[test]
    fn the_book_has_the_sizes_on_record() {
        let record = Record::read(&crate::root()).expect(PATH);
        let page = std::fs::read_to_string(crate::root().join(PAGE)).expect(PAGE);
        let size = |what: &str| crate::footprint::grouped(record.octets[what].unsigned_abs());
        for (row, client, server) in [
            ("compiled", "compiled client", "compiled server"),
            ("interpretive", "interpretive client", "interpretive server"),
            (
                "by profile, one of the seven operations hot",
                "client by profile",
                "server by profile",
            ),
        ] {
            let row = format!("\n| {row} | {} | {} |\n", size(client), size(server));
            assert!(page.contains(&row), "{PAGE}, of {PATH}: {row}");
        }
    }

    #[test]
    fn growth_beyond_the_margin_is_a_fault() {
        let before = record("1", &[("large", 20_000), ("small", 1000)]);
        let faults = |rows: &[(&str, i64)]| before.growth(&record("1", rows));
        assert_eq!(faults(&[("large", 20_600), ("small", 1256)]), Ok(Vec::new()));
        for rows in [("large", 20_601), ("small", 1257), ("new", 1)] {
            assert_eq!(faults(&[rows]).map(|faults| faults.len()), Ok(1), "{rows:?}");
        }
        assert!(before.growth(&record("2", &[])).is_err(), "another compiler");
    }
}
