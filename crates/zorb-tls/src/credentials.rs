//! Converts PEM to rustls configurations.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::server::{NoServerSessionStorage, ResolvesServerCert};
use rustls::{
    ClientConfig, ClientConnection, ConfigBuilder, Connection, RootCertStore, ServerConfig,
    ServerConnection, WantsVerifier,
};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};

use crate::error::{RejectedName, TlsError, failed};
use crate::settings::{ClientCertificates, Pem, Settings};
use crate::verify::{Clients, Servers};

/// The maximum size of a file in octets.
const MAX_FILE: u64 = 1 << 20;
/// The maximum number of octets that are encrypted before they are sent.
pub(crate) const MAX_BUFFERED: usize = 64 << 10;

/// The state of a file when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    path: PathBuf,
    seen: Option<(SystemTime, u64, u64)>,
}

impl Stamp {
    fn of(path: PathBuf) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let seen = fs::metadata(&path).ok();
        let seen = seen.and_then(|file| Some((file.modified().ok()?, file.len(), file.ino())));
        Self { path, seen }
    }
}

/// The current state of the files of these settings.
pub(crate) fn stamps(settings: &Settings) -> Vec<Stamp> {
    let all = [&settings.certificate, &settings.key, &settings.roots];
    let files = all.into_iter().flatten().filter_map(|pem| match pem {
        Pem::File(path) => Some(path.clone()),
        Pem::Text(_) => None,
    });
    files.map(Stamp::of).collect()
}

/// Certificates and a key for handshakes.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    /// If there are roots to verify servers.
    pub(crate) client: Option<ClientSide>,
    /// If there is a certificate of this side.
    pub(crate) server: Option<ServerSide>,
}

/// A handshake that has not begun, and the name of the certificate that it rejects.
#[derive(Debug)]
pub(crate) struct Handshake {
    pub(crate) connection: Connection,
    pub(crate) rejected: RejectedName,
}

/// The configuration of connections to servers.
#[derive(Clone, Debug)]
pub(crate) struct ClientSide {
    config: ClientConfig,
    servers: Servers,
}

impl ClientSide {
    /// Prepares a handshake with the server of this name.
    pub(crate) fn handshake(&self, server: ServerName<'static>) -> io::Result<Handshake> {
        let rejected = RejectedName::default();
        let mut config = self.config.clone();
        let verifier = Arc::new(self.servers.recording(&rejected));
        config.dangerous().set_certificate_verifier(verifier);
        let connection = ClientConnection::new(Arc::new(config), server).map_err(failed)?;
        Ok(Handshake { connection: connection.into(), rejected })
    }
}

/// The configuration of connections from clients.
#[derive(Clone, Debug)]
pub(crate) struct ServerSide {
    provider: Arc<CryptoProvider>,
    /// `None` if they are not asked for certificates.
    clients: Option<Clients>,
    certificate: Arc<dyn ResolvesServerCert>,
}

impl ServerSide {
    /// Prepares a handshake with a client.
    pub(crate) fn handshake(&self) -> io::Result<Handshake> {
        let rejected = RejectedName::default();
        let builder = server_builder(&self.provider).map_err(failed)?;
        let builder = match &self.clients {
            None => builder.with_no_client_auth(),
            Some(clients) => {
                builder.with_client_cert_verifier(Arc::new(clients.recording(&rejected)))
            }
        };
        let mut config = builder.with_cert_resolver(Arc::clone(&self.certificate));
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        let connection = ServerConnection::new(Arc::new(config)).map_err(failed)?;
        Ok(Handshake { connection: connection.into(), rejected })
    }
}

fn server_builder(
    provider: &Arc<CryptoProvider>,
) -> Result<ConfigBuilder<ServerConfig, WantsVerifier>, rustls::Error> {
    ServerConfig::builder_with_provider(Arc::clone(provider)).with_safe_default_protocol_versions()
}

