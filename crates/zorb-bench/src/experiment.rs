//! The experiments: which work is asked of whom.

mod bridge;
mod calls;
mod connections;
mod copies;
mod demux;
mod first;
mod floods;
mod matrix;
mod probes;

use zorb::CollocationStrategy;

use crate::driver::Command;
use crate::error::{Error, Result};
use crate::harness::{Pair, Setup, Watch, in_turns};
use crate::machine::Machine;
use crate::operation::Operation;
use crate::report::{Check, Figure, Report, Subject, rows};

/// An experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Two-way calls with nothing, octets, structs, longs and doubles.
    Latency,
    /// Cubes of numbers of several types, as the IDL_Cubit benchmark has them.
    Cubit,
    /// Floods of one-way calls, as the TTCP benchmark has them.
    Ttcp,
    /// Threads that call at the same time.
    Threads,
    /// The first call of a reference, beside later ones.
    FirstCall,
    /// Idle connections beside a busy one.
    Connections,
    /// Calls to an object of the same process.
    Collocated,
    /// Calls through a bridge.
    Bridge,
    /// Looking for the object and the operation of a request.
    Demux,
    /// How often arguments are copied over shared memory.
    Copies,
    /// Values whose types are known at run time: dynamic calls, anys, DynAnys.
    Dynamic,
    /// The steps of a call, in peers that have time probes.
    Probes,
}

/// How an experiment is done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which programs run, where and how.
    pub setup: Setup,
    /// The transports that were asked for, in that order.
    pub transports: Vec<String>,
    /// Peers beside Zorb.
    pub versus: Vec<String>,
    /// Payloads instead of the experiment's own.
    pub payloads: Vec<usize>,
    /// Timed calls of a block instead of the experiment's own.
    pub calls: Option<u32>,
    /// Rounds instead of the experiment's own.
    pub rounds: Option<usize>,
    /// Octets that a block of a flood sends in all.
    pub total: u64,
    /// Next to nothing of each: whether it works, not how fast.
    pub quick: bool,
}

/// Some work, the same for all peers.
struct Work {
    command: Command,
    /// What the rows call it.
    label: String,
    payload: usize,
    figure: Figure,
}

impl Experiment {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Cubit => "cubit",
            Self::Ttcp => "ttcp",
            Self::Threads => "threads",
            Self::FirstCall => "first-call",
            Self::Connections => "connections",
            Self::Collocated => "collocated",
            Self::Bridge => "bridge",
            Self::Demux => "demux",
            Self::Copies => "copies",
            Self::Dynamic => "dynamic",
            Self::Probes => "probes",
        }
    }

    /// Whether several transports may be named, which are measured in turns if they mean anything to
    /// it.
    #[must_use]
    pub const fn takes_transports(self) -> bool {
        !matches!(self, Self::FirstCall | Self::Connections | Self::Bridge)
    }

    /// Does it.
    ///
    /// # Errors
    /// A peer fails or gives a wrong answer, or the watcher wants to stop.
    pub fn run(self, plan: &Plan, watch: &mut dyn Watch) -> Result<Report> {
        let machine = Machine::here(&plan.setup);
        let mut run = Run {
            experiment: self,
            plan,
            rows: Vec::new(),
            details: Vec::new(),
            checks: Vec::new(),
            text: None,
        };
        match self {
            Self::Latency => run.all(&calls::latency(plan), watch)?,
            Self::Cubit => run.cubit(watch)?,
            Self::Dynamic => run.all(&calls::dynamic(plan), watch)?,
            Self::Threads => run.all(&calls::threads(plan), watch)?,
            Self::Collocated => run.all(&calls::collocated(plan), watch)?,
            Self::Ttcp => run.all(&floods::ttcp(plan), watch)?,
            Self::FirstCall => first::first_call(&mut run, watch)?,
            Self::Connections => connections::connections(&mut run, watch)?,
            Self::Bridge => bridge::bridge(&mut run, watch)?,
            Self::Demux => demux::demux(&mut run, watch)?,
            Self::Copies => copies::copies(&mut run, watch)?,
            Self::Probes => probes::probes(&mut run, &plan.transports, watch)?,
        }
        let Run { rows, details, checks, text, .. } = run;
        Ok(Report { machine, rows, details, checks, text })
    }

    /// Rounds where nobody says how many.
    const fn default_rounds(self) -> usize {
        match self {
            Self::Ttcp => 3,
            Self::Dynamic | Self::Copies | Self::Probes => 5,
            Self::Latency
            | Self::Cubit
            | Self::Threads
            | Self::FirstCall
            | Self::Connections
            | Self::Collocated
            | Self::Bridge
            | Self::Demux => 10,
        }
    }
}

/// An experiment that is being done.
struct Run<'a> {
    experiment: Experiment,
    plan: &'a Plan,
    rows: Vec<crate::report::Row>,
    details: Vec<crate::report::Detail>,
    checks: Vec<Check>,
    /// The rows for people, where they are not those of all experiments.
    text: Option<String>,
}

