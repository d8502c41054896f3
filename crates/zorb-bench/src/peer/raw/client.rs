//! The bare client.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zorb_os::clock::MonotonicTime;

use super::body;
use super::message::{HEADER, Header, Inbox, SYNC};
use super::socket::Stream;
use crate::error::{Error, Result};
use crate::operation::{Action, Operation};
use crate::peer::arguments::PeerArguments;
use crate::peer::client::{self, Client, Flooding, Refusal, Tally, TwoWay, in_parts};
use crate::transport::bare_transport;

/// The octets of Zorb's Request and Reply of GIOP 1.2 for a call without arguments and results.
const GIOP_REQUEST: usize = 64;
const GIOP_REPLY: u8 = 24;

/// Calls a bare server.
#[derive(Debug)]
pub(in crate::peer) struct RawClient {
    address: Address,
    /// Connections that are not in use.
    idle: Arc<Mutex<Vec<Connection>>>,
    /// The shared connection.
    shared: Arc<Mutex<Connection>>,
}

/// The address of a server, and options of connections.
#[derive(Clone, Debug)]
struct Address {
    transport: String,
    to: String,
    queue: Option<usize>,
    busy_wait: Duration,
}

impl Address {
    fn new(arguments: &PeerArguments) -> Result<Self> {
        let transport = bare_transport(&arguments.transport).to_owned();
        let queue = arguments.socket_queue;
        let to = arguments.address()?.to_owned();
        Ok(Self { transport, to, queue, busy_wait: arguments.busy_wait() })
    }
}

/// A connection with its receive buffer.
#[derive(Debug)]
struct Connection {
    stream: Stream,
    inbox: Inbox,
}

impl Connection {
    fn connect(address: &Address) -> io::Result<Self> {
        let Address { transport, to, queue, busy_wait } = address;
        let stream = Stream::connect(transport, to, *queue, *busy_wait)?;
        Ok(Self { stream, inbox: Inbox::new() })
    }

    /// Opens a connection and uses it once.
    fn open(address: &Address) -> io::Result<Self> {
        let mut line = Self::connect(address)?;
        line.exchange(&message(Operation::Ping, 0)?)?;
        Ok(line)
    }

    #[inline]
    fn send(&self, message: &[u8]) -> io::Result<()> {
        (&self.stream).write_all(message)
    }

