//! The transport.
#![expect(clippy::disallowed_types, reason = "written when the program starts")]

#[cfg(test)]
mod tests;

use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use rustls_pki_types::ServerName;
use zorb_tcp::TcpTransport;
use zorb_tcp::address::HostPort;
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, ConnectPhase, Endpoint, EndpointError, ListenError,
    ListenOptions, Stream, Transport,
};

use crate::acceptor::TlsAcceptor;
use crate::configured::Tls;
use crate::stream::TlsStream;
use crate::{DEFAULT_PORT, SSLIOP_SCHEME};

const NO_ROOTS: &str = "no trusted authorities are set to verify servers";
const NO_CERTIFICATE: &str = "no certificate is set for this server";
const HINT_ROOTS: &str = "set the option SsliopRoots to the file of their certificates";
const HINT_CERTIFICATE: &str = "set the options SsliopCertificate and SsliopKey, or name an \
    endpoint of another protocol";
const HINT_REJECTED: &str = "check the names, dates and authorities of both certificates: openssl x509 -noout -text -in FILE";
const HINT_NO_TLS: &str = "does the server speak TLS on that port?";

/// TLS over TCP as a [`Transport`], with the scheme `ssliop`.
#[derive(Debug, Clone)]
pub struct TlsTransport {
    tcp: TcpTransport,
    tls: Arc<RwLock<Option<Tls>>>,
}

impl TlsTransport {
    /// TLS with these settings.
    ///
    /// # Errors
    /// None in practice: the scheme is valid.
    pub fn new(tls: Tls) -> Result<Self, EndpointError> {
        let transport = Self::unset()?;
        transport.set(tls);
        Ok(transport)
    }

    /// TLS without settings, for which connecting and listening fail.
    pub(crate) fn unset() -> Result<Self, EndpointError> {
        let tcp = TcpTransport::with_scheme(SSLIOP_SCHEME, DEFAULT_PORT)?;
        Ok(Self { tcp, tls: Arc::default() })
    }

    pub(crate) fn set(&self, tls: Tls) {
        *self.tls.write().unwrap_or_else(PoisonError::into_inner) = Some(tls);
    }

    /// The loaded settings, if any.
    pub(crate) fn tls(&self) -> Option<Tls> {
        self.tls.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The endpoint at a host and port of a profile.
    pub(crate) fn endpoint(&self, host: &str, port: u16) -> Result<Endpoint, EndpointError> {
        self.tcp.endpoint(host, port)
    }

    /// The host and port of an endpoint of this transport.
    pub(crate) fn host_port(&self, endpoint: &Endpoint) -> Result<HostPort, EndpointError> {
        let endpoint = self.parse_endpoint(endpoint.as_str())?;
        HostPort::parse_remote(endpoint.address(), DEFAULT_PORT)
    }

    fn secure(
        &self,
        endpoint: &Endpoint,
        tls: &Tls,
        inner: Arc<dyn Stream>,
        deadline: Option<Instant>,
    ) -> io::Result<TlsStream> {
        let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
        let client = tls.current().client.ok_or_else(|| invalid(NO_ROOTS.to_owned()))?;
        let name = match &tls.settings().server_name {
            Some(name) => name.clone(),
            None => {
                let target = self.host_port(endpoint);
                target.map_err(|error| invalid(error.to_string()))?.host.to_profile_host()
            }
        };
        let name = ServerName::try_from(name.clone())
            .map_err(|error| invalid(format!("invalid server name {name:?}: {error}")))?;
        let handshake = client.handshake(name)?;
        let limit = tls.settings().time_limit();
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let limit = left.map_or(limit, |left| left.min(limit));
        TlsStream::connected(inner, handshake, limit)
    }
}

impl Transport for TlsTransport {
    fn scheme(&self) -> &str {
        self.tcp.scheme()
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        self.tcp.parse_endpoint(text)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let deadline = options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let setup = |error| ConnectError::single(endpoint, ConnectPhase::Setup, error);
        let Some(tls) = self.tls() else {
            // An address of another transport is the more important error.
            if endpoint.scheme() != self.scheme() {
                return self.tcp.connect(endpoint, options);
            }
            let error = io::Error::new(io::ErrorKind::InvalidInput, NO_ROOTS);
            return Err(setup(error).with_hint(HINT_ROOTS));
        };
        let inner = self.tcp.connect(endpoint, options)?;
        match self.secure(endpoint, &tls, inner, deadline) {
            Ok(stream) => Ok(Arc::new(stream)),
            Err(error) => {
                let hint = match error.kind() {
                    io::ErrorKind::PermissionDenied => Some(HINT_REJECTED),
                    io::ErrorKind::InvalidInput => Some(HINT_ROOTS),
                    io::ErrorKind::InvalidData
                    | io::ErrorKind::UnexpectedEof
                    | io::ErrorKind::ConnectionReset => Some(HINT_NO_TLS),
                    _ => None,
                };
                let error = setup(error);
                Err(match hint {
                    Some(hint) => error.with_hint(hint),
                    None => error,
                })
            }
        }
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        self.tcp.beside(acceptor)
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let Some(tls) = self.tls().filter(|tls| tls.current().server.is_some()) else {
            zorb_transport::strip_scheme(self.scheme(), url)?;
            let error = io::Error::new(io::ErrorKind::InvalidInput, NO_CERTIFICATE);
            return Err(ListenError::new(url, error).with_hint(HINT_CERTIFICATE));
        };
        let inner = self.tcp.listen(url, options)?;
        Ok(Arc::new(TlsAcceptor { inner, tls }))
    }
}
