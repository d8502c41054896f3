//! Verified identities of peers.

use std::fmt::{self, Write as _};

/// The identity of a peer, verified while the connection was set up.
///
/// A transport creates it from what it has verified, for example a certificate. It contains nothing
/// that only the peer claims.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PeerIdentity {
    subject: String,
    names: Vec<String>,
    fingerprint: String,
    chain: Vec<Vec<u8>>,
}

impl PeerIdentity {
    /// An identity: the subject's name, other names with their kind (`dns:host.example.com`), the
    /// SHA-256 digest of the certificate, and the certificate followed by its chain.
    #[must_use]
    pub fn new(
        subject: String,
        names: Vec<String>,
        fingerprint: impl AsRef<[u8]>,
        chain: Vec<Vec<u8>>,
    ) -> Self {
        let fingerprint = fingerprint.as_ref().iter().fold(String::new(), |mut text, octet| {
            let _ = write!(text, "{octet:02x}");
            text
        });
        Self { subject, names, fingerprint, chain }
    }

    /// The subject: the distinguished name of a certificate in RFC 4514 notation,
    /// `CN=console,O=Example`. May be empty.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The other names with their kind: `dns:`, `ip:`, `uri:`, `email:`.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The host names among the [names](Self::names), without their kind.
    pub fn dns_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter_map(|name| name.strip_prefix("dns:"))
    }

    /// The SHA-256 digest of the peer's certificate in lower-case hexadecimal digits.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The peer's certificate and the chain that it sent, in DER.
    #[must_use]
    pub fn chain(&self) -> &[Vec<u8>] {
        &self.chain
    }

    /// Whether `name` is the subject, one of the [names](Self::names) with its kind, such as `dns:client.example.com`, or
    /// `sha256:` and the fingerprint.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        let fingerprint = name.strip_prefix("sha256:");
        (!name.is_empty() && name == self.subject)
            || self.names.iter().any(|known| known == name)
            || fingerprint.is_some_and(|digits| digits.eq_ignore_ascii_case(&self.fingerprint))
    }
}

/// The subject, otherwise the first name, otherwise the fingerprint.
impl fmt::Display for PeerIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.subject.as_str(), self.names.first()) {
            ("", Some(name)) => f.write_str(name),
            ("", None) => write!(f, "sha256:{}", self.fingerprint),
            (subject, _) => f.write_str(subject),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_answers_to_each_of_its_names_and_to_no_other() {
        let names = vec!["dns:console.example.com".to_owned(), "ip:192.0.2.7".to_owned()];
        let whole = PeerIdentity::new("CN=console".to_owned(), names, [0xab; 32], vec![vec![1]]);
        let digits = "ab".repeat(32);
        for name in ["CN=console", "dns:console.example.com", "ip:192.0.2.7"] {
            assert!(whole.has_name(name), "{name}");
        }
        assert!(whole.has_name(&format!("sha256:{}", digits.to_uppercase())));
        for name in ["", "console", "console.example.com", "sha256:", &digits] {
            assert!(!whole.has_name(name), "{name}");
        }
        assert_eq!(whole.dns_names().collect::<Vec<_>>(), ["console.example.com"]);
        assert_eq!(whole.to_string(), "CN=console");
        let bare = PeerIdentity::new(String::new(), Vec::new(), [1], Vec::new());
        assert!(!bare.has_name(""));
        assert_eq!(bare.to_string(), "sha256:01");
    }
}
