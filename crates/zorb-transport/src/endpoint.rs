//! Endpoints.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The maximum length of an endpoint URL in octets.
///
/// Host names have at most 255 octets and socket paths at most 108. The limit bounds what a
/// malicious reference makes the ORB store.
pub const MAX_URL_LEN: usize = 1024;

/// Where a server listens: a scheme and an address in that scheme's own grammar.
///
/// An endpoint is independent of protocols: only the [`Transport`](crate::Transport) of the scheme
/// understands the address. Two endpoints are equal if their texts are equal, so transports create
/// endpoints in a canonical form (TCP: lower-case host, explicit port, IPv6 in brackets). Endpoints
/// are the keys of the connection cache; cloning increments a reference count and never allocates.
///
/// It is displayed as a URL and can be parsed from one:
///
/// ```
/// use zorb_transport::Endpoint;
///
/// let endpoint: Endpoint = "iiop://server.example.com:2809".parse()?;
/// assert_eq!(endpoint.scheme(), "iiop");
/// assert_eq!(endpoint.address(), "server.example.com:2809");
/// assert_eq!(endpoint.to_string(), "iiop://server.example.com:2809");
/// # Ok::<(), zorb_transport::EndpointError>(())
/// ```
#[derive(Clone)]
pub struct Endpoint {
    url: Arc<str>,
    scheme_len: usize,
}

impl Endpoint {
    /// An endpoint of `scheme`, which is converted to lower case, at `address`, which is not
    /// changed.
    ///
    /// # Errors
    /// [`EndpointError`] if the scheme is not a URL scheme, the address is too long, or either
    /// contains a control character or a space.
    pub fn new(scheme: &str, address: &str) -> Result<Self, EndpointError> {
        let fail = |reason| {
            let shown: String = address.chars().take(80).collect();
            Err(EndpointError::new(&format!("{scheme}://{shown}"), reason))
        };
        let mut octets = scheme.bytes();
        let starts_well = octets.next().is_some_and(|first| first.is_ascii_alphabetic());
        if !starts_well
            || !octets.all(|o| o.is_ascii_alphanumeric() || matches!(o, b'+' | b'-' | b'.'))
        {
            return fail("the scheme must be a letter, then letters, digits, '+', '-' or '.'");
        }
        if scheme.len() + 3 + address.len() > MAX_URL_LEN {
            return fail("it is longer than 1024 octets");
        }
        if address.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return fail("the address contains a space or a control character");
        }
        let url = format!("{}://{address}", scheme.to_ascii_lowercase());
        Ok(Self { url: url.into(), scheme_len: scheme.len() })
    }

    /// The scheme, in lower case: `iiop`, `uiop`, `inproc`.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.url.get(..self.scheme_len).unwrap_or_default()
    }

    /// The address in the scheme's own grammar, after `://`.
    #[must_use]
    pub fn address(&self) -> &str {
        self.url.get(self.scheme_len + 3..).unwrap_or_default()
    }

    /// The URL, `scheme://address`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.url
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    /// Splits a URL at `://`. The address is not checked:
    /// [`Transport::parse_endpoint`](crate::Transport::parse_endpoint) does that.
    fn from_str(url: &str) -> Result<Self, EndpointError> {
        match url.split_once("://") {
            Some((scheme, address)) => Self::new(scheme, address),
            None => {
                let shown: String = url.chars().take(80).collect();
                Err(EndpointError::new(&shown, "a URL must start with a scheme and '://'"))
            }
        }
    }
}

impl PartialEq for Endpoint {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.url, &other.url) || self.url == other.url
    }
}

impl Eq for Endpoint {}

impl Hash for Endpoint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.url.hash(state);
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.url)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({})", self.url)
    }
}

/// The text of an endpoint is invalid.
///
/// The ORB reports it as `BAD_PARAM` with minor code 8 (bad address) or 9 (bad scheme-specific
/// part).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointError {
    text: Box<str>,
    reason: Box<str>,
}

impl EndpointError {
    /// An error about `text`, which violates the rule `reason`.
    #[must_use]
    pub fn new(text: &str, reason: &str) -> Self {
        Self { text: text.into(), reason: reason.into() }
    }

    /// The rejected text, truncated if it is long.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The violated rule.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad endpoint {:?}: {}", self.text, self.reason)
    }
}

impl std::error::Error for EndpointError {}
