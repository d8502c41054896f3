//! Transports.

use std::fmt;
use std::sync::Arc;

use crate::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    Stream,
};

/// Moves octets for a URL scheme: the lower half of a pluggable protocol.
///
/// The conformance suite of the crate `zorb-testkit` tests implementations.
pub trait Transport: Send + Sync + fmt::Debug {
    /// The scheme of its URLs, in lower case.
    fn scheme(&self) -> &str;

    /// Parses an endpoint to connect to, a URL of this scheme or the bare address after `://`, and
    /// converts it to canonical form: texts for the same endpoint give equal endpoints, as far as
    /// that is known without the network.
    ///
    /// # Errors
    /// [`EndpointError`] if the text violates the grammar or has another scheme.
    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError>;

    /// Connects to `endpoint`, trying all addresses of its host.
    ///
    /// # Errors
    /// [`ConnectError`] with all attempted addresses. An endpoint of another scheme is rejected.
    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError>;

    /// Listens on `url`, in this transport's grammar for listening: a URL of this scheme or the
    /// bare address after `://`, with the URL's options after a `/`.
    ///
    /// # Errors
    /// [`ListenError`] if the text violates the grammar, contains an unknown option or has another
    /// scheme, or if a system call fails.
    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError>;

    /// The URL for a further endpoint like that of `acceptor`, which this transport has made: on the
    /// same interface or in the same folder, with the same permissions, and published under the same
    /// name. Lanes of thread pools listen there, so it must not be more accessible than `acceptor`.
    /// A transport for groups, which lanes do not serve, returns the URL of the group.
    fn beside(&self, acceptor: &dyn Acceptor) -> String;

    /// Whether every stream that its acceptors return has a [descriptor for
    /// readiness](crate::Stream::readiness_fd) and no handshake, so that a reactor can serve it. A lane with a single
    /// thread refuses other transports. Default: no.
    fn has_readiness(&self) -> bool {
        false
    }

    /// The socket of this machine that `endpoint` names by a path or an abstract name, where other programs may have
    /// theirs: clients connect to it only if they permit that, since a reference may come from anybody. Default: none.
    fn local_socket(&self, endpoint: &Endpoint) -> Option<LocalSocket> {
        let _ = endpoint;
        None
    }
}

/// A socket of this machine that an endpoint names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalSocket {
    /// The folder of its file, without a slash at the end; `@` for abstract names.
    pub folder: String,
    /// Whether its name is like those that the transport makes, which other programs do not have.
    pub has_generated_name: bool,
    /// Whether the transport creates sockets in this folder by default.
    pub is_default_folder: bool,
}

/// Removes `scheme://` from `text`, for authors of transports; a bare address is returned
/// unchanged.
///
/// # Errors
/// [`EndpointError`] if `text` is a URL of another scheme.
pub fn strip_scheme<'t>(scheme: &str, text: &'t str) -> Result<&'t str, EndpointError> {
    match text.split_once("://") {
        None => Ok(text),
        Some((given, address)) if given.eq_ignore_ascii_case(scheme) => Ok(address),
        Some(_) => {
            let shown: String = text.chars().take(80).collect();
            Err(EndpointError::new(&shown, &format!("this transport's scheme is {scheme}")))
        }
    }
}
