//! `cargo xtask footprint`: the size of a small server, and the share of each crate.

mod budget;
mod nano;
mod programs;
mod resident;
mod steps;
mod symbols;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

use symbols::{Columns, Section};

/// Measure the server of examples/hello: its size, its idle memory, and the share of each crate
///
/// The size is that of the program without symbols, the memory is the resident memory after the first call. Code belongs
/// to the first crate in its symbol, with precedence for Zorb's crates; constants without a symbol are listed separately.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Profiles of Cargo.toml
    #[arg(value_name = "PROFILE", default_values = ["plain", "lto", "footprint"])]
    profiles: Vec<String>,
    /// Write the sizes of these profiles to the table of docs/src/footprint.md; with --nano, those of the steps of
    /// docs/src/nano.md
    #[arg(long)]
    write: bool,
    /// Measure the image of examples/nano instead, which is on the small ORB, what each feature adds to it, and each step of
    /// the book's page to another image, beside the same application on the full one; fails if it has more than 25 % of that
    #[arg(long, conflicts_with = "profiles")]
    nano: bool,
    /// Measure six programs instead, built for size as a user's own project does: a client, a server without default features
    /// whose panics abort, a server, one with every feature but `zstd` and lanes, the image of examples/nano, and the same application
    /// on the full ORB; the octets of each of their crates, start-up time and memory
    #[arg(long, conflicts_with_all = ["profiles", "write", "nano"])]
    programs: bool,
    /// Measure what each feature adds to a server that is built for size instead
    #[arg(long, conflicts_with_all = ["profiles", "write", "nano", "programs"])]
    features: bool,
    /// Fail if a program is more than 1 % larger than the record, tests/footprint/budget.toml, or has more than 10 % more
    /// resident memory, and name the crates that have grown most; the record belongs to one version of the compiler
    #[arg(long, requires = "programs")]
    check: bool,
    /// Write the record
    #[arg(long, requires = "programs", conflicts_with = "check")]
    update: bool,
}

const PAGE: &str = "docs/src/footprint.md";
/// The line before the table of profiles.
const MARKER: &str = "<!-- footprint -->\n";

