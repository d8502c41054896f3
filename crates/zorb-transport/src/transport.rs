//! One way of moving bytes.

use std::fmt;
use std::sync::Arc;

use crate::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    Stream,
};

/// One way of moving bytes, known by the scheme of its URLs: the lower half of a pluggable
/// protocol.
///
/// Implementations are checked by the [`conformance`](crate::conformance) suite.
pub trait Transport: Send + Sync + fmt::Debug {
    /// The scheme of this transport's URLs, in lower case.
    fn scheme(&self) -> &str;

    /// Reads where to connect to, as a URL of this scheme or as the bare address after the
    /// `://`, and brings it to the canonical form: texts that mean the same endpoint give equal
    /// endpoints, as far as that is known without asking the network.
    ///
    /// # Errors
    /// [`EndpointError`] when the text breaks the grammar or has another scheme.
    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError>;

    /// Connects to `endpoint`, trying each address that its host has.
    ///
    /// # Errors
    /// [`ConnectError`] with every address tried. An endpoint of another scheme is refused.
    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError>;

    /// Listens on `url`, in this transport's grammar for listening: a URL of this scheme or
    /// the bare address after the `://`, with the URL's own options behind a `/`.
    ///
    /// # Errors
    /// [`ListenError`] when the text breaks the grammar, names an unknown option or has another
    /// scheme, or when the system refuses.
    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError>;

    /// The URL to listen on for one more endpoint at the place of `acceptor`, which this transport has
    /// made: on the same interfaces, and published under the same name. Default: the scheme and `://`,
    /// which pick a fresh endpoint.
    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        let _ = acceptor;
        format!("{}://", self.scheme())
    }
}

/// Takes `scheme://` off `text`, for authors of transports: a bare address passes as it is.
///
/// # Errors
/// [`EndpointError`] when `text` is a URL of another scheme.
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
