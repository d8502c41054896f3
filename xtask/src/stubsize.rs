//! `cargo xtask stubsize`: the size that generated code adds to a client and to a server.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

/// Measure the size that the seven operations of Param_Test (tests/stubsize) add to a client and to a server
///
/// The settings beside the optimization level are Cargo's defaults for release builds: no link-time optimization across
/// crates, 16 codegen units, unwinding panics. The size is the difference between a program with the operations and one
/// without: the octets of code, constants, unwind tables and relocations.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Optimization levels
    #[arg(value_name = "OPT", default_value = "z", value_parser = ["3", "s", "z"])]
    levels: Vec<String>,
    /// Fail if the client or the server at z exceeds its limit, 30 KiB or 35 KiB
    #[arg(long)]
    check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The maximum size of the operations at opt-level z, by side.
const LIMITS: [(&str, i64); 2] = [("client", 30 << 10), ("server", 35 << 10)];

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
    let mut rows = Vec::new();
    for level in options.levels.iter().map(String::as_str) {
        let folder = build(root, level)?;
        for side in ["client", "server"] {
            let with = sizes(&folder.join(format!("stubsize-{side}")))?;
            let without = sizes(&folder.join(format!("stubsize-{side}-without")))?;
            rows.push((level, side, difference(with, without)));
        }
    }
    let faults = if options.check { above_limits(&rows) } else { Vec::new() };
    if options.json {
        let rows: Vec<String> = rows.iter().map(as_json).collect();
        writeln!(out, "[{}]", rows.join(", "))?;
    } else {
        for (level, side, octets) in rows {
            writeln!(out, "opt-level {level}, {side}: {} octets", octets.iter().sum::<i64>())?;
            for (section, octets) in SECTIONS.iter().zip(octets).filter(|(_, octets)| *octets != 0)
            {
                writeln!(out, "  {section:<18}{octets:>8}")?;
            }
        }
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reports the sides that exceed their limits at opt-level z.
fn above_limits(rows: &[(&str, &str, Octets)]) -> Vec<String> {
    let smallest = rows.iter().filter(|(level, ..)| *level == "z");
    let faults = smallest.filter_map(|(_, side, octets)| {
        let octets = octets.iter().sum::<i64>();
        let (_, limit) = LIMITS.iter().find(|(limited, _)| limited == side)?;
        (octets > *limit)
            .then(|| format!("the {side} has {octets} octets, and its limit is {limit}"))
    });
    faults.collect()
}

/// Builds the four programs in a separate workspace, so that its profile inherits nothing.
fn build(root: &Path, level: &str) -> io::Result<PathBuf> {
    let target = root.join("target/stubsize");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).env("CARGO_INCREMENTAL", "0");
    cargo.args(["build", "--quiet", "--package=zorb-stubsize", "--bins", "--profile=stubsize"]);
    cargo.arg("--target-dir").arg(&target);
    let level = format!("opt-level=\"{level}\"").replace("\"3\"", "3");
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
    let status = cargo.status()?;
    if !status.success() {
        return Err(io::Error::other(format!("cargo: {status}")));
    }
    Ok(target.join("stubsize"))
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

fn as_json((level, side, octets): &(&str, &str, Octets)) -> String {
    let parts = SECTIONS.iter().zip(octets);
    let parts: Vec<String> =
        parts.map(|(section, octets)| format!("\"{section}\": {octets}")).collect();
    let sum = octets.iter().sum::<i64>();
    let parts = parts.join(", ");
    format!(
        "{{\"opt_level\": \"{level}\", \"side\": \"{side}\", \"octets\": {sum}, \"sections\": {{{parts}}}}}"
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
        assert!(as_json(&("z", "client", octets)).contains("\"octets\": 30"));
    }

    #[test]
    fn only_the_smallest_sizes_have_limits() {
        let octets = |text: i64| {
            let mut octets = Octets::default();
            octets[0] = text;
            octets
        };
        let rows = |level, client, server| {
            [(level, "client", octets(client)), (level, "server", octets(server))]
        };
        assert_eq!(above_limits(&rows("z", 30 << 10, 35 << 10)), Vec::<String>::new());
        assert_eq!(above_limits(&rows("3", 90 << 10, 90 << 10)), Vec::<String>::new());
        let faults = above_limits(&rows("z", (30 << 10) + 1, (35 << 10) + 1));
        assert_eq!(faults.len(), 2, "{faults:?}");
    }
}
