//! Messages as one-way calls of the small ORB.

mod arrivals;
mod connection;
mod edges;
mod links;

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dba_algorithm::{Driver, Improvement, MAX_DEGREE, Message, Outcome, Timing};
use zorb_nano::{Answer, Endpoint, Interface, Limits, Linear, Linux, Operations, Reader};
use zorb_nano::{Servant, Server, SystemException, Writer};
use zorb_os::clock::{MonotonicTime, ticks};

use self::arrivals::{Arrival, Noting};
use self::connection::Connection;
pub(crate) use self::edges::Edges;
use self::edges::Machine;
pub(crate) use self::links::NanoLinks;
use crate::Failure;
use crate::arguments::{Lookup, Options, Threads, Transport};
use crate::raw::wait_for;

/// The key of a node's object.
const KEY: &str = "node";
const IDS: &[&str] = &["IDL:Dba/Node:1.0"];
/// In the order of the servant's indexes.
const OPERATIONS: &[&str; 4] = &["value", "improvement", "solved", HELLO];
/// What the node that has opened the connection of an edge sends first: its id.
const HELLO: &str = "hello";

static BY_HASH: Operations<4> = Operations::new(OPERATIONS);
static HASHED: Interface = Interface { ids: IDS, operations: &BY_HASH };
static LINEAR: Interface = Interface { ids: IDS, operations: &Linear(OPERATIONS) };

fn limits(connections: usize) -> Limits {
    Limits::DEFAULT.max_message_size(512).max_connections(connections)
}

/// What serves a node.
pub(crate) enum Service {
    /// A server with all connections, in the main thread, and the connections if the client has them, too.
    One(Server<'static, Noting<Machine>>, Option<Edges>),
    /// What accepts the connections of the others: a server for each, in a thread of its own. The clock is that of segments.
    PerConnection(TcpListener, Clock),
}

/// None if no segments are timed.
type Clock = Option<fn() -> u64>;

impl Service {
    /// The connections, if the client has them, too.
    pub(crate) fn edges(&self) -> Option<Edges> {
        match self {
            Self::One(_, edges) => edges.clone(),
            Self::PerConnection(..) => None,
        }
    }
}

/// How long a peer may not read.
const PEER_LIMIT: Duration = Duration::from_secs(10);

/// What serves a node, and the URL of its object.
pub(crate) fn listen(options: &Options) -> Result<(Service, String), Failure> {
    let address = SocketAddr::from((options.host, 0));
    let sockets = MAX_DEGREE as u16 + 2;
    let clock: Clock = (options.timing != Timing::Cycles).then_some(ticks);
    let endpoint: Endpoint = match options.transport {
        Transport::Uiop => {
            format!("uiop://@dba-{}", std::process::id()).parse().map_err(failure)?
        }
        _ => address.into(),
    };
    let (service, address) = match options.threads {
        Threads::One => {
            let edges = options.shares_connections().then(|| Edges::new(sockets));
            let os = match &edges {
                Some(edges) => Machine::Server(edges.clone()),
                None => Machine::Own(Linux::new(sockets)),
            };
            let os = Noting::new(os, clock);
            let server = Server::new(os, endpoint, limits(MAX_DEGREE)).map_err(failure)?;
            let address = server.address().to_string();
            (Service::One(server, edges), address)
        }
        Threads::PerConnection => {
            let listener = TcpListener::bind(address)?;
            let address = listener.local_addr()?.to_string();
            (Service::PerConnection(listener, clock), address)
        }
    };
    let url = match options.transport {
        Transport::Uiop => format!("corbaloc:uiop:1.2@{address}|{KEY}"),
        _ => format!("corbaloc:iiop:1.2@{address}/{KEY}"),
    };
    Ok((service, url))
}

fn failure(exception: SystemException) -> Failure {
    format!("the small ORB: {exception:?}").into()
}

/// A node, until it has ended.
struct Running {
    driver: Driver<NanoLinks>,
    /// Tells the main thread how it has ended.
    end: Option<Sender<Result<Outcome, Failure>>>,
}

impl Running {
    /// Tells the main thread of the end, if it is one.
    fn note(&mut self, step: Result<Option<Outcome>, Failure>) {
        if let Some(ended) = step.transpose()
            && let Some(end) = self.end.take()
        {
            // Without the main thread there is no process.
            let _ = end.send(ended);
        }
    }
}

/// The object that a node is to its neighbors.
#[derive(Clone)]
struct Receiving {
    running: Arc<Mutex<Running>>,
    interface: &'static Interface,
    /// When its server has received the message.
    arrival: Arrival,
}

impl Receiving {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Servant for Receiving {
    fn interface(&self) -> &'static Interface {
        self.interface
    }

