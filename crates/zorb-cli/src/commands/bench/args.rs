//! The command line of `zorb bench`.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use zorb_bench::catalog::{EXPERIMENTS, Experiment, Kind};
use zorb_bench::options::Options;
use zorb_bench::pin::Pin;
use zorb_bench::realtime;

/// Measure calls, and compare them with bare sockets and other ORBs
///
/// Every peer is a client process and a server process on this machine. All peers run the same
/// workload in turns, and every reply is checked. Results are medians over blocks, with quartiles;
/// a ratio compares a block with the adjacent block of the bare program. For times, a ratio below 1
/// is faster than bare sockets; for calls per second (`ttcp`, `threads`), a ratio above 1 is.
///
/// Some experiments make claims and print whether each holds. The exit status is 1 if a claim fails.
/// A claim that the run cannot decide is marked `?` and does not fail: its confidence interval
/// contains the limit, or a run with --quick was too short for a claim about times.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb bench latency
  zorb bench latency --vs raw,omniorb --payload 4096 --json latency.json
  zorb bench ttcp --total 16 --payload 1024,131072
  zorb bench threads --html threads.html
  zorb bench report bench/results --output report.html")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(super) command: BenchCommand,
}

/// An experiment of the table, or another measurement.
#[derive(Debug)]
pub(super) enum BenchCommand {
    Experiment(&'static Experiment, Common),
    Other(Other),
}

/// Measurements with options of their own.
#[derive(Debug, Subcommand)]
pub(super) enum Other {
    /// Verify that priorities take effect: real-time experiments, each with a control that must
    /// fail
    Rt(RtArgs),
    /// Measure whether periodic upcalls meet their deadlines, and what an upcall costs
    Upcalls(UpcallsArgs),
    /// Compare Zorb's naming service with omniNames: resolve, list, bind
    Naming(NamingArgs),
    /// Compare graph coloring by processes over sockets, the small ORB and the full one
    Dba(DbaArgs),
    /// Count and time a marshalling engine as a paper found it, and after each step of its optimization
    Ladder(LadderArgs),
    /// Create an HTML page with charts of all results in a folder
    Report(ReportArgs),
}

impl Subcommand for BenchCommand {
    fn augment_subcommands(command: Command) -> Command {
        let experiments = EXPERIMENTS.iter().map(|experiment| {
            let about = experiment.about;
            let long = experiment.details.map(|details| format!("{about}\n\n{details}"));
            let command = Common::augment_args(Command::new(experiment.name));
            // Only floods have a total.
            let is_flood = experiment.kind == Kind::Ttcp;
            let command = command.mut_arg("total", |total| total.hide(!is_flood));
            command.about(about).long_about(long.unwrap_or_else(|| about.to_owned()))
        });
        Other::augment_subcommands(command.subcommands(experiments))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Experiment::named(name).is_some() || Other::has_subcommand(name)
    }
}

impl FromArgMatches for BenchCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let selected = matches.subcommand();
        match selected.and_then(|(name, of)| Some((Experiment::named(name)?, of))) {
            Some((experiment, of)) => {
                Common::from_arg_matches(of).map(|common| Self::Experiment(experiment, common))
            }
            None => Other::from_arg_matches(matches).map(Self::Other),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Verify that priorities take effect: real-time experiments, each with a control that must fail
///
/// Client and server are two ORBs of this process, on separate processors where there are two. Each
/// experiment states what must hold for calls of high priority, and repeats the measurement in a
/// configuration that is known to fail (a shared connection, one pool for all priorities, a lock
/// without priority inheritance): it is conclusive if the property holds and the control is
/// detected. Times are compared with those of the same calls without load, in the same run. The
/// threads need real-time priorities: without the permission, experiments are skipped with a
/// reason.
#[derive(Args, Debug)]
#[command(after_help = experiments_of_rt())]
pub(super) struct RtArgs {
    /// Shorter runs, less than five minutes in total
    #[arg(long)]
    pub(super) quick: bool,
    /// Experiments to run, by their short names
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// URL schemes of the transports, run one after another [default: uiop,shmiop,iiop]
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',')]
    pub(super) transport: Vec<String>,
    #[command(flatten)]
    pub(super) output: RtOutput,
}

