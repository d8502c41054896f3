//! `cargo xtask screenshot`: the picture of a benchmark report in the README.

use std::fs;
use std::io::{self, Error, Write};
use std::path::Path;
use std::process::{Command, ExitCode};

const PAGE: &str = "target/bench-report.html";
const PICTURE: &str = "docs/images/bench-report.png";
/// The visible part of the page, in pixels.
const VIEW: &str = "1240,1515";
/// The maximum size of the picture in octets: larger ones make a clone slow.
const LARGEST: u64 = 300_000;

pub(crate) fn command(root: &Path, out: &mut dyn Write) -> io::Result<ExitCode> {
    let zorb = ["run", "--quiet", "-p", "zorb-cli", "--", "bench", "report", "bench/results"];
    succeed(Command::new("cargo").args(zorb).args(["--output", PAGE]).current_dir(root))?;
    let picture = root.join(PICTURE);
    if let Some(folder) = picture.parent() {
        fs::create_dir_all(folder)?;
    }
    let flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"];
    succeed(
        Command::new("chromium")
            .args(flags)
            .arg(format!("--window-size={VIEW}"))
            .arg(format!("--screenshot={}", picture.display()))
            .arg(root.join(PAGE)),
    )?;
    let size = fs::metadata(&picture)?.len();
    writeln!(out, "{PICTURE}: {size} octets")?;
    if size > LARGEST {
        return Err(Error::other(format!("the picture has more than {LARGEST} octets")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a program quietly; its output is part of the error if it fails.
fn succeed(command: &mut Command) -> io::Result<()> {
    let output = command.output().map_err(|error| {
        Error::new(error.kind(), format!("{}: {error}", command.get_program().display()))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::other(format!("{}: {}\n{said}", command.get_program().display(), output.status)))
}