    fn invoke(
        &mut self,
        operation: usize,
        arguments: &mut Reader<'_>,
        _results: &mut Writer<'_>,
    ) -> Result<Answer, SystemException> {
        let mut running = self.running();
        running.driver.segments_mut().end_wait_at(self.arrival.time());
        let from = arguments.read::<u32>()?;
        if OPERATIONS.get(operation) == Some(&HELLO) {
            if let Some(edges) = &running.driver.links_mut().edges {
                edges.introduce(from);
            }
            return Ok(Answer::Results);
        }
        let message = match operation {
            0 => {
                let (cycle, color) = (arguments.read::<u32>()?, arguments.read::<u32>()?);
                Message::Value { cycle, color }
            }
            1 => {
                let (cycle, gain) = (arguments.read::<u32>()?, arguments.read::<u32>()?);
                let (cost, counter) = (arguments.read::<u32>()?, arguments.read::<u32>()?);
                let improvement = Improvement { gain, cost, counter };
                Message::Improvement { cycle, improvement }
            }
            _ => Message::Solved,
        };
        arguments.end()?;
        if running.end.is_some() {
            let step = running.driver.deliver(from, &message);
            running.note(step);
        }
        Ok(Answer::Results)
    }
}

/// Accepts connections, and serves each in a thread. Ends with the process.
fn accept_all(listener: &TcpListener, clock: Clock, object: &Receiving) -> Result<(), Failure> {
    loop {
        let (stream, _) = match listener.accept() {
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
            other => other?,
        };
        // The threads have the object, beside the main thread and this one.
        if Arc::strong_count(&object.running) < MAX_DEGREE + 2 {
            let object = object.clone();
            let thread = std::thread::Builder::new().name("connection".to_owned());
            thread.spawn(move || serve_one(stream, clock, object))?;
        }
    }
}

/// Serves a connection until it ends.
fn serve_one(stream: TcpStream, clock: Clock, object: Receiving) -> Result<(), Failure> {
    let os = Noting::new(Connection::new(stream, PEER_LIMIT)?, clock);
    let object = Receiving { arrival: os.arrival(), ..object };
    let unspecified = SocketAddr::from(([0, 0, 0, 0], 0));
    let mut server = Server::new(os, unspecified.into(), limits(1)).map_err(failure)?;
    server.register(KEY.as_bytes(), Box::new(object)).map_err(failure)?;
    while server.perform_work(None).is_ok() {}
    Ok(())
}

/// Runs a node until it ends, and returns what `report` makes of it. The service has to live on, for those who still send.
pub(crate) fn run<T>(
    driver: Driver<NanoLinks>,
    (service, lookup): (&mut Service, Lookup),
    start: &Receiver<()>,
    end: MonotonicTime,
    report: impl FnOnce(&Driver<NanoLinks>, Outcome) -> T,
) -> Result<T, Failure> {
    let (told, ended) = channel();
    let running = Arc::new(Mutex::new(Running { driver, end: Some(told) }));
    let interface = match lookup {
        Lookup::Hash => &HASHED,
        Lookup::Linear => &LINEAR,
    };
    let arrival = match service {
        Service::One(server, _) => server.os().arrival(),
        Service::PerConnection(..) => Arrival::default(),
    };
    let object = Receiving { running, interface, arrival };
    match service {
        Service::One(server, edges) => {
            server.register(KEY.as_bytes(), Box::new(object.clone())).map_err(failure)?;
            object.running().driver.links_mut().open()?;
            while edges.as_ref().is_some_and(|edges| !edges.are_complete()) {
                work(server, end)?;
            }
        }
        Service::PerConnection(listener, clock) => {
            let (listener, clock, object) = (listener.try_clone()?, *clock, object.clone());
            let thread = std::thread::Builder::new().name("acceptor".to_owned());
            thread.spawn(move || {
                let failed = accept_all(&listener, clock, &object);
                object.running().note(failed.map(|()| None));
            })?;
        }
    }
    wait_for(start, end)?;
    let mut running = object.running();
    let started = running.driver.start();
    running.note(started);
    drop(running);
    loop {
        let outcome = match service {
            Service::One(..) => ended.try_recv().ok(),
            Service::PerConnection(..) => ended.recv_timeout(end.time_left()).ok(),
        };
        if let Some(outcome) = outcome {
            return Ok(report(&object.running().driver, outcome?));
        }
        match service {
            Service::One(server, _) => work(server, end)?,
            Service::PerConnection(..) => return Err(OVER.into()),
        }
    }
}

const OVER: &str = "the time limit is over";

/// Serves what arrives next.
fn work(server: &mut Server<'_, Noting<Machine>>, end: MonotonicTime) -> Result<(), Failure> {
    let left = end.time_left();
    if left.is_zero() {
        return Err(OVER.into());
    }
    server.perform_work(Some(left)).map_err(|error| format!("the small ORB: {error:?}").into())
}
