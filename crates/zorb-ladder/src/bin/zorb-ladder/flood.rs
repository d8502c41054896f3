//! Floods of messages over TCP, after the TTCP benchmark.
//!
//! A message has a header of 12 octets as GIOP has, and a sequence. With bare sockets it is the sender's memory.

use std::hint::black_box;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use socket2::SockRef;
use zorb_ladder::{Engine, Form, Heap, Type, Workload};

use crate::text;
use crate::way::{Elements, Way};

/// What a message begins with: the magic, version 1.2, the flags, the type, and room for the size of what follows.
const HEADER: [u8; 12] = *b"GIOP\x01\x02\x01\x00\0\0\0\0";
/// The sequence follows the header.
const FORM: Form = Form { start: HEADER.len(), swap: false };
/// The size of socket buffers, that of the TTCP benchmark.
const SOCKET_QUEUE: usize = 64 << 10;
/// No message is larger.
const LARGEST: usize = 16 << 20;

#[derive(Args, Clone, Debug)]
struct Flood {
    /// What fills messages
    #[arg(long)]
    engine: Way,
    /// The type of elements
    #[arg(long = "type")]
    elements: Elements,
    /// Octets of a sequence
    #[arg(long)]
    buffer: usize,
}

#[derive(Args, Debug)]
pub(crate) struct SendArguments {
    /// The receiver's address
    #[arg(long)]
    to: SocketAddr,
    #[command(flatten)]
    flood: Flood,
    /// Octets of all sequences
    #[arg(long)]
    total: usize,
}

#[derive(Args, Debug)]
pub(crate) struct ReceiveArguments {
    /// The address to listen at
    #[arg(long, default_value = "127.0.0.1:0")]
    at: SocketAddr,
    #[command(flatten)]
    flood: Flood,
}

/// How one side spent its time.
#[derive(Debug, Serialize)]
pub(crate) struct Done {
    /// Octets of sequences in memory.
    octets: u64,
    /// From the first message to the last.
    total_ns: u64,
    /// Of these in `write` or `read`.
    io_ns: u64,
}

/// Sends and receives over a socket, and adds up the time that it takes.
struct Timed {
    stream: TcpStream,
    time: Duration,
}

impl Timed {
    fn new(stream: TcpStream) -> Result<Self, String> {
        stream.set_nodelay(true).map_err(text)?;
        let socket = SockRef::from(&stream);
        socket.set_send_buffer_size(SOCKET_QUEUE).map_err(text)?;
        socket.set_recv_buffer_size(SOCKET_QUEUE).map_err(text)?;
        Ok(Self { stream, time: Duration::ZERO })
    }

    fn timed<T>(
        &mut self,
        call: impl FnOnce(&mut TcpStream) -> std::io::Result<T>,
    ) -> std::io::Result<T> {
        let start = Instant::now();
        let done = call(&mut self.stream);
        self.time += start.elapsed();
        done
    }
}

pub(crate) fn send(arguments: &SendArguments) -> Result<Done, String> {
    let Flood { engine, elements: Elements(workload), buffer } = arguments.flood;
    let elements = (buffer / workload.size()).max(1);
    let of = workload.sequence().map_err(text)?;
    let mut heap = Heap::default();
    let memory = workload.value(elements, &mut heap).map_err(text)?;
    let sequence = heap.block(1).map_err(text)?.to_vec();
    let messages = (arguments.total / sequence.len()).max(1);
    let mut timed = Timed::new(TcpStream::connect(arguments.to).map_err(text)?)?;
    let (mut message, start) = (Vec::new(), Instant::now());
    for _ in 0..messages {
        message.clear();
        message.extend(HEADER);
        match engine {
            Way::Raw => message.extend(black_box(&sequence)),
            Way::By(engine) => {
                engine.encode(&of, black_box(&memory), &heap, FORM, &mut message).map_err(text)?;
            }
        }
        let size = message.len() - HEADER.len();
        if let (Some(field), Ok(size)) = (message.get_mut(8..12), u32::try_from(size)) {
            field.copy_from_slice(&size.to_ne_bytes());
        }
        timed.timed(|stream| stream.write_all(&message)).map_err(text)?;
    }
    Ok(done((messages * sequence.len()) as u64, start, &timed))
}

pub(crate) fn receive(arguments: &ReceiveArguments) -> Result<Done, String> {
    let Flood { engine, elements: Elements(workload), .. } = arguments.flood;
    let listener = TcpListener::bind(arguments.at).map_err(text)?;
    // Connections inherit it.
    SockRef::from(&listener).set_recv_buffer_size(SOCKET_QUEUE).map_err(text)?;
    let address = listener.local_addr().map_err(text)?;
    let mut out = std::io::stdout();
    writeln!(out, "{address}").and_then(|()| out.flush()).map_err(text)?;
    let (stream, _) = listener.accept().map_err(text)?;
    let mut server = Server::new(engine, workload)?;
    let (mut timed, mut octets) = (Timed::new(stream)?, 0);
    let (mut message, start) = (Vec::new(), Instant::now());
    while next(&mut timed, &mut message)? {
        octets += server.serve(&message)?;
    }
    Ok(done(octets, start, &timed))
}

fn done(octets: u64, start: Instant, timed: &Timed) -> Done {
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    Done { octets, total_ns: nanoseconds(start.elapsed()), io_ns: nanoseconds(timed.time) }
}

/// Reads what follows the header of the next message; `false` at the end.
fn next(timed: &mut Timed, message: &mut Vec<u8>) -> Result<bool, String> {
    let mut header = HEADER;
    match timed.timed(|stream| stream.read_exact(&mut header)) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
        read => read.map_err(text)?,
    }
    let [.., a, b, c, d] = header;
    let size = u32::from_ne_bytes([a, b, c, d]) as usize;
    if size > LARGEST {
        return Err(format!("a message of {size} octets"));
    }
    message.resize(size, 0);
    timed.timed(|stream| stream.read_exact(message)).map_err(text)?;
    Ok(true)
}

/// The receiver of messages.
struct Server {
    engine: Way,
    size: u64,
    of: Type,
    heap: Heap,
}

impl Server {
    fn new(engine: Way, workload: Workload) -> Result<Self, String> {
        let of = workload.sequence().map_err(text)?;
        Ok(Self { engine, size: workload.size() as u64, of, heap: Heap::default() })
    }

    /// Makes the upcall of a message, and returns how many octets its sequence has in memory.
    fn serve(&mut self, message: &[u8]) -> Result<u64, String> {
        let Way::By(engine) = self.engine else {
            black_box(message);
            return Ok(message.len() as u64);
        };
        self.serve_by(engine, message)
    }

    fn serve_by(&mut self, engine: Engine, message: &[u8]) -> Result<u64, String> {
        let mut octets = 0;
        let upcall = &mut |memory: &[u8], _: &mut Heap| {
            let length = memory.get(4..).and_then(|memory| memory.first_chunk());
            octets = u64::from(length.copied().map_or(0, u32::from_ne_bytes)) * self.size;
        };
        engine.serve(&self.of, message, FORM, &mut self.heap, upcall).map_err(text)?;
        Ok(octets)
    }
}