    /// Sends a message, and receives one.
    #[inline]
    fn exchange(&mut self, message: &[u8]) -> io::Result<&[u8]> {
        self.send(message)?;
        match self.inbox.next(&self.stream)? {
            Some(_) => Ok(self.inbox.last()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// The connection of one caller, opened by its first exchange at the latest.
#[derive(Debug)]
struct Exclusive {
    line: Option<Connection>,
    address: Address,
    /// The pool to which the connection returns on drop.
    idle: Option<Arc<Mutex<Vec<Connection>>>>,
}

impl Exclusive {
    #[inline]
    fn line(&mut self) -> io::Result<&mut Connection> {
        if self.line.is_none() {
            self.line = Some(Connection::connect(&self.address)?);
        }
        self.line.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    fn last(&self) -> &[u8] {
        self.line.as_ref().map_or(&[], |line| line.inbox.last())
    }
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        if let (Some(line), Some(idle)) = (self.line.take(), &self.idle) {
            locked(idle).push(line);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a connection and uses it once.
pub(in crate::peer) fn open(arguments: &PeerArguments) -> Result<impl Sized + use<>> {
    // Thousands are held, and need no receive buffers.
    Ok(Connection::open(&Address::new(arguments)?)?.stream)
}

/// A request for call 0.
fn message(operation: Operation, elements: usize) -> io::Result<Vec<u8>> {
    let size = operation.payload(elements);
    let index = Operation::ALL.iter().position(|one| *one == operation);
    let index = index.and_then(|index| u8::try_from(index).ok());
    let one_way = operation.action() == Action::Sink;
    let header = Header { operation: index.unwrap_or(SYNC), one_way, echo: 0, size };
    let mut message = header.encode()?.to_vec();
    message.extend(body::new(size));
    Ok(message)
}

impl RawClient {
    pub(in crate::peer) fn connect(arguments: &PeerArguments) -> Result<Self> {
        let address = Address::new(arguments)?;
        let shared = Arc::new(Mutex::new(Connection::open(&address)?));
        Ok(Self { address, idle: Arc::default(), shared })
    }

    /// An idle connection, or a new one that has been used.
    fn exclusive(&self) -> io::Result<Exclusive> {
        let idle = locked(&self.idle).pop();
        let line = idle.map_or_else(|| Connection::open(&self.address), Ok)?;
        let idle = Some(Arc::clone(&self.idle));
        Ok(Exclusive { line: Some(line), address: self.address.clone(), idle })
    }

    /// A new connection, which has been used if `bound`, otherwise is opened by the first exchange.
    fn fresh(&self, bound: bool) -> io::Result<Exclusive> {
        let line = if bound { Some(Connection::open(&self.address)?) } else { None };
        Ok(Exclusive { line, address: self.address.clone(), idle: None })
    }
}

/// A request and the expected reply.
struct Messages {
    operation: Operation,
    request: Vec<u8>,
    reply: Vec<u8>,
}

impl Messages {
    fn new(operation: Operation, elements: usize) -> io::Result<Self> {
        let request = message(operation, elements)?;
        let mut messages = Self { operation, reply: request.clone(), request };
        match operation.action() {
            Action::Cube => body::cube(messages.reply.split_at_mut(HEADER).1),
            Action::Sum => {
                let (header, body) = messages.request.split_at(HEADER);
                let sum = body::sum(body);
                let (start, _) = header.split_at(HEADER - 4);
                messages.reply = [start, &(sum.len() as u32).to_ne_bytes(), &sum].concat();
            }
            _ => {}
        }
        Ok(messages)
    }

    /// The same without arguments, with as many octets as the messages of GIOP 1.2 beside which they are sent ahead.
    fn padded_like_giop(mut self) -> io::Result<Self> {
        if let Some(octets) = self.request.first_chunk().filter(|_| self.request.len() == HEADER) {
            let size = GIOP_REQUEST - HEADER;
            let header = Header { echo: GIOP_REPLY, size, ..Header::decode(*octets)? };
            self.request = [&header.encode()?[..], &body::new(size)].concat();
            let echo = header.of_echo();
            self.reply = [&echo.encode()?[..], &body::new(echo.size)].concat();
        }
        Ok(self)
    }

    fn set(&mut self, number: u32) {
        body::set_first(self.request.split_at_mut(HEADER).1, number);
        let (_, reply) = self.reply.split_at_mut(HEADER);
        if self.operation.action() == Action::Sum {
            reply.copy_from_slice(&body::sum(self.request.split_at(HEADER).1));
            return;
        }
        body::set_first(reply, number);
        if let (Action::Cube, Some(first)) = (self.operation.action(), reply.get_mut(..1)) {
            body::cube(first);
        }
    }
}

impl Client for RawClient {
    fn two_way(
        &self,
        operation: Operation,
        elements: usize,
        line: client::ConnectionUse,
    ) -> Result<Box<dyn TwoWay>, Refusal> {
        if operation.action() == Action::Local {
            return Err(Refusal::Unsupported("bare sockets have no types".to_owned()));
        }
        let messages = Messages::new(operation, elements)?;
        let exclusive = match line {
            client::ConnectionUse::Pipelined => {
                let exclusive = self.exclusive()?;
                let messages = messages.padded_like_giop()?;
                return Ok(Box::new(Pipelined { exclusive, messages }));
            }
            client::ConnectionUse::Fresh { bound } => Some(self.fresh(bound)?),
            client::ConnectionUse::Own => Some(self.exclusive()?),
            client::ConnectionUse::Shared => None,
        };
        if let Some(exclusive) = exclusive {
            return Ok(in_parts(
                (messages, exclusive),
                |(messages, _): &mut (Messages, Exclusive), number| messages.set(number),
                |(messages, exclusive): &mut (Messages, Exclusive)| {
                    exclusive.line()?.exchange(&messages.request)?;
                    Ok(())
                },
                |(messages, exclusive): &(Messages, Exclusive), &()| {
                    exclusive.last() == messages.reply
                },
            ));
        }
        let line = Arc::clone(&self.shared);
        let received = Vec::with_capacity(messages.request.len());
        Ok(in_parts(
            (messages, received),
            |(messages, _): &mut (Messages, Vec<u8>), number| messages.set(number),
            move |(messages, received): &mut (Messages, Vec<u8>)| {
                let mut line = locked(&line);
                // The next caller's reply overwrites the receive buffer.
                received.clear();
                received.extend_from_slice(line.exchange(&messages.request)?);
                Ok(())
            },
            |(messages, received): &(Messages, Vec<u8>), &()| *received == messages.reply,
        ))
    }

    fn flood(&self, operation: Operation, elements: usize) -> Result<Box<dyn Flooding>, Refusal> {
        let messages = Messages::new(operation, elements)?;
        Ok(Box::new(RawFlood { exclusive: self.exclusive()?, messages }))
    }
}

/// Requests that are all sent before the first reply is awaited. All replies are checked.
struct Pipelined {
    exclusive: Exclusive,
    messages: Messages,
}

impl TwoWay for Pipelined {
    fn make(&mut self, number: u32, count: u32) -> Result<u64> {
        self.messages.set(number);
        let start = MonotonicTime::now();
        let line = self.exclusive.line()?;
        for _ in 0..count {
            line.send(&self.messages.request)?;
        }
        let mut are_right = true;
        for _ in 0..count {
            let Some((_, reply)) = line.inbox.next(&line.stream)? else {
                return Err(Error::new("the server has closed the connection"));
            };
            are_right &= *reply == self.messages.reply;
        }
        let end = MonotonicTime::now();
        match are_right {
            true => Ok(end.nanos_since(start)),
            false => Err(Error::new("the reply is wrong")),
        }
    }
}

/// One-way messages on a connection.
struct RawFlood {
    exclusive: Exclusive,
    messages: Messages,
}

impl Flooding for RawFlood {
    fn send(&mut self, number: u32) -> Result<()> {
        let request = &mut self.messages.request;
        body::set_first(request.split_at_mut(HEADER).1, number);
        Ok(self.exclusive.line()?.send(request)?)
    }

    fn number_of(&self, number: u32) -> u64 {
        let content = self.messages.request.get(HEADER..).unwrap_or_default();
        // Only the first and the last octet count.
        let mut ends = [content.first(), content.last()].map(|octet| octet.copied().unwrap_or(0));
        let count = content.len().min(2);
        let ends = ends.get_mut(..count).unwrap_or_default();
        body::set_first(ends, number);
        body::tally(self.messages.operation, ends).0
    }

    fn sync(&mut self) -> Result<Tally> {
        let request = Header { operation: SYNC, one_way: false, echo: 0, size: 0 }.encode()?;
        let reply = self.exclusive.line()?.exchange(&request)?;
        let mut numbers = reply
            .get(HEADER..)
            .unwrap_or_default()
            .chunks_exact(8)
            .map(|bytes| bytes.try_into().map(u64::from_ne_bytes).unwrap_or_default());
        let mut next = || numbers.next().ok_or_else(|| Error::new("the tally is too short"));
        Ok(Tally {
            calls: u32::try_from(next()?).unwrap_or(u32::MAX),
            elements: next()?,
            sum: next()?,
            cpu_ns: next()?,
        })
    }
}
