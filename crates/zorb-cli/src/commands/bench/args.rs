//! The command line of `zorb bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use zorb_bench::experiment::Experiment;
use zorb_bench::harness::Pin;
use zorb_bench::realtime;

/// Instead of a peer's name: there is none.
const NOBODY: &str = "none";

/// A mebibyte.
const MIB: u64 = 1 << 20;

/// Measure calls beside bare sockets and other ORBs
///
/// Every peer is a client process and a server process on this machine. All do the same work, in
/// turns, and every reply is checked. Numbers are medians over blocks, with quartiles; a ratio
/// compares a block with the bare program's block just beside it. Of times, below 1 is faster than
/// bare sockets; of calls in a second (`ttcp`, `threads`), above 1 is.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb bench latency
  zorb bench latency --vs raw,omniorb --payload 4096 --json latency.json
  zorb bench ttcp --total 16 --payload 1024,131072
  zorb bench threads --html threads.html
  zorb bench report bench/results --output report.html")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    experiment: Choice,
}

#[derive(Debug, Subcommand)]
enum Choice {
    /// Two-way calls: nothing, octets, structs, longs, doubles
    Latency(Common),
    /// Cubes of numbers of several types, after the IDL_Cubit benchmark
    ///
    /// Over IIOP, UIOP, SHMIOP, and GIOPlite over the sockets of the first two, in turns, unless
    /// --transport names others.
    Cubit(Common),
    /// Floods of one-way calls of seven types, after the TTCP benchmark
    Ttcp(TtcpArgs),
    /// 1 to 64 threads that call at the same time, with own connections and with a shared one
    Threads(Common),
    /// The first call of a reference: as it comes, bound before, and beside a later call
    FirstCall(Common),
    /// Up to 10,000 idle connections beside a busy one
    Connections(Common),
    /// Calls to an object of the same process: a stub called through a pointer, by each of Zorb's
    /// strategies, with the servant's work in the time
    Collocated(Common),
    /// Calls through a bridge, beside calls through a bare relay and straight ones
    ///
    /// Between iiop, uiop and shmiop, between iiop and lite+iiop, and from ssliop to iiop: with
    /// certificates made for the run, unless options name some (-ORBSsliopCertificate and its kin).
    Bridge(Common),
    /// Ways to find the object and the operation of a request, Zorb's among them
    Demux(Common),
    /// How often an argument is copied over shared memory: from memory of the client's with and
    /// without shared buffers, and from a buffer that it has drawn
    Copies(Common),
    /// Values whose types are known at run time: calls through the DII, anys as octets, and DynAnys
    /// put together and taken apart leaf by leaf
    Dynamic(Common),
    /// The steps of a call in client and server, from time probes in every layer
    ///
    /// Over IIOP and UIOP in turns, unless --transport names one. The peers have to be of a build
    /// with probes: `cargo xtask peers probing` makes one in target/peers/probing, which is found
    /// there.
    Probes(Common),
    /// Whether priorities hold: real-time experiments, each with a control that has to fail
    Rt(RtArgs),
    /// Whether periodic upcalls meet their deadlines, and what one costs
    Upcalls(UpcallsArgs),
    /// Make one HTML page, with charts, of all results in a folder
    Report(ReportArgs),
}

#[derive(Args, Debug)]
struct TtcpArgs {
    #[command(flatten)]
    common: Common,
    /// Mebibytes that a block sends in all
    #[arg(long, value_name = "MIB", default_value = "64",
          value_parser = clap::value_parser!(u64).range(1..=4096))]
    total: u64,
}

