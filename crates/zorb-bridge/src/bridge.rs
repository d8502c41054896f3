//! The bridge.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use zorb_giop::{Corbaloc, CorbalocAddress, Ior};
use zorb_os::lock::{Condition, Lock, Locked};
use zorb_transport::{Acceptor, Endpoint, ListenOptions, Protocol, ProtocolRegistry};

use crate::accept::accept;
use crate::error::BridgeError;
use crate::forwarding::ForwardedKeys;
use crate::framing::Framing;
use crate::link::Link;
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
    shared: Arc<Shared>,
    acceptors: Vec<Arc<dyn Acceptor>>,
    threads: Lock<Vec<JoinHandle<()>>>,
}

/// The state shared by all connections of a bridge.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) registry: Arc<ProtocolRegistry>,
    pub(crate) settings: Settings,
    pub(crate) target: Target,
    pub(crate) references: ReferenceTemplate,
    pub(crate) forwarded: ForwardedKeys,
    closed: AtomicBool,
    links: Lock<Links>,
    left: Condition,
}

#[derive(Debug, Default)]
struct Links {
    open: HashMap<u64, Arc<Link>>,
    next: u64,
    /// The statistics of closed connections.
    past: Statistics,
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
        let shared = Arc::new(Shared {
            registry: Arc::clone(registry),
            settings,
            target,
            references,
            forwarded: ForwardedKeys::default(),
            closed: AtomicBool::new(false),
            links: Lock::default(),
            left: Condition::new(),
        });
        let acceptors = listeners.iter().map(|(_, acceptor)| Arc::clone(acceptor)).collect();
        // If a thread cannot be started, dropping this closes everything.
        let bridge = Self { shared, acceptors, threads: Lock::default() };
        for (protocol, acceptor) in listeners {
            bridge.start(Framing(protocol.messaging()), acceptor).map_err(BridgeError::Thread)?;
        }
        Ok(bridge)
    }

    fn start(&self, framing: Framing, acceptor: Arc<dyn Acceptor>) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new()
            .name("zorb-bridge-accept".to_owned())
            .spawn(move || accept(&shared, framing, &*acceptor))?;
        self.threads.lock().push(thread);
        Ok(())
    }

    /// The object reference for clients: the target's type and key, at the endpoints of the bridge.
    ///
    /// # Errors
    /// None, once the bridge is open.
    pub fn reference(&self) -> Result<Ior, BridgeError> {
        let Shared { target, references, .. } = &*self.shared;
        Ok(references.reference(&target.type_id, &target.key)?)
    }

    /// The reference as a `corbaloc` URL, which does not contain the type.
    #[must_use]
    pub fn corbaloc(&self) -> String {
        let Shared { target, references, .. } = &*self.shared;
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
        self.shared
            .references
            .profiles
            .iter()
            .flat_map(|profile| profile.endpoints.clone())
            .collect()
    }

    /// The statistics of the bridge.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let links = self.shared.links();
        let mut all = links.past;
        links.open.values().for_each(|link| all.add(&link.statistics()));
        all
    }

    /// The number of connected clients.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.links().open.len()
    }

    /// Stops listening, closes all connections and waits up to two seconds for their threads.
    /// Closing again has no effect.
    pub fn close(&self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.acceptors.iter().for_each(|acceptor| acceptor.close());
        let threads = std::mem::take(&mut *self.threads.lock());
        for thread in threads {
            // A thread that panicked has ended, too.
            let _ = thread.join();
        }
        let links = self.shared.links();
        links.open.values().for_each(|link| link.close());
        let left = &self.shared.left;
        drop(left.wait_while(links, CLOSE_TIMEOUT, |links| !links.open.is_empty()));
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    /// Whether requests for the object with this key are forwarded.
    pub(crate) fn leads_to(&self, key: &[u8]) -> bool {
        key == self.target.key || self.settings.all_objects || self.forwarded.contains(key)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn links(&self) -> Locked<'_, Links> {
        self.links.lock()
    }

    /// Adds a connection to the list unless the limit is reached.
    pub(crate) fn enter(&self, link: &Arc<Link>) -> Option<u64> {
        let mut links = self.links();
        if links.open.len() >= self.settings.max_connections || self.is_closed() {
            return None;
        }
        let number = links.next;
        links.next += 1;
        links.open.insert(number, Arc::clone(link));
        Some(number)
    }

    pub(crate) fn leave(&self, number: u64) {
        let mut links = self.links();
        if let Some(link) = links.open.remove(&number) {
            links.past.add(&link.statistics());
        }
        drop(links);
        self.left.tell_all();
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
    if Framing(protocol.messaging()).remembers() {
        return Err(BridgeError::Stateful(url.to_owned()));
    }
    let options = ListenOptions { stream: settings.stream.clone(), ..ListenOptions::default() };
    let acceptor = protocol.transport().listen(url, &options)?;
    Ok((protocol, acceptor))
}
