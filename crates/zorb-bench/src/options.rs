//! The options of all experiments.

use std::path::PathBuf;

use clap::Args;

use crate::operation::Operation;
use crate::pin::Pin;

/// The name that stands for no peer.
const NO_PEER: &str = "none";

/// A mebibyte.
const MIB: u64 = 1 << 20;

/// Options of every experiment.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// URL schemes of the transports: `iiop` (the default), `uiop`, `shmiop`, `ssliop` (with
    /// -ORBSsliopCertificate etc.), or one of the first two prefixed with `lite+` or `short+`;
    /// several are measured alternately
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',')]
    pub transport: Vec<String>,
    /// Sizes of the arguments in octets, instead of those of the experiment
    #[arg(long, value_name = "OCTETS", value_delimiter = ',', value_parser = payload)]
    pub payload: Vec<usize>,
    /// Number of timed calls in a block
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub calls: Option<u32>,
    /// Number of rounds; each peer has two blocks per round, in the order A B B A
    #[arg(long, value_parser = rounds)]
    pub rounds: Option<usize>,
    /// Processors of client and server: one each (split; the default if there are two), both the
    /// same (same; the default of `probes`), or unrestricted (none)
    #[arg(long)]
    pub pin: Option<Pin>,
    /// Real-time priority (`SCHED_FIFO`) of client and server; needs permission
    #[arg(long, value_name = "PRIORITY", num_args = 0..=1, default_missing_value = "50",
          value_parser = clap::value_parser!(u8).range(1..=99))]
    pub fifo: Option<u8>,
    /// Socket buffer size; 0 is the system's default (default: 0; `ttcp`: 65536)
    #[arg(long, value_name = "OCTETS")]
    pub socket_queue: Option<usize>,
    /// Maximum busy-wait before blocking, in microseconds; adds the peers zorb-busy-wait and raw-busy-wait
    /// (100 without a value)
    #[arg(long, value_name = "MICROS", num_args = 0..=1, default_missing_value = "100",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub busy_wait: Option<u32>,
    /// Peers to compare with: raw (bare sockets), and names of folders in the peers' folder, such as ace, omniorb,
    /// jacorb; none: only Zorb
    #[arg(long, value_name = "PEERS", value_delimiter = ',', default_value = "raw",
          value_parser = peer_name)]
    vs: Vec<String>,
    /// Folder with NAME/server and NAME/client of other peers
    #[arg(long, value_name = "FOLDER", default_value = "target/peers")]
    pub peers: PathBuf,
    /// Mebibytes sent in a block
    #[arg(long, value_name = "MIB", default_value = "64",
          value_parser = clap::value_parser!(u64).range(1..=4096))]
    total: u64,
    /// Minimal run: checks that the experiments work, not how fast
    #[arg(long)]
    pub quick: bool,
}

fn payload(text: &str) -> Result<usize, String> {
    let octets = text.parse().ok().filter(|octets| (1..=16 * MIB as usize).contains(octets));
    octets.ok_or_else(|| format!("expected 1 to {}", 16 * MIB))
}

fn rounds(text: &str) -> Result<usize, String> {
    let rounds = text.parse().ok().filter(|rounds| (1..=10_000).contains(rounds));
    rounds.ok_or_else(|| "expected 1 to 10000".to_owned())
}

/// Parses a peer name, which must be a valid folder name.
fn peer_name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if !text.is_empty() && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("expected letters, digits, `-` and `_`".to_owned())
    }
}

impl Options {
    /// The options of a command line, for tests.
    #[cfg(test)]
    pub(crate) fn parsed(line: &str) -> Self {
        use clap::FromArgMatches as _;

        let command = Self::augment_args(clap::Command::new("options").no_binary_name(true));
        let matches = command.try_get_matches_from(line.split_whitespace()).unwrap();
        Self::from_arg_matches(&matches).unwrap()
    }

    /// The peers to compare with, without duplicates. Zorb always takes part.
    pub(crate) fn versus(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in &self.vs {
            if name != "zorb" && name != NO_PEER && !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The octets that a block of a flood sends.
    pub(crate) fn octets(&self) -> u64 {
        if self.quick { MIB / 8 } else { self.total * MIB }
    }

    /// The selected payloads, or the experiment's own, in whole elements.
    pub(crate) fn payloads_of(&self, operation: Operation, own: &[usize]) -> Vec<usize> {
        let chosen = if self.payload.is_empty() { own } else { &self.payload };
        let mut payloads: Vec<usize> =
            chosen.iter().map(|&octets| operation.payload(operation.elements(octets))).collect();
        payloads.dedup();
        payloads
    }
}
