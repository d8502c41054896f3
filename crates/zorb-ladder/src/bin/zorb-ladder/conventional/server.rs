//! The server: a thread that reads and one that serves, for each connection.

use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use zorb_bench::operation::{Action, Operation};
use zorb_bench::peer::{Tally, serve_until_the_end};
use zorb_bench::processor::process_cpu_ns;
use zorb_bench::{Error, Result};
use zorb_ladder::{Engine, Heap, Type};

use super::Options;
use super::message::{Message, Queue};
use super::values::{Elements, FORM, elements_of, failed};

/// The key of the object that is called. It is the last one.
pub(super) const KEY: &[u8] = b"conventional/suite";
/// The objects before it.
const OTHERS: usize = 15;
/// The operation that asks for a tally.
pub(super) const SYNC: &str = "sync";

/// Serves until standard input closes.
pub(super) fn serve(options: &Options) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let options = options.clone();
    thread::Builder::new().name("accept".to_owned()).spawn(move || {
        for stream in listener.incoming().flatten() {
            // If it fails, the client's connection closes.
            let _ = options.tune(&stream).and_then(|()| begin(stream));
        }
    })?;
    serve_until_the_end(&address.to_string())
}

/// Starts the threads of a connection.
fn begin(stream: TcpStream) -> std::io::Result<()> {
    let (queue, reading) = (Arc::new(Queue::default()), stream.try_clone()?);
    let filled = Arc::clone(&queue);
    thread::Builder::new().name("read".to_owned()).spawn(move || filled.fill(reading))?;
    thread::Builder::new().name("serve".to_owned()).spawn(move || {
        // The client sees an error as the end of the connection.
        let _ = Adapter::new().and_then(|mut adapter| adapter.serve(&queue, &stream));
        queue.end();
        let _ = stream.shutdown(std::net::Shutdown::Both);
    })?;
    Ok(())
}

/// The object adapter.
struct Adapter {
    objects: Vec<Object>,
}

struct Object {
    key: Vec<u8>,
    skeleton: Box<dyn Skeleton + Send>,
}

/// Finds the operation of a request, and makes the upcall.
trait Skeleton {
    /// The body of the reply.
    fn dispatch(&mut self, request: &Message) -> Result<Vec<u8>>;
}

impl Adapter {
    fn new() -> Result<Self> {
        let mut objects = Vec::new();
        for number in 0..OTHERS {
            let (key, skeleton) =
                (format!("conventional/{number}").into_bytes(), Box::new(Nothing));
            objects.push(Object { key, skeleton });
        }
        objects.push(Object { key: KEY.to_vec(), skeleton: Box::new(Suite::new()?) });
        Ok(Self { objects })
    }

    fn serve(&mut self, queue: &Queue, stream: &TcpStream) -> Result<()> {
        while let Some(request) = queue.take() {
            let body = self.dispatch(&request)?;
            if request.flag != 0 {
                let reply = Message { id: request.id, body, ..Message::default() };
                reply.write(stream)?;
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn dispatch(&mut self, request: &Message) -> Result<Vec<u8>> {
        let found = self.objects.iter_mut().find(|object| object.key == request.key);
        let object = found.ok_or_else(|| Error::new("there is no such object"))?;
        object.skeleton.dispatch(request)
    }
}

/// An object that is never called.
struct Nothing;

impl Skeleton for Nothing {
    fn dispatch(&mut self, _: &Message) -> Result<Vec<u8>> {
        Err(Error::new("it has no operations"))
    }
}

/// `Bench::Suite`.
struct Suite {
    operations: Vec<Served>,
    heap: Heap,
    tally: Mutex<Tally>,
}

struct Served {
    name: &'static str,
    argument: Option<(Elements, Type)>,
}

impl Suite {
    fn new() -> Result<Self> {
        let mut operations = Vec::new();
        for operation in Operation::ALL {
            let is_served = matches!(operation.action(), Action::Echo | Action::Sink);
            let argument = match Elements::of(*operation) {
                Ok(elements) if is_served => Some((elements, elements.sequence()?)),
                _ => None,
            };
            if argument.is_some() || *operation == Operation::Ping {
                operations.push(Served { name: operation.name(), argument });
            }
        }
        operations.push(Served { name: SYNC, argument: None });
        Ok(Self { operations, heap: Heap::default(), tally: Mutex::default() })
    }

    fn take_tally(&self) -> Vec<u8> {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let Tally { calls, elements, sum, .. } = std::mem::take(&mut *tally);
        let numbers = [calls.into(), elements, sum, process_cpu_ns()];
        numbers.iter().flat_map(|number: &u64| number.to_ne_bytes()).collect()
    }
}

impl Skeleton for Suite {
    #[inline(never)]
    fn dispatch(&mut self, request: &Message) -> Result<Vec<u8>> {
        let found = self.operations.iter().find(|served| served.name == request.operation);
        let served = found.ok_or_else(|| Error::new("there is no such operation"))?;
        let Some((elements, of)) = &served.argument else {
            return Ok(if served.name == SYNC { self.take_tally() } else { Vec::new() });
        };
        let (mut body, mut encoded, tally) = (Vec::new(), Ok(()), &self.tally);
        let upcall = &mut |memory: &[u8], heap: &mut Heap| {
            if request.flag != 0 {
                encoded = Engine::Interp0.encode(of, memory, heap, FORM, &mut body);
                return;
            }
            let block = elements_of(memory, heap);
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            tally.calls = tally.calls.wrapping_add(1);
            tally.elements += (block.len() / elements.0.size().max(1)) as u64;
            tally.sum += elements.number(block);
        };
        let served = Engine::Interp0.serve(of, &request.body, FORM, &mut self.heap, upcall);
        served.and(encoded).map_err(failed)?;
        Ok(body)
    }
}
