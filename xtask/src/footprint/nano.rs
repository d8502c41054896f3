//! `cargo xtask footprint --nano`: the size of the small ORB's image.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::symbols::{self, Columns};
use super::{grouped, output, succeed};

/// Its C library is small, static, and comes with the toolchain.
const TARGET: &str = "x86_64-unknown-linux-musl";

/// Builds `examples/nano`, and prints its octets and those of each crate.
pub(super) fn command(root: &Path, out: &mut dyn Write) -> io::Result<()> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root.join("examples/nano")).env("CARGO_TARGET_DIR", &target);
    cargo.args(["build", "--release", "--target", TARGET]);
    // Symbols identify the crates; the size is measured without them.
    cargo.args(["--config", "profile.release.strip=\"none\""]);
    succeed("cargo (is the target installed? `rustup target add` it)", &mut cargo)?;
    let image = target.join(TARGET).join("release/nano");
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
    line(out, "the ORB", sum(&mut ours.map(|(_, columns)| *columns)))
}

fn line(out: &mut dyn Write, name: &str, columns: Columns) -> io::Result<()> {
    let [code, constants, data] = columns.0.map(grouped);
    writeln!(out, "{name:<24}{code:>12}{constants:>12}{data:>12}")
}
