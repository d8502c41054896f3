//! TLS, and SSLIOP: GIOP over TLS over TCP.
//!
//! [`TlsTransport`] implements [`Transport`](zorb_transport::Transport) with rustls over the
//! sockets of the TCP transport. URLs are those of TCP with the scheme `ssliop`; a client's default
//! port is 684. [`SsliopProtocol`] is the protocol, with `TAG_INTERNET_IOP` profiles that contain a
//! `TAG_SSL_SEC_TRANS` component, and `corbaloc:ssliop:` addresses.
//!
//! A [`Tls`] contains this side's certificate, the trusted roots, and which clients are admitted.
//! Every handshake checks its files for changes, so that certificates are renewed without a
//! restart; existing connections are not affected.
//!
//! # Guarantees
//! * TLS 1.2 and 1.3. A certificate that does not lead to a trusted root, has expired or is for
//!   another name ends the connection before any part of a request is sent. This cannot be
//!   disabled.
//! * A server's handshake runs on the connection's thread with a time limit
//!   ([`Settings::handshake_timeout`]): clients that send nothing or slowly delay nobody.
//! * A connection that ends without the peer's `close_notify` is an error, not an end of stream.
//! * One thread may send while another receives. Their common state is locked while octets are
//!   encrypted or decrypted, never during a system call.
//! * Sessions are not resumed: each handshake verifies the current certificates.
//!
//! This crate is for Zorb itself and its facade crate `zorb`, which registers it when it is built
//! with the feature `tls`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod acceptor;
mod configured;
mod credentials;
mod der;
mod error;
mod handshake;
mod identity;
mod inbox;
mod options;
mod settings;
mod ssliop;
mod stream;
mod transport;
mod verify;

pub use configured::Tls;
pub use error::TlsError;
pub use identity::certificate_identity;
pub use options::{SetSsliopOptions, SsliopOptions};
pub use settings::{ClientCertificates, Pem, Settings};
pub use ssliop::SsliopProtocol;
pub use transport::TlsTransport;

/// The scheme of SSLIOP URLs.
pub const SSLIOP_SCHEME: &str = "ssliop";

/// The default port of clients: the registered port of IIOP over SSL.
pub const DEFAULT_PORT: u16 = 684;
