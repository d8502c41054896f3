//! TLS, and SSLIOP: GIOP over TLS over TCP.
//!
//! [`TlsTransport`] implements [`Transport`](zorb_transport::Transport) with rustls over the TCP
//! transport's sockets. URLs are those of TCP with the scheme `ssliop`; where a port is missing a
//! client takes 684.
//! [`SsliopProtocol`] is what object references know of it: `TAG_INTERNET_IOP` profiles with a
//! `TAG_SSL_SEC_TRANS` component, and `corbaloc:ssliop:` addresses.
//!
//! Who is who is settled by a [`Tls`]: this side's certificate, the roots that are trusted, whether
//! clients have to show a certificate and which of them may come in. Its files are looked at again
//! with every handshake, so that certificates are renewed without a restart; connections that stand
//! go on as they are.
//!
//! # What is promised
//! * TLS 1.2 and 1.3. A certificate that does not lead to a trusted root, is out of date or is for
//!   another name ends the connection before anything of a request is sent. There is no way to
//!   switch that off.
//! * The handshake of a server runs on the connection's own thread and has a time limit
//!   ([`Settings::handshake_timeout`]): clients that say nothing, or say it slowly, hold up no one.
//! * A connection that ends without the peer's `close_notify` is an error and not the end of the
//!   stream.
//! * One thread may send while another receives. What they share is locked while octets are
//!   encrypted or decrypted, never during a system call.
//! * Sessions are not resumed: each handshake checks the certificates that are in force.
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
#[doc(hidden)]
pub mod fuzzing;
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
pub use options::{SetSsliopOptions, SsliopOptions};
pub use settings::{ClientCertificates, Pem, Settings};
pub use ssliop::SsliopProtocol;
pub use transport::TlsTransport;

/// The scheme of URLs that mean TLS under GIOP.
pub const SSLIOP_SCHEME: &str = "ssliop";

/// The port that clients take where none is given: the registered one of IIOP over SSL.
pub const DEFAULT_PORT: u16 = 684;
