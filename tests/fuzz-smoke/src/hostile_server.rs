//! A hostile server that knows GIOP: it answers each request and LocateRequest, in all versions, with replies that are
//! valid except for the faults of its seed.

mod pending;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use zorb_bridge::{Bridge, Settings};
use zorb_cdr::ByteOrder;
use zorb_core::Orb;
use zorb_giop::{
    GiopVersion, LocateRequestHeader, LocateStatus, MessageHeader, MessageKind, MessageWriter,
    ReplyStatus, RequestHeader, ServiceContext, ServiceId, fragments,
};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{Acceptor, ListenOptions, ProtocolRegistry, Stream, StreamOptions, Transport};

use crate::echo_idl::fuzz;
use crate::mutation::Generator;
use crate::targets::client::{ENDPOINT, reference_of};
use crate::targets::echo;

pub use pending::Together;

/// The longest list of messages that answers one request.
const MAX_ANSWERS: usize = 4;
/// No list of answers is longer than this, so sending one never waits for the client.
const BUFFER: usize = 1 << 16;

/// The server, and a client's ORB.
#[derive(Debug)]
pub struct World {
    orb: Orb,
    server: Arc<Server>,
    /// The reference in each of the versions.
    references: [String; VERSIONS.len()],
    /// Those between the client and the server, if any.
    _bridges: Vec<Bridge>,
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
    /// What the client called.
    pub called: Called,
    /// The version of GIOP.
    pub version: GiopVersion,
    /// Whether the call returned the result of a good reply.
    pub is_good: bool,
    /// The outcome as text.
    pub outcome: String,
    /// Connections that the client opened.
    pub connections: usize,
    /// Requests that it sent.
    pub requests: usize,
}

/// What a client calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// `add`, with 2 and 3.
    Add,
    /// One of the other operations.
    Other(u8),
    /// It asks for the object.
    Locate,
}

impl World {
    /// Starts the server.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn new() -> Self {
        let (transport, server) = start();
        let references = VERSIONS.map(|version| reference_of(version).to_stringified());
        let references = references.map(|text| text.expect("text"));
        Self { orb: client(transport), server, references, _bridges: Vec::new() }
    }

    /// Starts the server, and a bridge for each version that clients reach it by.
    ///
    /// # Panics
    /// When they cannot be started.
    #[must_use]
    pub fn behind_bridges() -> Self {
        let (transport, server) = start();
        let registry = Arc::new(ProtocolRegistry::new());
        let protocol = Arc::new(InprocProtocol::new(transport.clone()));
        registry.register(protocol).expect("a protocol");
        let bridges = VERSIONS.map(|version| {
            let urls = [format!("inproc://bridge-{}", version.minor())];
            let bridge =
                Bridge::open(&registry, &reference_of(version), &urls, Settings::default());
            bridge.expect("a bridge")
        });
        let reference = |bridge: &Bridge| bridge.reference().expect("a reference").to_stringified();
        let references = bridges.each_ref().map(|bridge| reference(bridge).expect("text"));
        Self { orb: client(transport), server, references, _bridges: bridges.into() }
    }

    /// Makes a call with the answers of a seed. The reference is new, the ORB is the one of earlier calls.
    ///
    /// # Panics
    /// When the reference cannot be resolved.
    #[must_use]
    pub fn call(&self, seed: u64) -> Attempt {
        let mut random = Generator::new(seed);
        let number = random.below(VERSIONS.len());
        let version = VERSIONS[number];
        let called = match random.below(4) {
            0 => Called::Locate,
            1 => Called::Other(random.below(echo::CALLS.into()) as u8),
            _ => Called::Add,
        };
        *self.server.random() = random;
        let count = |of: &AtomicUsize| of.load(Ordering::SeqCst);
        let (connections, requests) =
            (count(&self.server.connections), count(&self.server.requests));
        let text = &self.references[number];
        let echo: fuzz::Echo = self.orb.resolve(text).expect("a reference");
        let (is_good, outcome) = match called {
            Called::Add => {
                let sum = echo.add(2, 3);
                (sum == Ok(5), format!("{sum:?}"))
            }
            Called::Other(number) => {
                let outcome = echo::call(&echo, number);
                (outcome.starts_with("Ok"), outcome)
            }
            Called::Locate => {
                let found = zorb::ObjectRef::from(echo).locate();
                (found == Ok(true), format!("{found:?}"))
            }
        };
        Attempt {
            called,
            version,
            is_good,
            outcome,
            connections: count(&self.server.connections) - connections,
            requests: count(&self.server.requests) - requests,
        }
    }
}