/// The sizes of one program.
struct Footprint {
    profile: String,
    /// Octets of the file without symbols.
    size: u64,
    /// Octets of memory of an idle server.
    resident: u64,
    sections: Vec<Section>,
    crates: Vec<(String, Columns)>,
}

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    if options.nano {
        nano::command(root, out)?;
        let table = steps::measure(root, out)?;
        if options.write {
            write_table(root, steps::PAGE, steps::MARKER, &table)?;
        }
        return programs::compare(root, out);
    }
    if options.programs {
        return programs::command(root, options, out);
    }
    if options.features {
        programs::features(root, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut measured = Vec::new();
    for profile in &options.profiles {
        let footprint = measure(root, profile)?;
        print(out, &footprint)?;
        out.flush()?;
        measured.push(footprint);
    }
    if options.write {
        write_table(root, PAGE, MARKER, &table(&measured))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(root: &Path, profile: &str) -> io::Result<Footprint> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).env("CARGO_INCREMENTAL", "0");
    cargo.args(["build", "--package=hello", "--bins", "--profile", profile]);
    if profile != "release" {
        // Symbols identify the crates; the size is measured without them. The profile `release`
        // strips them.
        cargo.arg("--config").arg(format!("profile.{profile}.strip=\"none\""));
    }
    succeed("cargo", &mut cargo)?;
    let target = target_folder(root, std::env::var_os("CARGO_TARGET_DIR"));
    let folder = target.join(profile);
    let server = folder.join("hello-server");
    let stripped = folder.join("hello-server.stripped");
    succeed("strip", Command::new("strip").arg("-o").arg(&stripped).arg(&server))?;
    let sections = symbols::sections(&output("size", &["-A", "-d"], &server)?);
    let names = output("nm", &["--print-size", "--demangle"], &server)?;
    Ok(Footprint {
        profile: profile.to_owned(),
        size: stripped.metadata()?.len(),
        resident: resident::measure(&stripped, &folder.join("hello-client"))?.resident,
        crates: symbols::by_crate(&names, &sections),
        sections,
    })
}

/// The folder for what is built, by the value of `CARGO_TARGET_DIR`. A relative path is one from the root, whichever folder
/// cargo runs in.
fn target_folder(root: &Path, value: Option<OsString>) -> PathBuf {
    root.join(value.unwrap_or_else(|| "target".into()))
}

fn succeed(name: &str, command: &mut Command) -> io::Result<()> {
    let status = command.status().map_err(|error| io::Error::other(format!("{name}: {error}")))?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{name}: {status}"))) }
}

fn output(name: &str, arguments: &[&str], file: &Path) -> io::Result<String> {
    let output = Command::new(name).args(arguments).arg(file).output();
    let output = output.map_err(|error| io::Error::other(format!("{name}: {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(io::Error::other(format!("{name}: {}", String::from_utf8_lossy(&output.stderr))))
}

fn print(out: &mut dyn Write, footprint: &Footprint) -> io::Result<()> {
    let Footprint { profile, size, resident, sections, crates } = footprint;
    writeln!(out, "hello-server, profile {profile}: {} octets without symbols", grouped(*size))?;
    writeln!(out, "resident at rest: {} octets", grouped(*resident))?;
    writeln!(out, "\n{:<24}{:>12}{:>12}{:>12}", "crate", "code", "constants", "data")?;
    let line = |out: &mut dyn Write, name: &str, columns: &Columns| {
        let [code, constants, data] = columns.0.map(grouped);
        writeln!(out, "{name:<24}{code:>12}{constants:>12}{data:>12}")
    };
    for (name, columns) in crates {
        line(out, name, columns)?;
    }
    let known = crates.iter().fold(Columns::default(), |sum, (_, columns)| sum + *columns);
    let all = sections.iter().fold(Columns::default(), |sum, section| sum + section.columns());
    line(out, "without a name", &(all - known))?;
    line(out, "all", &all)?;
    writeln!(out, "\n{:<24}{:>12}", "section", "octets")?;
    for section in sections {
        writeln!(out, "{:<24}{:>12}", section.name, grouped(section.size))?;
    }
    writeln!(out)
}

/// The table in the book.
fn table(measured: &[Footprint]) -> String {
    let mut made = String::from(
        "| Profile | Program without symbols | of it code | Resident after the first call |\n\
         |---|---|---|---|\n",
    );
    for Footprint { profile, size, resident, sections, .. } in measured {
        let code: u64 = sections.iter().map(|section| section.columns().0[0]).sum();
        let resident = format!("{:.1} MiB", *resident as f64 / f64::from(1 << 20));
        let (size, code) = (grouped(*size), grouped(code));
        let _ = writeln!(made, "| `{profile}` | {size} octets | {code} octets | {resident} |");
    }
    made
}

/// Replaces the table of a page.
fn write_table(root: &Path, page: &str, marker: &str, table: &str) -> io::Result<()> {
    let path = root.join(page);
    let Some(text) = with_table(&std::fs::read_to_string(&path)?, marker, table) else {
        return Err(io::Error::other(format!("{page}: the markers of the table are missing")));
    };
    std::fs::write(path, text)
}

/// The page with the table inserted after the marker.
fn with_table(page: &str, marker: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(marker)?;
    let (_, after) = rest.split_once("<!-- end -->")?;
    Some(format!("{before}{marker}\n{table}\n<!-- end -->{after}"))
}

/// Formats 1234567 as 1,234,567.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        let made = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(made, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn relative_target_folders_are_in_the_root() {
        let of = |value: Option<&str>| target_folder(Path::new("/project"), value.map(Into::into));
        let expected = ["/project/target", "/project/target/ci", "/elsewhere"].map(PathBuf::from);
        assert_eq!([None, Some("target/ci"), Some("/elsewhere")].map(of), expected);
    }

    #[test]
    fn the_table_replaces_the_previous_one() {
        let page = "a\n<!-- footprint -->\nold\n<!-- end -->\nb";
        let expected = "a\n<!-- footprint -->\n\nnew\n\n<!-- end -->\nb";
        assert_eq!(with_table(page, MARKER, "new\n").as_deref(), Some(expected));
        assert_eq!(with_table("nothing", MARKER, ""), None);
    }

    #[test]
    fn the_page_contains_the_markers_of_the_table() {
        let page = std::fs::read_to_string(crate::root().join(PAGE)).expect(PAGE);
        assert!(with_table(&page, MARKER, "").is_some());
        for profile in ["plain", "lto", "footprint"] {
            assert!(page.contains(&format!("| `{profile}` |")), "{profile}");
        }
    }
}
