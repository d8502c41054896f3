//! Settings in force: certificates that are read again when they change.

use std::fmt;
use std::sync::Arc;

use zorb_os::lock::{Lock, Locked};

use crate::credentials::{Credentials, Stamp, stamps};
use crate::error::TlsError;
use crate::settings::Settings;

/// TLS set up: what is checked, shown and asked for in handshakes. Clones are the same.
///
/// The files of the settings are looked at with every handshake and read again when they have
/// changed. Where they cannot be read then, or do not fit together, what was in force stays so and a
/// warning says why: a certificate and its key need not be replaced in one step.
#[derive(Clone)]
pub struct Tls(Arc<Shared>);

struct Shared {
    settings: Arc<Settings>,
    state: Lock<State>,
}

struct State {
    credentials: Credentials,
    /// What the files were like when they were last read, with or without success.
    seen: Vec<Stamp>,
}

impl Settings {
    /// Reads the certificates and the key.
    ///
    /// # Errors
    /// [`TlsError`]: which file or setting, and what is wrong with it.
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

    /// Reads the files again, whether or not they seem to have changed. The next handshakes use what
    /// they hold; connections that stand are left alone.
    ///
    /// # Errors
    /// [`TlsError`]: which file, and what is wrong with it. What was in force stays so.
    pub fn reload(&self) -> Result<(), TlsError> {
        let seen = stamps(&self.0.settings);
        let credentials = Credentials::load(&self.0.settings)?;
        *self.state() = State { credentials, seen };
        Ok(())
    }

    /// What the next handshake uses.
    pub(crate) fn current(&self) -> Credentials {
        let seen = stamps(&self.0.settings);
        let mut state = self.state();
        if state.seen != seen {
            state.seen = seen;
            match Credentials::load(&self.0.settings) {
                Ok(credentials) => {
                    state.credentials = credentials;
                    tracing::info!("certificates read again");
                }
                Err(error) => {
                    tracing::warn!(%error, "the changed certificates are not used");
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
