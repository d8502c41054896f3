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
use crate::published::{Offer, Published};
use crate::settings::Settings;
use crate::statistics::Statistics;
use crate::target::Target;

/// How long closing waits for connections to end.
const FAREWELL: Duration = Duration::from_secs(2);

/// An open bridge: it listens on one or several endpoints, and passes on what comes to the target.
///
/// Its [`reference`](Self::reference) is for clients: it is the target's, with the bridge's addresses.
/// Connections are made to the server when clients send their first request. Dropping the bridge
/// closes it.
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

/// What all connections of a bridge share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) registry: Arc<ProtocolRegistry>,
    pub(crate) settings: Settings,
    pub(crate) target: Target,
    pub(crate) published: Published,
    pub(crate) forwarded: ForwardedKeys,
    closed: AtomicBool,
    links: Lock<Links>,
    left: Condition,
}

#[derive(Debug, Default)]
struct Links {
    open: HashMap<u64, Arc<Link>>,
    next: u64,
    /// What went over those that are no more.
    past: Statistics,
}

impl Bridge {
    /// Listens on each of the URLs, and leads to `target`. The protocols are those of `registry`.
    ///
    /// # Errors
    /// A URL cannot be listened on, or the target cannot be reached by any protocol.
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
        let published = listeners.iter().map(|(protocol, acceptor)| {
            Offer::new(protocol, acceptor.published().to_vec(), &target)
        });
        let published = Published { offers: published.collect::<Result<_, _>>()? };
        published.reference(&target.type_id, &target.key)?;
        let shared = Arc::new(Shared {
            registry: Arc::clone(registry),
            settings,
            target,
            published,
            forwarded: ForwardedKeys::default(),
            closed: AtomicBool::new(false),
            links: Lock::default(),
            left: Condition::new(),
        });
        let acceptors = listeners.iter().map(|(_, acceptor)| Arc::clone(acceptor)).collect();
        // Dropped when a thread cannot be started, it closes what is open.
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

    /// The reference for clients: of the target's type and key, at the endpoints of the bridge.
    ///
    /// # Errors
    /// None, once the bridge is open.
    pub fn reference(&self) -> Result<Ior, BridgeError> {
        let Shared { target, published, .. } = &*self.shared;
        Ok(published.reference(&target.type_id, &target.key)?)
    }

    /// The same as a `corbaloc` URL, which does not tell the type.
    #[must_use]
    pub fn corbaloc(&self) -> String {
        let Shared { target, published, .. } = &*self.shared;
        let addresses = published.offers.iter().flat_map(|offer| {
            offer.endpoints.iter().map(|endpoint| CorbalocAddress {
                protocol: offer.protocol.corbaloc_prefix().to_owned(),
                version: Some(offer.version),
                address: endpoint.address().to_owned(),
            })
        });
        let corbaloc = Corbaloc { addresses: addresses.collect(), key: target.key.clone() };
        format!("corbaloc:{corbaloc}")
    }

    /// Where the bridge listens, as its references say it.
    #[must_use]
    pub fn endpoints(&self) -> Vec<Endpoint> {
        self.shared.published.offers.iter().flat_map(|offer| offer.endpoints.clone()).collect()
    }

    /// What has gone over the bridge.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let links = self.shared.links();
        let mut all = links.past;
        links.open.values().for_each(|link| all.add(&link.statistics()));
        all
    }

    /// How many clients are connected.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.links().open.len()
    }

    /// Stops listening, ends all connections and waits for their threads, two seconds at most. Doing it
    /// twice is harmless.
    pub fn close(&self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.acceptors.iter().for_each(|acceptor| acceptor.close());
        let threads = std::mem::take(&mut *self.threads.lock());
        for thread in threads {
            // One that panicked has ended, too.
            let _ = thread.join();
        }
        let links = self.shared.links();
        links.open.values().for_each(|link| link.close());
        let left = &self.shared.left;
        drop(left.wait_while(links, FAREWELL, |links| !links.open.is_empty()));
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    /// Whether requests for the object of this key go over.
    pub(crate) fn leads_to(&self, key: &[u8]) -> bool {
        key == self.target.key || self.settings.all_objects || self.forwarded.contains(key)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn links(&self) -> Locked<'_, Links> {
        self.links.lock()
    }

    /// Puts a connection on the list, if there is room for it.
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

/// An open endpoint and its protocol.
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
        return Err(BridgeError::Remembers(url.to_owned()));
    }
    let options = ListenOptions { stream: settings.stream.clone(), ..ListenOptions::default() };
    let acceptor = protocol.transport().listen(url, &options)?;
    Ok((protocol, acceptor))
}
