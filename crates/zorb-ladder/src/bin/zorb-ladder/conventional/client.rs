//! The client: stubs whose replies another thread reads.

use std::net::TcpStream;
use std::sync::Arc;
use std::thread;

use zorb_bench::operation::{Action, Operation};
use zorb_bench::peer::{
    Client, ConnectionUse, Flooding, Refusal, Tally, TwoWay, answer_commands, in_parts,
};
use zorb_bench::{Error, Result};
use zorb_ladder::{Engine, Heap};

use super::ClientArguments;
use super::message::{Message, Queue};
use super::server::{KEY, SYNC};
use super::values::{Elements, FORM, InMemory, elements_of, failed};

/// Executes the harness's commands until standard input closes. Returns the exit status.
pub(super) fn answer(arguments: ClientArguments) -> Result<u8> {
    let client = Conventional(arguments);
    client.connect()?.call(Operation::Ping.name(), Vec::new())?;
    answer_commands(&client)
}

struct Conventional(ClientArguments);

impl Conventional {
    fn connect(&self) -> Result<Connection> {
        let stream = TcpStream::connect(&self.0.address)?;
        self.0.options.tune(&stream)?;
        let (replies, reading) = (Arc::new(Queue::default()), stream.try_clone()?);
        let filled = Arc::clone(&replies);
        thread::Builder::new().name("read".to_owned()).spawn(move || filled.fill(reading))?;
        Ok(Connection { stream, replies, last: 0 })
    }
}

/// A connection, with the replies that its thread has read.
struct Connection {
    stream: TcpStream,
    replies: Arc<Queue>,
    last: u32,
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The thread that reads ends, also if the queue is full.
        self.replies.end();
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

impl Connection {
    #[inline(never)]
    fn send(&mut self, operation: &str, body: Vec<u8>, flag: u32) -> Result<u32> {
        self.last = self.last.wrapping_add(1);
        let (key, operation) = (KEY.to_vec(), operation.to_owned());
        Message { id: self.last, flag, key, operation, body }.write(&self.stream)?;
        Ok(self.last)
    }

    /// The body of the reply.
    #[inline(never)]
    fn call(&mut self, operation: &str, body: Vec<u8>) -> Result<Vec<u8>> {
        let id = self.send(operation, body, 1)?;
        match self.replies.take() {
            Some(reply) if reply.id == id => Ok(reply.body),
            _ => Err(Error::new("the server has closed the connection")),
        }
    }
}

impl InMemory {
    /// Its octets in a message.
    fn encoded(&self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        let encoded = Engine::Interp0.encode(&self.of, self.memory(), &self.heap, FORM, &mut body);
        encoded.map_err(failed)?;
        Ok(body)
    }
}

/// Calls of one thread with a sequence.
struct Caller {
    connection: Connection,
    operation: Operation,
    argument: InMemory,
    /// The heap of results.
    heap: Heap,
}

impl Caller {
    /// The elements of the result.
    fn call(&mut self) -> Result<Vec<u8>> {
        let body = self.connection.call(self.operation.name(), self.argument.encoded()?)?;
        let mut result = Vec::new();
        let take = &mut |memory: &[u8], heap: &mut Heap| {
            result = elements_of(memory, heap).to_vec();
        };
        let decoded = Engine::Interp0.serve(&self.argument.of, &body, FORM, &mut self.heap, take);
        decoded.map_err(failed)?;
        Ok(result)
    }
}

impl Client for Conventional {
    fn two_way(
        &self,
        operation: Operation,
        elements: usize,
        line: ConnectionUse,
    ) -> Result<Box<dyn TwoWay>, Refusal> {
        if line != ConnectionUse::Own {
            return Err(Refusal::Unsupported("each thread has a connection".to_owned()));
        }
        let connection = self.connect()?;
        if operation == Operation::Ping {
            return Ok(in_parts(
                connection,
                |_, _| {},
                |connection: &mut Connection| {
                    connection.call(Operation::Ping.name(), Vec::new()).map(|_| ())
                },
                |_, &()| true,
            ));
        }
        let is_echo = operation.action() == Action::Echo && operation.name().starts_with("echo_");
        if !is_echo || operation == Operation::EchoString {
            return Err(Refusal::Unsupported(format!("{operation} echoes no sequence")));
        }
        let argument = InMemory::new(Elements::of(operation)?, elements)?;
        let caller = Caller { connection, operation, argument, heap: Heap::default() };
        Ok(in_parts(
            caller,
            // It has been set before, so that it is there.
            |caller: &mut Caller, number| drop(caller.argument.set_first(number)),
            Caller::call,
            |caller: &Caller, result: &Vec<u8>| result == caller.argument.block(),
        ))
    }

    fn flood(&self, operation: Operation, elements: usize) -> Result<Box<dyn Flooding>, Refusal> {
        if operation.action() != Action::Sink {
            return Err(Refusal::Unsupported(format!("{operation} has a reply")));
        }
        let argument = InMemory::new(Elements::of(operation)?, elements)?;
        Ok(Box::new(Flood { connection: self.connect()?, operation, argument }))
    }
}

/// One-way calls.
struct Flood {
    connection: Connection,
    operation: Operation,
    argument: InMemory,
}

impl Flooding for Flood {
    fn send(&mut self, number: u32) -> Result<()> {
        self.argument.set_first(number)?;
        let body = self.argument.encoded()?;
        self.connection.send(self.operation.name(), body, 0).map(|_| ())
    }

    fn number_of(&self, number: u32) -> u64 {
        let elements = self.argument.elements;
        let size = elements.0.size();
        let block = self.argument.block();
        let first = block.get(..size).unwrap_or_default();
        let last = block.get(block.len().saturating_sub(size)..).unwrap_or_default();
        let mut ends = if block.len() > size { [first, last].concat() } else { first.to_vec() };
        elements.set_first(&mut ends, number);
        elements.number(&ends)
    }

    fn sync(&mut self) -> Result<Tally> {
        let reply = self.connection.call(SYNC, Vec::new())?;
        let (numbers, _) = reply.as_chunks();
        let &[calls, elements, sum, cpu_ns] = numbers else {
            return Err(Error::new("the tally has another size"));
        };
        let [calls, elements, sum, cpu_ns] = [calls, elements, sum, cpu_ns].map(u64::from_ne_bytes);
        let calls = u32::try_from(calls).unwrap_or(u32::MAX);
        Ok(Tally { calls, elements, sum, cpu_ns })
    }
}
