//! A node's process.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use dba_algorithm::{Driver, Improvement, MAX_COLORS, Message, Node as State, NodeId, Outcome};
use dba_algorithm::{Segments, Settings as StateSettings, Timing};
use rustix::time::{ClockId, clock_gettime};
use zorb::poa::{Poa, PoaPolicies};
use zorb::policy::{BidirectionalPolicy, Policies};
use zorb::rt::{LaneBuilder, Priority, RtOrb, Strategy};
use zorb::{Interface as _, Orb, OrbBuilder};
use zorb_os::clock::{MonotonicTime, ticks};
use zorb_os::thread::set_affinity;

use crate::arguments::{Calls, Lookup, Options, Over, Threads, Transport};
use crate::clock::Start;
use crate::dba::node::PrepareError;
use crate::dba::{Neighbor, Node, NodeServant, Refused, Registry, Report, Settings};
use crate::full::{self, FullLinks, Groups, arrival, watch_arrivals};
use crate::group::GroupPort;
use crate::nano::{self, NanoLinks, Service};
use crate::raw::{self, RawLinks};
use crate::{Failure, report};

/// How many cycle times a node keeps.
const SAMPLES: u32 = 65_536;

/// What the object tells the main thread.
enum Event {
    /// The node is ready to run over sockets.
    Prepared(Box<Driver<RawLinks>>),
    /// The node is ready to run over the small ORB.
    PreparedSmall(Box<Driver<NanoLinks>>),
    /// The node has ended, over the ORB.
    Ended(Box<Report>),
    Failed(String),
    Stop,
}

/// Announces a node to the registry, runs it, and reports how it has ended.
pub(crate) fn run(id: NodeId, registry: &str, options: &Options) -> Result<(), Failure> {
    let (clock, end) = (Start::now(), MonotonicTime::now() + options.time_limit);
    if let Some(processor) = options.processor {
        // The threads that the node starts inherit it.
        set_affinity(&[processor]).map_err(|error| format!("processor {processor}: {error}"))?;
    }
    let edges = options.has_edges().then(full::Edges::default);
    let orb = node_orb(options, edges.as_ref())?;
    let (events, inbox) = channel();
    let (start, started) = channel();
    let (mut listener, mut service, mut small_edges) = (None, None, None);
    let mut address = String::new();
    match options.over {
        Over::Raw => {
            let (socket, at) = raw::listen(options.host)?;
            (listener, address) = (Some(socket), at);
        }
        Over::Nano => {
            let (small, url) = nano::listen(options)?;
            (small_edges, service, address) = (small.edges(), Some(small), url);
        }
        Over::Full => {}
    }
    if options.over == Over::Full && options.timing != Timing::Cycles {
        watch_arrivals(&orb, ticks);
    }
    let own = Arc::new(OnceLock::new());
    let group_port = match options.calls {
        Calls::Group => Some(GroupPort::of(registry)?),
        _ => None,
    };
    let groups = group_port.map(|port| Groups::new(&orb, port));
    let servant = MyNode {
        id,
        group_port,
        groups,
        own: Arc::clone(&own),
        options: options.clone(),
        driver: Mutex::new(None),
        listener: Mutex::new(listener),
        edges: edges.clone(),
        small_edges,
        is_to_start: AtomicBool::new(false),
        clock,
        start,
        events,
    };
    let node: Node = serving_poa(&orb, options.threads)?.activate(servant)?;
    own.get_or_init(|| node.clone());
    if let Some(edges) = &edges {
        address = edges.address()?;
    }
    orb.serve()?;

    let registry: Registry = orb.resolve(registry)?;
    let registry = registry.with_timeout(options.time_limit);
    registry.enter(id, Some(&node), &address)?;
    let ended = until_ended(&inbox, &started, end, (service.as_mut(), options.lookup), clock);
    let ended = match ended {
        Ok(Some(ended)) => ended,
        Ok(None) => return Ok(orb.shutdown(false)?),
        Err(failure) => {
            let reason: String = failure.to_string().chars().take(128).collect();
            // The failure itself says more than that the registry is gone.
            let _ = registry.failed(id, &reason);
            return Err(failure);
        }
    };
    let report = ended.report;
    registry.finished(&report)?;
    // Others may have not ended yet.
    while !matches!(next(&inbox, end)?, Event::Stop) {}
    match options.json {
        true => println!("{}", report::json(&report)),
        false => print!("node {id} color {}\n{}", report.color, report::segment_table(&[report])),
    }
    Ok(orb.shutdown(false)?)
}

