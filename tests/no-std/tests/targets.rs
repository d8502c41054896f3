//! `zorb-cdr`, `zorb-interp`, `zorb-types`, `zorb-giop` and `zorb-nano` build with `alloc` and without `std`.
//!
//! The package in `image` uses all five. It is checked for the host, where it does not compile when a
//! dependency links `std`, and built for bare targets. The static image of `examples/nano` is built for Linux, and run. A
//! target that rustup has not installed shows as ignored; `REQUIRE_TOOLS=1` makes that a failure.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

mod image;
mod panics;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

/// A PC without an operating system, and a Cortex-M4, which has words of 32 bits and no 64-bit atomics.
const BARE_TARGETS: [&str; 2] = ["x86_64-unknown-none", "thumbv7em-none-eabihf"];

/// The package that is built for them.
const BARE: &str = "image";

fn main() -> ExitCode {
    let mut trials = vec![Trial::test("the_host_needs_no_std", || cargo(BARE, &["check"]))];
    let bare = BARE_TARGETS
        .map(|target| on(target, target, move || cargo(BARE, &["build", "--target", target])));
    trials.extend(bare);
    trials.push(on("the_image_is_small_and_works", image::TARGET, image::test));
    let build = ["build", "--release", "--target", image::TARGET];
    let program = move || {
        cargo("../../examples/sensor", &build)?;
        check_budget(&target_folder().join(image::TARGET).join("release/sensor"))
    };
    trials.push(on("the_program_of_the_book_builds", image::TARGET, program));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The page that shows the program, the row of its table that is about the whole one, and how much larger the program may be: a
/// page of memory, to which the parts of the file are rounded.
const PAGE: &str = "../../docs/src/nano.md";
const ROW: &str = "| 4: the operation `calibrate` |";
const ROUNDING: u64 = 4096;

/// Checks that the program of the book has at most the octets that the book says, but for the rounding.
fn check_budget(program: &Path) -> Result<(), Failed> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE))?;
    let row = page.lines().find(|line| line.starts_with(ROW)).ok_or("no row of the program")?;
    let column = row.trim_end_matches(['|', ' ']).rsplit('|').next().unwrap_or_default();
    let said: u64 = column.trim().replace(',', "").parse()?;
    let is = program.metadata()?.len();
    if is <= said + ROUNDING {
        return Ok(());
    }
    let message =
        format!("{is} octets, and {said} in {PAGE}: `cargo xtask footprint --nano --write`");
    Err(message.into())
}

/// A test that needs a target.
fn on(
    name: &str,
    target: &str,
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let (installed, advice) = (is_installed(target), format!("rustup target add {target}"));
    let name = if installed { name.to_owned() } else { format!("{name} [{advice}]") };
    Trial::test(name, move || if installed { test() } else { Err(advice.into()) })
        .with_ignored_flag(!installed && !are_tools_required())
}

/// Whether a tool that is missing is a failure.
fn are_tools_required() -> bool {
    env::var_os("REQUIRE_TOOLS").is_some_and(|value| value != "0")
}

fn is_installed(target: &str) -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output =
        Command::new(rustc).args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

/// Runs Cargo on a package of this folder. It shares the workspace's target folder, and what the workspace has fetched.
fn cargo(package: &str, words: &[&str]) -> Result<(), Failed> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(words)
        .args(["--quiet", "--offline"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(package))
        .env("CARGO_TARGET_DIR", target_folder())
        .output()?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into())
    }
}

fn target_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_path_buf()
}
