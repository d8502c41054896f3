//! Messages as one-way calls of the small ORB.

use std::cell::RefCell;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::mpsc::Receiver;

use dba_algorithm::{Driver, Improvement, Links, MAX_DEGREE, Message, NodeId, Outcome, Segments};
use zorb_nano::{Answer, Client, Interface, Limits, Linear, Linux, Operations, Reader, Reference};
use zorb_nano::{Servant, Server, SystemException, Writer};
use zorb_os::clock::MonotonicTime;

use crate::Failure;
use crate::arguments::Lookup;
use crate::dba::Neighbor;
use crate::raw::wait_for;

/// The key of a node's object.
const KEY: &str = "node";
const IDS: &[&str] = &["IDL:Dba/Node:1.0"];
/// In the order of the servant's indexes.
const OPERATIONS: &[&str; 3] = &["value", "improvement", "solved"];

static BY_HASH: Operations<3> = Operations::new(OPERATIONS);
static HASHED: Interface = Interface { ids: IDS, operations: &BY_HASH };
static LINEAR: Interface = Interface { ids: IDS, operations: &Linear(OPERATIONS) };

fn limits(connections: usize) -> Limits {
    Limits::DEFAULT.max_message_size(512).max_connections(connections)
}

/// A node's server, and the URL of its object.
pub(crate) fn listen(host: IpAddr) -> Result<(Server<'static, Linux>, String), Failure> {
    let address = SocketAddr::from((host, 0));
    let server = Server::new(Linux::new(MAX_DEGREE as u16 + 2), address.into(), limits(MAX_DEGREE));
    let server = server.map_err(failure)?;
    let url = format!("corbaloc:iiop:1.2@{}/{KEY}", server.address());
    Ok((server, url))
}

/// The objects of a node's neighbors.
pub(crate) struct NanoLinks {
    id: NodeId,
    client: Client<Linux>,
    neighbors: Vec<Reference>,
    memo: bool,
}

impl NanoLinks {
    pub(crate) fn new(id: NodeId, neighbors: &[Neighbor], memo: bool) -> Result<Self, Failure> {
        let references = neighbors.iter().map(|neighbor| Reference::parse(&neighbor.address));
        let sockets = u16::try_from(neighbors.len())?;
        let client = Client::new(Linux::new(sockets), limits(neighbors.len()));
        let neighbors = references.collect::<Result<_, _>>().map_err(failure)?;
        Ok(Self { id, client, neighbors, memo })
    }
}

impl Links for NanoLinks {
    type Error = Failure;

    fn send(&mut self, message: &Message, segments: &mut Segments) -> Result<(), Failure> {
        let numbers;
        let (operation, rest): (_, &[u32]) = match *message {
            Message::Value { cycle, color } => {
                numbers = [cycle, color, 0, 0];
                ("value", &numbers[..2])
            }
            Message::Improvement { cycle, improvement } => {
                let Improvement { gain, cost, counter } = improvement;
                numbers = [cycle, gain, cost, counter];
                ("improvement", &numbers)
            }
            Message::Solved => ("solved", &[]),
        };
        let Self { id, client, neighbors, memo } = self;
        let segments = RefCell::new(segments);
        let mut write = |writer: &mut Writer<'_>| {
            writer.write::<u32>(id)?;
            rest.iter().try_for_each(|number| writer.write::<u32>(number))?;
            segments.borrow_mut().end_marshal();
            Ok(())
        };
        let check = |sent: Result<(), SystemException>| match message {
            // Who has ended need not know.
            Message::Solved => Ok(()),
            _ => sent.map_err(failure),
        };
        if *memo {
            let sent = client.send_to_all(&*neighbors, operation, &mut write);
            segments.borrow_mut().end_send();
            return check(sent);
        }
        neighbors.iter().try_for_each(|neighbor| {
            let sent = client.send(neighbor, operation, &mut write);
            segments.borrow_mut().end_send();
            check(sent)
        })
    }
}

fn failure(exception: SystemException) -> Failure {
    format!("the small ORB: {exception:?}").into()
}

/// A node, and how it has ended.
struct Running {
    driver: Driver<NanoLinks>,
    end: Option<Result<Outcome, Failure>>,
}

/// The object that a node is to its neighbors.
struct Receiving {
    running: Rc<RefCell<Running>>,
    interface: &'static Interface,
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
        let Running { driver, end } = &mut *self.running.borrow_mut();
        driver.segments_mut().end_wait();
        let from = arguments.read::<u32>()?;
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
        if end.is_none() {
            *end = driver.deliver(from, &message).transpose();
        }
        Ok(Answer::Results)
    }
}

/// Runs a node until it ends, and returns what `report` makes of it. The server has to live on, for those who still send.
pub(crate) fn run<T>(
    driver: Driver<NanoLinks>,
    (server, lookup): (&mut Server<'static, Linux>, Lookup),
    start: &Receiver<()>,
    end: MonotonicTime,
    report: impl FnOnce(&Driver<NanoLinks>, Outcome) -> T,
) -> Result<T, Failure> {
    let running = Rc::new(RefCell::new(Running { driver, end: None }));
    let interface = match lookup {
        Lookup::Hash => &HASHED,
        Lookup::Linear => &LINEAR,
    };
    let servant = Receiving { running: Rc::clone(&running), interface };
    server.register(KEY.as_bytes(), Box::new(servant)).map_err(failure)?;
    wait_for(start, end)?;
    let started = running.borrow_mut().driver.start().transpose();
    running.borrow_mut().end = started;
    loop {
        let ended = running.borrow_mut().end.take();
        if let Some(ended) = ended {
            return Ok(report(&running.borrow().driver, ended?));
        }
        let left = end.time_left();
        if left.is_zero() {
            return Err("the time limit is over".into());
        }
        server.perform_work(Some(left)).map_err(|error| format!("the small ORB: {error:?}"))?;
    }
}
