//! The bridge.

use std::sync::Arc;
use std::time::Duration;

use zorb_base::accepting::accept;
use zorb_base::threads::ThreadCount;
use zorb_giop::{Corbaloc, CorbalocAddress, Ior};
use zorb_os::event::EventFd;
use zorb_transport::{Acceptor, Endpoint, ListenOptions, Protocol, ProtocolRegistry};

use crate::admission::BridgeAdmission;
use crate::clients::Clients;
use crate::context::Context;
use crate::error::BridgeError;
use crate::framing::Framing;
use crate::reference::{EndpointProfile, ReferenceTemplate};
use crate::settings::Settings;
use crate::statistics::Statistics;
use crate::target::Target;

/// How long closing waits for connections to end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// An open bridge: it listens on one or more endpoints and forwards requests to the target.
///
/// Its [`reference`](Self::reference) is for clients: the target's reference with the endpoints of
/// the bridge. The bridge connects to the server when a client sends its first request. Dropping
/// the bridge closes it.
///
/// ```
/// use std::sync::Arc;
///
/// use zorb_bridge::{Bridge, Settings};
/// use zorb_giop::{GiopVersion, Ior};
/// use zorb_transport::inproc::{InprocProtocol, InprocTransport};
/// use zorb_transport::{Endpoint, Protocol, ProtocolRegistry};
///
/// let protocol = InprocProtocol::new(InprocTransport::new());
/// let server = Endpoint::new("inproc", "server")?;
/// let profile = protocol.encode_profile(&[server], GiopVersion::HIGHEST, b"key", &[])?;
/// let target = Ior { type_id: "IDL:Greeter:1.0".to_owned(), profiles: vec![profile] };
/// let registry = Arc::new(ProtocolRegistry::new());
/// registry.register(Arc::new(protocol))?;
///
/// let bridge = Bridge::open(&registry, &target, &["inproc://bridge"], Settings::default())?;
/// assert_eq!(bridge.endpoints()[0].as_str(), "inproc://bridge");
/// assert_eq!(bridge.reference()?.type_id, "IDL:Greeter:1.0");
/// bridge.close();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Bridge {
    pub(crate) clients: Arc<Clients>,
    acceptors: Vec<Arc<dyn Acceptor>>,
    /// The threads that accept clients, and the thread that times their messages.
    threads: Arc<ThreadCount>,
}

impl Bridge {
    /// Listens on each of the URLs and forwards to `target`, with the protocols of `registry`.
    ///
    /// # Errors
    /// A URL cannot be listened on, or no protocol can reach the target.
    pub fn open<U: AsRef<str>>(
        registry: &Arc<ProtocolRegistry>,
        target: &Ior,
        urls: &[U],
        settings: Settings,
    ) -> Result<Self, BridgeError> {
        let target = Target::new(registry, target)?;
        let mut listeners = Vec::new();
        for url in urls {
            let (protocol, acceptor) = listen(registry, url.as_ref(), &settings)?;
            let own = |endpoint: &&Endpoint| acceptor.published().contains(endpoint);
            if let Some(endpoint) = target.endpoints().find(own) {
                return Err(BridgeError::Loop(endpoint.clone()));
            }
            listeners.push((protocol, acceptor));
        }
        if listeners.is_empty() {
            return Err(BridgeError::NoListener);
        }
        let references = listeners.iter().map(|(protocol, acceptor)| {
            EndpointProfile::new(protocol, acceptor.published().to_vec(), &target)
        });
        let references = ReferenceTemplate { profiles: references.collect::<Result<_, _>>()? };
        references.reference(&target.type_id, &target.key)?;
        let context = Context::new(registry, settings, target, references);
        let clients = Arc::new(Clients::new(context));
        let acceptors = listeners.iter().map(|(_, acceptor)| Arc::clone(acceptor)).collect();
        // If a thread cannot be started, dropping this closes everything.
        let threads = clients.context.threads.beside();
        let bridge = Self { clients, acceptors, threads };
        let context = Arc::clone(&bridge.clients.context);
        let timing = bridge.threads.spawn("zorb-bridge-time", move || context.timing.run());
        timing.map_err(BridgeError::Thread)?;
        for (protocol, acceptor) in listeners {
            bridge.start(Framing(protocol.messaging()), acceptor).map_err(BridgeError::Thread)?;
        }
        Ok(bridge)
    }

    fn start(&self, framing: Framing, acceptor: Arc<dyn Acceptor>) -> std::io::Result<()> {
        let admission = BridgeAdmission { clients: Arc::clone(&self.clients), framing };
        self.threads.spawn("zorb-bridge-accept", move || {
            accept(&*acceptor, &admission, EventFd::new().ok());
        })
    }

    /// The object reference for clients: the target's type and key, at the endpoints of the bridge.
    ///
    /// # Errors
    /// None, once the bridge is open.
    pub fn reference(&self) -> Result<Ior, BridgeError> {
        let Context { target, references, .. } = &*self.clients.context;
        Ok(references.reference(&target.type_id, &target.key)?)
    }

    /// The reference as a `corbaloc` URL, which does not contain the type.
    #[must_use]
    pub fn corbaloc(&self) -> String {
        let Context { target, references, .. } = &*self.clients.context;
        let addresses = references.profiles.iter().flat_map(|offer| {
            offer.endpoints.iter().map(|endpoint| CorbalocAddress {
                protocol: offer.protocol.corbaloc_prefix().to_owned(),
                version: Some(offer.version),
                address: endpoint.address().to_owned(),
            })
        });
        let corbaloc = Corbaloc { addresses: addresses.collect(), key: target.key.clone() };
        format!("corbaloc:{corbaloc}")
    }

    /// The endpoints of the bridge, as in its references.
    #[must_use]
    pub fn endpoints(&self) -> Vec<Endpoint> {
        self.clients
            .context
            .references
            .profiles
            .iter()
            .flat_map(|profile| profile.endpoints.clone())
            .collect()
    }

    /// The statistics of the bridge.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.clients.statistics()
    }

    /// The number of connected clients.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.clients.count()
    }

    /// Stops listening, closes all connections and waits up to two seconds for their threads.
    /// Closing again has no effect.
    pub fn close(&self) {
        self.clients.context.close();
        self.acceptors.iter().for_each(|acceptor| acceptor.close());
        self.clients.context.timing.stop();
        self.threads.join();
        self.clients.close(CLOSE_TIMEOUT);
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.close();
    }
}

/// A listening endpoint and its protocol.
type Listener = (Arc<dyn Protocol>, Arc<dyn Acceptor>);

fn listen(
    registry: &ProtocolRegistry,
    url: &str,
    settings: &Settings,
) -> Result<Listener, BridgeError> {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    let protocol =
        registry.by_scheme(scheme).ok_or_else(|| BridgeError::NoProtocol(url.to_owned()))?;
    if !protocol.carries_replies() {
        return Err(BridgeError::NoReplies(url.to_owned()));
    }
    if Framing(protocol.messaging()).has_state() {
        return Err(BridgeError::Stateful(url.to_owned()));
    }
    let mut options = ListenOptions::with_stream(settings.stream.clone());
    options.publish_rules = settings.publish_rules.clone();
    let acceptor = protocol.transport().listen(url, &options)?;
    Ok((protocol, acceptor))
}
