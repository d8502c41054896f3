//! The octets on record, which belong to one version of the compiler.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::record::{self, Compiler};

/// The path of the record, from the root.
const PATH: &str = "tests/footprint/budget.toml";

const HEAD: &str = "\
# Octets of programs that are built for size: of the file, of the resident memory of an idle server, and of the code and
# constants of each crate. A file that is more than 1 % larger fails `cargo xtask footprint --programs --check`, and so do
# more than 10 % more memory, and a small ORB of more than 25 % of the full one in the same application, nano and sensor.
# Written by `cargo xtask footprint --programs --update`.
";

/// Growth of a file that is no regression, in percent.
const PERCENT: u64 = 1;
/// The same of memory: how much of the C library is resident depends on where the loader puts it.
const PERCENT_OF_MEMORY: u64 = 10;
/// So many crates are named, if they have grown.
const NAMED: usize = 5;

/// The program on the small ORB, and the same on the full one.
pub(super) const NANO: &str = "nano";
pub(super) const SENSOR: &str = "sensor";

/// The most that the small ORB has of the full one, in percent: of the file, and of its code.
const SMALL: u64 = 25;

/// The sizes of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Octets {
    pub(super) file: u64,
    pub(super) code: u64,
    /// Memory of a server that has nothing to do; a client is not measured.
    pub(super) resident: Option<u64>,
    pub(super) crates: BTreeMap<String, u64>,
}

/// Octets by program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    compiler: Compiler,
    programs: BTreeMap<String, Octets>,
}

impl Budget {
    /// The sizes of programs, with this compiler.
    pub(super) fn new(programs: BTreeMap<String, Octets>) -> io::Result<Self> {
        Ok(Self { compiler: Compiler::current()?, programs })
    }

    pub(super) fn read(root: &Path) -> io::Result<Self> {
        record::read(root, PATH, Self::parse)
    }

    pub(super) fn write(&self, root: &Path) -> io::Result<()> {
        std::fs::write(root.join(PATH), self.to_toml())
    }

    fn parse(text: &str) -> Option<Self> {
        let table: toml::Table = text.parse().ok()?;
        let mut programs = BTreeMap::new();
        for (name, sizes) in table.iter().filter(|(_, value)| value.is_table()) {
            let number = |value: &toml::Value| u64::try_from(value.as_integer()?).ok();
            let [file, code] = [number(sizes.get("file")?)?, number(sizes.get("code")?)?];
            let crates = sizes.get("crates")?.as_table()?.iter();
            let crates = crates.map(|(name, octets)| Some((name.clone(), number(octets)?)));
            let crates = crates.collect::<Option<_>>()?;
            let resident = sizes.get("resident").and_then(number);
            programs.insert(name.clone(), Octets { file, code, resident, crates });
        }
        Some(Self { compiler: Compiler::of(&table)?, programs })
    }

    fn to_toml(&self) -> String {
        let mut text = format!("{HEAD}{}", self.compiler);
        for (name, Octets { file, code, resident, crates }) in &self.programs {
            // Writing to a string does not fail.
            let _ = writeln!(text, "\n[{name}]\nfile = {file}\ncode = {code}");
            if let Some(resident) = resident {
                let _ = writeln!(text, "resident = {resident}");
            }
            let _ = writeln!(text, "[{name}.crates]");
            for (name, octets) in crates {
                let _ = writeln!(text, "{name:?} = {octets}");
            }
        }
        text
    }

    /// The file and the code of the small ORB's program, in percent of those of the full one's.
    pub(super) fn shares(&self) -> Option<[f64; 2]> {
        let (small, full) = (self.programs.get(NANO)?, self.programs.get(SENSOR)?);
        let share = |small: u64, full: u64| 100.0 * small as f64 / full.max(1) as f64;
        Some([share(small.file, full.file), share(small.code, full.code)])
    }

    /// Reports if the small ORB's program is larger than it may be beside the full one's.
    pub(super) fn large_share(&self) -> Option<String> {
        let shares = self.shares()?;
        let is_large = shares.iter().any(|share| *share > SMALL as f64);
        let [file, code] = shares;
        is_large.then(|| {
            format!("{NANO}: {file:.1} % of {SENSOR}'s octets and {code:.1} % of its code; {SMALL} % are the most")
        })
    }

    /// Reports which programs have grown, and which of their crates most; an error is why they cannot be compared.
    pub(super) fn growth(&self, now: &Self) -> Result<Vec<String>, String> {
        self.compiler.compares_with(&now.compiler, PATH)?;
        let mut faults = Vec::new();
        for (name, octets) in &now.programs {
            let Some(before) = self.programs.get(name) else {
                faults.push(format!("{name}: not in {PATH}; write it with --update"));
                continue;
            };
            let file = beyond([before.file, octets.file], PERCENT);
            let resident = match (before.resident, octets.resident) {
                (Some(before), Some(now)) => beyond([before, now], PERCENT_OF_MEMORY),
                (None, Some(now)) => Some([0, now]),
                (Some(was), None) => {
                    faults.push(format!(
                        "{name}: no resident memory, and {was} octets on record: measure it again"
                    ));
                    None
                }
                (None, None) => None,
            };
            for (of_what, grown_octets) in [("", file), (" of resident memory", resident)] {
                let Some([was, is]) = grown_octets else { continue };
                faults.push(format!(
                    "{name}: {is} octets{of_what}, and {was} on record: {}; justify it, and use --update",
                    grown(before, octets)
                ));
            }
        }
        Ok(faults)
    }
}

