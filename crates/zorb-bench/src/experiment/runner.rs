//! Runs workloads on peers, and collects rows.

use zorb::CollocationStrategy;

use crate::catalog::{Experiment, Kind};
use crate::driver::Command;
use crate::error::{Error, Result};
use crate::harness::{Blocks, Pair, Setup, Watch, interleaved};
use crate::report::{Claim, Detail, Figure, Instructions, Row, Subject, rows};

/// A workload, the same for all peers.
pub(super) struct Work {
    pub(super) command: Command,
    /// Its name in rows.
    pub(super) label: String,
    pub(super) payload: usize,
    pub(super) figure: Figure,
}

/// A running experiment.
pub(super) struct Run<'a> {
    pub(super) experiment: &'static Experiment,
    pub(super) setup: &'a Setup,
    pub(super) rows: Vec<Row>,
    pub(super) details: Vec<Detail>,
    pub(super) claims: Vec<Claim>,
    /// The table, for experiments with one of their own.
    pub(super) text: Option<String>,
    /// Instructions of marshalling, for the experiment that counts them.
    pub(super) instructions: Vec<Instructions>,
}

impl<'a> Run<'a> {
    /// A run without results.
    pub(super) fn new(experiment: &'static Experiment, setup: &'a Setup) -> Self {
        let (rows, details, claims) = (Vec::new(), Vec::new(), Vec::new());
        let instructions = Vec::new();
        Self { experiment, setup, rows, details, claims, text: None, instructions }
    }

    pub(super) fn rounds(&self) -> usize {
        let default = if self.setup.options.quick { 1 } else { self.experiment.rounds };
        self.setup.options.rounds.unwrap_or(default)
    }

    /// The names of all selected peers.
    pub(super) fn names(&self) -> Vec<String> {
        self.names_in(self.setup)
    }

    /// The names of all selected peers in a setup.
    pub(super) fn names_in(&self, setup: &Setup) -> Vec<String> {
        let versus = self.setup.options.versus();
        let raw = versus.iter().any(|name| name == "raw");
        let others = versus.iter().filter(|name| *name != "raw");
        // The bare program comes first: in each round its block is adjacent to Zorb's.
        let own = [("raw", raw), ("zorb", true)];
        let busy_waits = setup.options.busy_wait.is_some() && !self.experiment.is_collocated();
        let busy_waiting = [("raw-busy-wait", raw && busy_waits), ("zorb-busy-wait", busy_waits)];
        let engines = Setup::ENGINES.map(|name| (name, self.experiment.kind == Kind::Ttcp));
        let own = own
            .into_iter()
            .chain(engines)
            .chain(busy_waiting)
            .filter(|(_, takes_part)| *takes_part);
        let beside = (self.experiment.kind == Kind::Conventional).then_some(Setup::CONVENTIONAL);
        let names = own.map(|(name, _)| name).chain(beside).chain(others.map(String::as_str));
        names.flat_map(|name| self.with_dynamic(name)).collect()
    }

    /// A peer, and the same with a servant without a skeleton if that takes part.
    fn with_dynamic(&self, name: &str) -> Vec<String> {
        let takes_part =
            self.experiment.kind == Kind::Dynamic && matches!(name, "zorb" | "omniorb");
        let dynamic = takes_part.then(|| format!("{name}{}", Setup::DYNAMIC));
        std::iter::once(name.to_owned()).chain(dynamic).collect()
    }

    /// Starts all peers; each server accepts at least `connections` connections.
    pub(super) fn start(&self, connections: usize, watch: &mut dyn Watch) -> Result<Vec<Pair>> {
        self.start_only(&self.names(), connections, watch)
    }

    /// Starts the peers of these names.
    pub(super) fn start_only(
        &self,
        names: &[String],
        connections: usize,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Pair>> {
        self.start_over(self.setup, names, connections, watch)
    }

    /// Starts peers of these names in a setup.
    pub(super) fn start_over(
        &self,
        setup: &Setup,
        names: &[String],
        connections: usize,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        for name in names.iter().map(String::as_str) {
            if watch.wants_to_stop() {
                return Err(Error::Stopped);
            }
            if !setup.has(name) {
                if name == Setup::CONVENTIONAL {
                    return Err(Error::new(
                        "the conventional ORB is `zorb-ladder`, which is not beside this program; `cargo build --release -p zorb-ladder` builds it",
                    ));
                }
                let path = setup.options.peers.join(name);
                watch.note(&format!("{name} is skipped: it is not in {}", path.display()));
                continue;
            }
            let started = match self.experiment.is_collocated() {
                true => self.start_collocated(name),
                false => Pair::start(setup, name, connections).map(|pair| vec![pair]),
            };
            for pair in started.map_err(|error| error.during(name))? {
                match pair {
                    Some(pair) => pairs.push(pair),
                    None => {
                        watch.note(&format!("{name} is skipped: it does not support the options"))
                    }
                }
            }
        }
        Ok(pairs)
    }

    /// Starts a peer whose client serves the object itself: Zorb once for each collocation strategy.
    fn start_collocated(&self, name: &str) -> Result<Vec<Option<Pair>>> {
        let setup = self.setup;
        match name {
            // Bare sockets have no collocated calls.
            "raw" => Ok(Vec::new()),
            "zorb" => CollocationStrategy::NAMES
                .iter()
                .map(|strategy| {
                    let mut setup = setup.clone();
                    setup.orb.extend(["-ORBCollocationStrategy", strategy].map(str::to_owned));
                    let mut pair = Pair::start_collocated(&setup, name)?;
                    if let Some(pair) = &mut pair {
                        pair.name = format!("{name}/{strategy}");
                    }
                    Ok(pair)
                })
                .collect(),
            _ => Ok(vec![Pair::start_collocated(setup, name)?]),
        }
    }

    /// Removes the rows of a peer, from this row on.
    pub(super) fn forget(&mut self, peer: &str, from: usize) {
        for number in (from..self.rows.len()).rev() {
            if self.rows.get(number).is_some_and(|row| row.peer == peer) {
                self.rows.remove(number);
                self.details.remove(number);
            }
        }
    }

    /// Runs a workload on the pairs in turns, and adds their rows. Returns their blocks.
    pub(super) fn work(
        &mut self,
        pairs: &mut [Pair],
        work: &Work,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Blocks>> {
        let blocks = interleaved(pairs, &work.command, self.rounds(), watch)?;
        let names = pairs.iter().map(|pair| pair.name.as_str());
        let peers: Vec<_> = names.zip(&blocks).collect();
        let transport = match self.experiment.is_collocated() {
            true => "collocated",
            false => &self.setup.transport,
        };
        self.add(transport, (&work.label, work.payload), work.figure, &peers);
        Ok(blocks)
    }

    /// Adds the rows of all peers for an operation and payload.
    pub(super) fn add(
        &mut self,
        transport: &str,
        (operation, payload): (&str, usize),
        figure: Figure,
        peers: &[(&str, &Blocks)],
    ) {
        let subject = Subject {
            experiment: self.experiment.name,
            transport,
            operation: operation.to_owned(),
            payload,
            rounds: self.rounds(),
            figure,
        };
        for (row, detail) in rows(&subject, peers) {
            self.rows.push(row);
            self.details.push(detail);
        }
    }
}

/// Stops all peers, clients before servers.
pub(super) fn stop(pairs: Vec<Pair>) -> Result<()> {
    for pair in pairs {
        let name = pair.name.clone();
        pair.stop().map_err(|error| error.during(name))?;
    }
    Ok(())
}

/// Maximum number of concurrent threads.
pub(super) const MAX_THREADS: usize = 64;
