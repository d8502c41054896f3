//! Which version of TLS a peer agrees on with somebody who speaks 1.2 and 1.3.

use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    ClientConfig, ClientConnection, ProtocolVersion, RootCertStore, ServerConfig, ServerConnection,
};

use crate::process::{LIMIT, Process};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// What a folder has: who is trusted, the certificate and its key.
fn read(
    folder: &Path,
) -> Fallible<(Arc<RootCertStore>, Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(folder.join("ca.pem"))?)?;
    let own = folder.join("own.pem");
    let certificate = CertificateDer::from_pem_file(&own)?;
    Ok((Arc::new(roots), vec![certificate], PrivateKeyDer::from_pem_file(&own)?))
}

/// The version that a server at this port agrees on with a client of this folder.
pub(super) fn of_server(port: u16, folder: &Path) -> Result<ProtocolVersion, String> {
    with_server(port, folder).map_err(|error| error.to_string())
}

fn with_server(port: u16, folder: &Path) -> Fallible<ProtocolVersion> {
    let (roots, certificate, key) = read(folder)?;
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_client_auth_cert(certificate, key)?;
    let mut tls = ClientConnection::new(Arc::new(config), ServerName::from(HERE))?;
    let mut socket = patient(TcpStream::connect((HERE, port))?)?;
    while tls.is_handshaking() {
        tls.complete_io(&mut socket)?;
    }
    tls.protocol_version().ok_or_else(|| "no version was agreed on".into())
}

/// The version that a client, which `start` gives a reference, agrees on with a server of this
/// folder. The server does no more than shake hands.
pub(super) fn of_client(
    folder: &Path,
    start: impl FnOnce(&str) -> Result<Process, String>,
) -> Result<ProtocolVersion, String> {
    with_client(folder, start).map_err(|error| error.to_string())
}

fn with_client(
    folder: &Path,
    start: impl FnOnce(&str) -> Result<Process, String>,
) -> Fallible<ProtocolVersion> {
    let (roots, certificate, key) = read(folder)?;
    let clients = WebPkiClientVerifier::builder_with_provider(roots, provider()).build()?;
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(clients)
        .with_single_cert(certificate, key)?;
    let mut tls = ServerConnection::new(Arc::new(config))?;
    let listener = TcpListener::bind((HERE, 0))?;
    let port = listener.local_addr()?.port();
    let mut client = start(&format!("corbaloc:ssliop:1.2@{HERE}:{port}/nobody"))?;
    listener.set_nonblocking(true)?;
    let mut accepted = None;
    client.wait_until(|_| {
        accepted = accepted.take().or_else(|| listener.accept().ok());
        accepted.is_some()
    })?;
    let (socket, _) = accepted.ok_or("nobody came")?;
    socket.set_nonblocking(false)?;
    let mut socket = patient(socket)?;
    while tls.is_handshaking() {
        tls.complete_io(&mut socket)?;
    }
    tls.protocol_version().ok_or_else(|| "no version was agreed on".into())
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// A socket with timeouts.
fn patient(socket: TcpStream) -> std::io::Result<TcpStream> {
    socket.set_read_timeout(Some(LIMIT))?;
    socket.set_write_timeout(Some(LIMIT))?;
    Ok(socket)
}
