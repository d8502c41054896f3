//! A hostile server that knows GIOP: it answers each request with replies that are valid except for the faults of its
//! seed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use zorb_cdr::ByteOrder;
use zorb_core::Orb;
use zorb_giop::{
    GiopVersion, MessageHeader, MessageKind, MessageWriter, ReplyStatus, RequestHeader, fragments,
};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{Acceptor, ListenOptions, Stream, StreamOptions, Transport};

use crate::echo_idl::fuzz;
use crate::mutation::Generator;
use crate::targets::client::{ENDPOINT, reference};

/// The longest list of messages that answers one request.
const MAX_ANSWERS: usize = 4;
/// No list of answers is longer than this, so sending one never waits for the client.
const BUFFER: usize = 1 << 16;

/// The server, and a client's ORB.
#[derive(Debug)]
pub struct World {
    orb: Orb,
    server: Arc<Server>,
}

#[derive(Debug)]
struct Server {
    random: Mutex<Generator>,
    connections: AtomicUsize,
    requests: AtomicUsize,
}

/// The outcome of a call, and the client's actions.
#[derive(Debug)]
pub struct Attempt {
    /// The result of adding 2 and 3.
    pub outcome: Result<i32, zorb::SystemException>,
    /// Connections that the client opened.
    pub connections: usize,
    /// Requests that it sent.
    pub requests: usize,
}

impl World {
    /// Starts the server.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn new() -> Self {
        let transport = InprocTransport::new();
        let stream = StreamOptions { send_buffer: Some(BUFFER), ..StreamOptions::default() };
        let options = ListenOptions::with_stream(stream);
        let url = format!("inproc://{ENDPOINT}");
        let acceptor = transport.listen(&url, &options).expect("an endpoint");
        let server = Arc::new(Server {
            random: Mutex::new(Generator::new(0)),
            connections: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
        });
        let serving = Arc::clone(&server);
        std::thread::spawn(move || serving.accept(&*acceptor));
        let protocol = Arc::new(InprocProtocol::new(transport));
        let orb = Orb::builder().without_environment().protocol(protocol).build();
        Self { orb: orb.expect("a client"), server }
    }

    /// Adds 2 and 3 with the answers of a seed. The reference is new, the ORB is the one of earlier calls.
    ///
    /// # Panics
    /// When the reference cannot be resolved.
    #[must_use]
    pub fn call(&self, seed: u64) -> Attempt {
        *self.server.random() = Generator::new(seed);
        let count = |of: &AtomicUsize| of.load(Ordering::SeqCst);
        let (connections, requests) =
            (count(&self.server.connections), count(&self.server.requests));
        let text = reference().to_stringified().expect("text");
        let echo: fuzz::Echo = self.orb.resolve(&text).expect("a reference");
        let outcome = echo.add(2, 3);
        Attempt {
            outcome,
            connections: count(&self.server.connections) - connections,
            requests: count(&self.server.requests) - requests,
        }
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl Server {
    fn random(&self) -> std::sync::MutexGuard<'_, Generator> {
        self.random.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: &Arc<Self>, acceptor: &dyn Acceptor) {
        while let Ok(stream) = acceptor.accept() {
            self.connections.fetch_add(1, Ordering::SeqCst);
            let server = Arc::clone(self);
            std::thread::spawn(move || server.serve(&*stream));
        }
    }

    /// Answers requests until an answer ends the connection or the client does.
    fn serve(&self, stream: &dyn Stream) {
        let mut received = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            while let Ok(Some(header)) = MessageHeader::parse_prefix(&received)
                && let Some(message) = received.get(..header.total_size())
            {
                if header.kind == MessageKind::Request {
                    self.requests.fetch_add(1, Ordering::SeqCst);
                    let (request, _) = RequestHeader::read(message, &header).expect("a request");
                    let (octets, lives) =
                        answer(request.request_id, header.order, &mut self.random());
                    // The client may have ended the connection in between.
                    if stream.send_all(&octets).is_err() || !lives {
                        return;
                    }
                }
                received.drain(..header.total_size());
            }
            match stream.recv(&mut buffer) {
                Ok(count) if count > 0 => received.extend_from_slice(&buffer[..count]),
                _ => return,
            }
        }
    }
}

