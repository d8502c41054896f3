//! `cargo xtask screenshot`: the picture of a benchmark report that the README shows.

use std::fs;
use std::io::{self, Error, Write};
use std::path::Path;
use std::process::{Command, ExitCode};

const HELP: &str = "\
Make docs/images/bench-report.png: the top of the page that `zorb bench report bench/results` makes,
as Chromium shows it.

Usage: cargo xtask screenshot
";

const PAGE: &str = "target/bench-report.html";
const PICTURE: &str = "docs/images/bench-report.png";
/// What of the page is shown, in pixels.
const VIEW: &str = "1240,1515";
/// A larger picture makes a clone slow, in octets.
const LARGEST: u64 = 300_000;

pub(crate) fn command(root: &Path, args: &[String], out: &mut dyn Write) -> io::Result<ExitCode> {
    match args {
        [] => {}
        [help] if help == "--help" || help == "-h" => {
            out.write_all(HELP.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        other => {
            return crate::usage_error(&format!("screenshot does not know {other:?}"), HELP);
        }
    }
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

/// Runs a program quietly; what it said is told when it fails.
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
