//! The sizes on record, which belong to one version of the compiler.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::Row;
use super::parts::{Part, Parts};
use crate::record::{self, Compiler};

/// The path of the record, from the root.
const PATH: &str = "tests/stubsize/sizes.toml";

const HEAD: &str = "\
# Octets that Param_Test's seven operations add to programs at opt-level z, and of the object code of single operations and
# services: compiled and interpretive. Growth beyond 3 % and 256 octets fails `cargo xtask stubsize --check`. Written by
# `cargo xtask stubsize --update`.
";

/// Growth that is no regression: a percentage, and octets.
const PERCENT: i64 = 3;
const OCTETS: i64 = 256;

/// The level that is on record.
pub(super) const LEVEL: &str = "z";

/// Octets by row and by part, and the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    compiler: Compiler,
    octets: BTreeMap<String, i64>,
    parts: BTreeMap<String, Sizes>,
}

/// The sizes of an operation or a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sizes(BTreeMap<&'static str, Vec<i64>>);

/// What is on record of a part. What omniORB takes, and what the IDL contains, is only shown.
const STUBS: &str = "stubs";
const SKELETONS: &str = "skeletons";
const OMNIORB: &str = "omniorb";
const CONTENTS: &str = "structs-sequences-operations";

impl Sizes {
    fn of(part: &Part) -> Self {
        let mut sizes = BTreeMap::from([
            (CONTENTS, part.counts.to_vec()),
            (STUBS, part.stubs.to_vec()),
            (SKELETONS, part.skeletons.to_vec()),
        ]);
        sizes.extend(part.omniorb.map(|octets| (OMNIORB, vec![octets])));
        Self(sizes)
    }

    fn parse(table: &toml::Table) -> Option<Self> {
        let mut sizes = BTreeMap::new();
        for name in [CONTENTS, STUBS, SKELETONS, OMNIORB] {
            let Some(numbers) = table.get(name) else { continue };
            let numbers = numbers.as_array()?.iter().map(toml::Value::as_integer);
            sizes.insert(name, numbers.collect::<Option<_>>()?);
        }
        Some(Self(sizes))
    }

    /// Those that may not grow, by what they are of.
    fn octets(&self) -> impl Iterator<Item = (String, i64)> {
        [STUBS, SKELETONS].into_iter().flat_map(|name| {
            let both = self.0.get(name).into_iter().flatten().copied();
            ["compiled", "interpretive"]
                .map(|engine| format!("{engine} {name}"))
                .into_iter()
                .zip(both)
        })
    }
}

