//! `cargo xtask stubsize`: the size that generated code adds to a client and to a server.

mod object;
mod omniorb;
mod parts;
mod record;
mod shares;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

use crate::record::Compiler;
use record::Record;

/// Measure the size that the seven operations of Param_Test (tests/stubsize) add to a client and to a server, compiled,
/// interpretive, and by profile with one hot operation, and the size of the interpretive engine; and the stubs and
/// skeletons of each operation and of the services of CORBA and TAO
///
/// The settings beside the optimization level are Cargo's defaults for release builds: no link-time optimization across
/// crates, 16 codegen units, unwinding panics. The size is the difference between a program with the operations and one
/// without: the octets of code, constants, unwind tables and relocations. Where omniORB is installed, the size of its stubs
/// and skeletons of the same operations, as an object file, is printed beside them.
///
/// For single operations and services, the sizes are those of the object code that the compiler generates for stubs or
/// skeletons with their types, without the servant. The IDL of some services is that of Debian's package omniorb-idl.
/// Measured at several levels or by several compilers, the shares of interpretive in compiled code are compared.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Optimization levels
    #[arg(value_name = "OPT", default_value = "z", value_parser = ["3", "s", "z"])]
    levels: Vec<String>,
    /// Of this toolchain of rustup, too, measure the object code of single operations and services
    #[arg(long, value_name = "NAME")]
    toolchain: Option<String>,
    /// Fail if a client or a server at z exceeds its limit: compiled 30 and 35 KiB, interpretive 8 KiB each, by
    /// profile 20 and 14 KiB, the engine 8 and 16 KiB; if interpretive code exceeds its share of compiled code: of an
    /// operation with types of its own, stubs 45 % and skeletons 80 %, of all services 30 %; or if a size has grown
    /// beyond the record, tests/stubsize/sizes.toml, which belongs to one version of the compiler
    #[arg(long)]
    check: bool,
    /// Write the record, for which z must be measured
    #[arg(long, conflicts_with = "check")]
    update: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is compared, and the limits at opt-level z.
const COMPARISONS: [Comparison; 8] = [
    Comparison::new("compiled client", ["client", "client-without"], 30 << 10),
    Comparison::new("compiled server", ["server", "server-without"], 35 << 10),
    Comparison::new("interpretive client", ["client-interpretive", "client-engine"], 8 << 10),
    Comparison::new("interpretive server", ["server-interpretive", "server-engine"], 8 << 10),
    Comparison::new("client by profile", ["client-profile", "client-engine"], 20 << 10),
    Comparison::new("server by profile", ["server-profile", "server-engine"], 14 << 10),
    Comparison::new("engine in a client", ["client-engine", "client-without"], 8 << 10)
        .unrecorded(),
    Comparison::new("engine in a server", ["server-engine", "server-without"], 16 << 10)
        .unrecorded(),
];

/// What is printed beside them, where omniORB is installed.
static OMNIORB: Comparison =
    Comparison::new("omniORB's stubs and skeletons", ["", ""], i64::MAX).unrecorded();

/// Two programs, of which the first has something more.
#[derive(Debug)]
struct Comparison {
    what: &'static str,
    programs: [&'static str; 2],
    limit: i64,
    recorded: bool,
}

impl Comparison {
    const fn new(what: &'static str, programs: [&'static str; 2], limit: i64) -> Self {
        Self { what, programs, limit, recorded: true }
    }

    /// What else is in the programs changes the size, so that it is not compared with the record.
    const fn unrecorded(self) -> Self {
        Self { recorded: false, ..self }
    }
}

/// The difference at an optimization level.
#[derive(Debug)]
struct Row<'l> {
    level: &'l str,
    comparison: &'static Comparison,
    octets: Octets,
}

impl Row<'_> {
    fn sum(&self) -> i64 {
        self.octets.iter().sum()
    }
}

