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
mod screenshot;
mod stubsize;
mod tidy;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Zorb's automation.

Usage: cargo xtask COMMAND

Commands:
  advisories  Compare the dependencies with a snapshot of the RustSec database
  tidy        Check the rules of the project; prints a line `path:line: rule: advice` for each finding
  cycles      Show the modules that depend on each other
  api         Compare the public API with its record
  ci          Run the steps of the CI run
  loc         Count lines per crate: files, code, comments, tests
  dist        Build the program `zorb` with its bill of materials (SBOM)
  footprint   Measure the hello server: size, memory, share of each crate
  measure     Measure the results in bench/results and the README
  peers       Build the programs that `zorb bench` compares Zorb with
  principles  Measure the patterns of the performance chapter and write its tables
  screenshot  Take the picture of a benchmark report for the README
  stubsize    Measure the size of generated stubs and skeletons
  help        Show this text; `cargo xtask COMMAND --help` shows the help of a command

Exit status: 0 no findings, 1 findings or a failed step, 2 wrong usage.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut out = io::stdout().lock();
    match run(&args, &mut out) {
        Ok(code) => code,
        // The reader of the output has ended (`cargo xtask loc | head`).
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String], out: &mut dyn Write) -> io::Result<ExitCode> {
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", args),
    };
    match command {
        "tidy" => tidy::command(&root(), rest, out),
        "advisories" => advisories::command(&root(), rest, out),
        "api" => api::command(&root(), rest, out),
        "ci" => ci::command(&root(), rest, out),
        "cycles" => cycles::command(&root(), rest, out),
        "dist" => dist::command(&root(), rest, out),
        "footprint" => footprint::command(&root(), rest, out),
        "loc" => loc::command(&root(), rest, out),
        "measure" => measure::command(&root(), rest, out),
        "principles" => principles::command(&root(), rest, out),
        "peers" => peers::command(&root(), rest, out),
        "screenshot" => screenshot::command(&root(), rest, out),
        "stubsize" => stubsize::command(&root(), rest, out),
        "help" | "--help" | "-h" => {
            out.write_all(HELP.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        other => usage_error(&format!("unknown command `{other}`"), HELP),
    }
}

/// Reports invalid arguments and the usage; exit status 2.
fn usage_error(what: &str, help: &str) -> io::Result<ExitCode> {
    writeln!(io::stderr(), "xtask: {what}\n\n{help}")?;
    Ok(ExitCode::from(2))
}

/// The folder of the workspace's manifest: the parent of this package's.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}