/// The answer to a request, and whether the connection goes on. It ends behind anything but a good reply: a client
/// without a time limit would wait for the rest of a message.
fn answer(id: u32, order: ByteOrder, random: &mut Generator) -> (Vec<u8>, bool) {
    let mut octets = Vec::new();
    for _ in 0..random.below(MAX_ANSWERS) {
        octets.extend(message(id, order, random));
    }
    let lives = octets.is_empty();
    if lives {
        octets.extend(reply(id, order, ReplyStatus::NoException, &5_u32.to_ne_bytes()));
    }
    (octets, lives)
}

fn reply(id: u32, order: ByteOrder, status: ReplyStatus, body: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    let reply = MessageWriter::reply(&mut octets, GiopVersion::V1_2, order, id, status, &[]);
    let mut reply = reply.expect("a reply");
    reply.body(Default::default()).put(body);
    reply.finish().expect("a reply");
    octets
}

/// One message of a hostile answer.
fn message(id: u32, order: ByteOrder, random: &mut Generator) -> Vec<u8> {
    let statuses = [
        ReplyStatus::NoException,
        ReplyStatus::UserException,
        ReplyStatus::SystemException,
        ReplyStatus::LocationForward,
        ReplyStatus::LocationForwardPerm,
        ReplyStatus::NeedsAddressingMode,
    ];
    let status = statuses[random.below(statuses.len())];
    let id = if random.below(4) == 0 { id ^ (1 << random.below(32)) } else { id };
    let mut octets = reply(id, order, status, &body(status, random));
    match random.below(8) {
        // An enumerator, a length or an id is wrong.
        0 | 1 => {
            let at = 12 + 4 * random.below((octets.len() - 12) / 4);
            let value = [0, 1, 0xff, 0x7fff_ffff, u32::MAX][random.below(5)];
            octets[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        }
        2 => octets[random.below(12)] ^= 1 << random.below(8),
        3 => octets.truncate(random.below(octets.len())),
        4 => {
            let pieces: Vec<_> = fragments(&octets, 24)
                .map(|piece| [piece.header(), piece.payload].concat())
                .collect();
            let keep = random.below(pieces.len() + 1);
            return pieces.into_iter().take(keep).flatten().collect();
        }
        5 => {
            octets.clear();
            match random.below(3) {
                0 => MessageWriter::close_connection(&mut octets, GiopVersion::V1_2, order),
                1 => MessageWriter::message_error(&mut octets, order),
                _ => MessageWriter::cancel_request(&mut octets, GiopVersion::V1_2, order, id),
            }
        }
        _ => {}
    }
    octets
}

/// A body for the status: complete, or truncated.
fn body(status: ReplyStatus, random: &mut Generator) -> Vec<u8> {
    let mut body = match status {
        ReplyStatus::NoException => 5_u32.to_ne_bytes().to_vec(),
        ReplyStatus::UserException => string("IDL:fuzz.zorb/Fuzz/Empty:1.0"),
        ReplyStatus::SystemException => {
            let mut body = string("IDL:omg.org/CORBA/TRANSIENT:1.0");
            body.extend_from_slice(&(random.below(4) as u32).to_ne_bytes());
            body.extend_from_slice(&(random.below(5) as u32).to_ne_bytes());
            body
        }
        ReplyStatus::NeedsAddressingMode => (random.below(5) as u16).to_ne_bytes().to_vec(),
        // To this server again.
        _ => {
            let ior = reference();
            let mut body = string(&ior.type_id);
            body.extend_from_slice(&(ior.profiles.len() as u32).to_ne_bytes());
            for profile in &ior.profiles {
                body.extend_from_slice(&profile.tag.0.to_ne_bytes());
                body.extend_from_slice(&(profile.data.len() as u32).to_ne_bytes());
                body.extend_from_slice(&profile.data);
            }
            body
        }
    };
    if random.below(4) == 0 {
        body.truncate(random.below(body.len() + 1));
    }
    body
}

/// A string of CDR, padded for a ulong behind it.
fn string(text: &str) -> Vec<u8> {
    let mut octets = (text.len() as u32 + 1).to_ne_bytes().to_vec();
    octets.extend_from_slice(text.as_bytes());
    octets.push(0);
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets
}
