//! The state shared by all connections of a bridge.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use zorb_base::message_budget::budget;
use zorb_base::process_limits::{max_bridged_connections, max_threads};
use zorb_base::threads::ThreadCount;
use zorb_giop::TimeLimits;
use zorb_os::lock::Lock;
use zorb_transport::{LogLimit, PeerShares, ProtocolRegistry};

use crate::reference::ReferenceTemplate;
use crate::settings::Settings;
use crate::target::Target;
use crate::timing::Timing;

/// What all connections of a bridge use.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) registry: Arc<ProtocolRegistry>,
    pub(crate) settings: Settings,
    pub(crate) target: Target,
    pub(crate) references: ReferenceTemplate,
    pub(crate) forwarded: ForwardedKeys,
    /// The accounts that the messages of each peer are charged to.
    pub(crate) shares: PeerShares,
    /// The maximum number of clients.
    pub(crate) max_connections: usize,
    /// Its threads for clients, among those that the process may have.
    pub(crate) threads: Arc<ThreadCount>,
    pub(crate) timing: Timing,
    /// How often clients have left octets unread.
    pub(crate) stalls: AtomicU64,
    /// Limits messages about clients that are rejected.
    pub(crate) rejections: LogLimit,
    /// Limits messages about connections to the target that fail.
    pub(crate) connect_failures: LogLimit,
    closed: AtomicBool,
}

impl Context {
    pub(crate) fn new(
        registry: &Arc<ProtocolRegistry>,
        settings: Settings,
        target: Target,
        references: ReferenceTemplate,
    ) -> Self {
        let limit = settings.max_buffered_octets_per_peer;
        let or_default = |limit, default: fn() -> usize| if limit == 0 { default() } else { limit };
        Self {
            max_connections: or_default(settings.max_connections, max_bridged_connections),
            threads: ThreadCount::new(or_default(settings.max_threads, max_threads)),
            timing: Timing::new(TimeLimits {
                message: settings.message_timeout,
                first: settings.first_message_timeout,
                ..TimeLimits::default()
            }),
            stalls: AtomicU64::new(0),
            registry: Arc::clone(registry),
            shares: PeerShares::new(&budget(settings.max_buffered_octets), limit),
            settings,
            target,
            references,
            forwarded: ForwardedKeys::default(),
            rejections: LogLimit::default(),
            connect_failures: LogLimit::default(),
            closed: AtomicBool::new(false),
        }
    }

    /// Whether requests for the object with this key are forwarded.
    pub(crate) fn serves(&self, key: &[u8]) -> bool {
        key == self.target.key || self.settings.all_objects || self.forwarded.contains(key)
    }

    /// Rejects new connections from now on.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }
}

/// The maximum number of object keys that clients may have been forwarded to.
const MAX_KEYS: usize = 1024;

/// The keys of objects of the target's server that it has forwarded clients to.
#[derive(Debug, Default)]
pub(crate) struct ForwardedKeys(Lock<Vec<Vec<u8>>>);

impl ForwardedKeys {
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        self.0.lock().iter().any(|known| known == key)
    }

    /// Records a key; returns whether there was room for it.
    pub(crate) fn insert(&self, key: &[u8]) -> bool {
        let mut keys = self.0.lock();
        if keys.iter().any(|known| known == key) {
            return true;
        }
        let has_room = keys.len() < MAX_KEYS;
        if has_room {
            keys.push(key.to_vec());
        }
        has_room
    }
}
