//! `cargo xtask footprint --programs`: programs as users build them for size, and what each feature adds.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use super::budget::{Budget, NANO, Octets, SENSOR};
use super::resident::{self, Idle};
use super::symbols::{self, Columns};
use super::{Options, grouped, nano, output, succeed};

/// The settings of a user's own project that is to be small: panics still unwind, unless the last setting is added.
const PROFILE: [&str; 8] = [
    "inherits=\"dev\"",
    "opt-level=\"z\"",
    "debug=false",
    "debug-assertions=false",
    "overflow-checks=false",
    "lto=\"fat\"",
    "codegen-units=1",
    "incremental=false",
];

/// A panic ends the process.
const ABORT: &str = "panic=\"abort\"";

/// What the smallest program is linked with: relative relocations in their compact form, and no unwind tables, which nothing
/// uses where panics abort.
const LINKER: [&str; 2] = ["-z,pack-relative-relocs", "--no-eh-frame-hdr"];

/// The linker's script that leaves them out.
const SCRIPT: &str = "tests/footprint/no-unwind-tables.ld";

/// The default features of the facade.
const DEFAULTS: [&str; 3] = ["shm", "toml", "unix"];

/// The features of the facade that add to a server, without `zstd`, all of which the real-time server has, with the default
/// ones.
const FEATURES: [&str; 9] =
    ["rt", "tls", "udp", "short", "arq", "sctp", "ziop", "usage", "buffers"];

const CLIENT: &str = "client";
const SERVER: &str = "server";
/// The server without default features and unwind tables, where panics abort.
const LEAST: &str = "least";
const REALTIME: &str = "realtime";

/// The sizes of one program.
struct Program {
    name: &'static str,
    octets: Octets,
    /// Memory at rest, and time until it serves; a client has neither.
    idle: Option<Idle>,
}

/// Builds a program of `tests/footprint` with these features alone; returns its path.
fn build(root: &Path, name: &str, features: &[&str], aborts: bool) -> io::Result<PathBuf> {
    build_program(root, "zorb-footprint", &format!("footprint-{name}"), features, aborts)
}

/// Builds the application of `examples/nano` on the full ORB.
fn build_sensor(root: &Path) -> io::Result<PathBuf> {
    build_program(root, "zorb-sensor", "zorb-sensor", &[], false)
}

fn build_program(
    root: &Path,
    package: &str,
    name: &str,
    features: &[&str],
    aborts: bool,
) -> io::Result<PathBuf> {
    let profile = if aborts { "smallest" } else { "small" };
    let target = root.join("target/footprint-programs");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).env("CARGO_INCREMENTAL", "0");
    cargo.arg(if aborts { "rustc" } else { "build" }).arg("--quiet");
    cargo.args(["--package", package, "--profile", profile, "--bin", name]);
    cargo.arg("--no-default-features").arg("--features").arg(features.join(","));
    cargo.arg("--target-dir").arg(&target);
    for setting in PROFILE.into_iter().chain(aborts.then_some(ABORT)) {
        cargo.arg("--config").arg(format!("profile.{profile}.{setting}"));
    }
    if aborts {
        let linker = LINKER.map(|argument| format!("-Clink-arg=-Wl,{argument}"));
        cargo.arg("--").args(linker);
        cargo.arg(format!("-Clink-arg=-Wl,-T,{}", root.join(SCRIPT).display()));
    }
    succeed("cargo", &mut cargo)?;
    Ok(target.join(profile).join(name))
}

/// Octets of the file without symbols, and of code and constants of each crate.
fn octets(program: &Path) -> io::Result<(PathBuf, Octets)> {
    let stripped = program.with_extension("stripped");
    succeed("strip", Command::new("strip").arg("-o").arg(&stripped).arg(program))?;
    let sections = symbols::sections(&output("size", &["-A", "-d"], program)?);
    let names = output("nm", &["--print-size", "--demangle"], program)?;
    let crates = symbols::by_crate(&names, &sections).into_iter();
    let crates = crates.map(|(name, Columns([code, constants, _]))| (name, code + constants));
    let code = sections.iter().map(|section| section.columns().0[0]).sum();
    let file = stripped.metadata()?.len();
    let octets = Octets { file, code, resident: None, crates: crates.collect() };
    Ok((stripped, octets))
}

fn measure(root: &Path) -> io::Result<Vec<Program>> {
    let (client, client_octets) = octets(&build(root, CLIENT, &DEFAULTS, false)?)?;
    let mut programs = vec![Program { name: CLIENT, octets: client_octets, idle: None }];
    let all = DEFAULTS.iter().chain(&FEATURES).copied().collect::<Vec<_>>();
    let servers = [
        (LEAST, build(root, SERVER, &[], true)?),
        (SERVER, build(root, SERVER, &DEFAULTS, false)?),
        (REALTIME, build(root, REALTIME, &all, false)?),
    ];
    for (name, program) in servers {
        let (stripped, octets) = octets(&program)?;
        let idle = Some(resident::measure(&stripped, &client)?);
        programs.push(Program { name, octets, idle });
    }
    programs.extend(both(root)?);
    Ok(programs)
}

