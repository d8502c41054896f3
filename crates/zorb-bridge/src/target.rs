//! Where messages go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use zorb_giop::{GiopVersion, Ior, TaggedComponent};
use zorb_transport::{
    ConnectError, ConnectOptions, Endpoint, Protocol, ProtocolRegistry, ResolvedProfile, Stream,
};

use crate::error::BridgeError;
use crate::framing::Framing;
use crate::settings::Settings;

/// The object that a bridge leads to, and the ways to its server.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) type_id: String,
    pub(crate) key: Vec<u8>,
    /// The lowest of the profiles.
    pub(crate) version: GiopVersion,
    pub(crate) components: Vec<TaggedComponent>,
    pub(crate) framing: Framing,
    ways: Vec<(Arc<dyn Protocol>, Endpoint)>,
    /// The way that worked last.
    preferred: AtomicUsize,
}

impl Target {
    /// The ways of the profiles that have the first usable one's object key and framing: for others the
    /// octets of messages would have to differ.
    pub(crate) fn new(registry: &ProtocolRegistry, ior: &Ior) -> Result<Self, BridgeError> {
        if ior.is_nil() {
            return Err(BridgeError::Nil);
        }
        let mut found: Option<Self> = None;
        let mut refused = None;
        for profile in &ior.profiles {
            let (protocol, resolved) = match registry.resolve(ior, profile) {
                Some(Ok(resolved)) => resolved,
                Some(Err(error)) => {
                    refused.get_or_insert(error);
                    continue;
                }
                None => continue,
            };
            if !protocol.carries_replies() || Framing(protocol.messaging()).remembers() {
                continue;
            }
            let framing = Framing(protocol.messaging());
            let target = found.get_or_insert_with(|| Self::begin(ior, framing, &resolved));
            if target.framing == framing && target.key == resolved.object_key {
                target.version = target.version.min(resolved.version);
                let endpoints = resolved.endpoints.into_iter();
                target.ways.extend(endpoints.map(|endpoint| (Arc::clone(&protocol), endpoint)));
            }
        }
        found.ok_or(BridgeError::NoWay(refused))
    }

    fn begin(ior: &Ior, framing: Framing, resolved: &ResolvedProfile) -> Self {
        Self {
            type_id: ior.type_id.clone(),
            key: resolved.object_key.clone(),
            version: resolved.version,
            components: resolved.components.clone(),
            framing,
            ways: Vec::new(),
            preferred: AtomicUsize::new(0),
        }
    }

    /// Whether the target's server is to be reached at `endpoint`.
    pub(crate) fn is_at(&self, endpoint: &Endpoint) -> bool {
        self.ways.iter().any(|(_, known)| known == endpoint)
    }

    pub(crate) fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.ways.iter().map(|(_, endpoint)| endpoint)
    }

    /// Connects in the way that worked last, or else in the next one that works.
    pub(crate) fn connect(
        &self,
        settings: &Settings,
    ) -> Result<Arc<dyn Stream>, Option<ConnectError>> {
        let deadline = Instant::now() + settings.connect_timeout;
        let first = self.preferred.load(Ordering::Relaxed);
        let mut failure = None;
        for step in 0..self.ways.len() {
            let number = (first + step) % self.ways.len();
            let Some((protocol, endpoint)) = self.ways.get(number) else { continue };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let mut options = ConnectOptions::with_timeout(Some(left));
            options.stream = settings.stream.clone();
            match protocol.transport().connect(endpoint, &options) {
                Ok(stream) => {
                    self.preferred.store(number, Ordering::Relaxed);
                    return Ok(stream);
                }
                Err(error) => {
                    tracing::debug!(%error, "a way to the target does not work");
                    failure = Some(error);
                }
            }
        }
        Err(failure)
    }
}
