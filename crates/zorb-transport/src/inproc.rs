//! A transport inside one process: `inproc://name`.
//!
//! Two bounded pipes in memory make a connection. It keeps every promise of the traits (time-outs,
//! shutdown, back-pressure, stale detection) without a system call or a port number, so that
//! tests of what lies above run fast and alone. Each [`InprocTransport`] made with
//! [`new`](InprocTransport::new) is a small world with its own names; clones share it.
#![expect(clippy::disallowed_types, reason = "for tests in one process; lanes do not listen here")]

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

/// The in-process transport: a world of named endpoints.
///
/// A name is letters, digits, `.`, `-` and `_`. Listening on an empty name makes one up
/// (`auto-1`), as port 0 does in TCP.
#[derive(Debug, Clone, Default)]
pub struct InprocTransport {
    world: Arc<World>,
}

#[derive(Debug, Default)]
struct World {
    listeners: Mutex<HashMap<Endpoint, Weak<Listener>>>,
    names_made_up: AtomicU64,
    connections: AtomicU64,
}

impl World {
    fn listeners(&self) -> MutexGuard<'_, HashMap<Endpoint, Weak<Listener>>> {
        lock(&self.listeners)
    }
}

impl InprocTransport {
    /// A transport with no endpoints, whose names mean nothing to any other.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn named(text: &str) -> Result<Endpoint, EndpointError> {
        let name = strip_scheme(SCHEME, text)?;
        if name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')) {
            Endpoint::new(SCHEME, name)
        } else {
            Err(EndpointError::new(text, "a name is letters, digits, '.', '-' and '_'"))
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
        let listener = self.world.listeners().get(endpoint).and_then(Weak::upgrade);
        let listener = listener.ok_or_else(|| fail(io::ErrorKind::ConnectionRefused.into()))?;
        let number = self.world.connections.fetch_add(1, Ordering::Relaxed) + 1;
        let client = format!("{SCHEME}://client-{number}");
        listener.connect(&client, options).map_err(fail)
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let mut endpoint = Self::named(url)?;
        let mut listeners = self.world.listeners();
        listeners.retain(|_, listener| listener.upgrade().is_some_and(|found| !found.is_closed()));
        while endpoint.address().is_empty() {
            let number = self.world.names_made_up.fetch_add(1, Ordering::Relaxed) + 1;
            let made_up = Endpoint::new(SCHEME, &format!("auto-{number}"))?;
            if !listeners.contains_key(&made_up) {
                endpoint = made_up;
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
}
