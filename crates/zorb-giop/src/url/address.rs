//! `host:port`.

use alloc::string::{String, ToString};
use core::fmt;

/// The port of an IIOP address without one.
pub const DEFAULT_IIOP_PORT: u16 = 2809;

/// The host and port of an IIOP address: `host`, `host:port`, `[v6]`, `[v6]:port`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostPort {
    /// Host name or address, an IPv6 address without brackets; `localhost` if the text has none.
    pub host: String,
    /// TCP port; [`DEFAULT_IIOP_PORT`] if the text has none.
    pub port: u16,
}

/// The reason why text is not a `host:port`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HostPortError {
    /// The position in the text, in octets from its start.
    pub position: usize,
    /// The reason.
    pub reason: &'static str,
}

impl HostPort {
    /// Parses an address.
    ///
    /// # Errors
    /// The position and reason.
    pub fn parse(text: &str) -> Result<Self, HostPortError> {
        let error = |position, reason| Err(HostPortError { position, reason });
        let (host, port, port_at) = match text.strip_prefix('[') {
            Some(bracketed) => {
                let Some((host, after)) = bracketed.split_once(']') else {
                    return error(0, "a `[` without a `]`");
                };
                if host.is_empty() {
                    return error(1, "no address between the brackets");
                }
                let port_at = text.len() - after.len();
                match after.strip_prefix(':') {
                    Some(port) => (host, Some(port), port_at + 1),
                    None if after.is_empty() => (host, None, port_at),
                    None => return error(port_at, "something other than a port after the `]`"),
                }
            }
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port), host.len() + 1),
                None => (text, None, text.len()),
            },
        };
        if let Some(at) =
            host.find(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '[' | ']'))
        {
            let opening = usize::from(text.starts_with('['));
            return error(at + opening, "white space or a misplaced bracket in a host");
        }
        let port = match port {
            None => DEFAULT_IIOP_PORT,
            Some(port) if port.contains(':') => {
                return error(port_at, "more than one `:`; an IPv6 address needs `[` and `]`");
            }
            Some(port) => match port.parse::<u16>() {
                Ok(number) if port.bytes().all(|octet| octet.is_ascii_digit()) => number,
                _ => return error(port_at, "a port is a number from 0 to 65535"),
            },
        };
        let host = if host.is_empty() { "localhost" } else { host };
        Ok(Self { host: host.to_string(), port })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

impl fmt::Display for HostPortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at position {}", self.reason, self.position)
    }
}

impl core::error::Error for HostPortError {}