impl Record {
    /// The sizes of rows and of parts, with this compiler.
    pub(super) fn new(compiler: Compiler, rows: &[Row<'_>], parts: &[Parts]) -> Self {
        let recorded = rows.iter().filter(|row| row.level == LEVEL && row.comparison.recorded);
        let octets = recorded.map(|row| (row.comparison.what.to_owned(), row.sum())).collect();
        let own = parts.iter().filter(|parts| parts.level == LEVEL && parts.toolchain.is_none());
        let parts = own.flat_map(|parts| &parts.parts);
        let parts = parts.map(|part| (part.name.to_owned(), Sizes::of(part))).collect();
        Self { compiler, octets, parts }
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
        let parts = table.get("parts")?.as_table()?.iter();
        let parts =
            parts.map(|(name, sizes)| Some((name.clone(), Sizes::parse(sizes.as_table()?)?)));
        Some(Self {
            compiler: Compiler::of(&table)?,
            octets: octets.collect::<Option<_>>()?,
            parts: parts.collect::<Option<_>>()?,
        })
    }

    fn to_toml(&self) -> String {
        let mut text = format!("{HEAD}{}\n[octets]\n", self.compiler);
        for (what, octets) in &self.octets {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{what:?} = {octets}");
        }
        for (name, Sizes(sizes)) in &self.parts {
            let _ = writeln!(text, "\n[parts.{name:?}]");
            for (what, numbers) in sizes {
                let _ = writeln!(text, "{what} = {numbers:?}");
            }
        }
        text
    }

    /// What may not grow.
    fn all(&self) -> BTreeMap<String, i64> {
        let parts = self.parts.iter().flat_map(|(name, sizes)| {
            sizes.octets().map(move |(what, octets)| (format!("{name}: {what}"), octets))
        });
        self.octets.clone().into_iter().chain(parts).collect()
    }

    /// Reports which rows and parts of `now` have grown; an error is why they cannot be compared.
    pub(super) fn growth(&self, now: &Self) -> Result<Vec<String>, String> {
        self.compiler.compares_with(&now.compiler, PATH)?;
        let mut faults = Vec::new();
        let before = self.all();
        for (what, octets) in now.all() {
            match before.get(&what) {
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
    use super::super::parts::{Kind, percent};
    use super::*;

    /// The page of the book with a table of them.
    const PAGE: &str = "docs/src/idl-compiler.md";

    /// Rows of the page's table of parts, and whether these are services.
    const PARTS: [(&str, &str, bool); 12] = [
        ("a fixed struct, in, inout, out and result", "fixed_struct", false),
        ("strings, likewise", "strseq", false),
        ("a struct of strings, likewise", "var_struct", false),
        ("a sequence of these, likewise", "struct_sequence", false),
        ("CosNaming", "Naming", true),
        ("RtecScheduler", "Scheduling", true),
        ("CosTrading", "Trading", true),
        ("CosPropertyService", "Property", true),
        ("CosEventComm, CosEventChannelAdmin", "Events", true),
        ("CosLifeCycle", "LifeCycle", true),
        ("AVStreams, the light profile", "A/V", true),
        ("TAO's Logger", "Logging", true),
    ];

    fn record(rustc: &str, octets: &[(&str, i64)]) -> Record {
        let octets = octets.iter().map(|(what, octets)| ((*what).to_owned(), *octets)).collect();
        let compiler = Compiler { rustc: rustc.to_owned(), host: "x".to_owned() };
        Record { compiler, octets, parts: BTreeMap::new() }
    }

    /// With a part that has these stubs.
    fn with_part(record: Record, stubs: [i64; 2]) -> Record {
        let part = Part {
            name: "A/V",
            kind: Kind::Service,
            counts: [1, 2, 3],
            stubs,
            skeletons: [900, 90],
            omniorb: Some(5),
        };
        Record { parts: BTreeMap::from([("A/V".to_owned(), Sizes::of(&part))]), ..record }
    }

    #[test]
    fn a_record_survives_its_file() {
        let written = record("1.95.0", &[("compiled client", 20_000), ("engine", 7)]);
        let written = with_part(written, [1000, 100]);
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
        let number = |octets: i64| crate::footprint::grouped(octets.unsigned_abs());
        let mut sums = [0, 0];
        for (row, part, is_service) in PARTS {
            let Sizes(sizes) = &record.parts[part];
            let contents: Vec<String> = sizes[CONTENTS].iter().copied().map(number).collect();
            let octets = [STUBS, SKELETONS].into_iter().flat_map(|what| &sizes[what]).copied();
            let mut cells = vec![row.to_owned(), contents.join(", ")];
            cells.extend(octets.map(number));
            let omniorb = sizes.get(OMNIORB).map(|octets| number(octets[0]));
            cells.push(omniorb.unwrap_or_else(|| "in its library".to_owned()));
            let row = format!("\n| {} |\n", cells.join(" | "));
            assert!(page.contains(&row), "{PAGE}, of {PATH}: {row}");
            let both = sizes[STUBS].iter().zip(&sizes[SKELETONS]).filter(|_| is_service);
            sums.iter_mut()
                .zip(both)
                .for_each(|(sum, (stubs, skeletons))| *sum += stubs + skeletons);
        }
        let share = format!("eight services have {:.0} % of the compiled", percent(sums));
        assert!(page.contains(&share), "{PAGE}, of {PATH}: {share}");
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
        let before = with_part(before, [1000, 100]);
        let faults = |stubs| before.growth(&with_part(record("1", &[]), stubs));
        assert_eq!(faults([1256, 356]), Ok(Vec::new()));
        let expected = "A/V: interpretive stubs: 357 octets";
        assert!(faults([1000, 357]).is_ok_and(|faults| faults[0].starts_with(expected)));
    }
}