impl Credentials {
    /// Loads the files of the settings.
    pub(crate) fn load(settings: &Arc<Settings>) -> Result<Self, TlsError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let own = match (&settings.certificate, &settings.key) {
            (Some(chain), Some(key)) => Some(own(chain, key)?),
            (None, None) => None,
            (Some(_), None) => {
                return Err(TlsError::new("certificate", "its key is missing: set SsliopKey"));
            }
            (None, Some(_)) => {
                let why = "its certificate is missing: set SsliopCertificate";
                return Err(TlsError::new("key", why));
            }
        };
        let roots = settings.roots.as_ref().map(trusted).transpose()?;
        if settings.is_selective() && settings.clients != ClientCertificates::Required {
            let why =
                "clients must present a certificate: SsliopClientCertificates must be required";
            return Err(TlsError::new("the list of admitted clients (SsliopAllow)", why));
        }
        let client = match &roots {
            Some(roots) => Some(client(&provider, roots, own.as_ref())?),
            None => None,
        };
        let server = match own {
            Some(own) => Some(server(&provider, roots, own, settings)?),
            None => None,
        };
        Ok(Self { client, server })
    }
}

/// A certificate with its chain, and its key.
#[derive(Debug)]
struct Own {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    shown: String,
}

fn own(chain: &Pem, key: &Pem) -> Result<Own, TlsError> {
    let shown = format!("certificate {chain} and key {key}");
    let chain = certificates(chain, "certificate")?;
    let what = format!("key {key}");
    let text = read(key, &what)?;
    let key = PrivateKeyDer::from_pem_slice(&text)
        .map_err(|error| TlsError::new(what, format!("no private key in PEM: {error}")))?;
    Ok(Own { chain, key, shown })
}

fn trusted(pem: &Pem) -> Result<Arc<RootCertStore>, TlsError> {
    let mut store = RootCertStore::empty();
    for root in certificates(pem, "roots")? {
        store.add(root).map_err(|error| TlsError::new(format!("roots {pem}"), error))?;
    }
    Ok(Arc::new(store))
}

fn certificates(pem: &Pem, role: &str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let what = format!("{role} {pem}");
    let text = read(pem, &what)?;
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = read.map_err(|error| TlsError::new(what.clone(), error))?;
    if found.is_empty() {
        return Err(TlsError::new(what, "no certificate in PEM"));
    }
    Ok(found)
}

fn read(pem: &Pem, what: &str) -> Result<Vec<u8>, TlsError> {
    let path = match pem {
        Pem::Text(text) => return Ok(text.clone()),
        Pem::File(path) => path,
    };
    let mut text = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_FILE).read_to_end(&mut text))
        .map_err(|error| TlsError::new(what, error))?;
    Ok(text)
}

fn client(
    provider: &Arc<CryptoProvider>,
    roots: &Arc<RootCertStore>,
    own: Option<&Own>,
) -> Result<ClientSide, TlsError> {
    let servers = Servers::new(provider, roots).map_err(|why| TlsError::new("roots", why))?;
    let builder = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::new("TLS", error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(servers.clone()));
    let mut config = match own {
        Some(own) => builder
            .with_client_auth_cert(own.chain.clone(), own.key.clone_key())
            .map_err(|error| unusable(&own.shown, error))?,
        None => builder.with_no_client_auth(),
    };
    config.resumption = Resumption::disabled();
    Ok(ClientSide { config, servers })
}

/// Why a certificate and its key cannot be used together.
fn unusable(shown: &str, error: rustls::Error) -> TlsError {
    match error {
        rustls::Error::InconsistentKeys(_) => {
            TlsError::new(shown, "the key is not that of the certificate")
        }
        other => TlsError::new(shown, other),
    }
}

fn server(
    provider: &Arc<CryptoProvider>,
    roots: Option<Arc<RootCertStore>>,
    own: Own,
    settings: &Arc<Settings>,
) -> Result<ServerSide, TlsError> {
    let clients = match (settings.clients, roots) {
        (ClientCertificates::NotRequested, _) => None,
        (_, Some(roots)) => {
            let clients = Clients::new(provider, roots, Arc::clone(settings));
            Some(clients.map_err(|why| TlsError::new("roots", why))?)
        }
        (_, None) => {
            let why = "they are needed to verify the certificates of clients: set SsliopRoots";
            return Err(TlsError::new("roots", why));
        }
    };
    let config = server_builder(provider)
        .map_err(|error| TlsError::new("TLS", error))?
        .with_no_client_auth()
        .with_single_cert(own.chain, own.key)
        .map_err(|error| unusable(&own.shown, error))?;
    Ok(ServerSide { provider: Arc::clone(provider), clients, certificate: config.cert_resolver })
}
