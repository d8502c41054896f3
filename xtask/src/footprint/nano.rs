//! `cargo xtask footprint --nano`: the size of the small ORB's image.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::symbols::{self, Columns};
use super::{grouped, output, succeed, target_folder};

/// Its C library is small, static, and comes with the toolchain.
pub(super) const TARGET: &str = "x86_64-unknown-linux-musl";

/// The features of `examples/nano`, each of which is added to TCP and GIOP alone; those that belong together, and all.
const FEATURES: [&str; 8] = [
    "unix",
    "udp",
    "lite",
    "lanes",
    "perfect-hash",
    "key-index",
    "unix,lite",
    "unix,udp,lite,lanes,perfect-hash,key-index",
];

/// Builds `examples/nano` with features, or else with the default ones. Returns the program with its symbols.
pub(super) fn build(root: &Path, features: Option<&str>) -> io::Result<PathBuf> {
    let target = target_folder(root, std::env::var_os("CARGO_TARGET_DIR"));
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root.join("examples/nano")).env("CARGO_TARGET_DIR", &target);
    cargo.args(["build", "--release", "--target", TARGET]);
    if let Some(features) = features {
        cargo.args(["--no-default-features", "--features", features]);
    }
    // Symbols identify the crates; the size is measured without them.
    cargo.args(["--config", "profile.release.strip=\"none\""]);
    succeed("cargo (is the target installed? `rustup target add` it)", &mut cargo)?;
    Ok(target.join(TARGET).join("release/nano"))
}

/// Octets of code, constants and initialized data, which pages do not round up.
pub(super) fn contents(image: &Path) -> io::Result<[u64; 2]> {
    let sections = symbols::sections(&output("size", &["-A", "-d"], image)?);
    let all = sections.iter().fold(Columns::default(), |sum, section| sum + section.columns());
    let [code, constants, _] = all.0;
    Ok([code, constants])
}

/// Prints what each feature adds to the image.
fn print_features(root: &Path, out: &mut dyn Write) -> io::Result<()> {
    let least = contents(&build(root, Some(""))?)?;
    let line = |out: &mut dyn Write, name: &str, [code, constants]: [u64; 2]| {
        let [code, constants] = [code, constants].map(grouped);
        writeln!(out, "{name:<36}{code:>12}{constants:>12}")
    };
    writeln!(out, "\n{:<36}{:>12}{:>12}", "features", "code", "constants")?;
    line(out, "none: GIOP over TCP", least)?;
    for features in FEATURES {
        let with = contents(&build(root, Some(features))?)?;
        let more = [0, 1].map(|at: usize| with[at].saturating_sub(least[at]));
        line(out, &format!("+ {features}"), more)?;
        out.flush()?;
    }
    Ok(())
}

/// Builds `examples/nano`, and prints its octets, those of each crate, and those of each feature.
pub(super) fn command(root: &Path, out: &mut dyn Write) -> io::Result<()> {
    let image = build(root, None)?;
    let stripped = image.with_extension("stripped");
    succeed("strip", Command::new("strip").arg("-o").arg(&stripped).arg(&image))?;
    let sections = symbols::sections(&output("size", &["-A", "-d"], &image)?);
    let names = output("nm", &["--print-size", "--demangle"], &image)?;
    let crates = symbols::by_crate(&names, &sections);

    let size = stripped.metadata()?.len();
    writeln!(out, "image: {} octets without symbols", grouped(size))?;
    writeln!(out, "\n{:<24}{:>12}{:>12}{:>12}", "crate", "code", "constants", "data")?;
    for (name, columns) in &crates {
        line(out, name, *columns)?;
    }
    let sum = |all: &mut dyn Iterator<Item = Columns>| all.fold(Columns::default(), |a, b| a + b);
    let known = sum(&mut crates.iter().map(|(_, columns)| *columns));
    let all = sum(&mut sections.iter().map(symbols::Section::columns));
    line(out, "without a name", all - known)?;
    line(out, "all", all)?;
    let ours = crates.iter().filter(|(name, _)| name.starts_with("zorb"));
    let ours = sum(&mut ours.map(|(_, columns)| *columns));
    line(out, "the ORB", ours)?;
    // The linker merges what is called once into `main`.
    let Columns([code, constants, data]) = ours;
    line(
        out,
        "the ORB, with main",
        Columns([code + symbols::size(&names, "main"), constants, data]),
    )?;
    out.flush()?;
    print_features(root, out)
}

fn line(out: &mut dyn Write, name: &str, columns: Columns) -> io::Result<()> {
    let [code, constants, data] = columns.0.map(grouped);
    writeln!(out, "{name:<24}{code:>12}{constants:>12}{data:>12}")
}
