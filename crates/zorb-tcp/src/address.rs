//! The address grammar: `host:port`, `[v6]:port`, and options for listening.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use zorb_transport::{Acceptor, Endpoint, EndpointError, MAX_PROFILE_ENDPOINTS};

#[cfg(test)]
mod tests;

/// The maximum length of a host name in octets (RFC 1035).
pub const MAX_HOST_LEN: usize = 255;

/// A host: a name or an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name, in lower case.
    Name(String),
    /// An IPv4 or IPv6 address.
    Ip(IpAddr),
}

impl Host {
    /// Parses a name or address. IPv6 may be in brackets or, as in IIOP profiles, without.
    ///
    /// # Errors
    /// [`EndpointError`] if it is neither.
    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let fail = |reason| Err(error(text, reason));
        if let Some(inner) = text.strip_prefix('[') {
            let v6 = inner.strip_suffix(']').and_then(|inner| Ipv6Addr::from_str(inner).ok());
            return match v6 {
                Some(v6) => Ok(Self::Ip(v6.into())),
                None => fail("the brackets must contain an IPv6 address"),
            };
        }
        if let Ok(ip) = IpAddr::from_str(text) {
            return Ok(Self::Ip(ip));
        }
        if text.is_empty() {
            return fail("a host is missing");
        }
        if text.len() > MAX_HOST_LEN {
            return fail("a host name has at most 255 octets");
        }
        let is_name = |o: u8| o.is_ascii_alphanumeric() || matches!(o, b'-' | b'.' | b'_');
        if !text.bytes().all(is_name) {
            return fail("a host name consists of letters, digits, '-', '.' and '_'");
        }
        Ok(Self::Name(text.to_ascii_lowercase()))
    }

    /// The host without brackets, as in IIOP profiles.
    #[must_use]
    pub fn to_profile_host(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Ip(ip) => ip.to_string(),
        }
    }
}

impl fmt::Display for Host {
    /// The host as in URLs, with brackets around IPv6.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Ip(IpAddr::V4(v4)) => write!(f, "{v4}"),
            Self::Ip(IpAddr::V6(v6)) => write!(f, "[{v6}]"),
        }
    }
}

/// A host and a port: the address of an IIOP endpoint. Displayed as `host:port`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostPort {
    /// The host.
    pub host: Host,
    /// The TCP port.
    pub port: u16,
}

impl HostPort {
    /// A host, parsed by [`Host::parse`], and a port.
    ///
    /// # Errors
    /// [`EndpointError`] if `host` is neither a name nor an address, or if the port is 0 (which in
    /// an IIOP profile means that plain TCP is not available).
    pub fn new(host: &str, port: u16) -> Result<Self, EndpointError> {
        if port == 0 {
            return Err(error(host, "port 0 is not a port to connect to"));
        }
        Ok(Self { host: Host::parse(host)?, port })
    }

    /// Parses an address to connect to: `host:port`, with `localhost` for an empty host and
    /// `default_port` for a missing port.
    ///
    /// # Errors
    /// [`EndpointError`] if the text violates the grammar or the port is 0.
    pub fn parse_remote(address: &str, default_port: u16) -> Result<Self, EndpointError> {
        let (host, port) = split(address)?;
        let host = if host.is_empty() { "localhost" } else { host };
        Self::new(host, port.unwrap_or(default_port))
    }

