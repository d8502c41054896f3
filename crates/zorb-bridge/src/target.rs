//! The target of a bridge.

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

/// The target object, and the endpoints of its server.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) type_id: String,
    pub(crate) key: Vec<u8>,
    /// The lowest version of the profiles.
    pub(crate) version: GiopVersion,
    pub(crate) components: Vec<TaggedComponent>,
    pub(crate) framing: Framing,
    endpoints: Vec<(Arc<dyn Protocol>, Endpoint)>,
    /// The index of the endpoint that worked last.
    preferred: AtomicUsize,
}

impl Target {
    /// The endpoints of the profiles with the same object key and framing as the first usable one:
    /// for others, messages would have to be changed.
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
            if !protocol.carries_replies() || Framing(protocol.messaging()).has_state() {
                continue;
            }
            let framing = Framing(protocol.messaging());
            let target = found.get_or_insert_with(|| Self::begin(ior, framing, &resolved));
            if target.framing == framing && target.key == resolved.object_key {
                target.version = target.version.min(resolved.version);
                let endpoints = resolved.endpoints.into_iter();
                target
                    .endpoints
                    .extend(endpoints.map(|endpoint| (Arc::clone(&protocol), endpoint)));
            }
        }
        found.ok_or(BridgeError::NoUsableProfile(refused))
    }

    fn begin(ior: &Ior, framing: Framing, resolved: &ResolvedProfile) -> Self {
        Self {
            type_id: ior.type_id.clone(),
            key: resolved.object_key.clone(),
            version: resolved.version,
            components: resolved.components.clone(),
            framing,
            endpoints: Vec::new(),
            preferred: AtomicUsize::new(0),
        }
    }

    /// Whether the target's server has the endpoint `endpoint`.
    pub(crate) fn is_at(&self, endpoint: &Endpoint) -> bool {
        self.endpoints.iter().any(|(_, known)| known == endpoint)
    }

    pub(crate) fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.endpoints.iter().map(|(_, endpoint)| endpoint)
    }

    /// Connects to the endpoint that worked last, or else to the next one that works.
    pub(crate) fn connect(
        &self,
        settings: &Settings,
    ) -> Result<Arc<dyn Stream>, Option<ConnectError>> {
        let deadline = Instant::now() + settings.connect_timeout;
        let first = self.preferred.load(Ordering::Relaxed);
        let mut failure = None;
        for step in 0..self.endpoints.len() {
            let number = (first + step) % self.endpoints.len();
            let Some((protocol, endpoint)) = self.endpoints.get(number) else { continue };
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
                    tracing::debug!(%error, "cannot connect to an endpoint of the target");
                    failure = Some(error);
                }
            }
        }
        Err(failure)
    }
}