/// An ORB that listens at an address, and sends to groups from there.
pub(crate) fn orb_at(host: IpAddr) -> OrbBuilder {
    let builder = Orb::builder().listen(format!("iiop://{}", SocketAddr::from((host, 0))));
    match host {
        IpAddr::V4(host) => builder.option("MiopInterface", host.to_string()),
        IpAddr::V6(_) => builder,
    }
}

/// The ORB of a node.
fn node_orb(options: &Options, edges: Option<&full::Edges>) -> Result<Orb, Failure> {
    let builder = match options.transport {
        Transport::Iiop => orb_at(options.host),
        // At a name that the ORB chooses.
        Transport::Uiop => Orb::builder().listen("uiop://@"),
        Transport::Shmiop => Orb::builder().listen("shmiop://@"),
    };
    let builder = match options.threads {
        Threads::One => builder,
        // Each thread would have its own connection to a neighbor, which would start a thread for it, and so on.
        Threads::PerConnection => builder.option("MaxConnectionsPerEndpoint", "1"),
    };
    let builder = match edges {
        Some(edges) => builder.protocol(Arc::new(edges.clone())),
        None => builder,
    };
    let orb = builder.build()?;
    if options.is_bidirectional() {
        orb.policy_manager().add(&Policies::new().with(BidirectionalPolicy::Both))?;
    }
    Ok(orb)
}

/// The adapter of the node's object.
fn serving_poa(orb: &Orb, threads: Threads) -> Result<Poa, Failure> {
    match threads {
        // It reads, makes the upcalls, and sends what follows from them.
        Threads::One => {
            let rt = RtOrb::builder().attach(orb)?;
            let lane = LaneBuilder::new(Priority::new(0)?, 1);
            let pool = rt.threadpool("node").without_lanes(lane).strategy(Strategy::SingleThread);
            let policies = PoaPolicies::new().with(pool.create()?.policy());
            Ok(orb.root_poa().create("node", policies)?)
        }
        Threads::PerConnection => Ok(orb.root_poa()),
    }
}

/// A node that has ended.
struct Ended {
    report: Report,
    /// Its sockets, to which neighbors may still send.
    _sockets: Option<Box<Driver<RawLinks>>>,
}

/// Waits for the end of the node, or runs it over sockets. `None` if it was stopped before.
fn until_ended(
    inbox: &Receiver<Event>,
    started: &Receiver<()>,
    end: MonotonicTime,
    (service, lookup): (Option<&mut Service>, Lookup),
    clock: Start,
) -> Result<Option<Ended>, Failure> {
    match next(inbox, end)? {
        Event::Prepared(mut driver) => {
            let outcome = raw::run(&mut driver, started, end)?;
            Ok(Some(Ended { report: report::of(&driver, outcome, clock), _sockets: Some(driver) }))
        }
        Event::PreparedSmall(driver) => {
            let service = service.ok_or("there is no server")?;
            let report = nano::run(*driver, (service, lookup), started, end, |driver, outcome| {
                report::of(driver, outcome, clock)
            })?;
            Ok(Some(Ended { report, _sockets: None }))
        }
        Event::Ended(report) => Ok(Some(Ended { report: *report, _sockets: None })),
        Event::Failed(reason) => Err(reason.into()),
        Event::Stop => Ok(None),
    }
}

fn next(inbox: &Receiver<Event>, end: MonotonicTime) -> Result<Event, Failure> {
    inbox.recv_timeout(end.time_left()).map_err(|_| "the time limit is over".into())
}

/// The processor time of this process, in nanoseconds.
fn processor_clock() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000) + u64::try_from(time.tv_nsec).unwrap_or_default()
}

/// The object that a node is to its neighbors and the registry.
struct MyNode {
    id: NodeId,
    options: Options,
    /// The node, if its messages are calls of this object.
    driver: Mutex<Option<Driver<FullLinks>>>,
    listener: Mutex<Option<TcpListener>>,
    /// The groups that messages are sent to, if they are; by the full ORB.
    group_port: Option<GroupPort>,
    groups: Option<Groups>,
    /// The object itself.
    own: Arc<OnceLock<Node>>,
    /// The connections of the node, if there is one for each edge over the full ORB.
    edges: Option<full::Edges>,
    /// The same over the small one.
    small_edges: Option<nano::Edges>,
    /// Whether the registry has said that the node is to start.
    is_to_start: AtomicBool,
    clock: Start,
    start: Sender<()>,
    events: Sender<Event>,
}

