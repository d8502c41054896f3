//! A hostile server that knows GIOP: it answers each request and LocateRequest, in all versions, with replies that are
//! valid except for the faults of its seed.

mod answers;
mod pending;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use zorb::protocols::IiopProtocol;
use zorb_bridge::{Bridge, Settings};
use zorb_core::Orb;
use zorb_giop::{GiopVersion, Ior, MessageHeader};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{
    Acceptor, ListenOptions, Protocol, ProtocolRegistry, Stream, StreamOptions, Transport,
};

use crate::echo_idl::fuzz;
use crate::mutation::Generator;
use crate::targets::client::{ENDPOINT, reference_at, reference_of};
use crate::targets::echo;

use answers::Asked;

pub use pending::Together;

const VERSIONS: [GiopVersion; 3] = [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2];

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
    /// What its forwards lead to: itself, in each of the versions.
    references: [Ior; VERSIONS.len()],
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
        Self::of(client(Arc::new(InprocProtocol::new(transport))), server)
    }

    /// Starts the server over TCP.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn over_tcp() -> Self {
        let iiop = Arc::new(IiopProtocol::new());
        let listening = iiop.transport().listen("iiop://127.0.0.1:0", &ListenOptions::default());
        let acceptor = listening.expect("an endpoint");
        let (host, port) = acceptor.endpoint().address().rsplit_once(':').expect("a port");
        let port = port.parse().expect("a port");
        let references = VERSIONS.map(|version| reference_at(version, host, port));
        Self::of(client(iiop), Server::start(Arc::clone(&acceptor), references))
    }

    fn of(orb: Orb, server: Arc<Server>) -> Self {
        let text = |reference: &Ior| reference.to_stringified().expect("text");
        let references = server.references.each_ref().map(text);
        Self { orb, server, references, _bridges: Vec::new() }
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
        let orb = client(Arc::new(InprocProtocol::new(transport)));
        Self { orb, server, references, _bridges: bridges.into() }
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
    (transport, Server::start(acceptor, VERSIONS.map(reference_of)))
}

fn client(protocol: Arc<dyn Protocol>) -> Orb {
    let orb = Orb::builder().without_environment().protocol(protocol).build();
    orb.expect("a client")
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl Server {
    fn start(acceptor: Arc<dyn Acceptor>, references: [Ior; VERSIONS.len()]) -> Arc<Self> {
        let server = Arc::new(Self {
            references,
            random: Mutex::new(Generator::new(0)),
            connections: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
        });
        let serving = Arc::clone(&server);
        std::thread::spawn(move || serving.accept(&*acceptor));
        server
    }

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
                if let Some(asked) = Asked::by(message, &header, &self.references) {
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
