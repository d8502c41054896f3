//! An entry point for fuzzing: parsing a peer's certificate. Not for programs.

use rustls_pki_types::CertificateDer;
use zorb_transport::PeerIdentity;

use crate::identity::{identity, shown};

/// The identity in a certificate, which may be malformed, and its name for messages.
#[must_use]
pub fn certificate(octets: &[u8]) -> (Option<PeerIdentity>, String) {
    let certificate = CertificateDer::from(octets);
    (identity(std::slice::from_ref(&certificate)), shown(&certificate))
}