/// Measure whether periodic upcalls meet their deadlines, and what an upcall costs
///
/// Three tasks of 2 kHz, 100 Hz and 10 Hz, with rate-monotonic priorities, use 60 % of a processor
/// that other threads saturate. A missed deadline counts unless the machine delayed the upcall: a
/// thread of higher priority was delayed too, or a loop without system calls took longer. The
/// control runs without priorities, for a tenth of the time.
#[derive(Args, Debug)]
pub(super) struct UpcallsArgs {
    /// Duration in seconds
    #[arg(long, default_value = "60", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(super) seconds: u64,
    #[command(flatten)]
    pub(super) output: RtOutput,
}

/// Compare Zorb's naming service with omniNames: resolve, list, bind
///
/// Both run as processes of this machine, and their measurements by 1 and by 32 clients are interleaved. Each row
/// claims that Zorb serves more calls per second. omniNames never calls fsync: compare its bind with Zorb's durability
/// `os`; with `grouped`, Zorb's bindings survive a loss of power. Then a million names are bound in Zorb's service.
/// Needs omniNames.
#[derive(Args, Debug)]
pub(super) struct NamingArgs {
    /// Processors of the clients and of the service: the same for both (same), one each (split), or unrestricted (none)
    #[arg(long, default_value = "same")]
    pub(super) pin: Pin,
    /// A short run, which decides no claim
    #[arg(long)]
    pub(super) quick: bool,
    /// JSON output file; `-` (default) is standard output, instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(super) json: Option<PathBuf>,
}

/// Compare graph coloring by processes over sockets, the small ORB and the full one
///
/// Runs `examples/dba`, a process for each node, as 2 and 4 nodes that are all neighbors and as a mesh of 100,
/// alternating between all ways. Prints the times of cycles and those of the literature, their stages, and the time of
/// four nodes that a model predicts from two. `cargo build --profile lto -p dba` in Zorb's source tree builds the
/// program.
#[derive(Args, Debug)]
pub(super) struct DbaArgs {
    /// The program `dba` [default: beside this program]
    #[arg(long, value_name = "FILE")]
    pub(super) program: Option<PathBuf>,
    /// A short run with a mesh of 16 nodes, which decides no claim about times
    #[arg(long)]
    pub(super) quick: bool,
    /// JSON output file; `-` (default) is standard output, instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(super) json: Option<PathBuf>,
}

/// Count and time a marshalling engine as a paper found it, and after each step of its optimization
///
/// Marshals sequences of shorts, chars, longs, octets, doubles and structs, with an engine that interprets TypeCodes
/// and with four that each add one step: inlining; sizes that are calculated once; a receiver split for the processor's
/// cache; a sender split for it. Valgrind counts instructions, calls and cache misses; floods over TCP are timed, also
/// over a link of 155 Mbit/s between two network namespaces. `cargo build --release -p zorb-ladder` in Zorb's source
/// tree builds the program.
#[derive(Args, Debug)]
pub(super) struct LadderArgs {
    /// The program `zorb-ladder` [default: beside this program]
    #[arg(long, value_name = "FILE")]
    pub(super) program: Option<PathBuf>,
    /// A short run, which decides no claim about times
    #[arg(long)]
    pub(super) quick: bool,
    /// JSON output file; `-` (default) is standard output, instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(super) json: Option<PathBuf>,
}

/// Output of real-time experiments.
#[derive(Args, Debug)]
pub(super) struct RtOutput {
    /// JSON output file; `-` (default) is standard output, instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(super) json: Option<PathBuf>,
    /// HTML output file with tables and charts; `-` is standard output, instead of the table
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Output folder for both, created if missing: rt.json and rt.html, or upcalls.json and upcalls.html
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// The list of experiments for the help text.
fn experiments_of_rt() -> String {
    let names = realtime::ALL.iter().map(|one| format!("  {:<5}{}\n", one.name, one.title));
    format!(
        "Experiments:\n{}\nExamples:\n  zorb bench rt --quick\n  \
         zorb bench rt --only E1,E6 --transport uiop --json rt.json",
        names.collect::<String>()
    )
}

/// Create an HTML page with charts of all results in a folder
///
/// The results are files written by `zorb bench EXPERIMENT --json FILE`. The page is
/// self-contained: no network, no scripts, no other files. Files that are not results are reported
/// and skipped.
#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// Folder with the results; files whose names end in `.json` are read
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// HTML output file; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = "bench-report.html")]
    pub(super) output: PathBuf,
}

/// Options of every experiment.
#[derive(Args, Debug)]
pub(super) struct Common {
    #[command(flatten)]
    pub(super) options: Options,
    /// JSON output file with results, machine and raw data; `-` is standard output, instead of the
    /// table
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// HTML output file with tables and charts; `-` is standard output, instead of the table
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
}