/// A server that accepts connections over a transport of its own.
fn start() -> (InprocTransport, Arc<Server>) {
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
    (transport, server)
}

fn client(transport: InprocTransport) -> Orb {
    let protocol = Arc::new(InprocProtocol::new(transport));
    let orb = Orb::builder().without_environment().protocol(protocol).build();
    orb.expect("a client")
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
                if let Some(asked) = Asked::by(message, &header) {
                    self.requests.fetch_add(1, Ordering::SeqCst);
                    let (octets, lives) = asked.answer(&mut self.random());
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

const VERSIONS: [GiopVersion; 3] = [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2];

/// What a client waits for.
#[derive(Clone, Copy, Debug)]
struct Asked {
    id: u32,
    version: GiopVersion,
    order: ByteOrder,
    is_locate: bool,
}

impl Asked {
    fn by(message: &[u8], header: &MessageHeader) -> Option<Self> {
        let (version, order) = (header.version, header.order);
        let (id, is_locate) = match header.kind {
            MessageKind::Request => {
                let (request, _) = RequestHeader::read(message, header).expect("a request");
                (request.request_id, false)
            }
            MessageKind::LocateRequest => {
                let request = LocateRequestHeader::read(message, header).expect("a request");
                (request.request_id, true)
            }
            _ => return None,
        };
        Some(Self { id, version, order, is_locate })
    }

    /// The answer, and whether the connection goes on. It ends behind anything but a good reply: a client without a
    /// time limit would wait for the rest of a message.
    fn answer(self, random: &mut Generator) -> (Vec<u8>, bool) {
        let mut octets = Vec::new();
        for _ in 0..random.below(MAX_ANSWERS) {
            octets.extend(self.message(random));
        }
        let lives = octets.is_empty();
        if lives {
            octets.extend(match self.is_locate {
                true => self.locate_reply(LocateStatus::ObjectHere, &[]),
                false => self.reply(ReplyStatus::NoException, &[], &RESULT.to_ne_bytes()),
            });
        }
        (octets, lives)
    }

    fn reply(self, status: ReplyStatus, contexts: &[ServiceContext<'_>], body: &[u8]) -> Vec<u8> {
        let mut octets = Vec::new();
        let (version, order) = (self.version, self.order);
        let reply = MessageWriter::reply(&mut octets, version, order, self.id, status, contexts);
        let mut reply = reply.expect("a reply");
        reply.body(Default::default()).put(body);
        reply.finish().expect("a reply");
        octets
    }

    fn locate_reply(self, status: LocateStatus, body: &[u8]) -> Vec<u8> {
        let mut octets = Vec::new();
        let (version, order) = (self.version, self.order);
        let reply = MessageWriter::locate_reply(&mut octets, version, order, self.id, status);
        let mut reply = reply.expect("a reply");
        reply.body(Default::default()).put(body);
        reply.finish().expect("a reply");
        octets
    }

    /// A good reply of any status that the version has, and for either question.
    fn any_reply(self, random: &mut Generator) -> Vec<u8> {
        let statuses = |before: usize, all: usize| match self.version {
            GiopVersion::V1_2 => all,
            _ => before,
        };
        // Now and then the answer to the other question.
        if self.is_locate != (random.below(16) == 0) {
            let all = [
                LocateStatus::UnknownObject,
                LocateStatus::ObjectHere,
                LocateStatus::ObjectForward,
                LocateStatus::ObjectForwardPerm,
                LocateStatus::LocSystemException,
                LocateStatus::LocNeedsAddressingMode,
            ];
            let status = all[random.below(statuses(3, all.len()))];
            let like = match status {
                LocateStatus::ObjectForward => ReplyStatus::LocationForward,
                LocateStatus::ObjectForwardPerm => ReplyStatus::LocationForwardPerm,
                LocateStatus::LocSystemException => ReplyStatus::SystemException,
                LocateStatus::LocNeedsAddressingMode => ReplyStatus::NeedsAddressingMode,
                _ => return self.locate_reply(status, &[]),
            };
            return self.locate_reply(status, &self.body(like, random));
        }
        let all = [
            ReplyStatus::NoException,
            ReplyStatus::UserException,
            ReplyStatus::SystemException,
            ReplyStatus::LocationForward,
            ReplyStatus::LocationForwardPerm,
            ReplyStatus::NeedsAddressingMode,
        ];
        let status = all[random.below(statuses(4, all.len()))];
        let contexts = contexts(random);
        self.reply(status, &contexts, &self.body(status, random))
    }

    /// One message of a hostile answer.
    fn message(mut self, random: &mut Generator) -> Vec<u8> {
        if random.below(4) == 0 {
            // That of the next request or an earlier one, or of none.
            let bits = [4, 32][random.below(2)];
            self.id ^= 1 << random.below(bits);
        }
        // Or in another version than the request.
        if random.below(16) == 0 {
            self.version = VERSIONS[random.below(VERSIONS.len())];
        }
        let mut octets = self.any_reply(random);
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
                let (version, order) = (self.version, self.order);
                match random.below(3) {
                    0 => MessageWriter::close_connection(&mut octets, version, order),
                    1 => MessageWriter::message_error(&mut octets, order),
                    _ => MessageWriter::cancel_request(&mut octets, version, order, self.id),
                }
            }
            _ => {}
        }
        octets
    }

    /// A body for the status: what the standard asks for, or not all of it.
    fn body(self, status: ReplyStatus, random: &mut Generator) -> Vec<u8> {
        let mut body = match status {
            ReplyStatus::NoException => RESULT.to_ne_bytes().to_vec(),
            ReplyStatus::UserException => {
                let ids = ["Empty", "Refused", "Nobody"];
                string(&format!("IDL:fuzz.zorb/Fuzz/{}:1.0", ids[random.below(ids.len())]))
            }
            ReplyStatus::SystemException => {
                let mut body = string("IDL:omg.org/CORBA/TRANSIENT:1.0");
                body.extend_from_slice(&(random.below(4) as u32).to_ne_bytes());
                body.extend_from_slice(&(random.below(5) as u32).to_ne_bytes());
                body
            }
            ReplyStatus::NeedsAddressingMode => (random.below(5) as u16).to_ne_bytes().to_vec(),
            // To this server again.
            _ => {
                let ior = reference_of(VERSIONS[random.below(VERSIONS.len())]);
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
}

/// The sum that the client asks for.
const RESULT: u32 = 5;

/// Service contexts of a reply, of which none or one belongs into it.
fn contexts(random: &mut Generator) -> Vec<ServiceContext<'static>> {
    let ids = [
        ServiceId::CODE_SETS,
        ServiceId::BI_DIR_IIOP,
        ServiceId::RT_CORBA_PRIORITY,
        ServiceId::EXCEPTION_DETAIL_MESSAGE,
        ServiceId(u32::MAX),
    ];
    (0..random.below(4))
        .map(|_| {
            let data = match random.below(3) {
                // Two code sets, of which there may be none by that number.
                0 => {
                    [&[1, 0, 0, 0][..], &[1, 0, 1, 5], &[9, 1, 1, random.below(256) as u8]].concat()
                }
                1 => vec![random.below(256) as u8; random.below(12)],
                _ => Vec::new(),
            };
            ServiceContext { id: ids[random.below(ids.len())], data: data.into() }
        })
        .collect()
}

/// A string of CDR, padded for a ulong behind it.
fn string(text: &str) -> Vec<u8> {
    let mut octets = (text.len() as u32 + 1).to_ne_bytes().to_vec();
    octets.extend_from_slice(text.as_bytes());
    octets.push(0);
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets
}
