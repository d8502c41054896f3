//! Loaded settings: certificates that are reloaded when their files change.

use std::fmt;
use std::sync::Arc;

use zorb_os::lock::{Lock, Locked};

use crate::credentials::{Credentials, Stamp, stamps};
use crate::error::TlsError;
use crate::settings::Settings;

/// Loaded settings of TLS. Clones share their state.
///
/// Every handshake checks whether the files of the settings have changed, and reloads them. If they
/// cannot be read or do not match each other, the former certificates stay in use and a warning
/// gives the reason, so that a certificate and its key can be replaced one after the other.
#[derive(Clone)]
pub struct Tls(Arc<Shared>);

struct Shared {
    settings: Arc<Settings>,
    state: Lock<State>,
}

struct State {
    credentials: Credentials,
    /// The state of the files when they were last read, successfully or not.
    seen: Vec<Stamp>,
}

impl Settings {
    /// Loads the certificates and the key.
    ///
    /// # Errors
    /// [`TlsError`]: the file or setting, and the reason.
    pub fn build(self) -> Result<Tls, TlsError> {
        Tls::new(self)
    }
}

impl Tls {
    fn new(settings: Settings) -> Result<Self, TlsError> {
        let settings = Arc::new(settings);
        let seen = stamps(&settings);
        let credentials = Credentials::load(&settings)?;
        let state = Lock::new(State { credentials, seen });
        Ok(Self(Arc::new(Shared { settings, state })))
    }

    /// Reloads the files, whether or not they have changed. Later handshakes use their contents;
    /// existing connections are not affected.
    ///
    /// # Errors
    /// [`TlsError`]: the file, and the reason. The former certificates stay in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let seen = stamps(&self.0.settings);
        let credentials = Credentials::load(&self.0.settings)?;
        *self.state() = State { credentials, seen };
        Ok(())
    }

    /// The credentials for the next handshake.
    pub(crate) fn current(&self) -> Credentials {
        let seen = stamps(&self.0.settings);
        let mut state = self.state();
        if state.seen != seen {
            state.seen = seen;
            match Credentials::load(&self.0.settings) {
                Ok(credentials) => {
                    state.credentials = credentials;
                    tracing::info!("certificates reloaded");
                }
                Err(error) => {
                    tracing::warn!(%error, "changed certificates rejected, the former ones stay in use");
                }
            }
        }
        state.credentials.clone()
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    fn state(&self) -> Locked<'_, State> {
        self.0.state.lock()
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tls").field(&self.0.settings).finish()
    }
}