/// The sections of a program that are loaded from its file.
const SECTIONS: [&str; 9] = [
    ".text",
    ".rodata",
    ".eh_frame",
    ".eh_frame_hdr",
    ".gcc_except_table",
    ".data.rel.ro",
    ".data",
    ".got",
    ".rela.dyn",
];

/// The octets of the sections.
type Octets = [i64; SECTIONS.len()];

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    if options.update && !options.levels.iter().any(|level| level == record::LEVEL) {
        return Err(io::Error::other("--update needs the optimization level z"));
    }
    let (mut rows, mut parts) = (Vec::new(), Vec::new());
    for level in options.levels.iter().map(String::as_str) {
        let setting = Setting { root, level, toolchain: None };
        let folder = build(&setting)?;
        for comparison in &COMPARISONS {
            let [with, without] =
                comparison.programs.map(|name| sizes(&folder.join(format!("stubsize-{name}"))));
            rows.push(Row { level, comparison, octets: difference(with?, without?) });
        }
        let others =
            omniorb::sizes(root, level, &[&root.join("tests/stubsize/idl/param_test.idl")])?;
        rows.extend(others.map(|octets| Row { level, comparison: &OMNIORB, octets }));
        parts.push(parts::measure(&setting)?);
    }
    if let Some(toolchain) = &options.toolchain {
        for level in &options.levels {
            parts.push(parts::measure(&Setting { root, level, toolchain: Some(toolchain) })?);
        }
    }
    let mut faults = Vec::new();
    if options.update {
        Record::new(Compiler::current()?, &rows, &parts).write(root)?;
    }
    if options.check {
        faults = above_limits(&rows);
        faults.extend(parts.iter().flat_map(parts::Parts::above_limits));
        match Record::read(root)?.growth(&Record::new(Compiler::current()?, &rows, &parts)) {
            Ok(grown) => faults.extend(grown),
            Err(reason) => eprintln!("{reason}"),
        }
    }
    if options.json {
        let mut rows: Vec<String> = rows.iter().map(as_json).collect();
        rows.extend(parts.iter().flat_map(parts::Parts::as_json));
        writeln!(out, "[{}]", rows.join(", "))?;
    } else {
        for row in &rows {
            writeln!(
                out,
                "opt-level {}, {}: {} octets",
                row.level,
                row.comparison.what,
                row.sum()
            )?;
            let sections = SECTIONS.iter().zip(row.octets);
            for (section, octets) in sections.filter(|(_, octets)| *octets != 0) {
                writeln!(out, "  {section:<18}{octets:>8}")?;
            }
        }
        parts.iter().try_for_each(|parts| parts.print(out))?;
        shares::print(&parts, out)?;
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reports what exceeds its limit at opt-level z.
fn above_limits(rows: &[Row<'_>]) -> Vec<String> {
    let smallest = rows.iter().filter(|row| row.level == "z");
    let above = smallest.filter(|row| row.sum() > row.comparison.limit);
    let faults = above.map(|row| {
        let Comparison { what, limit, .. } = row.comparison;
        format!("{what}: {} octets, and the limit is {limit}", row.sum())
    });
    faults.collect()
}

/// What code is built with.
#[derive(Clone, Copy, Debug)]
struct Setting<'s> {
    root: &'s Path,
    level: &'s str,
    /// A toolchain of rustup; that of this build without it.
    toolchain: Option<&'s str>,
}

impl Setting<'_> {
    /// Where Cargo builds, apart from others.
    fn target(&self) -> PathBuf {
        let suffix = self.toolchain.map_or_else(String::new, |name| format!("-{name}"));
        self.root.join(format!("target/stubsize{suffix}"))
    }

    /// Where the programs are built.
    fn folder(&self) -> PathBuf {
        self.target().join("stubsize")
    }

    /// A command that builds something with a profile that inherits nothing.
    fn cargo(&self, command: &str) -> Command {
        let mut cargo = match self.toolchain {
            // Only rustup's own understands the name of a toolchain.
            Some(name) => {
                let mut cargo = Command::new("cargo");
                cargo.arg(format!("+{name}")).env_remove("RUSTUP_TOOLCHAIN");
                cargo.env_remove("CARGO").env_remove("RUSTC");
                cargo
            }
            None => Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())),
        };
        cargo.current_dir(self.root).env("CARGO_INCREMENTAL", "0");
        cargo.args([command, "--quiet", "--profile=stubsize"]);
        cargo.arg("--target-dir").arg(self.target());
        let level = format!("opt-level=\"{}\"", self.level).replace("\"3\"", "3");
        for setting in [
            "inherits=\"dev\"",
            &level,
            "debug=false",
            "debug-assertions=false",
            "overflow-checks=false",
            "lto=false",
            "codegen-units=16",
            "incremental=false",
        ] {
            cargo.arg("--config").arg(format!("profile.stubsize.{setting}"));
        }
        cargo
    }
}

