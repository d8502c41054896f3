//! The options of SSLIOP.

use std::time::Duration;

use crate::settings::{ClientCertificates, HANDSHAKE_TIMEOUT, Pem, Settings};

zorb_transport::option_words!(ClientCertificates {
    "required" => Required,
    "optional" => Optional,
    "none" => NotRequested,
});

zorb_transport::options! {
    /// The options of SSLIOP, from which [`Settings`] are made.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SsliopOptions of "ssliop", set by (trait SetSsliopOptions) {
        /// PEM file with this side's certificate and its chain.
        "SsliopCertificate" ssliop_certificate: String = String::new();
        /// PEM file with the private key of SsliopCertificate.
        "SsliopKey" ssliop_key: String = String::new();
        /// PEM file with the certificates of the trusted authorities.
        "SsliopRoots" ssliop_roots: String = String::new();
        /// Whether clients need a certificate, may have one, or are not asked for one.
        "SsliopClientCertificates" ssliop_client_certificates: ClientCertificates =
            ClientCertificates::Required;
        /// Clients that are admitted, separated by ;, by subject, dns:NAME, ip:ADDRESS, uri:URI,
        /// email:ADDRESS or sha256:DIGITS; empty for all with a valid certificate.
        "SsliopAllow" ssliop_allow: String = String::new();
        /// Name that certificates of servers must be valid for, instead of the host of the endpoint.
        "SsliopServerName" ssliop_server_name: String = String::new();
        /// Maximum time of a TLS handshake.
        "SsliopHandshakeTimeout" ssliop_handshake_timeout: Duration = HANDSHAKE_TIMEOUT,
            1..=3_600_000, "ms";
    }
}

impl SsliopOptions {
    /// The settings of these options; `None` if none is set.
    pub(crate) fn settings(&self) -> Option<Settings> {
        if *self == Self::default() {
            return None;
        }
        let text = |value: &str| Some(value.to_owned()).filter(|value| !value.is_empty());
        let file = |path: &str| text(path).map(Pem::file);
        let allowed = self.ssliop_allow.split(';').map(str::trim).filter(|name| !name.is_empty());
        Some(Settings {
            certificate: file(&self.ssliop_certificate),
            key: file(&self.ssliop_key),
            roots: file(&self.ssliop_roots),
            clients: self.ssliop_client_certificates,
            server_name: text(&self.ssliop_server_name),
            allowed: allowed.map(str::to_owned).collect(),
            handshake_timeout: Some(self.ssliop_handshake_timeout),
            ..Settings::new()
        })
    }
}
