//! Verification of certificates: by rustls, recording the name of a rejected certificate, and then
//! by the policy for clients.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    SignatureScheme,
};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};

use crate::error::RejectedName;
use crate::identity::identity;
use crate::settings::{ClientCertificates, Settings};

/// Verifies servers' certificates.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    inner: Arc<WebPkiServerVerifier>,
    rejected: RejectedName,
}

impl Servers {
    /// A verifier with these roots.
    pub(crate) fn new(
        provider: &Arc<CryptoProvider>,
        roots: &Arc<RootCertStore>,
    ) -> Result<Self, String> {
        let provider = Arc::clone(provider);
        let inner = WebPkiServerVerifier::builder_with_provider(Arc::clone(roots), provider);
        let inner = inner.build().map_err(|error| error.to_string())?;
        Ok(Self { inner, rejected: RejectedName::default() })
    }

    /// The same verifier for one handshake, which records the name of a rejected certificate.
    pub(crate) fn recording(&self, rejected: &RejectedName) -> Self {
        Self { rejected: rejected.clone(), ..self.clone() }
    }
}

/// Verifies clients' certificates.
#[derive(Clone, Debug)]
pub(crate) struct Clients {
    inner: Arc<dyn ClientCertVerifier>,
    settings: Arc<Settings>,
    rejected: RejectedName,
}

impl Clients {
    /// A verifier with these roots and settings.
    pub(crate) fn new(
        provider: &Arc<CryptoProvider>,
        roots: Arc<RootCertStore>,
        settings: Arc<Settings>,
    ) -> Result<Self, String> {
        let builder = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(provider));
        let builder = match settings.clients {
            ClientCertificates::Required => builder,
            _ => builder.allow_unauthenticated(),
        };
        let inner = builder.build().map_err(|error| error.to_string())?;
        Ok(Self { inner, settings, rejected: RejectedName::default() })
    }

    /// The same verifier for one handshake, which records the name of a rejected certificate.
    pub(crate) fn recording(&self, rejected: &RejectedName) -> Self {
        Self { rejected: rejected.clone(), ..self.clone() }
    }
}

/// `inner` verifies signatures. Both traits have the same methods but no common supertrait.
macro_rules! signatures_by_inner {
    () => {
        fn verify_tls12_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.inner.verify_tls12_signature(message, certificate, signature)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.inner.verify_tls13_signature(message, certificate, signature)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.inner.supported_verify_schemes()
        }
    };
}

impl ServerCertVerifier for Servers {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.inner.verify_server_cert(own, chain, name, ocsp, now);
        verified.inspect_err(|_| self.rejected.record(own))
    }

    signatures_by_inner!();
}

impl ClientCertVerifier for Clients {
    fn offer_client_auth(&self) -> bool {
        self.inner.offer_client_auth()
    }

    fn client_auth_mandatory(&self) -> bool {
        self.inner.client_auth_mandatory()
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.inner.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        own: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let verified = self
            .inner
            .verify_client_cert(own, chain, now)
            .inspect_err(|_| self.rejected.record(own))?;
        let whole: Vec<_> = std::iter::once(own).chain(chain).cloned().collect();
        if identity(&whole).is_some_and(|client| self.settings.admits(&client)) {
            return Ok(verified);
        }
        self.rejected.record(own);
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    signatures_by_inner!();
}