/// Builds the programs, and returns the folder that they are in.
fn build(setting: &Setting<'_>) -> io::Result<PathBuf> {
    let mut cargo = setting.cargo("build");
    cargo.args(["--package=zorb-stubsize", "--bins"]);
    expect_success("cargo", cargo.status()?.success())?;
    Ok(setting.folder())
}

fn expect_success(program: &str, succeeds: bool) -> io::Result<()> {
    match succeeds {
        true => Ok(()),
        false => Err(io::Error::other(format!("{program} failed"))),
    }
}

fn sizes(program: &Path) -> io::Result<Octets> {
    let output = Command::new("size").args(["-A", "-d"]).arg(program).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(sections(&String::from_utf8_lossy(&output.stdout)))
}

/// The sections in the output of `size -A -d`.
fn sections(text: &str) -> Octets {
    let size_of = |section: &str| {
        let sizes = text.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            (words.next()? == section).then(|| words.next()?.parse::<i64>().ok()).flatten()
        });
        sizes.sum()
    };
    SECTIONS.map(size_of)
}

fn difference(with: Octets, without: Octets) -> Octets {
    let mut octets = with;
    for (octets, without) in octets.iter_mut().zip(without) {
        *octets -= without;
    }
    octets
}

fn as_json(row: &Row<'_>) -> String {
    let parts = SECTIONS.iter().zip(row.octets);
    let parts: Vec<String> =
        parts.map(|(section, octets)| format!("\"{section}\": {octets}")).collect();
    let (level, sum, parts) = (row.level, row.sum(), parts.join(", "));
    let what = row.comparison.what;
    format!(
        "{{\"opt_level\": \"{level}\", \"what\": \"{what}\", \"octets\": {sum}, \"sections\": {{{parts}}}}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_by_section() {
        let with = sections("a  :\nsection size addr\n.text 100 4096\n.rodata 50 8192\n.bss 9 0\n");
        let without = sections("a  :\nsection size addr\n.text 70 4096\n.rodata 50 8192\n");
        let octets = difference(with, without);
        assert_eq!(octets.iter().sum::<i64>(), 30);
        let [comparison, ..] = &COMPARISONS;
        let row = Row { level: "z", comparison, octets };
        assert!(as_json(&row).contains("\"octets\": 30"));
    }

    #[test]
    fn only_the_smallest_sizes_have_limits() {
        let rows = |level, more: i64| {
            COMPARISONS.each_ref().map(|comparison| {
                let mut octets = Octets::default();
                octets[0] = comparison.limit + more;
                Row { level, comparison, octets }
            })
        };
        assert_eq!(above_limits(&rows("z", 0)), Vec::<String>::new());
        assert_eq!(above_limits(&rows("3", 1)), Vec::<String>::new());
        let faults = above_limits(&rows("z", 1));
        assert_eq!(faults.len(), COMPARISONS.len(), "{faults:?}");
    }
}
