//! The environment of experiments: two ORBs on one processor each, clients with priorities, pools.

use std::fs::File;
use std::sync::Arc;

use zorb::poa::PoaPolicies;
use zorb::{Interface as _, policy::TypedPolicy};
use zorb_os::thread;
use zorb_rt::{
    Direct, LaneBuilder, Linear, LinearNetwork, NativePriority, Priority, RtOrb, Threadpool,
    ThreadpoolBuilder,
};

pub(super) use super::placement::joined;
use super::placement::{Placement, boxed, processors};
use super::quiet::{Disturbed, Quiet};
use super::servant::{Servant, TIMEOUT};
use super::times::{Sample, Times};
use super::work;
use crate::error::Result;
use crate::stubs::real_time::Worker;
use crate::timeline::Timeline;

/// CORBA priorities of the experiments, which equal the native ones. `SHARED` is the priority of
/// time-sharing threads, which may use all of a processor; the system limits real-time threads.
pub(super) const SHARED: i16 = 0;
pub(super) const LOW: i16 = 10;
pub(super) const MEDIUM: i16 = 20;
pub(super) const HIGH: i16 = 30;
/// The priority of threads that control an experiment, and mostly wait.
pub(super) const TOP: i16 = 40;

/// The address of servers.
const LOCAL: &str = "127.0.0.1";

/// Options for one connection for all threads of a client.
pub(super) const ONE_CONNECTION: [(&str, &str); 2] =
    [("MaxConnectionsPerEndpoint", "1"), ("MaxCallsPerConnection", "64")];

/// The test bed: transport, processors, and their observers.
#[derive(Debug)]
pub(super) struct Bench {
    pub(super) transport: String,
    pub(super) quick: bool,
    /// The processors of client and server, where there are two.
    processors: Option<(usize, usize)>,
    /// `None` in tests, which measure no times.
    quiet: Option<Quiet>,
}

impl Bench {
    /// A test bed over this transport.
    pub(super) fn over(transport: &str, quick: bool) -> Result<Self> {
        let processors = processors();
        let mut bench = Self { transport: transport.to_owned(), quick, processors, quiet: None };
        bench.quiet = Some(Quiet::watch(&bench.watched())?);
        work::calibrate();
        Ok(bench)
    }

    /// A test bed without processors of its own and without observers, for tests without times.
    #[cfg(test)]
    pub(super) fn untimed(transport: &str) -> Self {
        Self { processors: None, ..Self::ordered(transport) }
    }

    /// A test bed with processors and without observers, for orders that priorities determine.
    pub(super) fn ordered(transport: &str) -> Self {
        Self { transport: transport.to_owned(), quick: true, processors: processors(), quiet: None }
    }

    /// The value for a full or a quick run.
    pub(super) fn count<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    pub(super) fn disturbed(&self) -> Disturbed {
        self.quiet.as_ref().map(Quiet::disturbed).unwrap_or_default()
    }

    /// The number of disturbances so far.
    pub(super) fn disturbances(&self) -> usize {
        self.disturbed().count()
    }

    /// The times of undisturbed calls.
    pub(super) fn times(&self, samples: &[Sample]) -> Times {
        Times::of(samples, &self.disturbed())
    }

    /// The timeline of undisturbed calls.
    pub(super) fn timeline(&self, blocks: &[Vec<Sample>]) -> Timeline {
        let disturbed = self.disturbed();
        let clean = |sample: &&Sample| !sample.overlaps(&disturbed);
        let nanos = blocks.iter().flatten().filter(clean).map(|sample| sample.nanos());
        Timeline::of(&nanos.collect::<Vec<u64>>())
    }

    /// An ORB on the server's processor, whose servant records up to `requests` requests.
    pub(super) fn server(&self, requests: usize) -> Result<Host> {
        self.server_with(&[], requests)
    }

    /// Like [`server`](Self::server), with options.
    pub(super) fn server_with(&self, options: &[(&str, &str)], requests: usize) -> Result<Host> {
        self.host(self.at_server(), (LOCAL, options), requests, Priorities::Native)
    }