impl MyNode {
    fn driver(&self) -> MutexGuard<'_, Option<Driver<FullLinks>>> {
        self.driver.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make_ready(&self, settings: &Settings, neighbors: &[Neighbor]) -> Result<(), Failure> {
        let colors = settings.colors;
        if !(1..=MAX_COLORS).contains(&colors) {
            return Err(format!("{colors} colors: there are 1 to {MAX_COLORS}").into());
        }
        let settings = StateSettings {
            colors,
            max_distance: settings.max_distance,
            terminates: settings.terminates,
            max_cycles: settings.max_cycles,
            seed: settings.seed,
        };
        let ids: Vec<NodeId> = neighbors.iter().map(|neighbor| neighbor.id).collect();
        let state = State::new(self.id, &ids, settings);
        let samples = settings.max_cycles.min(SAMPLES) as usize;
        let segments = Segments::new(ticks, self.options.timing, samples);
        let segments = segments.with_processor(processor_clock);
        let memo = self.options.memo;
        if self.options.over == Over::Full {
            let mut driver = self.driver();
            if driver.is_some() {
                return Err("the node is prepared already".into());
            }
            let links = match (&self.groups, self.own.get()) {
                (Some(groups), Some(own)) => groups.join(self.id, own, neighbors, &self.options)?,
                _ => FullLinks::new(self.id, neighbors, &self.options)?,
            };
            if self.options.shares_connections() {
                links.open(neighbors, self.edges.as_ref())?;
            }
            *driver = Some(Driver::new(state, links, segments));
            return Ok(());
        }
        if self.options.over == Over::Nano {
            let driver = Driver::new(
                state,
                NanoLinks::new(self.id, neighbors, self.options.memo, self.small_edges.clone())?,
                segments,
            );
            self.tell(Event::PreparedSmall(Box::new(driver)));
            return Ok(());
        }
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        let listener = listener.ok_or("the node is prepared already")?;
        let links = match (self.group_port, self.options.host) {
            (Some(port), IpAddr::V4(host)) => {
                RawLinks::join(self.id, listener, neighbors, (port, host))?
            }
            _ => RawLinks::connect(self.id, listener, neighbors, memo)?,
        };
        let driver = Driver::new(state, links, segments);
        self.tell(Event::Prepared(Box::new(driver)));
        Ok(())
    }

    fn tell(&self, event: Event) {
        // If the main thread has ended, so has the process.
        let _ = self.events.send(event);
    }

    /// Starts the node if the registry has said so and all connections are there.
    fn start_if_ready(&self) {
        let mut driver = self.driver();
        let Some(node) = &mut *driver else { return };
        let is_ready = self.is_to_start.load(Ordering::Relaxed)
            && self.edges.as_ref().is_none_or(full::Edges::are_complete);
        if is_ready && !node.node().is_started() {
            let started = node.start();
            self.tell_end(node, started);
        }
    }

    /// Passes a message on to the node.
    fn deliver(&self, from: NodeId, message: &Message) {
        let mut driver = self.driver();
        let Some(node) = &mut *driver else { return };
        node.segments_mut().end_wait_at(arrival());
        let delivered = node.deliver(from, message);
        self.tell_end(node, delivered);
    }

    /// Tells the main thread if the node has ended, or cannot go on.
    fn tell_end(&self, driver: &Driver<FullLinks>, step: zorb::Result<Option<Outcome>>) {
        match step {
            Ok(None) => {}
            Ok(Some(outcome)) => {
                self.tell(Event::Ended(Box::new(report::of(driver, outcome, self.clock))));
            }
            Err(exception) => self.tell(Event::Failed(exception.to_string())),
        }
    }
}

impl NodeServant for MyNode {
    fn prepare(
        &self,
        settings: &Settings,
        neighbors: &[Neighbor],
    ) -> zorb::Result<(), PrepareError> {
        let ready = self.make_ready(settings, neighbors);
        ready.map_err(|failure| Refused { reason: failure.to_string() }.into())
    }

    fn start(&self) {
        // Over sockets the main thread starts the node.
        let _ = self.start.send(());
        self.is_to_start.store(true, Ordering::Relaxed);
        self.start_if_ready();
    }

    fn stop(&self) {
        self.tell(Event::Stop);
    }

    fn value(&self, from: NodeId, cycle: u32, color: u32) {
        self.deliver(from, &Message::Value { cycle, color });
    }

    fn improvement(&self, from: NodeId, cycle: u32, gain: u32, cost: u32, counter: u32) {
        let improvement = Improvement { gain, cost, counter };
        self.deliver(from, &Message::Improvement { cycle, improvement });
    }

    fn solved(&self, from: NodeId) {
        self.deliver(from, &Message::Solved);
    }

    fn hello(&self, from: NodeId, address: &str) {
        if let Some(edges) = &self.edges {
            edges.introduce(from, address);
            self.start_if_ready();
        }
    }
}
