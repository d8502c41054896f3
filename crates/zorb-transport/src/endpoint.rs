//! Where a server listens, as a value.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The longest endpoint URL that is accepted, in octets.
///
/// Host names have at most 255 octets and socket paths at most 108, so this is generous; it
/// bounds what a hostile reference can make the ORB keep.
pub const MAX_URL_LEN: usize = 1024;

/// Where a server listens: a scheme and an address in that scheme's own grammar.
///
/// An endpoint is protocol-agnostic: only the [`Transport`](crate::Transport) that owns the
/// scheme understands the address. Two endpoints are equal when their text is equal, so a
/// transport hands out endpoints in one canonical form (TCP: lower-case host, explicit port,
/// IPv6 in brackets). This is the key of the connection cache; cloning counts a reference and
/// never allocates.
///
/// It displays as a URL and parses from one:
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
    /// An endpoint of `scheme` (brought to lower case) at `address`, which stays as it is.
    ///
    /// # Errors
    /// [`EndpointError`] when the scheme is not a URL scheme, when the address is too long, or
    /// when either holds a control character or a space.
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
            return fail("the address holds a space or a control character");
        }
        let url = format!("{}://{address}", scheme.to_ascii_lowercase());
        Ok(Self { url: url.into(), scheme_len: scheme.len() })
    }

    /// The scheme, in lower case: `iiop`, `uiop`, `inproc`.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.url.get(..self.scheme_len).unwrap_or_default()
    }

    /// The address in the scheme's own grammar: what follows `://`.
    #[must_use]
    pub fn address(&self) -> &str {
        self.url.get(self.scheme_len + 3..).unwrap_or_default()
    }

    /// The whole as a URL, `scheme://address`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.url
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    /// Splits a URL at its `://`. The address is not looked at: a
    /// [`Transport::parse_endpoint`](crate::Transport::parse_endpoint) does that.
    fn from_str(url: &str) -> Result<Self, EndpointError> {
        match url.split_once("://") {
            Some((scheme, address)) => Self::new(scheme, address),
            None => {
                let shown: String = url.chars().take(80).collect();
                Err(EndpointError::new(&shown, "a scheme and '://' must come first"))
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

/// An endpoint's text does not follow its grammar.
///
/// At the ORB's surface this is `BAD_PARAM` with minor code 8 (bad address) or 9 (bad
/// scheme-specific part).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointError {
    text: Box<str>,
    reason: Box<str>,
}

impl EndpointError {
    /// An error about `text`, with the rule that it breaks.
    #[must_use]
    pub fn new(text: &str, reason: &str) -> Self {
        Self { text: text.into(), reason: reason.into() }
    }

    /// The text that was refused (shortened when it is long).
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The rule that the text breaks.
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