    /// An ORB on the server's processor, in a network namespace, where it has this address; and one on the client's.
    /// Both use the full range of CORBA priorities, with or without network classes.
    pub(super) fn over_network(
        &self,
        namespace: &Arc<File>,
        address: &str,
        classes: bool,
    ) -> Result<(Host, Host)> {
        let placement = Placement { namespace: Some(Arc::clone(namespace)), ..self.at_server() };
        let priorities = Priorities::Spread { classes };
        let server = self.host(placement, (address, &[]), 0, priorities)?;
        Ok((server, self.host(self.at_client(), (LOCAL, &[]), 0, priorities)?))
    }

    fn at_server(&self) -> Placement {
        Placement { processor: self.processors.map(|(_, server)| server), namespace: None }
    }

    /// The processors that are in use.
    pub(super) fn watched(&self) -> Vec<usize> {
        match self.processors {
            Some((client, server)) => vec![client, server],
            None => thread::affinity().unwrap_or_default(),
        }
    }

    /// An ORB on the client's processor, with options.
    pub(super) fn client(&self, options: &[(&str, &str)]) -> Result<Host> {
        self.host(self.at_client(), (LOCAL, options), 0, Priorities::Native)
    }

    /// A server and a client whose ORBs have no real-time extension.
    pub(super) fn without_real_time(&self) -> Result<(Host, Host)> {
        let host = |placement| self.host(placement, (LOCAL, &[]), 0, Priorities::None);
        Ok((host(self.at_server())?, host(self.at_client())?))
    }

    /// The placement of clients.
    pub(super) fn client_placement(&self) -> Placement {
        self.at_client()
    }

    fn at_client(&self) -> Placement {
        Placement { processor: self.processors.map(|(client, _)| client), namespace: None }
    }

    fn host(
        &self,
        placement: Placement,
        (address, options): (&str, &[(&str, &str)]),
        requests: usize,
        priorities: Priorities,
    ) -> Result<Host> {
        let listen = match self.transport.as_str() {
            scheme if scheme.ends_with("iiop") => format!("{scheme}://{address}:0"),
            scheme => format!("{scheme}://"),
        };
        // Threads of the ORB inherit the placement of the thread that starts them.
        let (orb, rt) = placement.run(|| {
            let orb = zorb::Orb::builder().without_environment().listen(listen);
            let orb = orb.round_trip_timeout(TIMEOUT);
            let orb = options.iter().fold(orb, |orb, (name, value)| orb.option(name, *value));
            let orb = orb.build()?;
            let rt = match priorities {
                Priorities::Native | Priorities::None => {
                    let all = Direct::new(NativePriority::SHARED, NativePriority::DEFAULT_MAX);
                    RtOrb::builder().mapping(all)
                }
                Priorities::Spread { classes } => {
                    let highest = NativePriority(HIGH);
                    let rt = RtOrb::builder();
                    let rt = rt.mapping(Linear::new(NativePriority::SHARED, highest));
                    if classes { rt.network(LinearNetwork) } else { rt }
                }
            };
            let rt = match priorities {
                // The real-time side belongs to a second, idle ORB.
                Priorities::None => {
                    let idle = zorb::Orb::builder().without_environment().build()?;
                    rt.attach(&idle)?
                }
                _ => rt.attach(&orb)?,
            };
            Ok((orb, rt))
        })?;
        let servant = Arc::new(Servant::new(rt.current(), requests));
        Ok(Host { orb, rt, servant, placement })
    }
}

/// The mapping of CORBA priorities.
#[derive(Clone, Copy, Debug)]
enum Priorities {
    /// None: the ORB has no real-time extension.
    None,
    /// Equal to native priorities.
    Native,
    /// All of CORBA's, spread over those up to [`HIGH`], with or without classes in the network.
    Spread { classes: bool },
}

/// Why this process cannot run experiments with priorities; `None` if it can.
#[must_use]
pub fn denial() -> Option<String> {
    let level = zorb_os::priority::Schedule::Fifo(95);
    let tried = std::thread::spawn(move || zorb_os::priority::set(level)).join();
    match tried {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("cannot set the priority {level}: {error}")),
        Err(_) => Some("the thread that tests priorities panicked".to_owned()),
    }
}