impl Run<'_> {
    fn rounds(&self) -> usize {
        let default = if self.plan.quick { 1 } else { self.experiment.default_rounds() };
        self.plan.rounds.unwrap_or(default)
    }

    /// The names of all peers that are asked for.
    fn names(&self) -> Vec<String> {
        self.names_in(&self.plan.setup)
    }

    /// The same with another setup.
    fn names_in(&self, setup: &Setup) -> Vec<String> {
        let versus = &self.plan.versus;
        let raw = versus.iter().any(|name| name == "raw");
        let others = versus.iter().filter(|name| *name != "raw");
        // The bare program comes first: in each turn it is right beside Zorb.
        let own = [("raw", raw), ("zorb", true)];
        let spins = setup.spin.is_some() && self.experiment != Experiment::Collocated;
        let spinning = [("raw-spin", raw && spins), ("zorb-spin", spins)];
        let own = own.into_iter().chain(spinning).filter(|(_, takes_part)| *takes_part);
        own.map(|(name, _)| name).chain(others.map(String::as_str)).map(str::to_owned).collect()
    }

    /// Starts all peers; `connections` is what each server has to take.
    fn start(&self, connections: usize, watch: &mut dyn Watch) -> Result<Vec<Pair>> {
        self.start_only(&self.names(), connections, watch)
    }

    /// Starts the peers of these names.
    fn start_only(
        &self,
        names: &[String],
        connections: usize,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Pair>> {
        self.start_over(&self.plan.setup, names, connections, watch)
    }

    /// Starts them over another transport, say.
    fn start_over(
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
                let place = setup.peers.join(name);
                watch.note(&format!("{name} is left out: it is not in {}", place.display()));
                continue;
            }
            let started = match self.experiment {
                Experiment::Collocated => self.start_collocated(name),
                _ => Pair::start(setup, name, connections).map(|pair| vec![pair]),
            };
            for pair in started.map_err(|error| error.during(name))? {
                match pair {
                    Some(pair) => pairs.push(pair),
                    None => watch
                        .note(&format!("{name} is left out: it cannot do what the options ask")),
                }
            }
        }
        Ok(pairs)
    }

    /// Starts a peer that serves the object itself: Zorb once for each way that it has.
    fn start_collocated(&self, name: &str) -> Result<Vec<Option<Pair>>> {
        let setup = &self.plan.setup;
        match name {
            // Bare sockets have no calls within a process.
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

    /// Leaves out the rows of a peer, from the row of that number on.
    fn forget(&mut self, peer: &str, from: usize) {
        for number in (from..self.rows.len()).rev() {
            if self.rows.get(number).is_some_and(|row| row.peer == peer) {
                self.rows.remove(number);
                self.details.remove(number);
            }
        }
    }

    /// Cubes over every transport, unless some are named.
    fn cubit(&mut self, watch: &mut dyn Watch) -> Result<()> {
        let plan = self.plan;
        let every = matrix::TRANSPORTS.map(str::to_owned);
        let transports = if plan.transports.is_empty() { &every[..] } else { &plan.transports };
        matrix::matrix(self, &calls::cubit(plan), transports, watch)
    }

    /// Asks all peers for all work, in turns.
    fn all(&mut self, works: &[Work], watch: &mut dyn Watch) -> Result<()> {
        let transports = &self.plan.transports;
        if transports.len() > 1 && self.experiment != Experiment::Collocated {
            return matrix::matrix(self, works, transports, watch);
        }
        let mut pairs = self.start(MOST_THREADS * 2, watch)?;
        watch.begin(works.len() * pairs.len() * self.rounds() * 2);
        for work in works {
            self.work(&mut pairs, work, watch)?;
        }
        stop(pairs)
    }

    /// Asks the pairs for some work, and makes rows of the answers.
    fn work(&mut self, pairs: &mut [Pair], work: &Work, watch: &mut dyn Watch) -> Result<()> {
        let rounds = self.rounds();
        let blocks = in_turns(pairs, &work.command, rounds, watch)?;
        let subject = Subject {
            experiment: self.experiment.name(),
            transport: match self.experiment {
                Experiment::Collocated => "collocated",
                Experiment::Demux => "none",
                _ => &self.plan.setup.transport,
            },
            operation: work.label.clone(),
            payload: work.payload,
            rounds,
            figure: work.figure,
        };
        let names = pairs.iter().map(|pair| pair.name.as_str());
        let peers: Vec<_> = names.zip(&blocks).collect();
        for (row, detail) in rows(&subject, &peers) {
            self.rows.push(row);
            self.details.push(detail);
        }
        Ok(())
    }
}

/// Ends all peers, clients before servers.
fn stop(pairs: Vec<Pair>) -> Result<()> {
    for pair in pairs {
        let name = pair.name.clone();
        pair.stop().map_err(|error| error.during(name))?;
    }
    Ok(())
}

/// The most threads that call at the same time.
const MOST_THREADS: usize = 64;

impl Plan {
    /// The experiment's payloads, unless others are asked for: in whole elements.
    fn payloads_of(&self, operation: Operation, own: &[usize]) -> Vec<usize> {
        let chosen = if self.payloads.is_empty() { own } else { &self.payloads };
        let mut payloads: Vec<usize> =
            chosen.iter().map(|&octets| operation.payload(operation.elements(octets))).collect();
        payloads.dedup();
        payloads
    }
}
