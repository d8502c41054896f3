//! A node's process.

mod object;

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};

use dba_algorithm::Timing;
use dba_algorithm::{Driver, NodeId};
use zorb::poa::{Poa, PoaPolicies};
use zorb::policy::{BidirectionalPolicy, Policies};
use zorb::rt::{LaneBuilder, Priority, RtOrb, Strategy};
use zorb::{Interface as _, Orb, OrbBuilder};
use zorb_os::clock::{MonotonicTime, ticks};
use zorb_os::thread::set_affinity;

use self::object::{Event, MyNode};
use crate::arguments::{Calls, Options, Over, Threads, Transport};
use crate::clock::Start;
use crate::dba::{Node, Registry, Report};
use crate::full::{self, Arrivals, Groups};
use crate::group::GroupPort;
use crate::nano::{self, Service};
use crate::raw::{self, RawLinks};
use crate::{Failure, output, report};

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
    let is_timed = options.over == Over::Full && options.timing != Timing::Cycles;
    let arrivals = is_timed.then(|| Arrivals::of(&orb, ticks));
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
        arrivals,
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
    let ended = until_ended(&inbox, &started, end, (service.as_mut(), options), clock);
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
        true => output::print(format_args!("{}\n", report::json(&report)))?,
        false => {
            let (color, table) = (report.color, report::segment_table(&[report]));
            output::print(format_args!("node {id} color {color}\n{table}"))?;
        }
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
    (service, options): (Option<&mut Service>, &Options),
    clock: Start,
) -> Result<Option<Ended>, Failure> {
    match next(inbox, end)? {
        Event::Prepared(mut driver) => {
            let outcome = raw::run(&mut driver, options.threads, started, end)?;
            Ok(Some(Ended { report: report::of(&driver, outcome, clock), _sockets: Some(driver) }))
        }
        Event::PreparedSmall(driver) => {
            let service = service.ok_or("there is no server")?;
            let report =
                nano::run(*driver, (service, options.lookup), started, end, |driver, outcome| {
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