    /// The canonical endpoint of this address.
    ///
    /// # Errors
    /// [`EndpointError`] if `scheme` is not a URL scheme.
    pub fn to_endpoint(&self, scheme: &str) -> Result<Endpoint, EndpointError> {
        Endpoint::new(scheme, &self.to_string())
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// The URL for a further endpoint of `scheme` at the address and with the published hosts of `acceptor`, and with a
/// port that the system chooses.
#[must_use]
pub fn url_beside(scheme: &str, acceptor: &dyn Acceptor) -> String {
    let host = |endpoint: &Endpoint| {
        let address = endpoint.address();
        address.rsplit_once(':').map_or(address, |(host, _)| host).to_owned()
    };
    let bound = host(acceptor.endpoint());
    // One host may be published with several ports.
    let mut published: Vec<String> = Vec::new();
    for host in acceptor.published().iter().map(host) {
        if !published.contains(&host) {
            published.push(host);
        }
    }
    if published == [bound.as_str()] {
        return format!("{scheme}://{bound}:0");
    }
    let published: Vec<_> = published.iter().map(|host| format!("publish={host}")).collect();
    format!("{scheme}://{bound}:0/{}", published.join("&"))
}

/// An address to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListenAddress {
    /// `None`: all interfaces.
    pub(crate) host: Option<Host>,
    /// 0: a port that the system chooses.
    pub(crate) port: u16,
    /// The hosts and ports for references, if they are not the bound ones.
    pub(crate) published: Vec<Published>,
}

/// A host for references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Published {
    pub(crate) host: Host,
    /// `None` for the bound port.
    pub(crate) port: Option<u16>,
}

impl Published {
    /// Parses `host[:port]`.
    fn parse(authority: &str) -> Result<Self, EndpointError> {
        let (host, port) = split(authority)?;
        if port == Some(0) {
            return Err(error(authority, "port 0 is not a port to connect to"));
        }
        Ok(Self { port, ..Self::host(host)? })
    }

    /// Parses a host, as [`Host::parse`] does.
    pub(crate) fn host(text: &str) -> Result<Self, EndpointError> {
        match Host::parse(text)? {
            Host::Ip(ip) if ip.to_canonical().is_unspecified() => {
                Err(error(text, "clients cannot connect to the address of all interfaces"))
            }
            host => Ok(Self { host, port: None }),
        }
    }
}

impl ListenAddress {
    /// Parses `[host][:port][/option=value[&option=value]...]`.
    pub(crate) fn parse(address: &str) -> Result<Self, EndpointError> {
        let (authority, options) = address.split_once('/').unwrap_or((address, ""));
        let (host, port) = split(authority)?;
        let host = if host.is_empty() { None } else { Some(Host::parse(host)?) };
        let mut published = Vec::new();
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("hostname_in_ior", name)) => published.push(Published::host(name)?),
                Some(("publish", authority)) => published.push(Published::parse(authority)?),
                _ => {
                    return Err(error(
                        option,
                        "unknown option; there are publish=HOST:PORT and hostname_in_ior=HOST",
                    ));
                }
            }
        }
        if published.len() > MAX_PROFILE_ENDPOINTS {
            return Err(error(options, "there may be at most 64 published addresses"));
        }
        Ok(Self { host, port: port.unwrap_or(0), published })
    }
}

/// Splits `host:port`, `host`, `:port` and the same with brackets; the port is `None` if missing or
/// empty.
fn split(address: &str) -> Result<(&str, Option<u16>), EndpointError> {
    let host_end = if address.starts_with('[') {
        match address.find(']') {
            Some(bracket) => bracket + 1,
            None => return Err(error(address, "a bracket is not closed")),
        }
    } else {
        if address.matches(':').count() > 1 {
            return Err(error(address, "an IPv6 address must be in brackets"));
        }
        address.find(':').unwrap_or(address.len())
    };
    let (host, rest) = address.split_at(host_end);
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => None,
        None => return Err(error(address, "a ':' and the port must follow the bracket")),
        Some("") => None,
        // `parse` would accept a sign.
        Some(digits) if digits.bytes().all(|o| o.is_ascii_digit()) => match digits.parse() {
            Ok(port) => Some(port),
            Err(_) => return Err(error(address, "a port is at most 65535")),
        },
        Some(_) => return Err(error(address, "a port is a number")),
    };
    Ok((host, port))
}

/// An error that quotes at most the beginning of `text`.
fn error(text: &str, reason: &str) -> EndpointError {
    let shown: String = text.chars().take(80).collect();
    EndpointError::new(&shown, reason)
}
