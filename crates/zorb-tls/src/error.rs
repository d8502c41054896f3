//! Errors of TLS.

use std::cell::RefCell;
use std::fmt;
use std::io;

use rustls::{AlertDescription, Error};

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

thread_local! {
    /// The name in the certificate that this thread has just rejected: rustls reports the reason,
    /// but not the name.
    static REJECTED_SUBJECT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Records the name of a rejected certificate for the next error on this thread.
pub(crate) fn note_rejected(subject: &str) {
    // A thread that ends may have dropped it.
    let _ = REJECTED_SUBJECT.try_with(|rejected| rejected.replace(Some(subject.to_owned())));
}

/// The error of a connection. `PermissionDenied` if one side rejects the other's certificate, which
/// the ORB reports as `NO_PERMISSION`.
pub(crate) fn failed(error: Error) -> io::Error {
    let rejected = REJECTED_SUBJECT.try_with(RefCell::take).ok().flatten();
    let (kind, text) = match &error {
        Error::InvalidCertificate(why) => {
            let whose = rejected.map_or(String::new(), |subject| format!(" of {subject}"));
            (io::ErrorKind::PermissionDenied, format!("the certificate{whose} was rejected: {why}"))
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
