//! What can be chosen about TLS.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use zorb_transport::PeerIdentity;

/// The handshake's time limit where none is set.
pub(crate) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Certificates or a key in PEM: in a file, which is read again when it has changed, or in memory.
#[derive(Clone, PartialEq, Eq)]
pub enum Pem {
    /// The file.
    File(PathBuf),
    /// The text itself.
    Text(Vec<u8>),
}

impl Pem {
    /// A file in PEM.
    #[must_use]
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self::File(path.as_ref().to_owned())
    }

    /// Text in PEM.
    #[must_use]
    pub fn text(text: impl AsRef<[u8]>) -> Self {
        Self::Text(text.as_ref().to_vec())
    }
}

/// Texts are not shown: they may hold a key.
impl fmt::Debug for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "Pem({})", path.display()),
            Self::Text(_) => f.write_str("Pem(text)"),
        }
    }
}

/// Whether a server requests certificates of its clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClientCertificates {
    /// It does, and refuses a client that has none. The default.
    #[default]
    Required,
    /// It does, and accepts clients without one. A certificate that a client sends has to be valid.
    Optional,
    /// It does not.
    NotRequested,
}

/// Says of a client whose certificate is good whether it may come in.
pub(crate) type Admit = Arc<dyn Fn(&PeerIdentity) -> bool + Send + Sync>;

/// What TLS works with. Write it with the methods, then [`build`](Self::build).
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
    /// No certificate of one's own, nobody trusted, clients without a certificate refused.
    pub fn new() -> Self {
        Self::default()
    }

    /// This side's certificate with the chain that leads to its root, the root left out, and its
    /// private key (PKCS #8, PKCS #1 or SEC 1, not encrypted). Servers need it; clients show it to
    /// servers that ask.
    pub fn certificate(mut self, chain: Pem, key: Pem) -> Self {
        (self.certificate, self.key) = (Some(chain), Some(key));
        self
    }

    /// The certificates of the authorities that are trusted.
    pub fn roots(mut self, roots: Pem) -> Self {
        self.roots = Some(roots);
        self
    }

    /// Whether clients are asked for a certificate.
    pub fn client_certificates(mut self, clients: ClientCertificates) -> Self {
        self.clients = clients;
        self
    }

    /// The name, or IP address, that certificates of servers have to be for, in place of the host
    /// in the endpoint.
    pub fn server_name(mut self, name: impl Into<String>) -> Self {
        self.server_name = Some(name.into());
        self
    }

    /// Lets in only clients that are named so, by any of: the subject (`CN=console,O=Example`), a
    /// name (`dns:console.example.com`, `uri:...`, `ip:...`, `email:...`), the fingerprint
    /// (`sha256:` and 64 hexadecimal digits). May be called more than once.
    pub fn allow(mut self, client: impl Into<String>) -> Self {
        self.allowed.push(client.into());
        self
    }

    /// Lets in only clients of which `admit` says yes. It runs during the handshake, after the
    /// certificate was found good.
    pub fn admit(mut self, admit: impl Fn(&PeerIdentity) -> bool + Send + Sync + 'static) -> Self {
        self.admit = Some(Arc::new(admit));
        self
    }

    /// The longest time that a handshake may take. Default: 10 s.
    pub fn handshake_timeout(mut self, timeout: Duration) -> Self {
        self.handshake_timeout = Some(timeout);
        self
    }

    pub(crate) fn time_limit(&self) -> Duration {
        self.handshake_timeout.unwrap_or(HANDSHAKE_TIMEOUT)
    }

    /// Whether only some clients are let in.
    pub(crate) fn is_selective(&self) -> bool {
        !self.allowed.is_empty() || self.admit.is_some()
    }

    /// Whether a client whose certificate is good may come in.
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
