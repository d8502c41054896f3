//! Converts certificates to the identity of a peer.

use ring::digest::{SHA256, digest};
use rustls_pki_types::CertificateDer;
use zorb_transport::PeerIdentity;

use crate::der;

/// The identity of a peer with this certificate (in DER): its names, as servers compare them with
/// [`Settings::allow`](crate::Settings::allow) and logs show them. It verifies nothing. The
/// identity of a malformed certificate has no names.
#[must_use]
pub fn certificate_identity(certificate: &[u8]) -> PeerIdentity {
    of(certificate, vec![certificate.to_vec()])
}

/// The identity in a certificate chain, the peer's own first.
pub(crate) fn identity(chain: &[CertificateDer<'_>]) -> Option<PeerIdentity> {
    let own = chain.first()?;
    Some(of(own, chain.iter().map(|certificate| certificate.to_vec()).collect()))
}

fn of(own: &[u8], chain: Vec<Vec<u8>>) -> PeerIdentity {
    // A verified certificate can be parsed; if not, it contains no names.
    let names = der::names(own).unwrap_or_default();
    let fingerprint = digest(&SHA256, own).as_ref().to_vec();
    PeerIdentity::new(names.subject, names.alternatives, fingerprint, chain)
}
