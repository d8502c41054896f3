//! Messages as one-way calls of the small ORB.

mod arrivals;
mod connection;
mod departures;
mod edges;
mod links;
mod object;

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dba_algorithm::{Driver, MAX_DEGREE, Outcome, Timing};
use zorb_nano::{Endpoint, Limits, Linux, Server, SystemException};
use zorb_os::clock::{MonotonicTime, ticks};

use self::arrivals::{Arrival, Noting};
use self::connection::Connection;
pub(crate) use self::edges::Edges;
use self::edges::Machine;
pub(crate) use self::links::NanoLinks;
use self::object::{Receiving, Running};
use crate::Failure;
use crate::arguments::{Lookup, Options, Threads, Transport};
use crate::raw::wait_for;

/// The key of a node's object.
const KEY: &str = "node";

/// Generated from `dba.idl`, for the small ORB.
#[allow(dead_code, reason = "nodes call the registry over the full ORB")]
pub(crate) mod idl {
    include!(concat!(env!("OUT_DIR"), "/small.rs"));
}

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
pub(crate) type Clock = Option<fn() -> u64>;

/// The clock of segments.
pub(crate) fn clock(options: &Options) -> Clock {
    (options.timing != Timing::Cycles).then_some(ticks)
}

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
    let clock = clock(options);
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

/// Accepts connections, and serves each in a thread. Ends with the process.
fn accept_all(
    listener: &TcpListener,
    (clock, lookup): (Clock, Lookup),
    object: &Receiving,
) -> Result<(), Failure> {
    loop {
        let (stream, _) = match listener.accept() {
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
            other => other?,
        };
        // The threads have the object, beside the main thread and this one.
        if object.owners() < MAX_DEGREE + 2 {
            let object = object.clone();
            let thread = std::thread::Builder::new().name("connection".to_owned());
            thread.spawn(move || serve_one(stream, (clock, lookup), object))?;
        }
    }
}

/// Serves a connection until it ends.
fn serve_one(
    stream: TcpStream,
    (clock, lookup): (Clock, Lookup),
    object: Receiving,
) -> Result<(), Failure> {
    let os = Noting::new(Connection::new(stream, PEER_LIMIT)?, clock);
    let object = object.of_server(os.arrival());
    let unspecified = SocketAddr::from(([0, 0, 0, 0], 0));
    let mut server = Server::new(os, unspecified.into(), limits(1)).map_err(failure)?;
    server.register(KEY.as_bytes(), object.servant(lookup)).map_err(failure)?;
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
    let arrival = match service {
        Service::One(server, _) => server.os().arrival(),
        Service::PerConnection(..) => Arrival::default(),
    };
    let object = Receiving::new(running, arrival);
    match service {
        Service::One(server, edges) => {
            server.register(KEY.as_bytes(), object.clone().servant(lookup)).map_err(failure)?;
            object.running().driver.links_mut().open()?;
            while edges.as_ref().is_some_and(|edges| !edges.are_complete()) {
                work(server, end)?;
            }
        }
        Service::PerConnection(listener, clock) => {
            let (listener, object) = (listener.try_clone()?, object.clone());
            let served = (*clock, lookup);
            let thread = std::thread::Builder::new().name("acceptor".to_owned());
            thread.spawn(move || {
                let failed = accept_all(&listener, served, &object);
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
