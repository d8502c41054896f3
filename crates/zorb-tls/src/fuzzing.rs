//! For fuzzing what a peer's certificate is read for. Not for programs.

use rustls_pki_types::CertificateDer;
use zorb_transport::PeerIdentity;

use crate::identity::{identity, shown};

/// Who a certificate, which may be anything, says that its holder is, and the name of it for
/// messages.
#[must_use]
pub fn certificate(octets: &[u8]) -> (Option<PeerIdentity>, String) {
    let certificate = CertificateDer::from(octets);
    (identity(std::slice::from_ref(&certificate)), shown(&certificate))
}
