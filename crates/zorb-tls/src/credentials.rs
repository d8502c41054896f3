//! Converts PEM to rustls configurations.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::server::NoServerSessionStorage;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use crate::error::TlsError;
use crate::settings::{ClientCertificates, Pem, Settings};
use crate::verify;

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
    pub(crate) client: Option<Arc<ClientConfig>>,
    /// If there is a certificate of this side.
    pub(crate) server: Option<Arc<ServerConfig>>,
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
            Some(roots) => Some(Arc::new(client(&provider, roots, own.as_ref())?)),
            None => None,
        };
        let server = match own {
            Some(own) => Some(Arc::new(server(&provider, roots, own, settings)?)),
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
) -> Result<ClientConfig, TlsError> {
    let verifier = verify::servers(provider, roots).map_err(|why| TlsError::new("roots", why))?;
    let builder = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::new("TLS", error))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match own {
        Some(own) => builder
            .with_client_auth_cert(own.chain.clone(), own.key.clone_key())
            .map_err(|error| unusable(&own.shown, error))?,
        None => builder.with_no_client_auth(),
    };
    config.resumption = Resumption::disabled();
    Ok(config)
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
) -> Result<ServerConfig, TlsError> {
    let builder = ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::new("TLS", error))?;
    let builder = match (settings.clients, roots) {
        (ClientCertificates::NotRequested, _) => builder.with_no_client_auth(),
        (_, Some(roots)) => {
            let verifier = verify::clients(provider, roots, Arc::clone(settings));
            let verifier = verifier.map_err(|why| TlsError::new("roots", why))?;
            builder.with_client_cert_verifier(verifier)
        }
        (_, None) => {
            let why = "they are needed to verify the certificates of clients: set SsliopRoots";
            return Err(TlsError::new("roots", why));
        }
    };
    let mut config = builder
        .with_single_cert(own.chain, own.key)
        .map_err(|error| unusable(&own.shown, error))?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}