/// Octets before and now, if there are too many more.
fn beyond([before, now]: [u64; 2], percent: u64) -> Option<[u64; 2]> {
    (now > before + before * percent / 100).then_some([before, now])
}

/// The crates that have grown most.
fn grown(before: &Octets, now: &Octets) -> String {
    let more = |(name, octets): (&String, &u64)| {
        let before = before.crates.get(name).copied().unwrap_or_default();
        (octets.saturating_sub(before), name.clone())
    };
    let mut crates: Vec<_> = now.crates.iter().map(more).filter(|(more, _)| *more > 0).collect();
    crates.sort_by(|a, b| b.cmp(a));
    let named = crates.iter().take(NAMED).map(|(more, name)| format!("{name} {more} more"));
    match named.collect::<Vec<_>>() {
        named if named.is_empty() => "no crate with a name has grown".to_owned(),
        named => named.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::{PAGE, grouped};

    fn budget(file: u64, crates: &[(&str, u64)]) -> Budget {
        let crates = crates.iter().map(|(name, octets)| ((*name).to_owned(), *octets)).collect();
        let octets = Octets { file, code: file / 2, resident: Some(10 * file), crates };
        let programs = BTreeMap::from([("server".to_owned(), octets)]);
        let compiler = Compiler { rustc: "1.95.0".to_owned(), host: "x".to_owned() };
        Budget { compiler, programs }
    }

    #[test]
    fn a_budget_survives_its_file() {
        let written = budget(1000, &[("zorb-core", 300), ("std", 200)]);
        assert_eq!(Budget::parse(&written.to_toml()), Some(written));
        assert_eq!(Budget::parse("rustc = \"1\""), None);
    }

    #[test]
    fn the_small_orb_has_a_quarter_of_the_full_one() {
        let recorded = Budget::read(&crate::root()).unwrap();
        assert_eq!(recorded.large_share(), None, "{:?}", recorded.shares());
        assert!(recorded.shares().is_some());
        let mut larger = recorded;
        larger.programs.get_mut(NANO).unwrap().code *= 10;
        assert!(larger.large_share().is_some(), "{:?}", larger.shares());
    }

    #[test]
    fn the_page_has_the_sizes_on_record() {
        let page = std::fs::read_to_string(crate::root().join(PAGE)).unwrap();
        for (name, octets) in Budget::read(&crate::root()).unwrap().programs {
            let [file, code] = [octets.file, octets.code].map(grouped);
            let columns = format!("| {file} octets | {code} octets |");
            assert!(page.contains(&columns), "{name}: {columns}");
        }
    }

    #[test]
    fn growth_names_the_crates() {
        let before = budget(1000, &[("zorb-core", 300), ("std", 200), ("zorb-poa", 100)]);
        assert_eq!(before.growth(&budget(1010, &[("zorb-core", 310)])), Ok(Vec::new()));
        let now = budget(1011, &[("zorb-core", 305), ("std", 190), ("zorb-giop", 6)]);
        let faults = before.growth(&now).unwrap();
        assert_eq!(faults.len(), 1);
        assert!(faults[0].contains("zorb-giop 6 more, zorb-core 5 more;"), "{faults:?}");
        let compiler = Compiler { rustc: "2".to_owned(), host: "x".to_owned() };
        let other = Budget { compiler, ..before.clone() };
        assert!(before.growth(&other).is_err(), "another compiler");
    }

    #[test]
    fn growth_of_memory_names_the_crates_too() {
        let with = |resident, crates| {
            let mut budget = budget(1000, crates);
            budget.programs.get_mut("server").unwrap().resident = resident;
            budget
        };
        let before = with(Some(10_000), &[("zorb-core", 300)]);
        let growth = |now: &Budget| before.growth(now).unwrap();
        assert_eq!(growth(&with(Some(11_000), &[("zorb-core", 305)])), Vec::<String>::new());
        let faults = growth(&with(Some(11_001), &[("zorb-core", 305)]));
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        let start =
            "server: 11001 octets of resident memory, and 10000 on record: zorb-core 5 more;";
        assert!(fault.starts_with(start), "{fault}");
        let lost = "server: no resident memory, and 10000 octets on record: measure it again";
        assert_eq!(growth(&with(None, &[])), [lost], "no longer measured");
        assert_eq!(with(None, &[]).growth(&with(None, &[])), Ok(Vec::new()), "a client");
        assert_eq!(with(None, &[]).growth(&before).unwrap().len(), 1, "no record");
    }
}
