//! The bare client.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::body;
use super::message::{HEADER, Header, Inbox, SYNC};
use super::socket::Stream;
use crate::error::{Error, Result};
use crate::operation::{Duty, Operation};
use crate::peer::arguments::PeerArguments;
use crate::peer::client::{self, Client, Flooding, Refusal, Tally, TwoWay, in_parts};
use crate::transport::bare_transport;

/// Calls a bare server.
#[derive(Debug)]
pub(in crate::peer) struct RawClient {
    address: Address,
    /// Connections that are not in use.
    idle: Arc<Mutex<Vec<Line>>>,
    /// The shared connection.
    shared: Arc<Mutex<Line>>,
}

/// The address of a server, and options of connections.
#[derive(Clone, Debug)]
struct Address {
    transport: String,
    to: String,
    queue: Option<usize>,
    spin: Duration,
}

impl Address {
    fn new(arguments: &PeerArguments, to: &str) -> Self {
        let transport = bare_transport(&arguments.transport).to_owned();
        let queue = arguments.socket_queue;
        Self { transport, to: to.to_owned(), queue, spin: arguments.spin() }
    }
}

/// A connection with its receive buffer.
#[derive(Debug)]
struct Line {
    stream: Stream,
    inbox: Inbox,
    /// Whether an exchange is incomplete.
    busy: bool,
}

/// A connection that returns to the idle ones when dropped.
#[derive(Debug)]
struct Lent {
    line: Option<Line>,
    idle: Arc<Mutex<Vec<Line>>>,
}

impl Line {
    fn connect(address: &Address) -> io::Result<Self> {
        let Address { transport, to, queue, spin } = address;
        let stream = Stream::connect(transport, to, *queue, *spin)?;
        Ok(Self { stream, inbox: Inbox::new(), busy: false })
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
        self.busy = true;
        self.send(message)?;
        match self.inbox.next(&self.stream)? {
            Some(_) => self.busy = false,
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        Ok(self.inbox.last())
    }
}

impl Lent {
    #[inline]
    fn line(&mut self) -> io::Result<&mut Line> {
        self.line.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    fn last(&self) -> &[u8] {
        self.line.as_ref().map_or(&[], |line| line.inbox.last())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(line) = self.line.take().filter(|line| !line.busy) {
            locked(&self.idle).push(line);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a connection and uses it once.
pub(in crate::peer) fn open(
    arguments: &PeerArguments,
    address: &str,
) -> Result<impl Sized + use<>> {
    // Thousands are held, and need no receive buffers.
    Ok(Line::open(&Address::new(arguments, address))?.stream)
}

/// A request for call 0.
fn message(operation: Operation, elements: usize) -> io::Result<Vec<u8>> {
    let size = operation.payload(elements);
    let place = Operation::ALL.iter().position(|one| *one == operation);
    let place = place.and_then(|place| u8::try_from(place).ok());
    let one_way = operation.duty() == Duty::Sink;
    let header = Header { operation: place.unwrap_or(SYNC), one_way, size };
    let mut message = header.encode()?.to_vec();
    message.resize(HEADER + size, 0);
    let (_, content) = message.split_at_mut(HEADER);
    body::fill(operation, content);
    Ok(message)
}

impl RawClient {
    pub(in crate::peer) fn connect(arguments: &PeerArguments, address: &str) -> Result<Self> {
        let address = Address::new(arguments, address);
        let shared = Arc::new(Mutex::new(Line::open(&address)?));
        Ok(Self { address, idle: Arc::default(), shared })
    }

    /// Exchanges over a new connection, which is opened now if `bound`, otherwise by the first exchange.
    fn on_fresh_line(&self, messages: Messages, bound: bool) -> io::Result<Box<dyn TwoWay>> {
        let line = if bound { Some(Line::open(&self.address)?) } else { None };
        let address = self.address.clone();
        Ok(in_parts(
            (messages, line),
            |(messages, _): &mut (Messages, Option<Line>), number| messages.set(number),
            move |(messages, line): &mut (Messages, Option<Line>)| {
                let open = match line.take() {
                    Some(open) => open,
                    None => Line::connect(&address)?,
                };
                line.insert(open).exchange(&messages.request)?;
                Ok(())
            },
            |(messages, line): &(Messages, Option<Line>), &()| {
                line.as_ref().is_some_and(|line| line.inbox.last() == messages.reply)
            },
        ))
    }

    fn lend(&self) -> io::Result<Lent> {
        let idle = locked(&self.idle).pop();
        let line = match idle {
            Some(line) => line,
            None => Line::open(&self.address)?,
        };
        Ok(Lent { line: Some(line), idle: Arc::clone(&self.idle) })
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
        if operation.duty() == Duty::Cube {
            let (_, back) = messages.reply.split_at_mut(HEADER);
            body::cube(operation.element(), back);
        }
        Ok(messages)
    }

    fn set(&mut self, number: u32) {
        let Self { operation, request, reply } = self;
        let (_, sent) = request.split_at_mut(HEADER);
        body::set_first(*operation, sent, number);
        let (_, back) = reply.split_at_mut(HEADER);
        body::set_first(*operation, back, number);
        if operation.duty() == Duty::Cube
            && let Some(first) = back.get_mut(..operation.element().size())
        {
            body::cube(operation.element(), first);
        }
    }
}

impl Client for RawClient {
    fn two_way(
        &self,
        operation: Operation,
        elements: usize,
        line: client::Line,
    ) -> Result<Box<dyn TwoWay>, Refusal> {
        if operation.duty() == Duty::Local {
            return Err(Refusal::Unsupported("bare sockets have no types".to_owned()));
        }
        let messages = Messages::new(operation, elements)?;
        if let client::Line::Fresh { bound } = line {
            return Ok(self.on_fresh_line(messages, bound)?);
        }
        if line == client::Line::Own {
            return Ok(in_parts(
                (messages, self.lend()?),
                |(messages, _): &mut (Messages, Lent), number| messages.set(number),
                |(messages, lent): &mut (Messages, Lent)| {
                    lent.line()?.exchange(&messages.request)?;
                    Ok(())
                },
                |(messages, lent): &(Messages, Lent), &()| lent.last() == messages.reply,
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
        Ok(Box::new(RawFlood { lent: self.lend()?, messages }))
    }
}

/// One-way messages on a connection.
struct RawFlood {
    lent: Lent,
    messages: Messages,
}

impl Flooding for RawFlood {
    fn send(&mut self, number: u32) -> Result<()> {
        let Messages { operation, request, .. } = &mut self.messages;
        let (_, content) = request.split_at_mut(HEADER);
        body::set_first(*operation, content, number);
        Ok(self.lent.line()?.send(request)?)
    }

    fn number_of(&self, number: u32) -> u64 {
        let mut content = self.messages.request.get(HEADER..).unwrap_or_default().to_vec();
        let operation = self.messages.operation;
        let size = operation.element().size();
        if content.len() > size {
            // Only the first and the last element count.
            content.drain(size..content.len() - size);
        }
        body::set_first(operation, &mut content, number);
        body::tally(operation.element(), &content).0
    }

    fn sync(&mut self) -> Result<Tally> {
        let request = Header { operation: SYNC, one_way: false, size: 0 }.encode()?;
        let reply = self.lent.line()?.exchange(&request)?;
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
