//! Zorb's automation, run as `cargo xtask COMMAND`: the tidy checks, the steps of the CI run, line
//! counts, the footprint, the performance chapter, the benchmark's peers, results and picture. It
//! depends on no crate of the workspace, so it works when they do not compile.
#![forbid(unsafe_code)]

mod advisories;
mod api;
mod ci;
mod cycles;
mod dist;
mod footprint;
mod loc;
mod measure;
mod peers;
mod principles;
mod record;
mod screenshot;
mod stubsize;
mod tidy;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Zorb's automation
#[derive(Debug, Parser)]
#[command(
    bin_name = "cargo xtask",
    after_help = "\
Exit status: 0 no findings, 1 findings or a failed step, 2 wrong usage."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Advisories(advisories::Options),
    Tidy(tidy::Options),
    Cycles(cycles::Options),
    Api(api::Options),
    Ci(ci::Options),
    /// Count the lines of hand-written Rust per package: files, lines of code, comment lines, lines of tests
    Loc,
    Dist(dist::Options),
    Footprint(footprint::Options),
    Measure(measure::Options),
    Peers(peers::Options),
    Principles(principles::Options),
    /// Create docs/images/bench-report.png by Chromium: the top of the page from `zorb bench report bench/results`
    Screenshot,
    Stubsize(stubsize::Options),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = io::stdout().lock();
    match run(&cli.command, &mut out) {
        Ok(code) => code,
        // The reader of the output has ended (`cargo xtask loc | head`).
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command, out: &mut dyn Write) -> io::Result<ExitCode> {
    let root = root();
    match command {
        Command::Advisories(options) => advisories::command(&root, options, out),
        Command::Tidy(options) => tidy::command(&root, options, out),
        Command::Cycles(options) => cycles::command(&root, options, out),
        Command::Api(options) => api::command(&root, options, out),
        Command::Ci(options) => ci::command(&root, options, out),
        Command::Loc => loc::command(&root, out),
        Command::Dist(options) => dist::command(&root, options, out),
        Command::Footprint(options) => footprint::command(&root, options, out),
        Command::Measure(options) => measure::command(&root, options, out),
        Command::Peers(options) => peers::command(&root, options, out),
        Command::Principles(options) => principles::command(&root, options),
        Command::Screenshot => screenshot::command(&root, out),
        Command::Stubsize(options) => stubsize::command(&root, options, out),
    }
}

/// The folder of the workspace's manifest: the parent of this package's.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent_and_checked() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
        let parse = |line: &str| Cli::try_parse_from(line.split(' ')).is_ok();
        assert!(parse("xtask peers ace") && !parse("xtask peers tao"));
        assert!(parse("xtask ci format") && !parse("xtask ci nothing"));
        assert!(parse("xtask advisories --update") && parse("xtask advisories --update folder"));
    }
}
