//! Errors of connecting and listening.

use std::fmt;
use std::io;

use crate::{Endpoint, EndpointError};

/// The step in which a connection attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConnectPhase {
    /// Parsing the endpoint's address.
    Address,
    /// Looking up the host's name.
    Resolve,
    /// Connecting: no address of the host accepted the connection.
    Connect,
    /// Setting up the connection (socket options, handshake).
    Setup,
}

/// An attempt to connect to one address.
#[derive(Debug)]
pub struct ConnectAttempt {
    /// The address in the transport's notation: `192.0.2.1:2809`.
    pub address: String,
    /// The error of the attempt.
    pub error: io::Error,
}

/// Connecting to an endpoint failed, with all attempted addresses and their errors.
///
/// The ORB reports it as `TRANSIENT` (or `COMM_FAILURE`) with `COMPLETED_NO`: nothing was sent, so
/// it may try another endpoint or profile.
#[derive(Debug)]
pub struct ConnectError {
    endpoint: Endpoint,
    phase: ConnectPhase,
    attempts: Vec<ConnectAttempt>,
    hint: Option<&'static str>,
}

impl ConnectError {
    /// An error in `phase` after `attempts`, in order.
    #[must_use]
    pub fn new(endpoint: Endpoint, phase: ConnectPhase, attempts: Vec<ConnectAttempt>) -> Self {
        Self { endpoint, phase, attempts, hint: None }
    }

    /// An error in `phase` with one cause, at the endpoint's own address.
    #[must_use]
    pub fn single(endpoint: &Endpoint, phase: ConnectPhase, error: io::Error) -> Self {
        let address = endpoint.address().to_owned();
        Self::new(endpoint.clone(), phase, vec![ConnectAttempt { address, error }])
    }

    /// Replaces the default hint, which refers to hosts and ports.
    #[must_use]
    pub fn with_hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// The same error for another name of the endpoint.
    #[must_use]
    pub(crate) fn at(self, endpoint: &Endpoint) -> Self {
        Self { endpoint: endpoint.clone(), ..self }
    }

    /// The endpoint.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The step that failed.
    #[must_use]
    pub fn phase(&self) -> ConnectPhase {
        self.phase
    }

    /// The attempts, in order.
    #[must_use]
    pub fn attempts(&self) -> &[ConnectAttempt] {
        &self.attempts
    }

    /// The kind of the last error.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.attempts.last().map_or(io::ErrorKind::Other, |attempt| attempt.error.kind())
    }

    /// Whether the last attempt ended by the timeout of the options.
    #[must_use]
    pub fn is_timed_out(&self) -> bool {
        self.kind() == io::ErrorKind::TimedOut
    }

    /// A hint for the user, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        if self.hint.is_some() {
            return self.hint;
        }
        match (self.phase, self.kind()) {
            (ConnectPhase::Address, _) => Some("check the address in the reference or option"),
            (ConnectPhase::Resolve, _) => {
                Some("check the host name; the server may publish a name only it knows")
            }
            (_, io::ErrorKind::ConnectionRefused) => Some("is the server running on that port?"),
            (_, io::ErrorKind::TimedOut) => {
                Some("does a firewall block the port, or is the host down?")
            }
            (_, io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable) => {
                Some("is the published address reachable from this machine?")
            }
            _ => None,
        }
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.phase {
            ConnectPhase::Address => "bad address in",
            ConnectPhase::Resolve => "cannot look up the host of",
            ConnectPhase::Connect => "cannot connect to",
            ConnectPhase::Setup => "cannot set up the connection to",
        };
        write!(f, "{what} {}", self.endpoint)?;
        for (n, ConnectAttempt { address, error }) in self.attempts.iter().enumerate() {
            let lead = if n == 0 { ": " } else { "; " };
            if address == self.endpoint.address() {
                write!(f, "{lead}{error}")?;
            } else {
                write!(f, "{lead}{address}: {error}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for ConnectError {}

/// Listening at an endpoint failed.
#[derive(Debug)]
pub struct ListenError {
    endpoint: Box<str>,
    source: io::Error,
    hint: Option<&'static str>,
}

impl ListenError {
    /// An error about `endpoint`, as the user wrote it.
    #[must_use]
    pub fn new(endpoint: &str, source: io::Error) -> Self {
        Self { endpoint: endpoint.into(), source, hint: None }
    }

    /// Replaces the default hint, which refers to hosts and ports.
    #[must_use]
    pub fn with_hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// The same error for the endpoint as the user wrote it.
    #[must_use]
    pub(crate) fn at(self, endpoint: &str) -> Self {
        Self { endpoint: endpoint.into(), ..self }
    }

    /// The endpoint as the user wrote it.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }

    /// A hint for the user, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        if self.hint.is_some() {
            return self.hint;
        }
        match self.kind() {
            io::ErrorKind::AddrInUse => Some("the address is in use; port 0 chooses a free port"),
            io::ErrorKind::AddrNotAvailable => Some("this machine does not have that address"),
            io::ErrorKind::PermissionDenied => Some("ports below 1024 need a privilege"),
            _ => None,
        }
    }
}

impl From<EndpointError> for ListenError {
    fn from(error: EndpointError) -> Self {
        let source = io::Error::new(io::ErrorKind::InvalidInput, error.reason());
        Self::new(error.text(), source)
    }
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot listen on {}: {}", self.endpoint, self.source)
    }
}

impl std::error::Error for ListenError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connect_error_contains_every_address_and_a_hint() {
        let endpoint: Endpoint = "iiop://server:2809".parse().unwrap();
        let attempt = |address: &str, kind: io::ErrorKind| ConnectAttempt {
            address: address.to_owned(),
            error: io::Error::from(kind),
        };
        let attempts = vec![
            attempt("[2001:db8::1]:2809", io::ErrorKind::NetworkUnreachable),
            attempt("192.0.2.1:2809", io::ErrorKind::ConnectionRefused),
        ];
        let error = ConnectError::new(endpoint, ConnectPhase::Connect, attempts);
        let (first, second) = (io::ErrorKind::NetworkUnreachable, io::ErrorKind::ConnectionRefused);
        assert_eq!(
            error.to_string(),
            format!(
                "cannot connect to iiop://server:2809: [2001:db8::1]:2809: {first}; \
                 192.0.2.1:2809: {second}"
            )
        );
        assert_eq!(error.hint(), Some("is the server running on that port?"));
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        assert!(!error.is_timed_out());
        let error = error.with_hint("is it on this machine?");
        assert_eq!(error.hint(), Some("is it on this machine?"));
    }

    #[test]
    fn a_listen_error_contains_the_given_url() {
        let error = ListenError::new("iiop://:2809", io::Error::from(io::ErrorKind::AddrInUse));
        let text = error.to_string();
        assert!(text.starts_with("cannot listen on iiop://:2809: "), "{text}");
        assert!(error.hint().is_some_and(|hint| hint.contains("port 0")));
        let error = error.with_hint("name another file");
        assert_eq!(error.hint(), Some("name another file"));
    }
}
