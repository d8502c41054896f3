//! The object that a node is to its neighbors and the registry.

use std::net::{IpAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use dba_algorithm::{Driver, Improvement, MAX_COLORS, Message, Node as State, NodeId, Outcome};
use dba_algorithm::{Segments, Settings as StateSettings};
use rustix::time::{ClockId, clock_gettime};
use zorb_os::clock::ticks;

use crate::arguments::{Options, Over};
use crate::clock::Start;
use crate::dba::node::PrepareError;
use crate::dba::{Neighbor, Node, NodeServant, ReceiverServant, Refused, Report, Settings};
use crate::full::{self, Arrivals, FullLinks, Groups};
use crate::group::GroupPort;
use crate::nano::{self, NanoLinks};
use crate::raw::RawLinks;
use crate::{Failure, report};

/// How many cycle times a node keeps.
const SAMPLES: u32 = 65_536;

/// What the object tells the main thread.
pub(super) enum Event {
    /// The node is ready to run over sockets.
    Prepared(Box<Driver<RawLinks>>),
    /// The node is ready to run over the small ORB.
    PreparedSmall(Box<Driver<NanoLinks>>),
    /// The node has ended, over the ORB.
    Ended(Box<Report>),
    Failed(String),
    Stop,
}

/// The object that a node is to its neighbors and the registry.
pub(super) struct MyNode {
    pub(super) id: NodeId,
    pub(super) options: Options,
    /// The node, if its messages are calls of this object.
    pub(super) driver: Mutex<Option<Driver<FullLinks>>>,
    pub(super) listener: Mutex<Option<TcpListener>>,
    /// The groups that messages are sent to, if they are; by the full ORB.
    pub(super) group_port: Option<GroupPort>,
    pub(super) groups: Option<Groups>,
    /// When messages arrive over the full ORB, if segments are timed.
    pub(super) arrivals: Option<Arrivals>,
    /// The object itself.
    pub(super) own: Arc<OnceLock<Node>>,
    /// The connections of the node, if there is one for each edge over the full ORB.
    pub(super) edges: Option<full::Edges>,
    /// The same over the small one.
    pub(super) small_edges: Option<nano::Edges>,
    /// Whether the registry has said that the node is to start.
    pub(super) is_to_start: AtomicBool,
    pub(super) clock: Start,
    pub(super) start: Sender<()>,
    pub(super) events: Sender<Event>,
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
            let (edges, clock) = (self.small_edges.clone(), nano::clock(&self.options));
            let links = NanoLinks::new(self.id, neighbors, memo, edges, clock)?;
            let driver = Driver::new(state, links, segments);
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
        let arrival = self.arrivals.as_ref().map_or(0, |arrivals| arrivals.time(from));
        node.segments_mut().end_wait_at(arrival);
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
        ready.map_err(|failure| Refused::because(failure.to_string()).into())
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
}

impl ReceiverServant for MyNode {
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

/// The processor time of this process, in nanoseconds.
fn processor_clock() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000) + u64::try_from(time.tv_nsec).unwrap_or_default()
}
