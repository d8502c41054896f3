//! Converts certificates to the identity of a peer.

use ring::digest::{SHA256, digest};
use rustls_pki_types::CertificateDer;
use zorb_transport::PeerIdentity;

use crate::der;

/// The identity in a certificate chain, the peer's own first.
pub(crate) fn identity(chain: &[CertificateDer<'_>]) -> Option<PeerIdentity> {
    let own = chain.first()?;
    // A verified certificate can be parsed; if not, it contains no names.
    let names = der::names(own).unwrap_or_default();
    let fingerprint = digest(&SHA256, own).as_ref().to_vec();
    let chain = chain.iter().map(|certificate| certificate.to_vec()).collect();
    Some(PeerIdentity::new(names.subject, names.alternatives, fingerprint, chain))
}

/// The name in a certificate for messages.
pub(crate) fn shown(certificate: &CertificateDer<'_>) -> String {
    match der::names(certificate) {
        Some(names) if !names.subject.is_empty() => names.subject,
        Some(names) => match names.alternatives.first() {
            Some(name) => name.clone(),
            None => "a nameless peer".to_owned(),
        },
        None => "an unreadable certificate".to_owned(),
    }
}