/// One application on the small ORB, and on the full one.
fn both(root: &Path) -> io::Result<[Program; 2]> {
    let (stripped, small) = octets(&nano::build(root, None)?)?;
    let (_, full) = octets(&build_sensor(root)?)?;
    let idle = Some(idle_image(&stripped)?);
    Ok([
        Program { name: NANO, octets: small, idle },
        Program { name: SENSOR, octets: full, idle: None },
    ])
}

/// Prints how large one application is on the small ORB, and on the full one. Fails if the small one is too large for that.
pub(super) fn compare(root: &Path, out: &mut dyn Write) -> io::Result<ExitCode> {
    let programs = both(root)?;
    writeln!(out, "\n{:<36}{:>12}{:>12}", "the same application", "code", "file")?;
    for (name, Program { octets, .. }) in
        ["on the small ORB", "on the full one"].iter().zip(&programs)
    {
        let (code, file) = (grouped(octets.code), grouped(octets.file));
        writeln!(out, "{name:<36}{code:>12}{file:>12}")?;
    }
    let budget = budget(&programs)?;
    if let Some([file, code]) = budget.shares() {
        writeln!(
            out,
            "{:<36}{:>12}{:>12}",
            "share",
            format!("{code:.1} %"),
            format!("{file:.1} %")
        )?;
    }
    let fault = budget.large_share();
    Ok(status(fault.as_slice()))
}

fn budget(programs: &[Program]) -> io::Result<Budget> {
    let sizes = programs.iter().map(|Program { name, octets, idle }| {
        let resident = idle.as_ref().map(|idle| idle.resident);
        ((*name).to_owned(), Octets { resident, ..octets.clone() })
    });
    Budget::new(sizes.collect())
}

/// Says what is wrong.
fn status(faults: &[String]) -> ExitCode {
    for fault in faults {
        eprintln!("{fault}");
    }
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The image of the small ORB as a server: its memory at rest, and the time until it says its port.
fn idle_image(image: &Path) -> io::Result<Idle> {
    let begun = Instant::now();
    let mut command = Command::new(image);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let running = resident::Running(child);
    let (Some(mut input), Some(output)) = (input, output) else {
        return Err(io::Error::other("the image has no pipes"));
    };
    writeln!(input, "serve 127.0.0.1:0")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let start_up = begun.elapsed();
    Ok(Idle { resident: running.resident()?, start_up })
}

/// Measures the programs.
pub(super) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    let programs = measure(root)?;
    writeln!(
        out,
        "{:<12}{:>12}{:>12}{:>14}{:>12}",
        "program", "file", "code", "resident", "start-up"
    )?;
    for Program { name, octets, idle } in &programs {
        let (file, code) = (grouped(octets.file), grouped(octets.code));
        write!(out, "{name:<12}{file:>12}{code:>12}")?;
        match idle {
            Some(Idle { resident, start_up }) => {
                let micros = start_up.as_micros();
                writeln!(out, "{:>14}{micros:>9} us", grouped(*resident))?;
            }
            None => writeln!(out)?,
        }
    }
    print_crates(out, &programs)?;
    let budget = budget(&programs)?;
    if options.update {
        budget.write(root)?;
    }
    let mut faults = Vec::new();
    if options.check {
        match Budget::read(root)?.growth(&budget) {
            Ok(grown) => faults = grown,
            Err(reason) => eprintln!("{reason}"),
        }
    }
    if options.check {
        faults.extend(budget.large_share());
    }
    Ok(status(&faults))
}

/// Prints a column of octets for each program.
fn print_crates(out: &mut dyn Write, programs: &[Program]) -> io::Result<()> {
    let mut crates: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, octets) in programs.iter().flat_map(|program| &program.octets.crates) {
        *crates.entry(name).or_default() += octets;
    }
    let mut crates: Vec<_> = crates.into_iter().collect();
    crates.sort_by_key(|(_, octets)| std::cmp::Reverse(*octets));
    write!(out, "\n{:<28}", "code and constants of")?;
    programs.iter().try_for_each(|program| write!(out, "{:>12}", program.name))?;
    writeln!(out)?;
    for (name, _) in crates {
        write!(out, "{name:<28}")?;
        for program in programs {
            let octets = program.octets.crates.get(name).copied().unwrap_or_default();
            write!(out, "{:>12}", grouped(octets))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Prints what each feature adds to the server's file and code.
pub(super) fn features(root: &Path, out: &mut dyn Write) -> io::Result<()> {
    let measured = |features: &[&str]| {
        let (_, octets) = octets(&build(root, SERVER, features, false)?)?;
        Ok::<_, io::Error>([octets.file, octets.code])
    };
    let line = |out: &mut dyn Write, name: &str, octets: [u64; 2]| {
        let [file, code] = octets.map(grouped);
        writeln!(out, "{name:<12}{file:>12}{code:>12}")?;
        out.flush()
    };
    writeln!(out, "{:<12}{:>12}{:>12}", "features", "file", "code")?;
    let least = measured(&[])?;
    line(out, "none", least)?;
    for feature in DEFAULTS.into_iter().chain(FEATURES) {
        let with = measured(&[feature])?;
        let more = [0, 1].map(|at: usize| with[at].saturating_sub(least[at]));
        line(out, &format!("+ {feature}"), more)?;
    }
    Ok(())
}
