//! The transport of driven protocols over UDP.

use std::fmt;
use std::sync::Arc;

use zorb_transport::driven::{Driven, Driver, Settings};
use zorb_transport::socket::set_traffic;
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    Stream, Transport, strip_scheme,
};

use super::Bound;
use crate::address::{HostPort, url_beside};

/// A [`Driven`] protocol over UDP as a [`Transport`]: `scheme://host:port`, with the scheme and the
/// default port of the protocol.
///
/// | | connecting | listening |
/// |---|---|---|
/// | `scheme://host:port` | a name or address | the address of one interface |
/// | `scheme://[2001:db8::1]:port` | IPv6 in brackets | the same |
/// | `scheme://:port`, `scheme://` | - | all IPv4 interfaces; without a port, one that the system chooses |
///
/// A client's connection has its own socket and thread; the connections of a server share both. One
/// timer thread serves an endpoint, and another one all clients of a transport and its clones.
pub struct DrivenTransport<D: Driven> {
    driver: Driver<D>,
    settings: Settings,
}

impl<D: Driven> DrivenTransport<D> {
    /// The transport with default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Settings::default())
    }

    /// The transport with other settings.
    #[must_use]
    pub fn with(settings: Settings) -> Self {
        Self { driver: Driver::new(), settings }
    }
}

impl<D: Driven> Default for DrivenTransport<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<D: Driven> Clone for DrivenTransport<D> {
    fn clone(&self) -> Self {
        Self { driver: self.driver.clone(), settings: self.settings }
    }
}

impl<D: Driven> fmt::Debug for DrivenTransport<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("DrivenTransport");
        shown.field("scheme", &D::SCHEME).field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl<D: Driven> Transport for DrivenTransport<D> {
    fn scheme(&self) -> &str {
        D::SCHEME
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        let address = strip_scheme(D::SCHEME, text)?;
        HostPort::parse_remote(address, D::DEFAULT_PORT)?.to_endpoint(D::SCHEME)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let target = super::remote(D::SCHEME, endpoint, D::DEFAULT_PORT)?;
        let host = target.host.to_profile_host();
        let settings = self.settings.for_stream(&options.stream);
        self.driver.connect(endpoint, &host, target.port, settings, options)
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let Bound { socket, endpoint, published } = super::bind(D::SCHEME, url, options)?;
        let fail = |error| ListenError::new(url, error);
        set_traffic(&socket, &options.stream).map_err(fail)?;
        let settings = self.settings.for_stream(&options.stream);
        let listening = self.driver.listen(socket, settings, options, endpoint, published);
        listening.map_err(fail)
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        url_beside(D::SCHEME, acceptor)
    }
}
