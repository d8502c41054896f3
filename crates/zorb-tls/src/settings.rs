//! The settings of TLS.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use zorb_transport::PeerIdentity;

/// The default time limit of handshakes.
pub(crate) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Certificates or a key in PEM: a file, which is reloaded when it changes, or text.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pem {
    /// A file.
    File(PathBuf),
    /// The text itself.
    Text(Vec<u8>),
}

impl Pem {
    /// A PEM file.
    #[must_use]
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self::File(path.as_ref().to_owned())
    }

    /// PEM text.
    #[must_use]
    pub fn text(text: impl AsRef<[u8]>) -> Self {
        Self::Text(text.as_ref().to_vec())
    }
}

/// The file, or that it is text; text may contain a key and is not shown.
impl fmt::Display for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Text(_) => f.write_str("given as text"),
        }
    }
}

/// Does not show text, which may contain a key.
impl fmt::Debug for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "Pem({})", path.display()),
            Self::Text(_) => f.write_str("Pem(text)"),
        }
    }
}

/// Whether a server requests certificates from its clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientCertificates {
    /// The server requests a certificate, and rejects clients without one. The default.
    #[default]
    Required,
    /// The server requests a certificate, and accepts clients without one. A certificate that a
    /// client sends must be valid.
    Optional,
    /// The server requests no certificate.
    NotRequested,
}

/// Decides whether a client with a valid certificate is admitted.
pub(crate) type Admit = Arc<dyn Fn(&PeerIdentity) -> bool + Send + Sync>;

/// The settings of TLS. Set them with the methods, then call [`build`](Self::build).
///
/// ```no_run
/// use zorb_tls::{Pem, Settings};
///
/// let tls = Settings::new()
///     .certificate(Pem::file("server.pem"), Pem::file("server.key"))
///     .roots(Pem::file("ca.pem"))
///     .allow("dns:console.example.com")
///     .build()?;
/// # Ok::<(), zorb_tls::TlsError>(())
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct Settings {
    pub(crate) certificate: Option<Pem>,
    pub(crate) key: Option<Pem>,
    pub(crate) roots: Option<Pem>,
    pub(crate) clients: ClientCertificates,
    pub(crate) server_name: Option<String>,
    pub(crate) allowed: Vec<String>,
    pub(crate) admit: Option<Admit>,
    pub(crate) handshake_timeout: Option<Duration>,
}

impl Settings {
    /// No own certificate, no trusted roots, and clients must have a certificate.
    pub fn new() -> Self {
        Self::default()
    }

    /// This side's certificate with its chain, without the root, and its private key (PKCS #8, PKCS
    /// #1 or SEC 1, not encrypted). Servers need it; clients send it to servers that request it.
    pub fn certificate(mut self, chain: Pem, key: Pem) -> Self {
        (self.certificate, self.key) = (Some(chain), Some(key));
        self
    }

    /// The certificates of the trusted authorities.
    pub fn roots(mut self, roots: Pem) -> Self {
        self.roots = Some(roots);
        self
    }

    /// Whether certificates of clients are requested.
    pub fn client_certificates(mut self, clients: ClientCertificates) -> Self {
        self.clients = clients;
        self
    }

    /// The name, or IP address, that certificates of servers must be valid for, instead of the
    /// endpoint's host.
    pub fn server_name(mut self, name: impl Into<String>) -> Self {
        self.server_name = Some(name.into());
        self
    }

    /// Admits only clients with one of these names: the subject (`CN=console,O=Example`), a name
    /// (`dns:console.example.com`, `uri:...`, `ip:...`, `email:...`), or the fingerprint (`sha256:`
    /// and 64 hexadecimal digits). May be called repeatedly.
    pub fn allow(mut self, client: impl Into<String>) -> Self {
        self.allowed.push(client.into());
        self
    }

    /// Admits only clients for which `admit` returns true. It is called during the handshake, after
    /// the certificate was verified.
    pub fn admit(mut self, admit: impl Fn(&PeerIdentity) -> bool + Send + Sync + 'static) -> Self {
        self.admit = Some(Arc::new(admit));
        self
    }

    /// The maximum time of a handshake. Default: 10 s.
    pub fn handshake_timeout(mut self, timeout: Duration) -> Self {
        self.handshake_timeout = Some(timeout);
        self
    }

    pub(crate) fn time_limit(&self) -> Duration {
        self.handshake_timeout.unwrap_or(HANDSHAKE_TIMEOUT)
    }

    /// Whether only some clients are admitted.
    pub(crate) fn is_selective(&self) -> bool {
        !self.allowed.is_empty() || self.admit.is_some()
    }

    /// Whether a client with a valid certificate is admitted.
    pub(crate) fn admits(&self, client: &PeerIdentity) -> bool {
        let listed =
            self.allowed.is_empty() || self.allowed.iter().any(|name| client.has_name(name));
        listed && self.admit.as_ref().is_none_or(|admit| admit(client))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("certificate", &self.certificate)
            .field("key", &self.key)
            .field("roots", &self.roots)
            .field("clients", &self.clients)
            .field("server_name", &self.server_name)
            .field("allowed", &self.allowed)
            .finish_non_exhaustive()
    }
}
