//! A transport inside one process: `inproc://name`.
//!
//! A connection is two bounded pipes in memory. It behaves like other transports (timeouts, shutdown,
//! back-pressure, detection of closed peers) without system calls and port numbers: tests of programs that use it are
//! fast and independent of each other. Each [`InprocTransport`] has its own names; its clones share them.
#![expect(clippy::disallowed_types, reason = "for tests; not used by lanes")]

mod listener;
mod pipe;
mod protocol;
mod stream;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use crate::{
    Acceptor, ConnectError, ConnectOptions, ConnectPhase, Endpoint, EndpointError, ListenError,
    ListenOptions, Stream, Transport, strip_scheme,
};
use listener::Listener;
use pipe::lock;

pub use pipe::DEFAULT_CAPACITY;
pub use protocol::InprocProtocol;
pub use stream::{SCHEME, pair};

/// The in-process transport, with named endpoints.
///
/// A name consists of letters, digits, `.`, `-` and `_`. Listening at an empty name chooses one
/// (`auto-1`), like port 0 in TCP.
#[derive(Debug, Clone, Default)]
pub struct InprocTransport {
    registry: Arc<Registry>,
}

#[derive(Debug, Default)]
struct Registry {
    listeners: Mutex<HashMap<Endpoint, Weak<Listener>>>,
    chosen_names: AtomicU64,
    connections: AtomicU64,
}

impl Registry {
    fn listeners(&self) -> MutexGuard<'_, HashMap<Endpoint, Weak<Listener>>> {
        lock(&self.listeners)
    }
}

impl InprocTransport {
    /// A transport with its own names, and without endpoints.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn named(text: &str) -> Result<Endpoint, EndpointError> {
        let name = strip_scheme(SCHEME, text)?;
        if name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')) {
            Endpoint::new(SCHEME, name)
        } else {
            Err(EndpointError::new(text, "a name consists of letters, digits, '.', '-' and '_'"))
        }
    }
}

impl Transport for InprocTransport {
    fn scheme(&self) -> &str {
        SCHEME
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        let endpoint = Self::named(text)?;
        if endpoint.address().is_empty() {
            return Err(EndpointError::new(text, "a name must follow"));
        }
        Ok(endpoint)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        if let Err(error) = self.parse_endpoint(endpoint.as_str()) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, error.reason());
            return Err(ConnectError::single(endpoint, ConnectPhase::Address, error));
        }
        let fail = |error| ConnectError::single(endpoint, ConnectPhase::Connect, error);
        let listener = self.registry.listeners().get(endpoint).and_then(Weak::upgrade);
        let listener = listener.ok_or_else(|| fail(io::ErrorKind::ConnectionRefused.into()))?;
        let number = self.registry.connections.fetch_add(1, Ordering::Relaxed) + 1;
        let client = format!("{SCHEME}://client-{number}");
        listener.connect(&client, options).map_err(fail)
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let mut endpoint = Self::named(url)?;
        let mut listeners = self.registry.listeners();
        listeners.retain(|_, listener| listener.upgrade().is_some_and(|found| !found.is_closed()));
        while endpoint.address().is_empty() {
            let number = self.registry.chosen_names.fetch_add(1, Ordering::Relaxed) + 1;
            let chosen = Endpoint::new(SCHEME, &format!("auto-{number}"))?;
            if !listeners.contains_key(&chosen) {
                endpoint = chosen;
            }
        }
        if listeners.contains_key(&endpoint) {
            return Err(ListenError::new(url, io::ErrorKind::AddrInUse.into()));
        }
        let published = match &options.published_host {
            Some(name) => Self::named(name)?,
            None => endpoint.clone(),
        };
        let listener = Listener::new(endpoint.clone(), published, options);
        listeners.insert(endpoint, Arc::downgrade(&listener));
        Ok(listener)
    }

    fn beside(&self, _acceptor: &dyn Acceptor) -> String {
        format!("{SCHEME}://")
    }
}
