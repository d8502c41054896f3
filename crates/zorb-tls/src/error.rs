//! Errors of TLS.

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};

use rustls::{AlertDescription, Error};
use rustls_pki_types::CertificateDer;

use crate::identity::certificate_identity;

/// A setting of TLS is unusable: which one, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsError {
    what: String,
    why: String,
}

impl TlsError {
    pub(crate) fn new(what: impl Into<String>, why: impl fmt::Display) -> Self {
        Self { what: what.into(), why: why.to_string() }
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

impl std::error::Error for TlsError {}

impl From<TlsError> for io::Error {
    fn from(error: TlsError) -> Self {
        Self::new(io::ErrorKind::InvalidInput, error)
    }
}

/// The name in the certificate that a handshake has rejected: rustls reports the reason, but not the name. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RejectedName(Arc<OnceLock<String>>);

impl RejectedName {
    /// Records the name of a rejected certificate.
    pub(crate) fn record(&self, rejected: &CertificateDer<'_>) {
        let _ = self.0.set(certificate_identity(rejected).to_string());
    }

    /// The error of a handshake.
    pub(crate) fn failed(&self, error: Error) -> io::Error {
        match (&error, self.0.get()) {
            (Error::InvalidCertificate(why), Some(name)) => {
                let text = format!("the certificate of {name} was rejected: {why}");
                io::Error::new(io::ErrorKind::PermissionDenied, text)
            }
            _ => failed(error),
        }
    }
}

/// The error of a connection. `PermissionDenied` if one side rejects the other's certificate, which
/// the ORB reports as `NO_PERMISSION`.
pub(crate) fn failed(error: Error) -> io::Error {
    let (kind, text) = match &error {
        Error::InvalidCertificate(why) => {
            (io::ErrorKind::PermissionDenied, format!("the certificate was rejected: {why}"))
        }
        Error::NoCertificatesPresented => {
            let text = "the peer sent no certificate, but one is required";
            (io::ErrorKind::PermissionDenied, text.to_owned())
        }
        Error::AlertReceived(alert) if is_refusal(*alert) => {
            let text = format!("the peer rejected this side's certificate: {}", describe(*alert));
            (io::ErrorKind::PermissionDenied, text)
        }
        Error::AlertReceived(alert) => {
            (io::ErrorKind::ConnectionAborted, format!("the peer ended TLS: {alert:?}"))
        }
        other => (io::ErrorKind::InvalidData, format!("TLS: {other}")),
    };
    io::Error::new(kind, text)
}

/// Whether an alert means that the peer rejects this side's certificate.
fn is_refusal(alert: AlertDescription) -> bool {
    use AlertDescription as A;
    matches!(
        alert,
        A::NoCertificate
            | A::BadCertificate
            | A::UnsupportedCertificate
            | A::CertificateRevoked
            | A::CertificateExpired
            | A::CertificateUnknown
            | A::UnknownCA
            | A::AccessDenied
            | A::CertificateRequired
    )
}

fn describe(alert: AlertDescription) -> String {
    use AlertDescription as A;
    match alert {
        A::CertificateRequired | A::NoCertificate => {
            "it requires one, and none was sent; set SsliopCertificate and SsliopKey".to_owned()
        }
        A::UnknownCA => "it does not trust the authority that signed it".to_owned(),
        A::CertificateExpired => "it has expired".to_owned(),
        A::CertificateRevoked => "it is revoked".to_owned(),
        A::AccessDenied => "its holder is not admitted".to_owned(),
        other => format!("{other:?}"),
    }
}