/// An ORB with its servant, on a processor. It ends when dropped.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) orb: zorb::Orb,
    pub(super) rt: RtOrb,
    pub(super) servant: Arc<Servant>,
    placement: Placement,
}

impl Host {
    /// The placement of its threads.
    pub(super) fn placement(&self) -> Placement {
        self.placement.clone()
    }

    /// Starts building a pool.
    pub(super) fn pool(&self) -> ThreadpoolBuilder<'_> {
        self.rt.threadpool("bench")
    }

    /// A lane on this processor.
    pub(super) fn lane(&self, priority: i16, threads: usize) -> Result<LaneBuilder> {
        Ok(LaneBuilder::new(number(priority)?, threads).processors(self.placement.processor))
    }

    /// Creates the pool.
    pub(super) fn create(&self, pool: ThreadpoolBuilder<'_>) -> Result<Threadpool> {
        self.placement.run(|| Ok(pool.create()?))
    }

    /// A pool with a lane per priority; each pair is a priority and its number of threads.
    pub(super) fn lanes(&self, lanes: &[(i16, usize)]) -> Result<Threadpool> {
        let mut pool = self.pool();
        for (priority, threads) in lanes {
            pool = pool.lane(self.lane(*priority, *threads)?);
        }
        self.placement.run(|| Ok(pool.create()?))
    }

    /// A pool without lanes, with this number of threads.
    pub(super) fn one_pool(&self, priority: i16, threads: usize) -> Result<Threadpool> {
        let lane = self.lane(priority, threads)?;
        self.placement.run(|| Ok(self.pool().without_lanes(lane).create()?))
    }

    /// The servant as an object of a pool, which runs at its clients' priorities, as `client` sees
    /// it.
    pub(super) fn propagated(
        &self,
        pool: &Threadpool,
        otherwise: i16,
        client: &Self,
    ) -> Result<Worker> {
        self.object(Some(pool), self.rt.client_propagated(number(otherwise)?), client)
    }

    /// The servant as an object with a priority model, as `client` sees it.
    pub(super) fn object(
        &self,
        pool: Option<&Threadpool>,
        model: impl TypedPolicy,
        client: &Self,
    ) -> Result<Worker> {
        let policies = PoaPolicies::new().multiple_ids().with(model);
        let policies = match pool {
            Some(pool) => policies.with(pool.policy()),
            None => policies,
        };
        self.activate(policies, client)
    }

    /// The servant as an object of an adapter with these policies, as `client` sees it.
    pub(super) fn activate(&self, policies: PoaPolicies, client: &Self) -> Result<Worker> {
        self.placement.run(|| {
            let name = format!("adapter {}", thread::id());
            let poa = self.orb.root_poa().create(&name, policies)?;
            let worker: Worker = poa.activate_shared(&self.servant)?;
            Ok(client.orb.resolve(&worker.as_object().to_ior_string())?)
        })
    }

    /// Starts a thread of this priority on this processor, in a scope.
    pub(super) fn thread<'s, T: Send + 's>(
        &'s self,
        scope: &'s std::thread::Scope<'s, '_>,
        priority: i16,
        run: impl FnOnce() -> Result<T> + Send + 's,
    ) -> std::thread::ScopedJoinHandle<'s, Result<T>> {
        let run = boxed(run);
        scope.spawn(move || {
            self.placement.enter()?;
            self.rt.current().set_priority(number(priority)?)?;
            run()
        })
    }

    /// Runs something on a thread of this priority on this processor, and waits for it.
    pub(super) fn at<T: Send>(
        &self,
        priority: i16,
        run: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        std::thread::scope(|scope| joined(self.thread(scope, priority, run).join()))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.servant.open_all();
        // The process ends whatever does not shut down cleanly.
        let _ = self.orb.shutdown(true);
    }
}

pub(super) fn number(priority: i16) -> Result<Priority> {
    Ok(Priority::new(priority)?)
}