/// Whether priorities hold: real-time experiments, each with a control that has to fail
///
/// Client and server are two ORBs of this process, on a processor each where there are two. Each
/// experiment says what has to hold for calls of high priority, and does the same in a set-up that is
/// known to fail (a shared connection, one pool for all priorities, a lock that does not inherit): it
/// has proved something where it holds and its control was detected. Times are compared with those of
/// the same calls without load, in the same run. Threads are given real-time priorities: without the
/// right to, experiments are not run, and say why.
#[derive(Args, Debug)]
#[command(after_help = experiments_of_rt())]
pub(super) struct RtArgs {
    /// Shorter runs, all of them in less than five minutes
    #[arg(long)]
    pub(super) quick: bool,
    /// Only these, by their short names
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// The schemes of URLs that they run over, one after the other [default: uiop,shmiop,iiop]
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',')]
    pub(super) transport: Vec<String>,
    #[command(flatten)]
    pub(super) output: RtOutput,
}

/// Whether periodic upcalls meet their deadlines, and what one costs
///
/// Three tasks of 2 kHz, 100 Hz and 10 Hz, with rate monotonic priorities, together ask for six tenths of
/// a processor that other threads want all of. A miss counts unless the machine kept the upcall: a
/// thread above all others could not begin either, or a loop without system calls took longer. The
/// control is the same without priorities, for a tenth of the time.
#[derive(Args, Debug)]
pub(super) struct UpcallsArgs {
    /// How long the tasks run
    #[arg(long, default_value = "60", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(super) seconds: u64,
    #[command(flatten)]
    pub(super) output: RtOutput,
}

/// Where to write what real-time experiments have found.
#[derive(Args, Debug)]
pub(super) struct RtOutput {
    /// Write what was found to FILE as JSON; `-`, or nothing: to standard output, in place of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(super) json: Option<PathBuf>,
    /// Write a page with tables and charts to FILE; `-`: to standard output, in place of the table
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Write both into the folder DIR, which is made if need be: rt.json and rt.html, or upcalls.json
    /// and upcalls.html
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// What there is to choose from.
fn experiments_of_rt() -> String {
    let names = realtime::ALL.iter().map(|one| format!("  {:<5}{}\n", one.name, one.title));
    format!(
        "Experiments:\n{}\nExamples:\n  zorb bench rt --quick\n  \
         zorb bench rt --only E1,E6 --transport uiop --json rt.json",
        names.collect::<String>()
    )
}

/// Make one HTML page, with charts, of all results in a folder
///
/// The results are the files that `zorb bench EXPERIMENT --json FILE` wrote. The page needs no
/// network, no scripts and no other file. Files that are no results are named and left out.
#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// The folder; of its files, those whose names end in `.json` are read
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// Where the page is written; `-`: to standard output
    #[arg(long, short, value_name = "FILE", default_value = "bench-report.html")]
    pub(super) output: PathBuf,
}

/// Options of every experiment.
#[derive(Args, Debug)]
pub(super) struct Common {
    /// The schemes of URLs: `iiop` (the default), `uiop`, `shmiop`, `ssliop` (with -ORBSsliopCertificate
    /// and the like), or `lite+` or `short+` before one of the first two; several are measured in turns
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',')]
    pub(super) transport: Vec<String>,
    /// Octets of the arguments, instead of the experiment's own series
    #[arg(long, value_name = "OCTETS", value_delimiter = ',', value_parser = payload)]
    pub(super) payload: Vec<usize>,
    /// Timed calls of a block
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(super) calls: Option<u32>,
    /// Rounds; each peer has two blocks in each, as in A B B A
    #[arg(long, value_parser = rounds)]
    pub(super) rounds: Option<usize>,
    /// Where client and server run: on a processor each (the default where there are two), both on
    /// one (the default of `probes`), or wherever the system puts them
    #[arg(long)]
    pub(super) pin: Option<PinChoice>,
    /// Run client and server at this real-time priority (`SCHED_FIFO`); needs the right to
    #[arg(long, value_name = "PRIORITY", num_args = 0..=1, default_missing_value = "50",
          value_parser = clap::value_parser!(u8).range(1..=99))]
    pub(super) fifo: Option<u8>,
    /// The size of the sockets' queues; 0: the system's (the default; of `ttcp` 65536)
    #[arg(long, value_name = "OCTETS")]
    pub(super) socket_queue: Option<usize>,
    /// Also measure Zorb and the bare program (zorb-spin, raw-spin) with threads that, waiting for a
    /// message, look for it for so many microseconds (100 if not said) before they sleep
    #[arg(long, value_name = "MICROS", num_args = 0..=1, default_missing_value = "100",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) spin: Option<u32>,
    /// What to compare with: raw (bare sockets), and the names of folders in the peers' folder, as
    /// ace, omniorb, jacorb; none: Zorb alone
    #[arg(long, value_name = "PEERS", value_delimiter = ',', default_value = "raw",
          value_parser = peer_name)]
    vs: Vec<String>,
    /// The folder that holds NAME/server and NAME/client of other peers
    #[arg(long, value_name = "FOLDER", default_value = "target/peers")]
    pub(super) peers: PathBuf,
    /// Do next to nothing of each: to see whether it works, not how fast
    #[arg(long)]
    pub(super) quick: bool,
    /// Write the rows, the machine and what lies behind the rows to FILE; `-`: to standard output,
    /// in place of the table
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write a page with tables and charts to FILE; `-`: to standard output, in place of the table
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PinChoice {
    Split,
    Same,
    None,
}

impl From<PinChoice> for Pin {
    fn from(choice: PinChoice) -> Self {
        match choice {
            PinChoice::Split => Self::Split,
            PinChoice::Same => Self::Same,
            PinChoice::None => Self::None,
        }
    }
}

fn payload(text: &str) -> Result<usize, String> {
    let octets = text.parse().ok().filter(|octets| (1..=16 * MIB as usize).contains(octets));
    octets.ok_or_else(|| format!("expected 1 to {}", 16 * MIB))
}

fn rounds(text: &str) -> Result<usize, String> {
    let rounds = text.parse().ok().filter(|rounds| (1..=10_000).contains(rounds));
    rounds.ok_or_else(|| "expected 1 to 10000".to_owned())
}

/// A name that can be a folder's.
fn peer_name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if !text.is_empty() && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("expected letters, digits, `-` and `_`".to_owned())
    }
}

/// What is asked for.
pub(super) enum Chosen<'a> {
    /// An experiment, its options, and the octets that a block of a flood sends.
    Experiment(Experiment, &'a Common, u64),
    /// The real-time experiments.
    Rt(&'a RtArgs),
    /// Periodic upcalls.
    Upcalls(&'a UpcallsArgs),
    /// A page of results.
    Report(&'a ReportArgs),
}

impl BenchArgs {
    /// What is asked for.
    pub(super) fn chosen(&self) -> Chosen<'_> {
        let (experiment, common, total) = match &self.experiment {
            Choice::Latency(common) => (Experiment::Latency, common, 0),
            Choice::Cubit(common) => (Experiment::Cubit, common, 0),
            Choice::Threads(common) => (Experiment::Threads, common, 0),
            Choice::FirstCall(common) => (Experiment::FirstCall, common, 0),
            Choice::Connections(common) => (Experiment::Connections, common, 0),
            Choice::Collocated(common) => (Experiment::Collocated, common, 0),
            Choice::Bridge(common) => (Experiment::Bridge, common, 0),
            Choice::Demux(common) => (Experiment::Demux, common, 0),
            Choice::Copies(common) => (Experiment::Copies, common, 0),
            Choice::Dynamic(common) => (Experiment::Dynamic, common, 0),
            Choice::Probes(common) => (Experiment::Probes, common, 0),
            Choice::Ttcp(TtcpArgs { common, total }) => {
                let total = if common.quick { MIB / 8 } else { total * MIB };
                (Experiment::Ttcp, common, total)
            }
            Choice::Rt(args) => return Chosen::Rt(args),
            Choice::Upcalls(args) => return Chosen::Upcalls(args),
            Choice::Report(report) => return Chosen::Report(report),
        };
        Chosen::Experiment(experiment, common, total)
    }
}

impl Common {
    /// The peers to compare with, each once. Zorb takes part in any case.
    pub(super) fn versus(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in &self.vs {
            if name != "zorb" && name != NOBODY && !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}
